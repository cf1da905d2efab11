// Turns in the form of Bedrock's Converse, in its JSON: bytes are base64. Owns the echo of content blocks; what Bedrock
// wraps for InvokeModel goes back in the form of the model's vendor.

import type { ToolCall } from "../events.ts";
import { needsResult, type Answer } from "./answer.ts";
import { NO_OUTPUT, isMedia, leftOut, textOf, wellFormed, type ContentPart, type MediaPart } from "./content.ts";
import { objectSchema } from "./function-tools.ts";
import { argumentsOf, checkNames, COMMON_NAMES, nameOf } from "./echoed-call.ts";
import { inCallOrder } from "./paired-results.ts";
import { behindResults, inPlaceOf, standsBehind } from "./result-words.ts";
import { SpokenText } from "./spoken-text.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm } from "./turn-form.ts";

type Block = Readonly<Record<string, unknown>>;

function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    ...(system === undefined ? {} : { system: [{ text: system }] }),
    messages: withOwnNames(messages),
    ...(definitions.length === 0 ? {} : { toolConfig: { tools: tools(definitions) } }),
  };
}

function tools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, COMMON_NAMES);
  return definitions.map(({ name, description, parameters, strict }) => ({
    toolSpec: {
      name,
      // An empty one is refused.
      ...(description === undefined || description === "" ? {} : { description }),
      inputSchema: { json: objectSchema(parameters) },
      ...(strict === true ? { strict } : {}),
    },
  }));
}

function assistant(answer: Answer): readonly unknown[] {
  const turn = new SpokenText<Block>(textBlock);
  const answered = new Set(answer.answered);
  const given = new Set(answer.items.flatMap((item) => (item.type === "part" ? [resultIdOf(item.part)] : [])));
  for (const item of answer.items) {
    if (item.type === "text") turn.say(item.text);
    else if (item.type === "part") addPart(item.part as Block, turn);
    else if (item.type === "call" && needsResult(item.call, answered)) turn.push({ toolUse: toolUse(item.call) });
    else if (item.type === "call" && item.call.status === "complete" && given.has(item.call.id))
      turn.push({ toolUse: { ...toolUse(item.call), type: "server_tool_use" } });
  }
  turn.flush();
  const last = turn.items.findLastIndex((block) => block["reasoningContent"] === undefined);
  const content = turn.items.slice(0, last + 1);
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}

/** Blank text is refused. */
function textBlock(text: string): Block | undefined {
  return text.trim() === "" ? undefined : { text: wellFormed(text) };
}

function addPart(part: Block, turn: SpokenText<Block>): void {
  const cited = part["citationsContent"] as { content?: readonly { text?: unknown }[] } | undefined;
  if (cited === undefined) return turn.push(part);
  const text = (cited.content ?? []).map((each) => (typeof each.text === "string" ? each.text : "")).join("");
  if (text.trim() !== "" && turn.unsay(text)) turn.push(part);
}

function resultIdOf(part: unknown): unknown {
  return ((part as Block)["toolResult"] as Block | undefined)?.["toolUseId"];
}

function toolUse(call: ToolCall): Block {
  return { toolUseId: call.id, name: nameOf(call.name, COMMON_NAMES), input: argumentsOf(call) };
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  const ordered = inCallOrder(given, answer);
  const errors = ordered.filter(({ isError }) => isError === true);
  const content = [...ordered.map(toolResult), ...behindResults<Block>(errors, takenBlock, (text) => ({ text }))];
  return content.length === 0 ? [] : withOwnNames([{ role: "user", content }]);
}

/** Claude refuses an error that holds anything but text: its media stand behind the results, in the same message. */
function toolResult({ call, content, isError }: CallResult): Block {
  const error = isError === true;
  return {
    toolResult: {
      toolUseId: call.id,
      content: error ? [{ text: textOf(content, inPlaceOf(takenBlock, standsBehind)) }] : blocksOf(content, true),
      ...(error ? { status: "error" } : {}),
    },
  };
}

function blocksOf(content: readonly ContentPart[], inResult: boolean): readonly Block[] {
  const blocks = content.flatMap((part): readonly Block[] => {
    const block = isMedia(part) ? (takenBlock(part) ?? { text: leftOut(part) }) : textBlock(part.text);
    return block === undefined ? [] : [block];
  });
  // Only a result may do without text.
  const hasText = blocks.some((block) => block["text"] !== undefined);
  const enough = inResult ? blocks.length > 0 : hasText || blocks.every((block) => block["document"] === undefined);
  return enough && blocks.length > 0 ? blocks : [...blocks, { text: NO_OUTPUT }];
}

const IMAGES: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const DOCUMENTS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/html": "html",
  "text/plain": "txt",
  "text/markdown": "md",
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultContentBlock.html */
function takenBlock(part: MediaPart): Block | undefined {
  const source = sourceOf(part);
  const image = Object.hasOwn(IMAGES, part.mediaType) ? IMAGES[part.mediaType] : undefined;
  if (source !== undefined && part.type === "image" && image !== undefined) return { image: { format: image, source } };
  const format = Object.hasOwn(DOCUMENTS, part.mediaType) ? DOCUMENTS[part.mediaType] : undefined;
  if (source === undefined || part.type !== "file" || format === undefined) return undefined;
  return { document: { format, name: documentName(part.name), source } };
}

/** Bytes, or an object in S3: no other address is taken. */
function sourceOf({ data, url }: MediaPart): Block | undefined {
  if (data !== undefined) return { bytes: data };
  return url?.startsWith("s3://") === true ? { s3Location: { uri: url } } : undefined;
}

/** Letters, digits, single spaces, hyphens and brackets, at most 200. */
function documentName(name = ""): string {
  const plain = name
    .replace(/[^a-zA-Z0-9\s()[\]-]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
  return plain.slice(0, LONGEST_NAME).trim() || "document";
}

/** As much of a name as leaves room for a number behind it. */
const LONGEST_NAME = 180;

/**
 * Messages whose documents each have a name of their own: "Messages can't contain duplicate document names", in one
 * message or in several. The first keeps its name, so that a history stays as it was when more is put behind it.
 */
function withOwnNames(messages: readonly unknown[]): readonly unknown[] {
  const taken = new Set<string>();
  return mapDocuments(messages, (document) => {
    const { name } = document;
    if (typeof name !== "string") return document;
    const own = freeName(name, taken);
    taken.add(own.toLowerCase());
    return own === name ? document : { ...document, name: own };
  }) as readonly unknown[];
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name.toLowerCase())) return name;
  const [, stem = name] = /^(.*) \(\d+\)$/.exec(name) ?? [];
  for (let count = 2; ; count++) {
    const next = `${stem.slice(0, LONGEST_NAME)} (${count})`;
    if (!taken.has(next.toLowerCase())) return next;
  }
}

/** Where blocks with documents stand: in a message's content, and in a result's. */
const HOLDERS = new Set(["content", "toolResult"]);

function mapDocuments(value: unknown, change: (document: Block) => Block): unknown {
  if (Array.isArray(value)) return value.map((each) => mapDocuments(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      if (key === "document" && typeof inner === "object" && inner !== null) return [key, change(inner as Block)];
      return [key, HOLDERS.has(key) ? mapDocuments(inner, change) : inner];
    }),
  );
}

/** Bedrock's Converse. */
export const bedrockTurns: TurnForm = {
  name: "bedrock",
  protocol: "bedrock",
  shape: { assistant: "message", results: "message" },
  tools,
  assistant,
  results,
  user: (content) => withOwnNames([{ role: "user", content: blocksOf(content, false) }]),
  request,
};
