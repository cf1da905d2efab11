// Results brought to the order of their calls, each call's exactly once. Owns that order and the refusal of halves.

import type { ToolCall } from "../events.ts";
import { needsResult, pending, type Answer } from "./answer.ts";
import type { CallResult } from "./turn-form.ts";

const NONE: ReadonlySet<string> = new Set();

/** Results in call order. Throws as `TurnForm.results` says. */
export function inCallOrder(results: readonly CallResult[], answer: Answer | undefined): readonly CallResult[] {
  const byKey = new Map<string, CallResult>();
  for (const result of results) {
    const { call } = result;
    if (!needsResult(call, NONE)) throw new TypeError(`The vendor ran ${said(call)} itself: it gets no result.`);
    if (byKey.has(call.key)) throw new TypeError(`There are two results for ${said(call)}: give one.`);
    byKey.set(call.key, result);
  }
  if (answer !== undefined) checkPairs(byKey, pending(answer));
  return [...byKey.values()].toSorted((a, b) => a.call.index - b.call.index);
}

function checkPairs(byKey: ReadonlyMap<string, CallResult>, calls: readonly ToolCall[]): void {
  const missing = calls.find((call) => !byKey.has(call.key));
  if (missing !== undefined)
    throw new TypeError(`There is no result for ${said(missing)}: every pending call needs one.`);
  const known = new Set(calls.map((call) => call.key));
  for (const { call } of byKey.values()) {
    if (!known.has(call.key)) throw new TypeError(`${said(call)} is no pending call of this answer.`);
  }
}

function said({ name, id }: ToolCall): string {
  return `the call ${JSON.stringify(id.slice(0, 80))} of "${name.slice(0, 80)}"`;
}
