// A whole (not streamed) answer, mended. Owns the laying of the right calls, texts and finish words over the body as it came:
// where that changes nothing, the bytes stay as they are.

import { isDeepStrictEqual } from "node:util";
import { type AnyReaderOptions, createReader, type ProtocolName, type StreamEvent, type ToolCall } from "unbraid";
import { answerable } from "./answerable.ts";
import { isWord, type Obj, objectOf, objectsOf, without } from "./dialect.ts";
import { answerOfOne, inOneChoice } from "./one-choice.ts";
import type { Ending } from "./said.ts";

/** What is right. */
interface Right {
  readonly calls: readonly ToolCall[];
  readonly texts: ReadonlyMap<number, string>;
  readonly ending: Ending;
}

/** How a whole answer is mended. */
export interface WholeOptions {
  /** Puts in the one reading of a malformed call. Default false. */
  readonly repair?: boolean;
  /** One answer was asked for: several choices are one. Default false. */
  readonly oneChoice?: boolean;
  /** What the reader is told. */
  readonly reader?: Omit<AnyReaderOptions, "protocol" | "fastPath">;
  /** Hears of every event of the reader. */
  readonly onEvents?: (events: readonly StreamEvent[]) => void;
}

type Writer = (body: Obj, right: Right) => Obj | undefined;

const WRITERS: Readonly<Partial<Record<ProtocolName, Writer>>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  anthropic,
  gemini,
  ollama,
};

/**
 * Mends a whole answer.
 *
 * @param protocol The wire.
 * @param bytes The body, decompressed.
 * @param options See {@link WholeOptions}.
 * @returns The body to send; `bytes` themselves where nothing was to be mended, or where they are no answer of the wire.
 */
export function mendWhole(protocol: ProtocolName, bytes: Uint8Array, options: WholeOptions = {}): Uint8Array {
  const reader = createReader({ ...options.reader, protocol });
  const events = [...reader.push(bytes), ...reader.end()];
  options.onEvents?.(events);
  const write = WRITERS[protocol];
  const body = parsed(bytes);
  const joins = options.oneChoice === true && protocol === "openai-chat";
  const right = rightOf(joins ? events.map(inOneChoice) : events, options.repair === true);
  if (write === undefined || body === undefined || right === undefined) return bytes;
  const mended = write(joins ? answerOfOne(body) : body, right);
  return mended === undefined || isDeepStrictEqual(mended, body) ? bytes : Buffer.from(JSON.stringify(mended));
}

function parsed(bytes: Uint8Array): Obj | undefined {
  try {
    return objectOf(JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown);
  } catch {
    return undefined;
  }
}

function rightOf(events: readonly StreamEvent[], repair: boolean): Right | undefined {
  const calls = new Map<string, ToolCall>();
  const texts = new Map<number, string>();
  let ending: Ending | undefined;
  for (const event of events) {
    if (event.type === "error") return undefined;
    if (event.type === "call.close" && (event.call.kind === "function" || event.call.kind === "custom"))
      calls.set(event.call.key, repair ? repaired(event.call) : event.call);
    if (event.type === "call.retract") calls.delete(event.call.key);
    if (event.type === "text" && event.refusal !== true)
      texts.set(event.choice, (texts.get(event.choice) ?? "") + event.text);
    if (event.type === "finish") ending = { reason: event.reason, raw: event.raw };
  }
  const list = [...calls.values()].toSorted((a, b) => a.index - b.index);
  return ending === undefined || ending.reason === null ? undefined : { calls: list, texts, ending };
}

function repaired(call: ToolCall): ToolCall {
  const { repair } = call;
  if (call.status !== "malformed" || repair === undefined) return call;
  return { ...call, status: "complete", argumentsText: repair.argumentsText, arguments: repair.arguments };
}

/** The given entries with what is right laid over, each over its own; calls that have none get one of their own. */
function laidOver(given: readonly Obj[], calls: readonly ToolCall[], lay: (own: Obj, call: ToolCall) => Obj): Obj[] {
  const left = [...given];
  return calls.map((call) => {
    const nameOf = (entry: Obj): unknown => objectOf(entry["function"] ?? entry["custom"] ?? entry)?.["name"];
    const same = left.findIndex((entry) => entry["id"] === call.id && nameOf(entry) === call.name);
    const at = same >= 0 ? same : left.findIndex((entry) => nameOf(entry) === call.name);
    const [own = {}] = at >= 0 ? left.splice(at, 1) : [];
    return lay(own, call);
  });
}

function chat(body: Obj, { calls, texts, ending }: Right): Obj | undefined {
  if (!Array.isArray(body["choices"])) return undefined;
  const choices = objectsOf(body["choices"]).map((choice, at) => {
    const index = typeof choice["index"] === "number" ? choice["index"] : at;
    const message = objectOf(choice["message"]);
    const own = calls.filter((call) => call.choice === index);
    if (message === undefined) return choice;
    const legacy = objectOf(message["function_call"]);
    if (legacy !== undefined && own.length === 1 && !Array.isArray(message["tool_calls"])) {
      const function_call = { ...legacy, name: own[0]?.name, arguments: own[0]?.argumentsText };
      return { ...choice, message: { ...message, function_call } };
    }
    const given = objectsOf(message["tool_calls"] ?? []);
    const tool_calls = laidOver(given, own, (entry, call) => chatEntry(entry, call));
    const text = texts.get(index) ?? "";
    const content =
      typeof message["content"] === "string" && message["content"] !== text ? { content: text || null } : {};
    const list = own.length > 0 ? { tool_calls } : {};
    return { ...choice, message: { ...message, ...content, ...list }, ...chatFinish(choice, own.length, ending) };
  });
  return { ...body, choices };
}

function chatEntry(entry: Obj, call: ToolCall): Obj {
  const { id, name, argumentsText } = call;
  const outer = without(entry, "name", "arguments");
  return call.kind === "custom"
    ? { ...outer, id, type: "custom", custom: { ...objectOf(entry["custom"]), name, input: argumentsText } }
    : { ...outer, id, type: "function", function: { ...objectOf(entry["function"]), name, arguments: argumentsText } };
}

function chatFinish(choice: Obj, calls: number, { reason }: Ending): Obj {
  const word = choice["finish_reason"];
  if (word === "length" || word === "content_filter" || reason === "length" || reason === "content_filter") return {};
  if (calls > 0) return word === "function_call" ? {} : { finish_reason: "tool_calls" };
  return word === "tool_calls" || !isWord(word) ? { finish_reason: "stop" } : {};
}

function anthropic(body: Obj, { calls, texts, ending }: Right): Obj | undefined {
  if (!Array.isArray(body["content"])) return undefined;
  const blocks = objectsOf(body["content"]);
  const content = merged(
    blocks,
    calls,
    (block) => block["type"] === "tool_use",
    (block, { id, name, ...call }) => ({
      ...block,
      type: "tool_use",
      id,
      name,
      input: answerable({ id, name, ...call }),
    }),
  );
  const text = withText(content, "text", texts.get(0) ?? "", (block) => block["type"] === "text");
  const word = body["stop_reason"];
  const own = calls.length > 0 && ending.reason === "tool_calls" ? "tool_use" : word === "tool_use" ? "end_turn" : word;
  return { ...body, content: text, stop_reason: own };
}

/** The list with its calls replaced in their places; further ones behind. */
function merged(
  list: readonly Obj[],
  calls: readonly ToolCall[],
  isCall: (entry: Obj) => boolean,
  lay: (own: Obj, call: ToolCall) => Obj,
): Obj[] {
  const left = [...calls];
  const out: Obj[] = [];
  for (const entry of list) {
    if (!isCall(entry)) {
      out.push(entry);
      continue;
    }
    const call = left.shift();
    if (call !== undefined) out.push(lay(entry, call));
  }
  return [...out, ...left.map((call) => lay({}, call))];
}

/** The list with its texts right: where calls were taken out of them, the first holds what is left. */
function withText(list: readonly Obj[], field: string, right: string, isText: (entry: Obj) => boolean): Obj[] {
  const joined = list.filter(isText).map((entry) => (typeof entry[field] === "string" ? entry[field] : ""));
  if (joined.join("") === right) return [...list];
  const at = list.findIndex(isText);
  const rest = list.filter((entry, index) => !isText(entry) || (index === at && right !== ""));
  return rest.map((entry) => (isText(entry) ? { ...entry, [field]: right } : entry));
}

function responses(body: Obj, { calls, texts }: Right): Obj | undefined {
  if (!Array.isArray(body["output"])) return undefined;
  const types = new Set(["function_call", "custom_tool_call"]);
  const isCall = (item: Obj): boolean =>
    types.has(String(item["type"])) && !String(item["call_id"]).startsWith("xs_call");
  const items = merged(objectsOf(body["output"]), calls, isCall, (item, call) => {
    const { id, name, argumentsText } = call;
    const own = { id: `fc_mended_${call.index}`, status: "completed", ...item };
    return call.kind === "custom"
      ? { ...own, type: "custom_tool_call", call_id: id, name, input: argumentsText }
      : { ...own, type: "function_call", call_id: id, name, arguments: argumentsText };
  });
  const parts = items.flatMap((item) => (item["type"] === "message" ? objectsOf(item["content"]) : []));
  const isText = (part: Obj): boolean => part["type"] === "output_text";
  const right = new Set(withText(parts, "text", texts.get(0) ?? "", isText));
  const joined = parts.filter(isText).map((part) => String(part["text"]));
  if (joined.join("") === (texts.get(0) ?? "")) return { ...body, output: items };
  const [first] = [...right].filter(isText);
  let placed = false;
  const output = items.map((item) => {
    if (item["type"] !== "message") return item;
    const others = objectsOf(item["content"]).filter((part) => !isText(part));
    const text = placed || first === undefined ? [] : [first];
    placed = true;
    return { ...item, content: [...text, ...others] };
  });
  return { ...body, output };
}

function gemini(body: Obj, { calls, texts }: Right): Obj | undefined {
  if (!Array.isArray(body["candidates"])) return undefined;
  const candidates = objectsOf(body["candidates"]).map((candidate, at) => {
    const index = typeof candidate["index"] === "number" ? candidate["index"] : at;
    const own = calls.filter(({ choice }) => choice === index);
    const given = objectsOf(objectOf(candidate["content"])?.["parts"] ?? []);
    const isCall = (part: Obj): boolean => part["functionCall"] !== undefined || part["function_call"] !== undefined;
    const parts = merged(given, own, isCall, (part, call) => {
      const was = objectOf(part["functionCall"]) ?? {};
      const id = call.madeId === true ? {} : { id: call.id };
      const args =
        was["args"] === undefined && Object.keys(answerable(call)).length === 0 ? {} : { args: answerable(call) };
      return { ...without(part, "function_call"), functionCall: { ...was, ...id, name: call.name, ...args } };
    });
    const isText = (part: Obj): boolean => typeof part["text"] === "string" && part["thought"] !== true;
    const text = withText(parts, "text", texts.get(index) ?? "", isText);
    if (given.length === 0 && text.length === 0) return candidate;
    return { ...candidate, content: { ...objectOf(candidate["content"]), parts: text } };
  });
  return { ...body, candidates };
}

function ollama(body: Obj, { calls, texts }: Right): Obj | undefined {
  const message = objectOf(body["message"]);
  if (message === undefined) return undefined;
  const tool_calls = laidOver(objectsOf(message["tool_calls"] ?? []), calls, (entry, call) => {
    const was = objectOf(entry["function"]) ?? {};
    const id = call.madeId === true ? {} : { id: call.id };
    return { ...entry, ...id, function: { ...was, name: call.name, arguments: answerable(call) } };
  });
  const text = texts.get(0) ?? "";
  const content = typeof message["content"] === "string" && message["content"] !== text ? { content: text } : {};
  return { ...body, message: { ...message, ...content, ...(calls.length > 0 ? { tool_calls } : {}) } };
}
