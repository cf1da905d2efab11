// Turns in the form of Chat Completions: OpenAI's, and that of the servers that call themselves compatible. Owns what is
// echoed beside text and calls (reasoning under the name it came by, signatures), and media in results, which this wire
// takes only in a message of the user's.

import type { ToolCall, WireVariant } from "../events.ts";
import type { ProtocolName } from "../protocols/protocol.ts";
import { pending, type Answer } from "./answer.ts";
import { chatResults, chatUserContent } from "./chat-content.ts";
import { addressOf, type MediaPart } from "./content.ts";
import { functionTools } from "./function-tools.ts";
import { plainReasoning, plainText } from "./plain-answer.ts";
import { argumentsTextOf, bounded, checkNames, COMMON_NAMES, nameOf } from "./echoed-call.ts";
import { reasoningDetails } from "./reasoning-details.ts";
import type { CallResult, CustomFormat, RequestParts, ToolDefinition, TurnForm, TurnFormName } from "./turn-form.ts";

/** The form under the name of each wire that is answered in it. */
function chatForm(name: TurnFormName, protocol: ProtocolName, variant?: WireVariant): TurnForm {
  return {
    name,
    protocol,
    ...(variant === undefined ? {} : { variant }),
    shape: { assistant: "message", results: "items" },
    tools,
    assistant,
    results,
    user: (content) => [{ role: "user", content: chatUserContent(content, mediaPart) }],
    request,
  };
}

function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...messages],
    ...(definitions.length === 0 ? {} : { tools: tools(definitions) }),
  };
}

function tools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, COMMON_NAMES);
  return definitions.flatMap((definition) =>
    definition.custom === undefined ? functionTools([definition], true) : [customTool(definition, definition.custom)],
  );
}

/** https://platform.openai.com/docs/guides/function-calling#custom-tools */
function customTool({ name, description }: ToolDefinition, format: CustomFormat): unknown {
  const { type, ...grammar } = format;
  return {
    type: "custom",
    custom: {
      name,
      ...(description === undefined ? {} : { description }),
      format: type === "grammar" ? { type, grammar } : format,
    },
  };
}

function assistant(answer: Answer): readonly unknown[] {
  const calls = pending(answer).map(echoed);
  const text = plainText(answer, false);
  const refusal = plainText(answer, true);
  if (calls.length === 0 && text === "" && refusal === "") return [];
  return [
    {
      role: "assistant",
      // Null only beside calls or a refusal: https://platform.openai.com/docs/api-reference/chat/create
      content: text === "" ? null : text,
      ...(refusal === "" ? {} : { refusal }),
      ...echoedReasoning(answer, calls.length > 0),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function echoed(call: ToolCall): unknown {
  const { executed_tool: _, ...echo } = { executed_tool: undefined, ...call.echo };
  const name = nameOf(call.name, COMMON_NAMES);
  if (call.kind === "custom")
    return { id: call.id, type: "custom", custom: { name, input: bounded(call.argumentsText) }, ...echo };
  return { id: call.id, type: "function", function: { name, arguments: argumentsTextOf(call) }, ...echo };
}

/** DeepSeek's models as its own endpoint names them; what others host under longer names has other servers' habits. */
const DEEPSEEK = /^deepseek-(?:chat|reasoner|v\d)/i;

/**
 * Reasoning under the name that it came by: DeepSeek, Kimi and GLM want `reasoning_content` back, and DeepSeek the key
 * beside calls even when it is empty, and not without calls (https://api-docs.deepseek.com/guides/thinking_mode);
 * OpenRouter wants its `reasoning_details`, which hold all of it (https://openrouter.ai/docs/use-cases/reasoning-tokens).
 */
function echoedReasoning(answer: Answer, hasCalls: boolean): Record<string, unknown> {
  const isDeepSeek = DEEPSEEK.test(answer.response.model ?? "");
  const parts = answer.items.flatMap((item) => (item.type === "part" ? [item.part as Record<string, unknown>] : []));
  const details = reasoningDetails(parts);
  const extra = parts.findLast((part) => part["extra_content"] !== undefined);
  const echo: Record<string, unknown> = extra === undefined ? {} : { extra_content: extra["extra_content"] };
  if (details.length > 0) return { ...echo, reasoning_details: details };
  for (const item of answer.items) {
    if (item.type !== "reasoning" || item.field === undefined || Object.hasOwn(echo, item.field)) continue;
    if (!isDeepSeek || hasCalls) echo[item.field] = plainReasoning(answer, item.field);
  }
  if (isDeepSeek && hasCalls && echo["reasoning"] === undefined) echo["reasoning_content"] ??= "";
  return echo;
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  return chatResults(given, answer, mediaPart);
}

/** The sounds that Chat takes: https://platform.openai.com/docs/guides/audio */
const SOUNDS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/** An image by any address, a sound or a file by its bytes: Chat takes no addresses of files. */
function mediaPart(part: MediaPart): unknown {
  const url = addressOf(part);
  if (url === undefined) return undefined;
  if (part.type === "image") return { type: "image_url", image_url: { url } };
  if (part.data === undefined) return undefined;
  const format = Object.hasOwn(SOUNDS, part.mediaType) ? SOUNDS[part.mediaType] : undefined;
  if (format !== undefined) return { type: "input_audio", input_audio: { data: part.data, format } };
  return { type: "file", file: { filename: part.name ?? "file", file_data: url } };
}

/** Chat Completions. */
export const openaiChatTurns: TurnForm = chatForm("openai-chat", "openai-chat");

/** A model of OpenAI's behind Bedrock's InvokeModel, which takes Chat's body. */
export const bedrockOpenaiTurns: TurnForm = chatForm("bedrock/invoke-openai", "bedrock", "invoke-openai");

/**
 * A model's raw output: the server's template turns Chat's messages into the model's own markup again, ids and all, so
 * that is the form to hand it.
 */
export const textTurns: TurnForm = chatForm("text", "text");
