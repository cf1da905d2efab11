// The heads of markup as data: literals, white space, a tool's name, a parameter's name, attributes, one after another.
// Owns the steps and their matching. Knows no form and no call.

import { code, CUT, isSpace, literal, NO, oneOf, type Input, type Reading, space } from "./input.ts";

/** White space, also none. */
export const SPACE: unique symbol = Symbol("space");
/** A tool's name. */
export const NAME: unique symbol = Symbol("name");
/** A parameter's name: everything up to the literal that follows, or to the next `<`, on one line. */
export const KEY: unique symbol = Symbol("key");
/** XML attributes, also none. */
export const ATTRIBUTES: unique symbol = Symbol("attributes");

/** One step of a head. A string stands for itself. */
export type Step =
  | string
  | typeof SPACE
  | typeof NAME
  | typeof KEY
  | typeof ATTRIBUTES
  | { readonly one: readonly string[] }
  | { readonly maybe: readonly string[] };

/** What the steps of a head found. */
export interface Found {
  name: string;
  /** False where the text ended inside the name. */
  nameEnded: boolean;
  key: string;
  attributes: Readonly<Record<string, string>>;
}

/** An empty finding. */
export function nothingFound(): Found {
  return { name: "", nameEnded: false, key: "", attributes: {} };
}

/** Longest name of a tool or a parameter that is looked for. */
export const MAX_NAME = 256;
const MAX_ATTRIBUTE = 256;

/**
 * Matches steps at the position, consuming them where all fit.
 *
 * @returns The number of characters consumed, `NO` or `CUT`; with these two nothing is consumed.
 */
export function* match(input: Input, steps: readonly Step[], found: Found): Reading<number> {
  let offset = 0;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    if (typeof step === "string") offset = yield* literal(input, step, offset);
    else if (step === SPACE) offset = yield* space(input, offset);
    else if (step === NAME) offset = yield* name(input, offset, found);
    else if (step === KEY) offset = yield* key(input, offset, steps[i + 1], found);
    else if (step === ATTRIBUTES) offset = yield* attributes(input, offset, found);
    else if ("one" in step) offset = yield* oneOf(input, step.one, offset);
    else {
      const end = yield* oneOf(input, step.maybe, offset);
      if (end === CUT) return CUT;
      if (end >= 0) offset = end;
    }
    if (offset < 0) return offset;
  }
  input.at += offset;
  return offset;
}

/** Characters that end a name: white space, brackets, quotes, bars and the signs around calls. */
const NAME_END = new Set(" \t\r\n<>[](){}\"'|=,;`\uff5c");

function* name(input: Input, offset: number, found: Found): Reading<number> {
  let at = offset;
  found.nameEnded = false;
  for (;;) {
    const unit = yield* code(input, at);
    found.name = input.text.slice(input.at + offset, input.at + at);
    if (unit === CUT) return CUT;
    if (NAME_END.has(String.fromCharCode(unit))) break;
    if (++at - offset > MAX_NAME) return NO;
  }
  found.nameEnded = true;
  return at === offset ? NO : at;
}

function* key(input: Input, offset: number, next: Step | undefined, found: Found): Reading<number> {
  const stop = typeof next === "string" ? next.charCodeAt(0) : 0x3c;
  let at = offset;
  for (;;) {
    const unit = yield* code(input, at);
    if (unit === CUT) return CUT;
    if (unit === stop) break;
    if (unit === 0x0a || ++at - offset > MAX_NAME) return NO;
  }
  found.key = input.text.slice(input.at + offset, input.at + at).trim();
  return found.key === "" ? NO : at;
}

/** ` type="string" index="1"`: names of letters, values in double quotes. */
function* attributes(input: Input, offset: number, found: Found): Reading<number> {
  const all: Record<string, string> = {};
  let at = offset;
  for (;;) {
    const from = yield* space(input, at);
    if (from < 0) return from;
    let to = from;
    let unit = yield* code(input, to);
    while (isLetter(unit) && to - from <= MAX_ATTRIBUTE) unit = yield* code(input, ++to);
    if (unit === CUT) return CUT;
    if (to === from) break;
    if (unit !== 0x3d) return NO;
    const quote = yield* code(input, to + 1);
    if (quote !== 0x22) return quote === CUT ? CUT : NO;
    let end = to + 2;
    for (;;) {
      unit = yield* code(input, end);
      if (unit === CUT) return CUT;
      if (unit === 0x22) break;
      if (++end - to > MAX_ATTRIBUTE) return NO;
    }
    const { text } = input;
    all[text.slice(input.at + from, input.at + to)] = unescapeAttribute(text.slice(input.at + to + 2, input.at + end));
    at = end + 1;
  }
  found.attributes = all;
  return yield* space(input, at);
}

function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
}

/** An attribute's value: `&amp;`, `&quot;`, `&lt;` and `&gt;` stand for their signs. */
export function unescapeAttribute(text: string): string {
  return text.replace(/&(amp|quot|lt|gt);/g, (_, word: string) =>
    word === "amp" ? "&" : word === "quot" ? '"' : word === "lt" ? "<" : ">",
  );
}

/** Whether text is only white space. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isSpace(text.charCodeAt(at))) return false;
  return true;
}
