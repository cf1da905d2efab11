// Where markup may begin: the first literals of all forms and spans, found by their first two characters. Owns the index
// over the tables.

import { END_TOKENS, FORMS, SPANS } from "./forms.ts";
import type { Form, Span } from "./form.ts";

/** One literal that begins a form or a span. */
export interface Opener {
  readonly literal: string;
  readonly form?: Form;
  /** The literal stands before a call, and does not begin one. */
  readonly isLead?: boolean;
  readonly span?: Span;
}

/** First characters of anything that the scanner looks at, below 128 or in `WIDE`. */
const starts = new Uint8Array(128);
/** Openers by the code units of their first two characters. */
const pairs: Map<number, Opener[]> = new Map();
/** First two characters of what ends a span or may stand behind a call. */
const endings: Set<number> = new Set();
/** Forms that may begin only where a message does, by their first character. */
const atStart: Map<number, Opener[]> = new Map();

function add(opener: Opener): void {
  const { literal } = opener;
  starts[literal.charCodeAt(0)] = 1;
  const isStart = opener.form?.where === "start";
  const key = isStart ? literal.charCodeAt(0) : pairAt(literal, 0);
  const map = isStart ? atStart : pairs;
  const list = map.get(key);
  if (list === undefined) map.set(key, [opener]);
  else list.push(opener);
}

for (const form of FORMS) {
  for (const literal of form.lead ?? []) add({ literal, form, isLead: true });
  for (const literal of form.open) add({ literal, form });
}
for (const span of SPANS) {
  for (const literal of span.open) add({ literal, span });
  for (const literal of span.close) {
    starts[literal.charCodeAt(0)] = 1;
    endings.add(pairAt(literal, 0));
  }
}

/** What may stand behind any call. */
export const CLOSERS: readonly string[] = [
  ...new Set([...FORMS.flatMap((form) => form.closers), ...END_TOKENS]),
].filter((closer) => closer !== "```");

function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

/** Whether markup may begin or end at a position; also where the text ends too early to tell. */
export function mayBegin(text: string, at: number): boolean {
  if (starts[text.charCodeAt(at)] !== 1) return false;
  if (at + 1 >= text.length) return true;
  const pair = pairAt(text, at);
  return pairs.has(pair) || endings.has(pair);
}

const NONE: readonly Opener[] = [];

/** The openers whose first two characters stand at a position, in the order of the tables. */
export function openersAt(text: string, at: number): readonly Opener[] {
  return (at + 1 < text.length ? pairs.get(pairAt(text, at)) : undefined) ?? NONE;
}

/** The openers for the beginning of a message. */
export function openersAtStart(unit: number): readonly Opener[] {
  return atStart.get(unit) ?? NONE;
}
