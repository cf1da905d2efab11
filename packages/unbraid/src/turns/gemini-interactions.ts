// Turns in the form of Gemini Interactions: steps. Owns their echo, for clients that keep the history; with
// `previous_interaction_id` only the results are sent.

import type { ToolCall } from "../events.ts";
import { needsResult, type Answer } from "./answer.ts";
import { NO_OUTPUT, isMedia, leftOut, textOf, wellFormed, type ContentPart, type MediaPart } from "./content.ts";
import { flatTools } from "./function-tools.ts";
import { argumentsOf, checkNames, nameOf } from "./echoed-call.ts";
import { GEMINI_NAMES } from "./gemini.ts";
import { inCallOrder } from "./paired-results.ts";
import { SpokenText } from "./spoken-text.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm } from "./turn-form.ts";

type Step = Readonly<Record<string, unknown>>;

function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    ...(system === undefined ? {} : { system_instruction: system }),
    input: messages,
    ...(definitions.length === 0 ? {} : { tools: tools(definitions) }),
  };
}

function tools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, GEMINI_NAMES);
  return flatTools(definitions);
}

function assistant(answer: Answer): readonly unknown[] {
  const turn = new SpokenText<Step>((text) => ({
    type: "model_output",
    content: [{ type: "text", text: wellFormed(text) }],
  }));
  const answered = new Set(answer.answered);
  for (const item of answer.items) {
    if (item.type === "text") turn.say(item.text);
    // What a thought says is in its part, with the signature.
    else if (item.type === "part") turn.push(item.part as Step);
    else if (item.type === "call" && needsResult(item.call, answered)) turn.push(callStep(item.call));
    else if (item.type === "call" && isServers(item.call)) turn.push(serverStep(item.call));
  }
  turn.flush();
  return turn.items;
}

function callStep(call: ToolCall): Step {
  const name = nameOf(call.name, GEMINI_NAMES);
  return { type: "function_call", id: call.id, name, arguments: argumentsOf(call), ...call.echo };
}

function isServers({ kind, status, echo }: ToolCall): boolean {
  return (kind === "server" || kind === "mcp") && status === "complete" && typeof echo?.["step"] === "object";
}

function serverStep(call: ToolCall): Step {
  return { ...(call.echo?.["step"] as Step), arguments: argumentsOf(call) };
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  return inCallOrder(given, answer).map(({ call, content, isError }) => ({
    type: "function_result",
    call_id: call.id,
    name: nameOf(call.name, GEMINI_NAMES),
    result: content.some(isMedia) ? contentOf(content) : textOf(content),
    ...(isError === true ? { is_error: true } : {}),
  }));
}

function contentOf(content: readonly ContentPart[]): readonly Step[] {
  const parts = content.flatMap((part): readonly Step[] => {
    if (isMedia(part)) return [mediaContent(part)];
    return part.text === "" ? [] : [{ type: "text", text: wellFormed(part.text) }];
  });
  return parts.length === 0 ? [{ type: "text", text: NO_OUTPUT }] : parts;
}

/** Images, documents, sound and video, by bytes or address. */
function mediaContent(part: MediaPart): Step {
  const { data, url, mediaType: mime_type } = part;
  if (data === undefined && url === undefined) return { type: "text", text: leftOut(part) };
  const kind = /^(image|audio|video)\//.exec(mime_type)?.[1] ?? "document";
  return { type: kind, mime_type, ...(data === undefined ? { uri: url } : { data }) };
}

/** Gemini Interactions. */
export const geminiInteractionsTurns: TurnForm = {
  name: "gemini/interactions",
  protocol: "gemini",
  variant: "interactions",
  shape: { assistant: "items", results: "items" },
  tools,
  assistant,
  results,
  user: (content) => [{ type: "user_input", content: contentOf(content) }],
  request,
};
