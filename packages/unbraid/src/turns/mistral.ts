// Turns in the form of Mistral's chat. Owns ids of the shape that Mistral takes, thinking as chunks, and media inside results:
// a message of the user's may not follow them.

import type { ToolCall } from "../events.ts";
import { pending, type Answer } from "./answer.ts";
import {
  NO_OUTPUT,
  addressOf,
  isMedia,
  leftOut,
  textOf,
  wellFormed,
  type ContentPart,
  type MediaPart,
} from "./content.ts";
import { functionTools } from "./function-tools.ts";
import { plainText } from "./plain-answer.ts";
import { flagged } from "./result-words.ts";
import { argumentsTextOf, checkNames, COMMON_NAMES, nameOf } from "./echoed-call.ts";
import { inCallOrder } from "./paired-results.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm } from "./turn-form.ts";

type Chunk = Readonly<Record<string, unknown>>;

function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...messages],
    ...(definitions.length === 0 ? {} : { tools: mistralTools(definitions) }),
  };
}

/** Definitions as chat and Conversations declare them. */
export function mistralTools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, COMMON_NAMES);
  return functionTools(definitions, true);
}

function assistant(answer: Answer): readonly unknown[] {
  const calls = pending(answer).map((call) => ({
    id: mistralId(call),
    type: "function",
    function: { name: nameOf(call.name, COMMON_NAMES), arguments: argumentsTextOf(call) },
  }));
  const text = plainText(answer);
  if (calls.length === 0 && text === "") return [];
  const chunks = thoughtChunks(answer);
  const content = chunks.length === 0 ? text : [...chunks, ...(text === "" ? [] : [{ type: "text", text }])];
  return [{ role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

/** Thinking with the signature that came behind it, for chat and Conversations. */
export function thoughtChunks(answer: Answer): readonly Chunk[] {
  const chunks: Record<string, unknown>[] = [];
  for (const item of answer.items) {
    if (item.type === "reasoning")
      chunks.push({ type: "thinking", thinking: [{ type: "text", text: wellFormed(item.text) }], closed: true });
    const signature = item.type === "part" ? (item.part as Chunk)["signature"] : undefined;
    const last = chunks.at(-1);
    if (typeof signature === "string" && last !== undefined) last["signature"] = signature;
  }
  return chunks;
}

/** Nine letters and digits are taken; an id that we made is brought to that, the vendor's own stays as it is. */
export function mistralId({ id, madeId }: ToolCall): string {
  return madeId === true
    ? id
        .replace(/[^a-zA-Z0-9]/g, "")
        .slice(-9)
        .padStart(9, "0")
    : id;
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  return inCallOrder(given, answer).map(({ call, content, isError }) => ({
    role: "tool",
    tool_call_id: mistralId(call),
    name: nameOf(call.name, COMMON_NAMES),
    content: content.some(isMedia)
      ? chunksOf(isError === true ? [{ type: "text", text: "Error:" }, ...content] : content)
      : flagged(textOf(content), isError),
  }));
}

function chunksOf(content: readonly ContentPart[]): readonly Chunk[] {
  const chunks = content.flatMap((part): readonly Chunk[] => {
    if (isMedia(part)) return [mediaChunk(part)];
    return part.text === "" ? [] : [{ type: "text", text: wellFormed(part.text) }];
  });
  return chunks.length === 0 ? [{ type: "text", text: NO_OUTPUT }] : chunks;
}

/** An image or a document, by any address, for chat and Conversations: https://docs.mistral.ai/capabilities/document_ai/document_qna */
export function mediaChunk(part: MediaPart): Chunk {
  const url = addressOf(part);
  if (url === undefined) return { type: "text", text: leftOut(part) };
  if (part.type === "image") return { type: "image_url", image_url: url };
  return { type: "document_url", document_url: url, ...(part.name === undefined ? {} : { document_name: part.name }) };
}

/** Content of the user's, for chat and Conversations. */
export function mistralContent(content: readonly ContentPart[]): string | readonly Chunk[] {
  return content.some(isMedia) ? chunksOf(content) : textOf(content);
}

/** Mistral's chat. */
export const mistralTurns: TurnForm = {
  name: "mistral",
  protocol: "mistral",
  shape: { assistant: "message", results: "items" },
  tools: mistralTools,
  assistant,
  results,
  user: (content) => [{ role: "user", content: mistralContent(content) }],
  request,
};
