// What a response says, in the few words that mending compares: once as a strict client reads the frames, once as the
// reader knows it to be. Owns these words and their spelling as lanes; knows no wire.

import type { FinishReason, ToolCall, WireError } from "unbraid";

/** The lanes of text beside the calls. */
type TextLane = "text" | "reasoning" | "refusal";

/** A piece of text. */
interface SaidText {
  readonly kind: "text";
  readonly lane: TextLane;
  readonly choice: number;
  readonly text: string;
}

/** A call began. */
export interface SaidOpen {
  readonly kind: "open";
  readonly call: CallName;
}

/** Argument text was added to a call. */
export interface SaidAdd {
  readonly kind: "add";
  readonly key: string;
  readonly text: string;
}

/** The whole argument text of a call, in place of what was added; on wires whose last word counts. */
interface SaidRestate {
  readonly kind: "restate";
  readonly key: string;
  readonly text: string;
}

/** A call is over; `whole` is all of it, where the reader says so. */
interface SaidClose {
  readonly kind: "close";
  readonly key: string;
  readonly whole: ToolCall | undefined;
}

/** The response failed. */
interface SaidError {
  readonly kind: "error";
  readonly error: Pick<WireError, "code" | "message">;
}

/** One thing said. */
export type Said = SaidText | SaidOpen | SaidAdd | SaidRestate | SaidClose | SaidError;

/** Who a call is. */
export interface CallName {
  /** Tells the calls of one side apart; the two sides are matched by order, not by key. */
  readonly key: string;
  /** Undefined where the wire needs none and gave none. */
  readonly id: string | undefined;
  readonly name: string;
  readonly kind: "function" | "custom";
  readonly choice: number;
  /** The id to write where the wire needs one; equal to `id` unless it was made. */
  readonly answerId?: string;
}

/** How the response ended. */
export interface Ending {
  /** Null where the wire had no terminal signal. */
  readonly reason: FinishReason | null;
  readonly raw: string | null;
}

/** One text for everything that makes a call who it is. */
export function spelled({ id = "", name, kind, choice }: CallName): string {
  return JSON.stringify([choice, kind, id, name]);
}
