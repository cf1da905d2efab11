// Turns in the form of OpenAI Realtime and OpenAI Live: messages that the client sends over the socket. The session keeps
// the history, so that only results are sent as a rule; an answer is echoed into a session that is begun anew. Behind
// results the client asks for the next response with `{"type":"response.create"}`, which is left to the caller.

import type { ToolCall } from "../events.ts";
import { pending, type Answer } from "./answer.ts";
import { addressOf, isMedia, leftOut, textOf, wellFormed, type ContentPart, type MediaPart } from "./content.ts";
import { flatTools } from "./function-tools.ts";
import { plainText } from "./plain-answer.ts";
import { behindResults, flagged, inPlaceOf } from "./result-words.ts";
import { argumentsTextOf, checkNames, COMMON_NAMES, nameOf } from "./echoed-call.ts";
import { isOwnItem, openaiResponsesTurns, outputItems } from "./openai-responses.ts";
import { resultItems } from "./openai-responses-results.ts";
import { inCallOrder } from "./paired-results.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm } from "./turn-form.ts";

type Item = Readonly<Record<string, unknown>>;

function create(item: Item): Item {
  return { type: "conversation.item.create", item };
}

/** The fields of the session. */
function request({ system, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    ...(system === undefined ? {} : { instructions: system }),
    ...(definitions.length === 0 ? {} : { tools: tools(definitions) }),
  };
}

function tools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, COMMON_NAMES);
  return flatTools(definitions);
}

function assistant(answer: Answer): readonly unknown[] {
  const text = plainText(answer);
  return [
    ...(text.trim() === ""
      ? []
      : [create({ type: "message", role: "assistant", content: [{ type: "output_text", text }] })]),
    ...pending(answer).map((call) => create(callItem(call))),
  ];
}

function callItem(call: ToolCall): Item {
  if (call.kind === "mcp-approval" && isOwnItem(call)) return call.echo?.["item"] as Item;
  const name = nameOf(call.name, COMMON_NAMES);
  return { type: "function_call", call_id: call.id, name, arguments: argumentsTextOf(call) };
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  const ordered = inCallOrder(given, answer);
  return [...ordered.map(resultOf), ...mediaMessage(ordered)].map(create);
}

/** Words and nothing else; images follow in a message. An approval quotes the item that asked, which the session holds. */
function resultOf({ call, content, isError, approve }: CallResult): Item {
  if (call.kind === "mcp-approval" && isOwnItem(call)) {
    // Here the item must have an id, of at most 32 characters.
    const asked = { type: "mcp_approval_response", id: `res_${call.id.slice(-28)}`, approval_request_id: call.id };
    return approve === true ? { ...asked, approve } : { ...asked, approve: false, reason: textOf(content) };
  }
  return {
    type: "function_call_output",
    call_id: call.id,
    output: flagged(textOf(content, inPlaceOf(imagePart)), isError),
  };
}

function mediaMessage(ordered: readonly CallResult[]): readonly Item[] {
  const content = behindResults(ordered, imagePart, textPart);
  return content.length === 0 ? [] : [{ type: "message", role: "user", content }];
}

/** Only bytes are taken. */
function imagePart(part: MediaPart): Item | undefined {
  if (part.type !== "image" || part.data === undefined) return undefined;
  return { type: "input_image", image_url: addressOf(part) };
}

function userContent(content: readonly ContentPart[]): readonly Item[] {
  return content.map((part) => (isMedia(part) ? (imagePart(part) ?? textPart(leftOut(part))) : textPart(part.text)));
}

function textPart(text: string): Item {
  return { type: "input_text", text: wellFormed(text) };
}

/** OpenAI Realtime, and its clones. */
export const openaiRealtimeTurns: TurnForm = {
  name: "openai-realtime",
  protocol: "openai-realtime",
  shape: { assistant: "items", results: "items" },
  tools,
  assistant,
  results,
  user: (content) => [create({ type: "message", role: "user", content: userContent(content) })],
  request,
};

function createInput(item: unknown): Item {
  return { type: "response.item.create", item };
}

/** OpenAI Live, which lets a Responses backend call the tools and takes that one's items. */
export const openaiLiveTurns: TurnForm = {
  ...openaiRealtimeTurns,
  name: "openai-realtime/live",
  variant: "live",
  tools: openaiResponsesTurns.tools,
  assistant: (answer) => outputItems(answer).map(createInput),
  results: (given, answer) => resultItems(inCallOrder(given, answer), isOwnItem).map(createInput),
  user: (content) => openaiResponsesTurns.user(content).map(createInput),
  request: ({ system, tools: definitions = [] }) => ({
    ...(system === undefined ? {} : { instructions: system }),
    ...(definitions.length === 0 ? {} : { tools: openaiResponsesTurns.tools(definitions) }),
  }),
};
