// Turns in the form of OpenAI Responses: input items. Owns the echo of output items; what answers each kind of call is in
// openai-responses-results.ts.

import type { ToolCall } from "../events.ts";
import { needsResult, type Answer } from "./answer.ts";
import { wellFormed } from "./content.ts";
import { objectSchema } from "./function-tools.ts";
import { argumentsTextOf, bounded, checkNames, COMMON_NAMES, nameOf } from "./echoed-call.ts";
import { resultItems, userContent } from "./openai-responses-results.ts";
import { inCallOrder } from "./paired-results.ts";
import { SpokenText } from "./spoken-text.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm } from "./turn-form.ts";

type Item = Readonly<Record<string, unknown>>;

function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    ...(system === undefined ? {} : { instructions: system }),
    input: messages,
    ...(definitions.length === 0 ? {} : { tools: tools(definitions) }),
  };
}

/** `strict` must be said: left out, the vendor takes the schema for a strict one. */
function tools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, COMMON_NAMES);
  return definitions.map(({ name, description, parameters, strict, custom }) => ({
    type: custom === undefined ? "function" : "custom",
    name,
    ...(description === undefined ? {} : { description }),
    ...(custom === undefined ? { parameters: objectSchema(parameters), strict: strict === true } : { format: custom }),
  }));
}

/** The items of an answer, for Responses and for what wraps it. */
export function outputItems(answer: Answer): readonly Item[] {
  const turn = new SpokenText<Item>((text) =>
    text.trim() === "" ? undefined : { type: "message", role: "assistant", content: wellFormed(text) },
  );
  const answered = new Set(answer.answered);
  for (const item of answer.items) {
    if (item.type === "text") turn.say(item.text);
    else if (item.type === "part") addPart(item.part as Item, turn);
    else if (item.type === "call" && needsResult(item.call, answered)) turn.push(callItem(item.call));
    else if (item.type === "call" && isServers(item.call)) turn.push(item.call.echo?.["item"] as Item);
  }
  turn.flush();
  return withoutLooseReasoning(turn.items);
}

function addPart(part: Item, turn: SpokenText<Item>): void {
  if (part["type"] !== "message") return turn.push(part);
  // The message as the vendor wrote it: its id must stand behind the reasoning that led to it.
  const words = wordsOf(part);
  if (words !== "" && turn.unsay(words)) turn.push(part);
}

function wordsOf(message: Item): string {
  const content = Array.isArray(message["content"]) ? (message["content"] as readonly unknown[]) : [];
  return content
    .map((part) => (part as Item)["text"] ?? (part as Item)["refusal"])
    .filter((text) => typeof text === "string")
    .join("");
}

/** Reasoning that led to nothing is refused: "without its required following item". */
function withoutLooseReasoning(items: readonly Item[]): readonly Item[] {
  return items.slice(0, items.findLastIndex(({ type }) => type !== "reasoning") + 1);
}

/** What the vendor ran to its end. */
function isServers({ kind, status, echo }: ToolCall): boolean {
  return (kind === "server" || kind === "mcp") && status === "complete" && typeof echo?.["item"] === "object";
}

/**
 * A call of ours. An item of the vendor's own tools that is not whole would be refused: it goes back as a call of a
 * function, which any item may be.
 */
export function isOwnItem({ status, echo }: ToolCall): boolean {
  return status === "complete" && typeof echo?.["item"] === "object" && echo["item"] !== null;
}

function callItem(call: ToolCall): Item {
  if (isOwnItem(call)) return call.echo?.["item"] as Item;
  const name = nameOf(call.name, COMMON_NAMES);
  const { item: _, status, type: __, ...echo } = (call.echo ?? {}) as Record<string, unknown>;
  if (call.kind === "custom") {
    return { ...echo, type: "custom_tool_call", call_id: call.id, name, input: bounded(call.argumentsText) };
  }
  const own = call.kind === "function" ? echo : {};
  return {
    ...own,
    type: "function_call",
    call_id: call.id,
    name,
    arguments: argumentsTextOf(call),
    ...(call.status === "complete" && status === "completed" ? { status } : {}),
  };
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  return resultItems(inCallOrder(given, answer), isOwnItem);
}

/** OpenAI Responses and its clones. */
export const openaiResponsesTurns: TurnForm = {
  name: "openai-responses",
  protocol: "openai-responses",
  shape: { assistant: "items", results: "items" },
  tools,
  assistant: outputItems,
  results,
  user: (content) => [{ type: "message", role: "user", content: userContent(content) }],
  request,
};
