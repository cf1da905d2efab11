// Turns in the form of Anthropic Messages, also behind Bedrock's InvokeModel. Owns which blocks go back: signed thinking and
// what the vendor's own tools gave in their places, and every call with its input as an object.

import type { ToolCall, WireVariant } from "../events.ts";
import type { ProtocolName } from "../protocols/protocol.ts";
import { needsResult, type Answer } from "./answer.ts";
import { NO_OUTPUT, isMedia, leftOut, textOf, wellFormed, type ContentPart, type MediaPart } from "./content.ts";
import { objectSchema } from "./function-tools.ts";
import { argumentsOf, checkNames, nameOf, type NameRule } from "./echoed-call.ts";
import { inCallOrder } from "./paired-results.ts";
import { behindResults, inPlaceOf, standsBehind } from "./result-words.ts";
import { SpokenText } from "./spoken-text.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm, TurnFormName } from "./turn-form.ts";

const NAMES: NameRule = { refused: /[^a-zA-Z0-9_-]/gu, length: 128, words: "1 to 128 of a-z, A-Z, 0-9, _ and -" };

type Block = Readonly<Record<string, unknown>>;

function anthropicForm(name: TurnFormName, protocol: ProtocolName, variant?: WireVariant): TurnForm {
  return {
    name,
    protocol,
    ...(variant === undefined ? {} : { variant }),
    shape: { assistant: "message", results: "message" },
    tools,
    assistant,
    results,
    user: (content) => [{ role: "user", content: blocksOf(content) }],
    request,
  };
}

function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    ...(system === undefined ? {} : { system }),
    messages,
    ...(definitions.length === 0 ? {} : { tools: tools(definitions) }),
  };
}

function tools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, NAMES);
  return definitions.map(({ name, description, parameters, strict }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: objectSchema(parameters),
    ...(strict === true ? { strict } : {}),
  }));
}

function assistant(answer: Answer): readonly unknown[] {
  const turn = new SpokenText<Block>(textBlock);
  const answered = new Set(answer.answered);
  const given = new Set(answer.items.flatMap((item) => (item.type === "part" ? [toolUseIdOf(item.part)] : [])));
  for (const item of answer.items) {
    if (item.type === "text") turn.say(item.text);
    else if (item.type === "part") addPart(item.part as Block, turn, answer);
    else if (item.type === "call") {
      if (needsResult(item.call, answered)) turn.push(toolUse(item.call));
      else if (goesBack(item.call, answer, given)) turn.push(serverUse(item.call));
    }
  }
  turn.flush();
  const blocks = settled(turn.items, answer);
  return blocks.length === 0 ? [] : [{ role: "assistant", content: blocks }];
}

/** Text without a word in it is refused. */
function textBlock(text: string): Block | undefined {
  return text.trim() === "" ? undefined : { type: "text", text: wellFormed(text) };
}

function addPart(block: Block, turn: SpokenText<Block>, answer: Answer): void {
  if (block["type"] === "text") {
    // It cites, and repeats the text that was said.
    if (typeof block["text"] === "string" && block["text"].trim() !== "" && turn.unsay(block["text"])) turn.push(block);
  } else if (block["type"] !== "thinking" || mayGoBack(block, answer)) {
    turn.push(block);
  }
}

/** Models that want their thinking back though they sign nothing: https://github.com/NousResearch/hermes-agent/pull/17510 */
const UNSIGNED = /deepseek|kimi|moonshot/i;

/** Thinking of Claude's without a signature was cut off, and is refused; other servers may send an empty one, and take it. */
function mayGoBack({ signature }: Block, { response: { model = "claude" } }: Answer): boolean {
  if (typeof signature !== "string") return UNSIGNED.test(model);
  return signature !== "" || !/claude/i.test(model);
}

/** Thinking may not be the last block of a turn, unless the vendor asks for the turn as it is in order to go on. */
function settled(blocks: readonly Block[], { rawFinish }: Answer): readonly Block[] {
  if (rawFinish === "pause_turn") return blocks;
  const last = blocks.findLastIndex((block) => block["type"] !== "thinking" && block["type"] !== "redacted_thinking");
  return blocks.slice(0, last + 1);
}

function toolUse(call: ToolCall): Block {
  return { type: "tool_use", id: call.id, name: nameOf(call.name, NAMES), input: argumentsOf(call), ...call.echo };
}

/**
 * Whether a call that the vendor ran goes back. Without what it gave it does only where the vendor goes on with it: it
 * paused, or it waits for results of ours.
 */
function goesBack(call: ToolCall, { finish }: Answer, given: ReadonlySet<unknown>): boolean {
  if (call.status !== "complete" || (call.kind !== "server" && call.kind !== "mcp")) return false;
  return given.has(call.id) || finish === "stop" || finish === "tool_calls";
}

function serverUse(call: ToolCall): Block {
  const type = call.kind === "mcp" ? "mcp_tool_use" : "server_tool_use";
  return { type, id: call.id, name: call.name, input: argumentsOf(call), ...call.echo };
}

function toolUseIdOf(part: unknown): unknown {
  return (part as Block)["tool_use_id"];
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  const ordered = inCallOrder(given, answer);
  const errors = ordered.filter(({ isError }) => isError === true);
  const content = [
    ...ordered.map(toolResult),
    ...behindResults(errors, takenBlock, (text) => ({ type: "text", text })),
  ];
  return content.length === 0 ? [] : [{ role: "user", content }];
}

/** The vendor refuses an error that holds anything but text: its media stand behind the results, in the same message. */
function toolResult({ call, content, isError }: CallResult): Block {
  const toolset = call.echo?.["toolset_name"];
  const inside = isError !== true && content.some(isMedia);
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: inside ? blocksOf(content) : textOf(content, inPlaceOf(takenBlock, standsBehind)),
    ...(isError === true ? { is_error: true } : {}),
    ...(toolset === undefined ? {} : { toolset_name: toolset }),
  };
}

function blocksOf(content: readonly ContentPart[]): readonly Block[] {
  const blocks = content.flatMap((part): readonly Block[] => {
    const block = isMedia(part) ? mediaBlock(part) : textBlock(part.text);
    return block === undefined ? [] : [block];
  });
  return blocks.length === 0 ? [{ type: "text", text: NO_OUTPUT }] : blocks;
}

const IMAGES = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function mediaBlock(part: MediaPart): Block {
  return takenBlock(part) ?? { type: "text", text: leftOut(part) };
}

/** Images of four types and PDF, by bytes or address, and plain text: https://platform.claude.com/docs/en/build-with-claude/files */
function takenBlock(part: MediaPart): Block | undefined {
  const { data, url, mediaType } = part;
  const title = part.type === "file" && part.name !== undefined ? { title: part.name } : {};
  if (part.type === "image" && data !== undefined && IMAGES.has(mediaType))
    return { type: "image", source: { type: "base64", media_type: mediaType, data } };
  if (part.type === "image" && data === undefined && url !== undefined)
    return { type: "image", source: { type: "url", url } };
  if (mediaType === "application/pdf" && data !== undefined)
    return { type: "document", source: { type: "base64", media_type: mediaType, data }, ...title };
  if (mediaType === "application/pdf" && url !== undefined)
    return { type: "document", source: { type: "url", url }, ...title };
  const text = mediaType.startsWith("text/") && data !== undefined ? decoded(data) : undefined;
  if (text !== undefined && text.trim() !== "")
    return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...title };
  return undefined;
}

/** The text in base64; undefined where it is none. */
function decoded(data: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** Anthropic Messages. */
export const anthropicTurns: TurnForm = anthropicForm("anthropic", "anthropic");

/** A Claude model behind Bedrock's InvokeModel. */
export const bedrockAnthropicTurns: TurnForm = anthropicForm("bedrock/invoke-anthropic", "bedrock", "invoke-anthropic");
