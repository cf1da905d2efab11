// What is kept of a turn, and what a later process makes of it. Owns the words for how a response ended that a ledger holds,
// and whether a run goes on after it.

import type { FinishReason } from "../events.ts";
import type { Answer } from "../turns/answer.ts";
import type { TurnForm } from "../turns/turn-form.ts";
import type { DispatchResult } from "./events.ts";
import type { TurnRecord } from "./ledger.ts";

/** A turn that stands in the history. */
export interface KeptTurn {
  /** The assistant's messages. */
  readonly assistant: readonly unknown[];
  /** The results' messages. */
  readonly results: readonly unknown[];
  /** Why the response ended. */
  readonly finish: FinishReason | null;
  /** Whether the model is to be asked again. */
  readonly goesOn: boolean;
  /** What its calls came to, for the budget of corrections. */
  readonly judged: readonly Judged[];
}

/** A call, and why it did not run or did not end well. */
export type Judged = Pick<DispatchResult, "call" | "reason">;

/** Anthropic's words for a turn that is to be sent back as it is, so that the model goes on with it. */
const PAUSES = new Set(["pause_turn", "compaction"]);

/** The response came to its end, and the vendor stands by it. */
export function endedWell({ finish }: Answer): boolean {
  return finish !== null && finish !== "error" && finish !== "cancelled";
}

/**
 * The vendor read the model's call and found it malformed: Gemini's `MALFORMED_FUNCTION_CALL` and its relatives, Bedrock's
 * `malformed_tool_use`. Asking again without a word would only meet the same.
 */
export function isProvidersFault({ finish, rawFinish }: Answer): boolean {
  return finish === "error" && rawFinish !== null && PROVIDERS_FAULT.test(rawFinish);
}

const PROVIDERS_FAULT = /^(?:malformed_|unexpected_tool_call$|too_many_tool_calls$)/i;

/** A turn's finish as it is kept: with what a later process must know. */
export function wordFor({ finish, rawFinish }: Answer): string | null {
  if (rawFinish === null) return finish;
  if (PAUSES.has(rawFinish)) return PAUSE;
  return finish === "error" && PROVIDERS_FAULT.test(rawFinish) ? MALFORMED : finish;
}

const PAUSE = "pause";
const MALFORMED = "malformed";

/**
 * A turn out of a ledger, with its results.
 *
 * @param record The turn.
 * @param results Its results.
 */
export function keptTurn(record: TurnRecord, results: readonly unknown[]): KeptTurn {
  const { assistant } = record;
  return { assistant, results, finish: finishOf(record), goesOn: goesOn(record), judged: [] };
}

function finishOf({ finish }: TurnRecord): FinishReason | null {
  if (finish === PAUSE) return "stop";
  return finish === MALFORMED ? "error" : (finish as FinishReason | null);
}

/** Whether the model is asked again after a turn. */
export function goesOn({ calls, finish }: TurnRecord): boolean {
  if (finish === "content_filter") return false;
  return calls.length > 0 || finish === PAUSE || finish === MALFORMED;
}

/** An answer out of what was kept of it: as much as running its calls needs. */
export function answerOf(record: TurnRecord, { protocol, variant }: TurnForm): Answer {
  const { calls, finish } = record;
  return {
    protocol,
    ...(variant === undefined ? {} : { variant }),
    response: {},
    items: calls.map((call) => ({ type: "call", call })),
    answered: [],
    finish: finishOf(record),
    rawFinish: finish === MALFORMED ? "malformed_tool_use" : null,
    error: null,
  };
}

/** Whether what was kept is what we gave. A store may give the keys of objects in another order. */
export function isSame(kept: TurnRecord, own: TurnRecord): boolean {
  const text = ({ assistant, calls }: TurnRecord): string => JSON.stringify([assistant, calls], sortedKeys);
  return kept.results === undefined && text(kept) === text(own);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
