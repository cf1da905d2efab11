// What can stand in the way of a call, as data: the reasons, and what is known in each case. Owns the closed set; the
// words for it are corrective.ts.

import type { CallRepair, FinishReason, ToolCall } from "../events.ts";
import type { SchemaIssue } from "./tool.ts";

/** What every correction knows. */
export interface AboutCall {
  /** The call. */
  readonly call: ToolCall;
}

/** The argument text cannot become a JSON object, or the call has no name. `call.problem` says what and where. */
export interface MalformedInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "malformed";
  /** Names of tools there are, for a call without a name. */
  readonly tools: readonly string[];
}

/** The call was cut short. */
export interface TruncatedInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "truncated";
  /** Why the response ended; null where nothing said so. */
  readonly finish: FinishReason | null;
}

/** There is no such tool. */
export interface UnknownToolInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "unknown-tool";
  /** What may have been meant, the nearest first. */
  readonly nearest: readonly string[];
  /** Names of all tools there are. */
  readonly tools: readonly string[];
}

/** The arguments do not fit the tool's schema. */
export interface InvalidArgumentsInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "invalid-arguments";
  /** What is wrong. */
  readonly issues: readonly SchemaIssue[];
}

/** The response did not end well, so none of its calls was run. */
export interface NotRunInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "not-run";
  /** Why the response ended; null where nothing said so. */
  readonly finish: FinishReason | null;
}

/** A person, or the user's own rule, said no. */
export interface RefusedInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "refused";
  /** What was said, for the model. */
  readonly why?: string;
}

/** The tool did not finish in its time. */
export interface TimedOutInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "timed-out";
  /** What it had. */
  readonly timeoutMs: number;
  /** Running the tool twice does no harm. */
  readonly repeatable: boolean;
}

/** The tool threw. */
export interface ThrewInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "threw";
  /** What may be said of it: the message, masked and bounded; of a `ToolError` word for word. */
  readonly message: string;
  /** Whether the tool threw a `ToolError`: the message is all that goes to the model. */
  readonly meant: boolean;
  /** What was thrown, with its stack: not for the model. */
  readonly thrown: unknown;
}

/** A worker that had begun the call was lost: nobody knows whether it ran. */
export interface UnknownOutcomeInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "unknown-outcome";
}

/** In this turn, a call with other arguments has the same place. */
export interface CollisionInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "collision";
}

/** The run was stopped. */
export interface AbortedInfo extends AboutCall {
  /** Which one of the closed set it is. */
  readonly reason: "aborted";
  /** Whether the tool had been started. */
  readonly started: boolean;
}

/** Why a call got no result of its tool's own, and what is known about it. */
export type Correction =
  | MalformedInfo
  | TruncatedInfo
  | UnknownToolInfo
  | InvalidArgumentsInfo
  | NotRunInfo
  | RefusedInfo
  | TimedOutInfo
  | ThrewInfo
  | UnknownOutcomeInfo
  | CollisionInfo
  | AbortedInfo;

/** The closed set of reasons. */
export type CorrectionReason = Correction["reason"];

/**
 * Texts of the user's own in place of ours, by reason. Undefined leaves ours. The text goes to the model as it is: what it
 * takes from the call must be quoted and bounded by who writes it.
 *
 * @example
 * const corrections: Corrections = {
 *   "unknown-tool": ({ tools }) => `No such tool. There are: ${tools.join(", ")}.`,
 * };
 */
export type Corrections = {
  readonly [Reason in CorrectionReason]?: (
    info: Extract<Correction, { readonly reason: Reason }>,
  ) => string | undefined;
};

/** A call that was run by the one reading of its malformed text, and what the model is told of it. */
export interface RepairedInfo extends AboutCall {
  /** The reading. */
  readonly repair: CallRepair;
}
