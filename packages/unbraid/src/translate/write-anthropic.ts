// Requests of Anthropic Messages. Owns their writing, and which of the vendor's rules a request of another vendor breaks.

import { anthropicTurns } from "../turns/anthropic.ts";
import { isMedia } from "../turns/content.ts";
import { defined, type Effort, type NeutralRequest } from "./neutral-request.ts";
import { RequestError } from "./request-error.ts";
import {
  budgetIn,
  effortIn,
  leaveOut,
  chosenTools,
  historyOf,
  mediaPart,
  systemInFront,
  type UserTurn,
  type WriteContext,
} from "./writing.ts";

const MIN_BUDGET = 1024;

/** Writes a request. */
export function writeAnthropic(request: NeutralRequest, context: WriteContext): Record<string, unknown> {
  leaveOut(request, ["presencePenalty", "frequencyPenalty", "seed", "verbosity"], context);
  const { model, stream, stop, user } = request;
  const recent = isRecent(model);
  const messages = historyOf(request, anthropicTurns, context, {
    user: (turn) => userMessages(turn, context),
    system: () => [],
  });
  if (messages.length === 0)
    throw new RequestError("malformed", "", "holds no message of the user's, which this vendor wants");
  const thinking = thinkingOf(request, recent, context);
  const { tools, choice } = toolsOf(request, context);
  const maxTokens = maxOf(request, thinking.budget, context);
  return {
    ...defined({ model, system: systemOf(request, context) }),
    max_tokens: maxTokens,
    messages,
    ...(tools.length === 0 ? {} : { tools: anthropicTurns.tools(tools) }),
    ...(stream ? { stream } : {}),
    ...defined({
      tool_choice: choice,
      thinking: thinking.config,
      output_config: outputOf(request, thinking.effort, context),
      ...samplingOf(request, recent, thinking.config !== undefined && thinking.config.type !== "disabled", context),
      stop_sequences: stop?.filter((text) => text.trim() !== ""),
      metadata: user === undefined ? undefined : { user_id: user },
    }),
  };
}

/** Claude Opus 4.7 and later take no sampling and no budget of thinking. */
function isRecent(model: string | undefined): boolean {
  const version = /claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/.exec(model ?? "");
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major > 4 || (major === 4 && minor >= 7);
}

function systemOf(request: NeutralRequest, context: WriteContext): unknown {
  const texts = systemInFront(request, context);
  const [first] = texts;
  return texts.length < 2 ? first : texts.map((text) => ({ type: "text", text }));
}

function userMessages({ content, path }: UserTurn, context: WriteContext): readonly unknown[] {
  const [first] = content;
  if (content.length === 1 && first?.type === "text" && first.text.trim() !== "")
    return [{ role: "user", content: first.text }];
  const blocks = content.flatMap((part) => {
    if (isMedia(part)) return [mediaPart(part, anthropicTurns, path, context)];
    // Blank text is refused.
    return part.text.trim() === "" ? [] : [part];
  });
  return blocks.length === 0 ? [{ role: "user", content: "(empty)" }] : [{ role: "user", content: blocks }];
}

function toolsOf(
  request: NeutralRequest,
  context: WriteContext,
): { readonly tools: NeutralRequest["tools"]; readonly choice: Readonly<Record<string, unknown>> | undefined } {
  const { toolChoice, parallelCalls } = request;
  const names = toolChoice?.names;
  const isNamed = names?.length === 1 && toolChoice?.mode === "required";
  const tools = isNamed ? request.tools : chosenTools(request, context);
  const parallel = parallelCalls === undefined ? {} : { disable_parallel_tool_use: !parallelCalls };
  if (tools.length === 0) return { tools, choice: undefined };
  if (toolChoice === undefined)
    return { tools, choice: parallelCalls === undefined ? undefined : { type: "auto", ...parallel } };
  if (toolChoice.mode === "none") return { tools, choice: { type: "none" } };
  if (toolChoice.mode === "auto") return { tools, choice: { type: "auto", ...parallel } };
  const choice = names?.length === 1 ? { type: "tool", name: names[0] } : { type: "any" };
  return { tools, choice: { ...choice, ...parallel } };
}

interface Thinking {
  readonly config?: { readonly type: string; readonly budget_tokens?: number };
  readonly effort?: Effort;
  /** Tokens that it may take of the answer's. */
  readonly budget?: number;
}

function thinkingOf(request: NeutralRequest, recent: boolean, { notices }: WriteContext): Thinking {
  const { reasoning, toolChoice } = request;
  if (reasoning === undefined) return {};
  const effort = effortIn(reasoning);
  if (effort === "none") return { config: { type: "disabled" } };
  if (effort === undefined) return {};
  const why =
    toolChoice?.mode === "required"
      ? "where a tool must be called"
      : lacksSignature(request)
        ? "where the thinking behind an open call is not sent back"
        : undefined;
  if (why !== undefined) {
    notices.say("field-left-out", `Thinking was not asked for: this vendor refuses it ${why}.`);
    return {};
  }
  if (recent) return { config: { type: "adaptive" }, effort };
  const budget = Math.max(MIN_BUDGET, budgetIn(reasoning) ?? MIN_BUDGET);
  return { config: { type: "enabled", budget_tokens: budget }, budget };
}

/** The history ends amid a turn of calls: the vendor wants the signed thinking before them, which no other wire carries. */
function lacksSignature({ turns }: NeutralRequest): boolean {
  const spoken = turns.findLastIndex(({ role }) => role === "user");
  return turns.slice(spoken + 1).some(({ role }) => role === "results");
}

function maxOf(
  { maxTokens }: NeutralRequest,
  budget: number | undefined,
  { notices, defaultMaxTokens }: WriteContext,
): number {
  if (maxTokens === undefined)
    notices.say("default-added", `This vendor wants a limit of tokens; ${defaultMaxTokens} was added.`);
  const max = maxTokens ?? defaultMaxTokens;
  if (budget === undefined || max > budget) return max;
  notices.say("value-changed", "The limit of tokens was raised: for this vendor thinking counts among them.");
  return max + budget;
}

function outputOf({ format }: NeutralRequest, effort: Effort | undefined, { notices }: WriteContext): unknown {
  if (format?.type === "json")
    notices.say("field-left-out", "This vendor cannot be told to answer with any JSON, only with a schema.");
  const schema = format?.type === "schema" ? { type: "json_schema", schema: format.schema } : undefined;
  const known = effort === "minimal" ? "low" : effort;
  return schema === undefined && known === undefined ? undefined : defined({ format: schema, effort: known });
}

/** With thinking on, and for recent models, the vendor takes no sampling; elsewhere its temperature ends at 1. */
function samplingOf(
  request: NeutralRequest,
  recent: boolean,
  thinks: boolean,
  { notices }: WriteContext,
): Record<string, number | undefined> {
  const { temperature, topP, topK } = request;
  if (temperature === undefined && topP === undefined && topK === undefined) return {};
  if (recent || thinks) {
    notices.say(
      "field-left-out",
      `This vendor takes no sampling parameters ${recent ? "for this model" : "where the model thinks"}.`,
    );
    return {};
  }
  if ((temperature ?? 0) > 1) notices.say("value-changed", "This vendor's temperature ends at 1.");
  return { temperature: temperature === undefined ? undefined : Math.min(1, temperature), top_p: topP, top_k: topK };
}
