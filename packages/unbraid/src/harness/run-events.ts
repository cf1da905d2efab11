// What a run says while it goes, and what it comes to. Owns types only.

import type { FinishReason, StreamEvent, WireError } from "../events.ts";
import type { Answer } from "../turns/answer.ts";
import type { BudgetVerdict } from "./correction-budget.ts";
import type { ToolEvent } from "./events.ts";

/** What a response says, with the turn that it belongs to: keys of calls are unique only within one attempt at a turn. */
export type TurnStreamEvent = StreamEvent & {
  /** The 0-based turn. */
  readonly turn: number;
};

/** A model is asked for a turn, or a turn is taken up that an earlier process had kept. */
export interface TurnStartEvent {
  /** Tells the events apart. */
  readonly type: "turn.start";
  /** The 0-based turn. */
  readonly turn: number;
  /** Counts from 1; above it the attempt before was dropped. */
  readonly attempt: number;
  /** True where the ledger had the turn: the model is not asked again. */
  readonly resumed?: true;
}

/** An attempt at a turn is dropped whole: nothing of it ran, nothing of it stays. Forget what it had shown. */
export interface TurnDropEvent {
  /** Tells the events apart. */
  readonly type: "turn.drop";
  /** The 0-based turn. */
  readonly turn: number;
  /** Which attempt. */
  readonly attempt: number;
  /** What went wrong; null where the stream ended without a word. */
  readonly error: WireError | null;
  /** Milliseconds until it is asked again; absent where it is not. */
  readonly retryInMs?: number;
}

/** A turn is over and stands in the history. */
export interface TurnEndEvent {
  /** Tells the events apart. */
  readonly type: "turn.end";
  /** The 0-based turn. */
  readonly turn: number;
  /** Why the response ended. */
  readonly finish: FinishReason | null;
  /** The assistant's messages, in the vendor's own form. */
  readonly assistant: readonly unknown[];
  /** The results' messages, in the vendor's own form. */
  readonly results: readonly unknown[];
  /** True where the ledger had the turn. */
  readonly resumed?: true;
}

/** The run is over: the last event, exactly once. */
export interface RunEndEvent {
  /** Tells the events apart. */
  readonly type: "run.end";
  /** Why. */
  readonly reason: RunReason;
  /** How many turns stand in the history. */
  readonly turns: number;
  /** All token counts that the wires gave, summed. */
  readonly usage: RunUsage;
  /** What went wrong: the error's name and message. */
  readonly error?: { readonly name: string; readonly message: string };
}

/** Everything a run says. Plain data. */
export type RunEvent = TurnStreamEvent | TurnStartEvent | TurnDropEvent | ToolEvent | TurnEndEvent | RunEndEvent;

/**
 * Why a run ended.
 *
 * - `done`: the model answered, and asks for nothing more.
 * - `max-turns`: the model would be asked once more, but may not.
 * - `max-corrections`: too many calls could not run, or too many in a row for the same reason; `limit` says which.
 * - `length`: the answer was cut by its token limit, and held no call to be corrected.
 * - `content_filter`: the vendor held the answer back.
 * - `aborted`: by the signal, or because the loop over the events was left.
 * - `error`: the model could not be asked or did not answer, or the ledger could not be reached; `error` says it.
 */
export type RunReason = "done" | "max-turns" | "max-corrections" | "length" | "content_filter" | "aborted" | "error";

/** Token counts. */
export interface RunUsage {
  /** Tokens of all requests. */
  readonly inputTokens: number;
  /** Tokens that the model wrote. */
  readonly outputTokens: number;
}

/** What a run came to. */
export interface RunResult {
  /**
   * The whole history: what was given, and all that was added. It can be sent as it stands, whatever ended the run: every
   * call in it has exactly one result, and there is no result without its call.
   */
  readonly messages: readonly unknown[];
  /** Why it ended. */
  readonly reason: RunReason;
  /** How many turns stand in the history. */
  readonly turns: number;
  /** All token counts that the wires gave, dropped attempts too, summed. */
  readonly usage: RunUsage;
  /** The text of the last answer that this run read; empty where an earlier process had read them all. */
  readonly text: string;
  /** The last answer; where the run was cut off, as much of it as came. Null where none was read. */
  readonly answer: Answer | null;
  /** Which limit was passed, where `reason` is `max-corrections`. */
  readonly limit?: BudgetVerdict;
  /** What went wrong, where `reason` is `error`: a `ModelError`, a `LedgerError`, or what your own code threw. */
  readonly error?: unknown;
}
