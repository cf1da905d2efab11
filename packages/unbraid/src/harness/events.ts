// What is said while the calls of a turn are run, as plain data. Owns types only.

import type { ToolCall } from "../events.ts";
import type { CallResult } from "../turns/turn-form.ts";
import type { CorrectionReason } from "./corrections.ts";

/** What every event of a tool says. */
export interface AboutTool {
  /** The 0-based turn. */
  readonly turn: number;
  /** Milliseconds of the dispatch's clock. */
  readonly time: number;
}

/** A person is asked whether a call may run. */
export interface ToolApprovalEvent extends AboutTool {
  /** Tells the events apart. */
  readonly type: "tool.approval";
  /** The call. */
  readonly call: ToolCall;
}

/** A tool begins to run. Not said for calls that cannot run, nor for replays. */
export interface ToolStartEvent extends AboutTool {
  /** Tells the events apart. */
  readonly type: "tool.start";
  /** The call. */
  readonly call: ToolCall;
  /** Counts from 1; above it another worker had begun the call and was lost. */
  readonly attempt: number;
  /** True where it runs before its response has ended. */
  readonly early?: true;
}

/** The answer to a call, and how it came about. Plain data. */
export interface DispatchResult extends CallResult {
  /** Why the harness answered in the tool's place; absent where the tool gave its answer. */
  readonly reason?: CorrectionReason;
  /** True where the ledger had the result: the tool did not run again. */
  readonly replayed?: true;
  /** How long the tool ran, in milliseconds; absent where it did not. */
  readonly durationMs?: number;
}

/**
 * A call has its answer. Comes in the order in which calls end, exactly once for each call that is answered; not for one
 * that was taken back.
 */
export interface ToolResultEvent extends AboutTool {
  /** Tells the events apart. */
  readonly type: "tool.result";
  /** The call, and what goes back for it. */
  readonly result: DispatchResult;
}

/** Everything that is said while calls are run. */
export type ToolEvent = ToolApprovalEvent | ToolStartEvent | ToolResultEvent;
