// Right or wrong. Owns the harness that stands behind every reader alike, and the comparison with the right answer.
//
// What matters is what would *run*. The same careful harness stands behind every reader:
//
//   1. it waits until the reader is done, and runs nothing where the reader threw;
//   2. it runs nothing where the reader's own word for the end says that the response was cut or failed (`length`,
//      `max_tokens`, `content_filter`, `error`, …), or where the reader has no word for the end at all;
//   3. it takes the calls that the reader hands out as finished, less those that the reader flags as invalid;
//   4. arguments that are handed out as text are parsed with `JSON.parse`; empty text is `{}`;
//   5. it runs those whose arguments are an object, whose tool was declared, and whose arguments fit its schema.
//
// A case is right when these calls are the ones that should run: as many, with the same names, equal argument values, and
// the same id where the right answer names one. Their order is not judged: calls of one response are independent, and some
// readers hand them out as they end. Whether the reader also tells the harness about the calls that must not run, so that
// it can answer them, is not judged either. Throwing is right only where the response failed or broke off and nothing may
// run; where it ended well, or at its token limit, a throw takes calls and text away from the user and is wrong.
//
// Several points favour the readers: no tool runs before the end (frameworks start them earlier), the word for the end is
// looked at (few programs do), schemas are checked, made-up and repeated ids are not held against anyone.

import type { Case, ExpectedCall } from "./cases.ts";
import { matches } from "./cases.ts";
import type { Handed, HandedCall } from "./peer.ts";

/** What became of one reading: what was handed out, or why there is nothing. */
export type Outcome = { readonly handed: Handed } | { readonly threw: string } | { readonly hung: true };

/**
 * What went wrong.
 *
 * - `merged`: fewer calls than there were, one holding what belonged to several.
 * - `lost`: a call that should run does not.
 * - `doubled`: a call, or its argument text, twice.
 * - `threw`: the reader threw, and had no reason to.
 * - `ran-truncated`: a call ran out of a response that was cut before its end.
 * - `ran-malformed`: a call ran whose arguments are no JSON object.
 * - `hang`: no end in 10 seconds.
 * - `other`: another id, name or value.
 */
export type Reason = "merged" | "lost" | "doubled" | "threw" | "ran-truncated" | "ran-malformed" | "hang" | "other";

/** The judgement of one reading; without a reason it is right. */
export interface Verdict {
  readonly reason?: Reason;
  readonly detail?: string;
}

/** A call that the harness would run. */
interface Run {
  readonly id: string | undefined;
  readonly name: string;
  readonly value: unknown;
}

const CUT =
  /length|max_tokens|incomplete|filter|safety|recitation|error|fail|cancel|abort|malformed|interrupt|refusal|blocked|prohibited/i;

/** Judges one reading. */
export function judge(expected: Case, outcome: Outcome): Verdict {
  if ("hung" in outcome) return { reason: "hang" };
  if ("threw" in outcome) return expected.mayThrow ? {} : { reason: "threw", detail: outcome.threw };
  const ran = harness(outcome.handed, expected);
  const { toRun } = expected;
  if (ran.length === toRun.length && areSame(ran, toRun)) return {};
  return { reason: reasonOf(expected, ran, outcome.handed), detail: detailOf(ran, outcome.handed) };
}

/** What would run. */
function harness({ calls, finish }: Handed, { tools }: Case): Run[] {
  if (finish === null || CUT.test(finish)) return [];
  return calls.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name);
    const value = call.flagged === true ? undefined : valueOf(call);
    if (tool === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return matches(tool.parameters, value) ? [{ id: call.id, name: call.name, value }] : [];
  });
}

function valueOf({ text, value }: HandedCall): unknown {
  if (text === undefined) return value;
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text);
  } catch {
    return undefined;
  }
}

/** Whether each expected call is found, those with an id first, and each run is used once. */
function areSame(ran: readonly Run[], toRun: readonly ExpectedCall[]): boolean {
  const left = [...ran];
  return toRun
    .toSorted((a, b) => Number(a.id === null) - Number(b.id === null))
    .every((call) => {
      const at = left.findIndex((run) => isSame(run, call, true));
      return at >= 0 && left.splice(at, 1).length === 1;
    });
}

function isSame(run: Run | undefined, call: ExpectedCall | undefined, withId: boolean): boolean {
  if (run === undefined || call === undefined || run.name !== call.name) return false;
  if (withId && call.id !== null && run.id !== call.id) return false;
  return call.lossy === true || canonical(run.value) === canonical(call.value);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}

function reasonOf({ calls, toRun }: Case, ran: readonly Run[], handed: Handed): Reason {
  const extra = ran.filter((run) => !toRun.some((call) => isSame(run, call, false)));
  const missing = toRun.filter((call) => !ran.some((run) => isSame(run, call, false)));
  if (ran.length > 0 && toRun.length === 0 && calls.some(({ status }) => status === "truncated"))
    return "ran-truncated";
  if (extra.length > 0 && missing.length === 0) {
    const names = new Set(extra.map(({ name }) => name));
    const wrong = calls.filter(({ name }) => names.has(name)).map(({ status }) => status);
    if (wrong.includes("malformed")) return "ran-malformed";
    if (wrong.includes("truncated")) return "ran-truncated";
  }
  if (missing.length === 0) return extra.length === 0 && ran.length > toRun.length ? "doubled" : "other";
  const texts = handed.calls.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const whole = calls.map(({ text }) => text.trim()).filter((text) => text.length > 2);
  const holdsSeveral = texts.some((text) => whole.filter((each) => text.includes(each)).length > 1);
  if (holdsSeveral || (handed.calls.length > 0 && handed.calls.length < calls.length)) return "merged";
  if (texts.some((text) => missing.some((call) => repeats(text, call.text.trim())))) return "doubled";
  return extra.length === 0 ? "lost" : "other";
}

/** Whether a text holds another one, and a piece of it a second time. */
function repeats(text: string, part: string): boolean {
  const at = part === "" ? -1 : text.indexOf(part);
  const rest = text.slice(0, Math.max(at, 0)) + text.slice(at + part.length);
  const piece = 6;
  return (
    at >= 0 &&
    Array.from(rest, (_, from) => from).some(
      (from) => from + piece <= rest.length && part.includes(rest.slice(from, from + piece)),
    )
  );
}

function detailOf(ran: readonly Run[], { calls, finish }: Handed): string {
  const shown = calls.map(({ id, name, text, value, flagged }) =>
    `${id ?? "-"} ${name}(${text ?? JSON.stringify(value)})${flagged === true ? " flagged" : ""}`.slice(0, 160),
  );
  return `${ran.length} would run, finish ${finish}; handed out: ${shown.join("; ") || "nothing"}`;
}
