// Which calls of an answer may run. Owns the rule: a call is run when it is the client's, complete, of a known tool, valid
// for its schema, and the response ended well; every other call of the client's gets an answer that says why not. Runs
// nothing.

import type { CallRepair, FinishReason, ToolCall } from "../events.ts";
import { parseJson } from "../json/parse.ts";
import { isClientKind } from "../kinds.ts";
import type { AnswerItem } from "../turns/answer.ts";
import type { Correction, Corrections } from "./corrections.ts";
import { correctiveResult, type CorrectiveResult } from "./corrective.ts";
import { nearestNames } from "./nearest-names.ts";
import type { Tool, Validation } from "./tool.ts";
import { messageOfThrown } from "./tool-error.ts";
import type { ToolSet } from "./tool-set.ts";
import { unlessAborted } from "./waiting.ts";

/** A call that may run. */
export interface RunDecision {
  /** Tells the decisions apart. */
  readonly action: "run";
  /** The call. */
  readonly call: ToolCall;
  /** Its tool; undefined where no tools were given. */
  readonly tool: Tool | undefined;
  /** The arguments, as the tool's schema gave them: the tool's own copy. Of a custom call its text. */
  readonly args: unknown;
  /** The one reading of a malformed text by which it may run, where the user allows that. */
  readonly repair?: CallRepair;
}

/** A call that may not run, and the answer to it. */
export interface AnswerDecision {
  /** Tells the decisions apart. */
  readonly action: "answer";
  /** The call. */
  readonly call: ToolCall;
  /** Why not, and the words for the model. */
  readonly result: CorrectiveResult;
}

/** A call that is not ours to answer. */
export interface LeaveDecision {
  /** Tells the decisions apart. */
  readonly action: "leave";
  /** The call. */
  readonly call: ToolCall;
  /** `vendor`: the vendor runs it, or asks for leave to do so. `answered`: the session shows its answer. */
  readonly why: "vendor" | "answered";
}

/** What is to be done about one call. */
export type CallDecision = RunDecision | AnswerDecision | LeaveDecision;

/** As much of an answer as the policy looks at: what `collect` gives will do, and so will an `Answer`. */
export type JudgedAnswer = {
  /** The keys of calls that the session shows as answered. */
  readonly answered: readonly string[];
  /** Why the response ended; null where nothing said so. */
  readonly finish: FinishReason | null;
} & ({ readonly calls: readonly ToolCall[] } | { readonly items: readonly AnswerItem[] });

/** What the user allows and writes. */
export interface PolicyOptions {
  /** Run a malformed call by the one reading that its text has, when that fits the schema. Default false. */
  readonly repair?: boolean;
  /** The user's own texts. */
  readonly corrections?: Corrections;
  /** Gives up judging: a call whose schema has not answered by then is told that the run was stopped. */
  readonly signal?: AbortSignal;
}

/**
 * Decides about every call of an answer, in order. Calls of a response that did not end with `tool_calls` are all
 * answered, the complete ones too: the model asked for them as a whole.
 *
 * @param answer A response.
 * @param tools The tools; without them neither names nor arguments are judged.
 * @param options What the user allows.
 * @throws TypeError (by rejecting) where a tool's schema cannot be used.
 * @example
 * const answer = await collect(read(response));
 * for (const decision of await decide(answer, new ToolSet([weather]))) console.log(decision.action, decision.call.id);
 */
export async function decide(
  answer: JudgedAnswer,
  tools?: ToolSet,
  options: PolicyOptions = {},
): Promise<readonly CallDecision[]> {
  return Promise.all(
    callsOf(answer).map(async (call): Promise<CallDecision> => {
      if (answer.answered.includes(call.key)) return { action: "leave", call, why: "answered" };
      return decideCall(call, answer.finish, tools, options);
    }),
  );
}

function callsOf(answer: JudgedAnswer): readonly ToolCall[] {
  if ("calls" in answer) return answer.calls;
  return answer.items.flatMap((item) => (item.type === "call" ? [item.call] : []));
}

/**
 * Decides about one call, as {@link decide} does.
 *
 * @param call A closed call.
 * @param finish How its response ended. For a call that may start early: `tool_calls`.
 * @param tools The tools.
 * @param options What the user allows.
 */
export async function decideCall(
  call: ToolCall,
  finish: FinishReason | null,
  tools?: ToolSet,
  options: PolicyOptions = {},
): Promise<CallDecision> {
  if (!isClientKind(call.kind)) return { action: "leave", call, why: "vendor" };
  const judged = await judge(call, finish, tools, options);
  if ("action" in judged) return judged;
  return { action: "answer", call, result: correctiveResult(judged, options.corrections) };
}

async function judge(
  call: ToolCall,
  finish: FinishReason | null,
  tools: ToolSet | undefined,
  { repair: mayRepair = false, signal }: PolicyOptions,
): Promise<RunDecision | Correction> {
  const known = tools?.names ?? [];
  const tool = tools?.get(call.name);
  // What a call of no tool holds does not matter: putting its arguments right would not help. A call without a name is
  // malformed, unless whoever made it says that it is complete.
  if (tools !== undefined && tool === undefined && (call.name !== "" || call.status === "complete"))
    return { reason: "unknown-tool", call, nearest: nearestNames(call.name, known), tools: known };
  if (call.status === "truncated") return { reason: "truncated", call, finish };
  if (call.status === "malformed") {
    const repaired = mayRepair && finish === "tool_calls" ? await runRepaired(call, tool, signal) : undefined;
    return repaired ?? { reason: "malformed", call, tools: known };
  }
  if (finish !== "tool_calls") return { reason: "not-run", call, finish };
  const given = call.kind === "custom" ? call.argumentsText : ownCopy(call);
  const validation = await validated(call, tool, given, signal);
  if ("reason" in validation) return validation;
  if (validation.ok) return { action: "run", call, tool, args: validation.value };
  return { reason: "invalid-arguments", call, issues: validation.issues };
}

async function runRepaired(
  call: ToolCall,
  tool: Tool | undefined,
  signal: AbortSignal | undefined,
): Promise<RunDecision | undefined> {
  const { repair } = call;
  if (repair === undefined) return undefined;
  const validation = await validated(call, tool, ownCopy(repair), signal);
  if ("reason" in validation || !validation.ok) return undefined;
  return { action: "run", call, tool, args: validation.value, repair };
}

const NEVER = new AbortController().signal;

/** What the schema says, which may take its time or never answer. A schema's own code that throws is told as a tool that does. */
async function validated(
  call: ToolCall,
  tool: Tool | undefined,
  args: unknown,
  signal: AbortSignal = NEVER,
): Promise<Validation | Correction> {
  if (tool === undefined) return { ok: true, value: args };
  // A schema that cannot be used is the programmer's error, and rejects here.
  await tool.prepare?.();
  try {
    return await unlessAborted(tool.validate(args), signal);
  } catch (thrown) {
    if (signal.aborted && thrown === signal.reason) return { reason: "aborted", call, started: false };
    return { reason: "threw", call, message: messageOfThrown(thrown), meant: false, thrown };
  }
}

/**
 * A tool may write into its arguments; what the history echoes must stay as the model wrote it. Read from the text again,
 * for that goes as deep as need be.
 */
function ownCopy({
  argumentsText,
  arguments: args,
}: Pick<CallRepair, "argumentsText"> & Pick<ToolCall, "arguments">): unknown {
  const parsed = parseJson(argumentsText);
  return parsed.ok ? parsed.value : (args ?? {});
}
