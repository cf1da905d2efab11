// What a model is told about a call that got no result of its tool's own. Owns the words. Each text says what is wrong and
// where, and what to do instead; it does not invite the same call where that cannot help. What a model or a tool wrote
// stands in quotation marks or behind `> `, bounded; no stack and no secret comes in here (tool-error.ts sees to that).

import type { FinishReason, ToolCall } from "../events.ts";
import type { CallResult } from "../turns/turn-form.ts";
import type {
  AbortedInfo,
  CollisionInfo,
  Correction,
  CorrectionReason,
  Corrections,
  InvalidArgumentsInfo,
  MalformedInfo,
  NotRunInfo,
  RefusedInfo,
  RepairedInfo,
  ThrewInfo,
  TimedOutInfo,
  TruncatedInfo,
  UnknownOutcomeInfo,
  UnknownToolInfo,
} from "./corrections.ts";
import { inline, isQuotedWhole, quoted, quotedName } from "./excerpt.ts";
import type { SchemaIssue } from "./tool.ts";

/** The answer to a call that got no result of its tool's own. */
export interface CorrectiveResult extends CallResult {
  /** Why. */
  readonly reason: CorrectionReason;
  /** Always: the call did not do what it asked for. */
  readonly isError: true;
}

/**
 * The answer to a call that got no result of its tool's own.
 *
 * @param info What is known.
 * @param corrections The user's own texts.
 * @example
 * correctiveResult({ reason: "aborted", call, started: false }).content[0];
 */
export function correctiveResult(info: Correction, corrections: Corrections = {}): CorrectiveResult {
  const content = [{ type: "text", text: correctiveText(info, corrections) }] as const;
  return { call: info.call, content, isError: true, reason: info.reason };
}

/**
 * The words for the model.
 *
 * @param info What is known.
 * @param corrections The user's own texts.
 */
export function correctiveText(info: Correction, corrections: Corrections = {}): string {
  const own = corrections[info.reason] as ((info: Correction) => string | undefined) | undefined;
  return own?.(info) ?? (WORDS[info.reason] as (info: Correction) => string)(info);
}

/** Our own words, one function a reason. */
const WORDS: Readonly<Required<Corrections>> = {
  malformed,
  truncated,
  "unknown-tool": unknownTool,
  "invalid-arguments": invalidArguments,
  "not-run": notRun,
  refused,
  "timed-out": timedOut,
  threw,
  "unknown-outcome": unknownOutcome,
  collision,
  aborted,
};

function malformed({ call, tools }: MalformedInfo): string {
  const { problem, argumentsText } = call;
  if (problem?.code === "no-name") {
    const names = tools.length === 0 ? "Send it again with the name of its tool." : `Name one of: ${listed(tools)}.`;
    return `The call names no tool, so it was not run. ${names}`;
  }
  const what = problem?.code === "not-an-object" ? "are no JSON object" : "are not valid JSON";
  return [
    `The arguments of this call to ${tool(call)} ${what}, so it was not run.`,
    `${placeOf(call)}${sentence(problem?.message ?? "they cannot be read")}`,
    ...quotation("You sent", argumentsText, problem?.offset),
    ADVICE[problem?.code ?? ""] ?? "Send the call again with its arguments as one valid JSON object.",
  ].join("\n");
}

/** What to do about a fault whose message does not say it already. */
const ADVICE: Readonly<Record<string, string>> = {
  "trailing-text": "Send the call again with the JSON object alone, and nothing behind it.",
  "glued-values": "Send one JSON object a call: where several were meant, make a call for each.",
  "invalid-escape": 'Send the call again; a backslash inside a string is written \\\\, a quotation mark \\".',
  "control-character": "Send the call again with line feeds and other control characters inside strings escaped.",
  "too-deep": "Send the call again with arguments that are nested less.",
  "not-an-object": "Send the call again with its arguments as one JSON object with the tool's parameters as keys.",
};

function truncated({ call, finish }: TruncatedInfo): string {
  const cut = call.argumentsText === "" ? [] : quotation("Its arguments broke off here", call.argumentsText);
  if (call.problem?.code === "argument-limit")
    return [
      `The arguments of this call to ${tool(call)} are longer than is accepted, so it was not run.`,
      "Do not send them again at this length: send less, or spread the work over several calls.",
    ].join("\n");
  if (finish === "tool_calls" || finish === "stop")
    return [
      `The arguments of this call to ${tool(call)} end too early, so it was not run.`,
      `${placeOf(call)}${sentence(call.problem?.message ?? "the JSON object was not closed")}`,
      ...cut,
      "Send the call again with its arguments as one whole JSON object.",
    ].join("\n");
  const broke = `before this call to ${tool(call)} was complete, so it was not run.`;
  return [`${ENDED[finish ?? "none"]} ${broke}`, ...cut, AFTER_CUT[finish ?? "none"]].join("\n");
}

/** How the response ended, as the beginning of a sentence. */
const ENDED: Readonly<Record<FinishReason | "none", string>> = {
  length: "The answer reached its length limit",
  content_filter: "A content filter ended the answer",
  error: "An error ended the answer",
  cancelled: "The answer was cancelled",
  none: "The answer broke off",
  tool_calls: "The answer ended",
  stop: "The answer ended",
};

const AFTER_CUT: Readonly<Record<FinishReason | "none", string>> = {
  length:
    "The same call would be cut again: send shorter arguments, for example by spreading the work over several calls.",
  content_filter: "The same call would be stopped again: go on in another way.",
  error: "Send the whole call if it is still needed.",
  cancelled: "Send the whole call if it is still needed.",
  none: "Send the whole call if it is still needed.",
  tool_calls: "Send the whole call if it is still needed.",
  stop: "Send the whole call if it is still needed.",
};

function notRun({ call, finish }: NotRunInfo): string {
  const why = `${ENDED[finish ?? "none"]} before all of it had come, so none of its calls was run, this call to ${tool(call)} among them.`;
  if (finish === "length") return `${why} Send it again, with fewer or shorter calls beside it.`;
  if (finish === "content_filter") return `${why} Leave out what the filter may have met.`;
  return `${why} Send it again if it is still needed.`;
}

function unknownTool({ call, nearest, tools }: UnknownToolInfo): string {
  const meant = nearest.length === 0 ? "" : ` Did you mean ${nearest.map(quotedName).join(" or ")}?`;
  const known = tools.length === 0 ? "There are no tools." : `There are: ${listed(tools)}.`;
  return `There is no tool ${tool(call)}, so nothing was run.${meant} ${known}`;
}

/** Issues that are said; the rest is counted. */
const SAID_ISSUES = 8;

function invalidArguments({ call, issues }: InvalidArgumentsInfo): string {
  const more = issues.length - SAID_ISSUES;
  return [
    `The arguments of this call to ${tool(call)} do not fit its schema, so it was not run:`,
    ...issues.slice(0, SAID_ISSUES).map((issue) => `- ${issueLine(issue)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    "Send the call again with this put right.",
  ].join("\n");
}

function issueLine({ path, expected, sentence: isSentence, received }: SchemaIssue): string {
  const came = received === undefined ? "" : `; came ${received}`;
  return `${pathText(path)}: ${isSentence === true ? "" : "expected "}${inline(expected, 320)}${came}`;
}

/** Steps of a path that are written; keys are the model's own and may be anything. */
const SAID_STEPS = 12;

function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return "the arguments";
  const steps = path.slice(0, SAID_STEPS).map((step, at) => {
    if (typeof step === "number") return `[${step}]`;
    if (/^[A-Za-z_$][\w$]{0,63}$/.test(step)) return at === 0 ? step : `.${step}`;
    return `[${quotedName(step)}]`;
  });
  return steps.join("") + (path.length > SAID_STEPS ? "…" : "");
}

function refused({ call, why }: RefusedInfo): string {
  const reason =
    why === undefined || why.trim() === "" ? "" : ` The reason given: ${sentence(inline(why.trim(), 1_000))}`;
  return `This call to ${tool(call)} was refused, so it was not run.${reason} Do not send it again unless you are asked to; go on without it, or ask the user.`;
}

function timedOut({ call, timeoutMs, repeatable }: TimedOutInfo): string {
  const start = `${thisCall(call)} did not finish within ${duration(timeoutMs)} and was stopped.`;
  return repeatable
    ? `${start} Ask for less at a time, or go on without it.`
    : `${start} Part of it may have taken effect: find out what it did before you go on. Ask for less at a time.`;
}

function threw({ call, message, meant }: ThrewInfo): string {
  if (meant) return message;
  const [first = "", ...more] = message.split("\n");
  const said = more.length === 0 ? ` ${sentence(first)}` : `\n${quoted(message, 0)}`;
  return `The tool ${tool(call)} failed:${said}\nChange what the message speaks of, or go on without this call.`;
}

function unknownOutcome({ call }: UnknownOutcomeInfo): string {
  return `${thisCall(call)} was begun by a worker that was then lost, and nobody knows whether it took effect. It was not begun again. Find out what it did before you send it again, or tell the user.`;
}

function collision({ call }: CollisionInfo): string {
  return `Another call with other arguments had the place of this call to ${tool(call)} in this turn, so this one was not run. If it is still needed, send it in your next answer.`;
}

function aborted({ call, started }: AbortedInfo): string {
  return started
    ? `${thisCall(call)} was stopped while it ran, because the run was stopped. Part of it may have taken effect: find out what it did before you send it again.`
    : `The run was stopped before this call to ${tool(call)} began, so it was not run.`;
}

/**
 * What goes before the result of a call that was run by the one reading of its malformed text.
 *
 * @param info The call and the reading.
 */
export function repairedNote({ call, repair }: RepairedInfo): string {
  return [
    `The arguments of this call were not valid JSON (${inline(repair.codes.join(", "), 200)}). They were read like this, and the call was run with it:`,
    quoted(repair.argumentsText, 0),
    `${placeOf(call)}${sentence(call.problem?.message ?? "the text was no JSON")} Send valid JSON from now on. The result:`,
  ].join("\n");
}

/** A name in quotes. */
function tool(call: ToolCall): string {
  return quotedName(call.name);
}

function thisCall(call: ToolCall): string {
  return `This call to ${tool(call)}`;
}

function placeOf({ problem }: ToolCall): string {
  return problem?.line === undefined || problem.column === undefined
    ? ""
    : `Line ${problem.line}, column ${problem.column}: `;
}

/** Words of the scanner's or a library's as a sentence. */
function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

function quotation(head: string, text: string, at?: number): readonly string[] {
  if (text === "") return [];
  return [isQuotedWhole(text) ? `${head}:` : `${head} (a part of it):`, quoted(text, at)];
}

/** Names that are listed. */
const SAID_NAMES = 30;

function listed(names: readonly string[]): string {
  const more = names.length - SAID_NAMES;
  return names.slice(0, SAID_NAMES).map(quotedName).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function duration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 100) / 10} s`;
}
