// Turns in the form of Ollama's own chat endpoint. Owns arguments as objects, which alone are taken back, and images, which
// stand beside the text of any message.

import type { ToolCall } from "../events.ts";
import { pending, type Answer } from "./answer.ts";
import { isMedia, leftOut, textOf, wellFormed, type ContentPart, type MediaPart } from "./content.ts";
import { functionTools } from "./function-tools.ts";
import { plainReasoning, plainText } from "./plain-answer.ts";
import { flagged } from "./result-words.ts";
import { argumentsOf, checkNames, nameOf, type NameRule } from "./echoed-call.ts";
import { inCallOrder } from "./paired-results.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm } from "./turn-form.ts";

/** The server takes any name; the models' own markup ends names at white space and quotes. */
const NAMES: NameRule = {
  refused: /[\s\p{Cc}"'<>{}]/gu,
  length: 128,
  words: "up to 128 characters without white space",
};

function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...messages],
    ...(definitions.length === 0 ? {} : { tools: tools(definitions) }),
  };
}

function tools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, NAMES);
  return functionTools(definitions, false);
}

function assistant(answer: Answer): readonly unknown[] {
  const calls = pending(answer).map(echoed);
  const content = plainText(answer);
  const thinking = plainReasoning(answer);
  if (calls.length === 0 && content === "") return [];
  return [
    {
      role: "assistant",
      content,
      ...(thinking === "" ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

/** Only newer servers give ids. */
function echoed(call: ToolCall): unknown {
  return {
    ...(call.madeId === true ? {} : { id: call.id }),
    function: { name: nameOf(call.name, NAMES), arguments: argumentsOf(call) },
  };
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  return inCallOrder(given, answer).map(({ call, content, isError }) => ({
    role: "tool",
    tool_name: nameOf(call.name, NAMES),
    ...(call.madeId === true ? {} : { tool_call_id: call.id }),
    content: flagged(textOf(content, said), isError),
    ...imagesOf(content),
  }));
}

function said(part: MediaPart): string {
  return bytesOf(part) === undefined ? leftOut(part) : "[image]";
}

/** Only images are taken, and only their bytes. */
function bytesOf({ type, data }: MediaPart): string | undefined {
  return type === "image" ? data : undefined;
}

function imagesOf(content: readonly ContentPart[]): { readonly images?: readonly string[] } {
  const images = content.filter(isMedia).flatMap((part) => bytesOf(part) ?? []);
  return images.length === 0 ? {} : { images };
}

/** Ollama's native chat. */
export const ollamaTurns: TurnForm = {
  name: "ollama",
  protocol: "ollama",
  shape: { assistant: "message", results: "items" },
  tools,
  assistant,
  results,
  user: (content) => [{ role: "user", content: wellFormed(textOf(content, said)), ...imagesOf(content) }],
  request,
};
