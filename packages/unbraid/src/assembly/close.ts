// What a call amounts to when it closes: its status, its arguments, what is wrong with it. Owns the verdict.
// Changes nothing but the text that is held back until the close.

import type { CallIdentity, CallProblem, ProblemCode, ToolCall } from "../events.ts";
import { defined } from "../defined.ts";
import type { JsonFault } from "../json/fault.ts";
import type { JsonScanner } from "../json/scanner.ts";

/** What is known about the response when a call closes. */
export interface Ending {
  /** A terminal signal has said that the response is over. */
  readonly ended: boolean;
  /** It ended, and not by length, filter or error. */
  readonly well: boolean;
  /** Argument text came that could be given to no call. */
  readonly lost?: boolean;
}

/** A closed call and the text that must still be appended before the close. */
export interface Closed {
  readonly call: ToolCall;
  readonly text: string;
}

/** The argument text of a call that closes. */
export interface ClosingText {
  /** Has read exactly `held`, unless it is plain. */
  readonly scanner: JsonScanner;
  readonly held: string;
  /** Free text, which is never parsed. */
  readonly plain: boolean;
  /** The text says that there are no arguments, or that they are to come. */
  readonly empty: boolean;
  /** Decides what is still open. See `ArgumentText.settle`. */
  settle(well: boolean, nullIsNone: boolean): string;
  /** Takes an empty object in the place of no text. Gives the text to append. */
  setEmptyObject(): string;
}

/** A call that closes. */
export interface ClosingCall {
  readonly args: ClosingText;
  readonly identity: CallIdentity;
  readonly name: string;
  /** The vendor's own signal that the call is whole has come. */
  readonly signalled: boolean;
  /** The vendor said that the call is not whole. */
  readonly cut: boolean;
  /** Argument text was refused because of the limit. */
  readonly overLimit: boolean;
  readonly echo: Record<string, unknown> | undefined;
}

/** Problems of a call that only stopped too early. */
const EARLY: ReadonlySet<ProblemCode> = new Set(["argument-limit", "unexpected-end", "never-closed"]);
/** Faults of JSON that are problems by the same name; the others are one. */
const SAME: ReadonlySet<string> = new Set(["control-character", "invalid-escape", "too-deep", "trailing-text"]);

/**
 * Closes a call.
 *
 * @param record The call.
 * @param ending What is known about the response.
 */
export function closeCall(record: ClosingCall, ending: Ending): Closed {
  const { args } = record;
  // Where text was lost in the choice, nothing says that this call had none.
  const mayBeEmpty = ending.well && ending.lost !== true && !record.cut && !record.overLimit;
  let text = args.settle(ending.well, mayBeEmpty);
  if (mayBeEmpty && args.empty) text += args.setEmptyObject();
  const { held, plain } = args;
  const closed = record.signalled || (plain ? ending.well : ending.ended);
  const problem = problemOf(record, closed);
  const status = problem === undefined ? "complete" : EARLY.has(problem.code) || !closed ? "truncated" : "malformed";
  const call = defined({
    ...record.identity,
    status,
    argumentsText: held,
    arguments: status === "complete" && !plain ? (JSON.parse(held) as Record<string, unknown>) : null,
    problem,
    echo: record.echo,
  } as const);
  return { text, call };
}

function problemOf(record: ClosingCall, closed: boolean): CallProblem | undefined {
  const { scanner, held, plain, empty } = record.args;
  const { fault, kind, state } = scanner;
  if (record.overLimit)
    return { code: "argument-limit", message: "The arguments were longer than the limit and were cut." };
  if (fault !== undefined) return fromFault(fault, held);
  const sound = plain || empty;
  if (!sound && kind !== "object" && !couldBecomeObject(record))
    return { code: "not-an-object", message: `Arguments must be a JSON object, not a JSON ${kind}.` };
  const end = sound || state === "closed" ? undefined : scanner.end();
  if (end !== undefined) return { ...fromFault(end, held), code: "unexpected-end" };
  if (record.cut) return { code: "unexpected-end", message: "The vendor marked the call as incomplete." };
  if (!closed || empty || (!plain && state !== "closed"))
    return { code: "never-closed", message: "The response ended before the call was closed." };
  return record.name === "" && !plain
    ? { code: "no-name", message: "The call came without a tool's name." }
    : undefined;
}

/** A string that is cut may hold the object, and `nul` may become null; an array or a number cannot become an object. */
function couldBecomeObject(record: ClosingCall): boolean {
  const { scanner, held } = record.args;
  if (scanner.state === "closed" || scanner.kind === "array" || scanner.kind === "number") return false;
  return scanner.kind !== "literal" || "null".startsWith(held.trim());
}

function fromFault({ code, message, offset, line, column }: JsonFault, text: string): CallProblem {
  const glued = code === "trailing-text" && /^[{["]/.test(text.slice(offset).trimStart());
  return {
    code: glued ? "glued-values" : SAME.has(code) ? (code as ProblemCode) : "invalid-json",
    message,
    offset,
    line,
    column,
  };
}
