// Requests of OpenAI Chat Completions. Owns their writing.

import { isMedia } from "../turns/content.ts";
import { openaiChatTurns } from "../turns/openai-chat.ts";
import { type AnswerFormat, defined, type NeutralRequest } from "./neutral-request.ts";
import { effortIn, leaveOut, historyOf, mediaPart, type UserTurn, type WriteContext } from "./writing.ts";

/** Models of OpenAI's own that refuse `max_tokens`; servers that are only compatible know no other name. */
const NEW_NAME = /^(?:o\d|gpt-(?:[5-9]|\d\d))/;
const MAX_STOPS = 4;
const MAX_USER = 64;

/** Writes a request. */
export function writeOpenaiChat(request: NeutralRequest, context: WriteContext): Record<string, unknown> {
  leaveOut(request, ["topK"], context);
  const { model, maxTokens, stream } = request;
  const maxName = NEW_NAME.test(model ?? "") ? "max_completion_tokens" : "max_tokens";
  return {
    ...defined({ model }),
    messages: [
      ...request.system.map((content) => ({ role: "system", content })),
      ...historyOf(request, openaiChatTurns, context, {
        user: (turn) => userMessages(turn, context),
        system: (text) => [{ role: "system", content: text }],
      }),
    ],
    ...(request.tools.length === 0 ? {} : { tools: openaiChatTurns.tools(request.tools) }),
    ...(stream ? { stream, stream_options: { include_usage: request.includeUsage ?? true } } : {}),
    ...defined({
      tool_choice: choiceOf(request),
      parallel_tool_calls: request.tools.length === 0 ? undefined : request.parallelCalls,
      [maxName]: maxTokens,
      temperature: request.temperature,
      top_p: request.topP,
      presence_penalty: request.presencePenalty,
      frequency_penalty: request.frequencyPenalty,
      seed: request.seed,
      stop: stopOf(request, context),
      response_format: formatOf(request.format),
      verbosity: request.verbosity,
      reasoning_effort: request.reasoning === undefined ? undefined : effortIn(request.reasoning),
      user: userOf(request, context),
    }),
  };
}

function userMessages({ content, path }: UserTurn, context: WriteContext): readonly unknown[] {
  const [first] = content;
  if (content.length === 0) return [{ role: "user", content: "" }];
  if (content.length === 1 && first?.type === "text") return [{ role: "user", content: first.text }];
  const parts = content.map((part) => (isMedia(part) ? mediaPart(part, openaiChatTurns, path, context) : part));
  return [{ role: "user", content: parts }];
}

function choiceOf({ toolChoice, tools }: NeutralRequest): unknown {
  if (toolChoice === undefined) return undefined;
  const { mode, names } = toolChoice;
  if (names === undefined || mode === "none") return mode;
  const named = names.map((name) => namedTool(name, tools));
  const [only] = named;
  return mode === "required" && named.length === 1
    ? only
    : { type: "allowed_tools", allowed_tools: { mode, tools: named } };
}

function namedTool(name: string, tools: NeutralRequest["tools"]): Readonly<Record<string, unknown>> {
  const type = tools.some((tool) => tool.name === name && tool.custom !== undefined) ? "custom" : "function";
  return { type, [type]: { name } };
}

function stopOf({ stop }: NeutralRequest, { notices }: WriteContext): readonly string[] | undefined {
  if (stop === undefined || stop.length <= MAX_STOPS) return stop;
  notices.say("value-changed", `This vendor takes ${MAX_STOPS} stop sequences; the first ones were kept.`);
  return stop.slice(0, MAX_STOPS);
}

/** The format of an answer; Chat and Responses differ in where the schema stands. */
export function formatOf(
  format: AnswerFormat | undefined,
  flat = false,
): Readonly<Record<string, unknown>> | undefined {
  if (format === undefined) return undefined;
  if (format.type === "json") return { type: "json_object" };
  const { schema, name = "answer", description, strict } = format;
  const holder = { name, schema, ...defined({ description, strict }) };
  return flat ? { type: "json_schema", ...holder } : { type: "json_schema", json_schema: holder };
}

/** Who the user is, where it is short enough for OpenAI. */
export function userOf({ user }: NeutralRequest, { notices }: WriteContext): string | undefined {
  if (user === undefined || user.length <= MAX_USER) return user;
  notices.say("field-left-out", `The name of the user is longer than ${MAX_USER} characters and was left out.`);
  return undefined;
}
