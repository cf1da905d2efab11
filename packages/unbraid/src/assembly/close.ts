// What a call amounts to when it closes: its status, its arguments, what is wrong with it. Owns the verdict.
// Changes nothing but the text that is held back until the close.

import type { CallProblem, CallRepair, CallStatus, ProblemCode, ToolCall } from "../events.ts";
import type { JsonFault } from "../json/fault.ts";
import { repairArguments } from "../json/repair.ts";
import type { CallRecord } from "./call-record.ts";

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

const LIMIT: CallProblem = {
  code: "argument-limit",
  message: "The arguments were longer than the limit and were cut.",
};
/** Longest malformed text for which a repair is looked for, in UTF-16 units. */
const MAX_REPAIR = 1 << 20;

/**
 * Closes a call.
 *
 * @param record The call.
 * @param ending What is known about the response.
 * @param parameters Names of the tool's declared parameters, where they are known.
 */
export function closeCall(record: CallRecord, ending: Ending, parameters?: readonly string[]): Closed {
  const args = record.args;
  // Where text was lost in the choice, nothing says that this call had none.
  const mayBeEmpty = ending.well && ending.lost !== true && !record.cut && !record.overLimit;
  let text = args.settle(ending.well, mayBeEmpty);
  const closed = record.signalled || ending.ended;
  if (args.plain) {
    const whole = !record.cut && !record.overLimit && (record.signalled || ending.well);
    return { text, call: finished(record, whole ? "complete" : "truncated", whole ? undefined : unclosed(record)) };
  }
  if (args.blank || args.isNull) {
    if (!mayBeEmpty) return { text, call: finished(record, "truncated", unclosed(record)) };
    text += args.setEmptyObject();
  }
  const problem = problemOf(record, closed);
  if (problem === undefined) return { text, call: finished(record, "complete", undefined) };
  const status = statusOf(record, problem, closed);
  return {
    text,
    call: finished(record, status, problem, status === "malformed" ? repairOf(record, parameters) : undefined),
  };
}

function statusOf(record: CallRecord, problem: CallProblem, closed: boolean): CallStatus {
  if (record.overLimit || !closed) return "truncated";
  return problem.code === "unexpected-end" || problem.code === "never-closed" ? "truncated" : "malformed";
}

function problemOf(record: CallRecord, closed: boolean): CallProblem | undefined {
  const { scanner } = record.args;
  if (record.overLimit) return LIMIT;
  if (scanner.fault !== undefined) return fromFault(scanner.fault, record.args.held);
  if (scanner.kind !== "object" && !couldBecomeObject(record)) {
    return {
      code: "not-an-object",
      message: `Arguments must be a JSON object; this is ${withArticle(scanner.kind ?? "nothing")}.`,
    };
  }
  if (scanner.state !== "closed") {
    const fault = scanner.end();
    return fault === undefined ? unclosed(record) : { ...fromFault(fault, record.args.held), code: "unexpected-end" };
  }
  if (scanner.kind !== "object")
    return { code: "not-an-object", message: "Arguments must be a JSON object; this is a string." };
  if (!closed || record.cut) return unclosed(record);
  return record.name === "" ? { code: "no-name", message: "The call came without a tool's name." } : undefined;
}

/** A string that is cut may hold the object, and `nul` may become null; an array or a number cannot become an object. */
function couldBecomeObject(record: CallRecord): boolean {
  const { scanner, held } = record.args;
  if (scanner.state === "closed" || scanner.kind === "array" || scanner.kind === "number") return false;
  return scanner.kind === "string" || scanner.kind === undefined || "null".startsWith(held.trim());
}

function withArticle(kind: string): string {
  return kind === "array" ? "an array" : kind === "nothing" ? kind : `a ${kind}`;
}

function unclosed(record: CallRecord): CallProblem {
  if (record.overLimit) return LIMIT;
  return record.cut
    ? { code: "unexpected-end", message: "The vendor marked the call as incomplete." }
    : { code: "never-closed", message: "The response ended before the call was closed." };
}

function fromFault(fault: JsonFault, text: string): CallProblem {
  const { message, offset, line, column } = fault;
  return { code: problemCode(fault, text), message, offset, line, column };
}

function problemCode(fault: JsonFault, text: string): ProblemCode {
  switch (fault.code) {
    case "control-character":
    case "invalid-escape":
    case "too-deep":
      return fault.code;
    case "trailing-text":
      return /^[{["]/.test(text.slice(fault.offset).trimStart()) ? "glued-values" : "trailing-text";
    default:
      return "invalid-json";
  }
}

function repairOf(record: CallRecord, parameters: readonly string[] | undefined): CallRepair | undefined {
  const { held } = record.args;
  if (held.length > MAX_REPAIR || record.name === "") return undefined;
  const repair = repairArguments(held, parameters === undefined ? {} : { parameters });
  if (repair === undefined) return undefined;
  return {
    argumentsText: repair.text,
    arguments: repair.value,
    codes: repair.codes,
  };
}

function finished(
  record: CallRecord,
  status: CallStatus,
  problem: CallProblem | undefined,
  repair?: CallRepair,
): ToolCall {
  const argumentsText = record.args.held;
  return {
    ...record.identity,
    status,
    argumentsText,
    arguments:
      status === "complete" && !record.args.plain ? (JSON.parse(argumentsText) as Record<string, unknown>) : null,
    ...(problem === undefined ? {} : { problem }),
    ...(repair === undefined ? {} : { repair }),
    ...(record.echo === undefined ? {} : { echo: record.echo }),
  };
}
