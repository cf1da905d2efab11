// A naive reader's calls beside ours. Owns which belong together, and what the difference would have done.

import type { CallIdentity, RetractReason, ToolCall } from "unbraid";
import type { NaiveCall } from "./readers.ts";
import { sameValue } from "./same-value.ts";

/** One of our calls, as the comparison needs it. */
export interface OwnCall {
  /** From 1, in order of first sight. */
  readonly number: number;
  /** What is known of it: all once it is closed. */
  readonly call: CallIdentity | ToolCall;
  /** Why it was taken back, where it was. */
  readonly retracted: RetractReason | undefined;
  /** The argument text. */
  readonly text: string;
}

/** What a naive reader would have done with one call, beside what is right. */
export interface Comparison {
  /**
   * `same`: what is right; `differs`: something else; `extra`: a call that there is not; `missed`: nothing, though there
   * is a call.
   */
  readonly verdict: "same" | "differs" | "extra" | "missed";
  /** It runs a tool that must not run now, or not with these arguments. */
  readonly harm: boolean;
  /** Ours; undefined where there is no such call. */
  readonly ours: OwnCall | undefined;
  /** The naive reader's; undefined where it has none. */
  readonly naive: NaiveCall | undefined;
  /** What it does, in words; empty where there is nothing to say. */
  readonly words: string;
  /** UTF-16 offset in the naive text where it leaves ours; undefined where the texts agree or cannot be compared. */
  readonly offset: number | undefined;
}

/**
 * Compares the calls of a naive reader with ours.
 *
 * @param rows Our calls.
 * @param naive The naive reader's.
 * @param mayRun Ids of our calls that may run.
 */
export function compare(
  rows: readonly OwnCall[],
  naive: readonly NaiveCall[],
  mayRun: ReadonlySet<string>,
): readonly Comparison[] {
  const pairs = matched(
    rows.filter(({ call }) => CLIENT_KINDS.has(call.kind)),
    naive,
  );
  return pairs.flatMap(([ours, theirs]) => {
    if (ours === undefined) return [extra(theirs as NaiveCall)];
    if (theirs === undefined) return missed(ours);
    return [judged(ours, theirs, mayRun.has(ours.call.id))];
  });
}

/** The kinds of calls that the client runs. */
const CLIENT_KINDS: ReadonlySet<CallIdentity["kind"]> = new Set(["function", "custom", "builtin"]);

type Pair = readonly [OwnCall | undefined, NaiveCall | undefined];

/** Pairs by id, then by name, in order; then what is left of each, ours in its place. */
function matched(rows: readonly OwnCall[], naive: readonly NaiveCall[]): readonly Pair[] {
  const partners = new Map<OwnCall, NaiveCall>();
  const left = new Set(naive);
  const pair = (fits: (row: OwnCall, call: NaiveCall) => boolean): void => {
    for (const row of rows) {
      if (partners.has(row)) continue;
      const found = [...left].find((call) => fits(row, call));
      if (found === undefined) continue;
      partners.set(row, found);
      left.delete(found);
    }
  };
  pair((row, call) => row.call.id === call.id);
  pair((row, call) => row.call.name === (call.name ?? ""));
  return [...rows.map((row): Pair => [row, partners.get(row)]), ...[...left].map((call): Pair => [undefined, call])];
}

/** What `JSON.parse` makes of a text, where blank stands for no arguments. */
function outcomeOf(call: NaiveCall): { readonly value: unknown } | { readonly error: string } {
  if (call.free) return { value: call.text };
  try {
    return { value: JSON.parse(call.text.trim() === "" ? "{}" : call.text) as unknown };
  } catch (error) {
    // Some versions of V8 say the place twice.
    return { error: (error as Error).message.replace(/ \(line \d+ column \d+\)$/, "") };
  }
}

function extra(naive: NaiveCall): Comparison {
  const outcome = outcomeOf(naive);
  const harm = "value" in outcome;
  const words = harm ? "runs it: there is no such call" : `throws on it: ${outcome.error}`;
  return { verdict: "extra", harm, ours: undefined, naive, words, offset: undefined };
}

/** A call that must not run, and that the naive reader does not have: there is nothing to compare. */
function missed(ours: OwnCall): Comparison[] {
  if (ours.retracted !== undefined || statusOf(ours) !== "complete") return [];
  return [{ verdict: "missed", harm: false, ours, naive: undefined, words: "does not see it", offset: undefined }];
}

function statusOf({ call }: OwnCall): ToolCall["status"] | undefined {
  return "status" in call ? call.status : undefined;
}

function judged(ours: OwnCall, naive: NaiveCall, mayRun: boolean): Comparison {
  const outcome = outcomeOf(naive);
  const complete = ours.retracted === undefined && statusOf(ours) === "complete";
  const base = { ours, naive, offset: leavesAt(ours.text, naive.text) };
  if ("error" in outcome) return { ...base, verdict: "differs", harm: false, words: `throws ${outcome.error}` };
  const runs = (words: string): Comparison => ({ ...base, verdict: "differs", harm: true, words });
  if (ours.retracted !== undefined) return runs("runs it, though it was taken back");
  if (!complete) return runs(`runs it, though it is ${statusOf(ours) ?? "not closed"}`);
  if (naive.name !== ours.call.name) return runs(`runs it under the name ${naive.name ?? "undefined"}`);
  const right = naive.free ? ours.text : "arguments" in ours.call ? ours.call.arguments : null;
  if (!sameValue(right, outcome.value)) return runs("runs it with other arguments");
  if (!mayRun) return { ...runs("runs it, though the response did not end well"), offset: undefined };
  if (naive.id !== ours.call.id)
    return {
      ...base,
      offset: undefined,
      verdict: "differs",
      harm: false,
      words: `answers under ${naive.id === undefined ? "no id" : `the id ${naive.id}`}`,
    };
  return { ...base, offset: undefined, verdict: "same", harm: false, words: "" };
}

/** Where the naive text leaves ours. */
function leavesAt(ours: string, naive: string): number | undefined {
  if (ours === naive) return undefined;
  let at = 0;
  while (at < ours.length && at < naive.length && ours[at] === naive[at]) at++;
  return at;
}
