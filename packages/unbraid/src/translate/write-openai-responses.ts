// Requests of OpenAI Responses. Owns their writing.

import { isMedia } from "../turns/content.ts";
import { openaiResponsesTurns } from "../turns/openai-responses.ts";
import { defined, type NeutralRequest } from "./neutral-request.ts";
import { formatOf, userOf } from "./write-openai-chat.ts";
import { effortIn, leaveOut, historyOf, mediaPart, type UserTurn, type WriteContext } from "./writing.ts";

const MIN_TOKENS = 16;

/** Writes a request. Nothing is stored: the client sends its history each time. */
export function writeOpenaiResponses(request: NeutralRequest, context: WriteContext): Record<string, unknown> {
  leaveOut(request, ["topK", "presencePenalty", "frequencyPenalty", "seed", "stop"], context);
  const { model, stream, system, verbosity } = request;
  const format = formatOf(request.format, true);
  return {
    ...defined({ model, instructions: system.length === 0 ? undefined : system.join("\n\n") }),
    input: historyOf(request, openaiResponsesTurns, context, {
      user: (turn) => userMessages(turn, context),
      system: (text) => [{ type: "message", role: "developer", content: text }],
    }),
    ...(request.tools.length === 0 ? {} : { tools: openaiResponsesTurns.tools(request.tools) }),
    ...(stream ? { stream } : {}),
    store: false,
    ...defined({
      tool_choice: choiceOf(request),
      parallel_tool_calls: request.tools.length === 0 ? undefined : request.parallelCalls,
      max_output_tokens: maxOf(request, context),
      temperature: request.temperature,
      top_p: request.topP,
      text: format === undefined && verbosity === undefined ? undefined : defined({ format, verbosity }),
      reasoning: reasoningOf(request),
      user: userOf(request, context),
    }),
  };
}

function userMessages({ content, path }: UserTurn, context: WriteContext): readonly unknown[] {
  const [first] = content;
  if (content.length === 1 && first?.type === "text") return [{ type: "message", role: "user", content: first.text }];
  const parts = content.map((part) =>
    isMedia(part) ? mediaPart(part, openaiResponsesTurns, path, context) : { type: "input_text", text: part.text },
  );
  return [{ type: "message", role: "user", content: parts }];
}

function choiceOf({ toolChoice, tools }: NeutralRequest): unknown {
  if (toolChoice === undefined) return undefined;
  const { mode, names } = toolChoice;
  if (names === undefined || mode === "none") return mode;
  const named = names.map((name) => ({
    type: tools.some((tool) => tool.name === name && tool.custom !== undefined) ? "custom" : "function",
    name,
  }));
  const [only] = named;
  return mode === "required" && named.length === 1 ? only : { type: "allowed_tools", mode, tools: named };
}

function maxOf({ maxTokens }: NeutralRequest, { notices }: WriteContext): number | undefined {
  if (maxTokens === undefined || maxTokens >= MIN_TOKENS) return maxTokens;
  notices.say("value-changed", `This vendor answers with at least ${MIN_TOKENS} tokens.`);
  return MIN_TOKENS;
}

function reasoningOf({ reasoning }: NeutralRequest): unknown {
  if (reasoning === undefined) return undefined;
  const effort = effortIn(reasoning);
  const summary = reasoning.shown === true && effort !== "none" ? "auto" : undefined;
  return effort === undefined && summary === undefined ? undefined : defined({ effort, summary });
}
