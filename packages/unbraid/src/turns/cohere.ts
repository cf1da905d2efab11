// Turns in the form of Cohere's chat, version 2. Owns the echo of the plan and of thinking.

import type { ToolCall } from "../events.ts";
import { pending, type Answer } from "./answer.ts";
import { chatResults, chatUserContent } from "./chat-content.ts";
import { addressOf, type MediaPart } from "./content.ts";
import { functionTools } from "./function-tools.ts";
import { plainReasoning, plainText } from "./plain-answer.ts";
import { argumentsTextOf, checkNames, COMMON_NAMES, nameOf } from "./echoed-call.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm } from "./turn-form.ts";

/** The schema is held to for the whole request or not at all. */
function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...messages],
    ...(definitions.length === 0 ? {} : { tools: tools(definitions) }),
    ...(definitions.length > 0 && definitions.every(({ strict }) => strict === true) ? { strict_tools: true } : {}),
  };
}

function tools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, COMMON_NAMES);
  return functionTools(definitions, false);
}

function assistant(answer: Answer): readonly unknown[] {
  const calls = pending(answer).map(echoed);
  const text = plainText(answer);
  const thinking = plainReasoning(answer);
  const plan = plainReasoning(answer, "tool_plan");
  if (calls.length === 0 && text === "") return [];
  return [
    {
      role: "assistant",
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(plan === "" || calls.length === 0 ? {} : { tool_plan: plan }),
      ...contentOf(text, thinking),
    },
  ];
}

function contentOf(text: string, thinking: string): Record<string, unknown> {
  if (thinking === "") return text === "" ? {} : { content: text };
  const thought = { type: "thinking", thinking };
  return { content: text === "" ? [thought] : [thought, { type: "text", text }] };
}

function echoed(call: ToolCall): unknown {
  const name = nameOf(call.name, COMMON_NAMES);
  return { id: call.id, type: "function", function: { name, arguments: argumentsTextOf(call) } };
}

/** Text, and documents of text, are taken; images follow in a message. */
function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  return chatResults(given, answer, imagePart);
}

function imagePart(part: MediaPart): unknown {
  const url = part.type === "image" ? addressOf(part) : undefined;
  return url === undefined ? undefined : { type: "image_url", image_url: { url } };
}

/** Cohere chat, version 2. */
export const cohereTurns: TurnForm = {
  name: "cohere",
  protocol: "cohere",
  shape: { assistant: "message", results: "items" },
  tools,
  assistant,
  results,
  user: (content) => [{ role: "user", content: chatUserContent(content, imagePart) }],
  request,
};
