// The vendors' SDKs, each as a list of ways to read one response: what calls it gives, and what stream of objects. Owns
// the plain readings that a user of each SDK would write. Keys are fake, retries off.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type FunctionCall, type GenerateContentResponse } from "@google/genai";
import OpenAI from "openai";

/** The wires that these SDKs read. */
export type SdkProtocol = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** A call as an SDK gives it. Where the SDK has text, `text` is that; where it has a value, `value`. */
export interface SdkCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text?: string;
  readonly value?: unknown;
  /** True for tools whose input has no one spelling: only their ids are compared. */
  readonly vendorsOwn?: true;
}

/** What an SDK makes of a response. */
export interface SdkAnswer {
  readonly calls: readonly SdkCall[];
  /** The vendor's own word. */
  readonly finish: string | null;
}

/** One way of reading with an SDK. */
export interface SdkReading {
  /** As it is written in code. */
  readonly name: string;
  /** The stream of objects that a user would hand to `read()`. */
  readonly stream: (url: string) => Promise<AsyncIterable<object>>;
  /** The answer. Rejects where the SDK gets none. */
  readonly answer: (url: string) => Promise<SdkAnswer>;
  /** True where leaving the SDK's own loop leaves the connection open: nothing that is handed its stream can close it. */
  readonly keepsConnection?: true;
}

const MODEL = "any";

function openai(url: string): OpenAI {
  return new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0, logLevel: "off" });
}

function anthropic(url: string): Anthropic {
  return new Anthropic({ apiKey: "none", authToken: null, baseURL: url, maxRetries: 0, logLevel: "off" });
}

function google(url: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: "none", vertexai: false, httpOptions: { baseUrl: url } });
}

const CHAT = { model: MODEL, messages: [{ role: "user" as const, content: "?" }] };
const RESPONSES = { model: MODEL, input: "?" };
const MESSAGES = { model: MODEL, max_tokens: 1_000, messages: [{ role: "user" as const, content: "?" }] };
const CONTENT = { model: MODEL, contents: "?" };

/** Every way, by wire. */
export const sdks: Readonly<Record<SdkProtocol, readonly SdkReading[]>> = {
  "openai-chat": [
    {
      name: "openai.chat.completions.create({ stream: true })",
      stream: async (url) => openai(url).chat.completions.create({ ...CHAT, stream: true }),
      answer: async (url) => chatChunks(await openai(url).chat.completions.create({ ...CHAT, stream: true })),
    },
    {
      name: "openai.chat.completions.stream()",
      stream: async (url) => openai(url).chat.completions.stream(CHAT),
      answer: async (url) => {
        const { choices } = await openai(url).chat.completions.stream(CHAT).finalChatCompletion();
        return {
          calls: choices.flatMap((choice) => chatCalls(choice.message)),
          finish: choices.find(({ finish_reason }) => finish_reason)?.finish_reason ?? null,
        };
      },
    },
  ],
  "openai-responses": [
    {
      name: "openai.responses.create({ stream: true })",
      stream: async (url) => openai(url).responses.create({ ...RESPONSES, stream: true }),
      answer: async (url) => responseEvents(await openai(url).responses.create({ ...RESPONSES, stream: true })),
    },
    {
      name: "openai.responses.stream()",
      stream: async (url) => openai(url).responses.stream(RESPONSES),
      answer: async (url) => {
        const { output, status } = await openai(url).responses.stream(RESPONSES).finalResponse();
        return { calls: output.flatMap(responseItem), finish: status ?? null };
      },
    },
  ],
  anthropic: [
    {
      name: "anthropic.messages.create({ stream: true })",
      stream: async (url) => anthropic(url).messages.create({ ...MESSAGES, stream: true }),
      answer: async (url) => messageEvents(await anthropic(url).messages.create({ ...MESSAGES, stream: true })),
    },
    {
      name: "anthropic.messages.stream()",
      stream: async (url) => anthropic(url).messages.stream(MESSAGES),
      answer: async (url) => message(await anthropic(url).messages.stream(MESSAGES).finalMessage()),
    },
    {
      name: "anthropic.beta.messages.stream()",
      stream: async (url) => anthropic(url).beta.messages.stream(MESSAGES),
      answer: async (url) => message(await anthropic(url).beta.messages.stream(MESSAGES).finalMessage()),
    },
  ],
  gemini: [
    {
      name: "google.models.generateContentStream()",
      stream: async (url) => google(url).models.generateContentStream(CONTENT),
      answer: async (url) => contentChunks(await google(url).models.generateContentStream(CONTENT)),
      keepsConnection: true,
    },
  ],
};

type ChatMessage = OpenAI.Chat.ChatCompletionMessage;

function chatCalls({ tool_calls: list, ...legacy }: ChatMessage): SdkCall[] {
  const calls = (list ?? []).map((call) =>
    call.type === "custom"
      ? { id: call.id, name: call.custom.name, text: call.custom.input }
      : { id: call.id, name: call.function.name, text: call.function.arguments },
  );
  const { function_call: call } = legacy as { function_call?: { name: string; arguments: string } };
  return call ? [...calls, { id: undefined, name: call.name, text: call.arguments }] : calls;
}

/** As the guides show it: by choice and index, the first id and name count, arguments are concatenated. */
async function chatChunks(chunks: AsyncIterable<OpenAI.Chat.ChatCompletionChunk>): Promise<SdkAnswer> {
  const calls = new Map<string, { id: string | undefined; name: string | undefined; text: string }>();
  let finish: string | null = null;
  for await (const { choices } of chunks) {
    for (const choice of choices ?? []) {
      finish ??= choice.finish_reason;
      for (const { index, id, function: named, custom } of choice.delta?.tool_calls ?? []) {
        const key = `${choice.index}:${index}`;
        const call = calls.get(key) ?? { id: undefined, name: undefined, text: "" };
        calls.set(key, call);
        call.id ??= id;
        call.name ??= named?.name ?? custom?.name;
        call.text += named?.arguments ?? custom?.input ?? "";
      }
    }
  }
  return { calls: [...calls.values()], finish };
}

/** What the items say when they are done, with the fragments of their arguments beside it. */
async function responseEvents(events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>): Promise<SdkAnswer> {
  const calls = new Map<number, SdkCall>();
  const texts = new Map<number, string>();
  let finish: string | null = null;
  for await (const event of events) {
    switch (event.type) {
      case "response.output_item.added":
      case "response.output_item.done":
        for (const call of responseItem(event.item)) calls.set(event.output_index, call);
        break;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
      case "response.mcp_call_arguments.delta":
        texts.set(event.output_index, (texts.get(event.output_index) ?? "") + event.delta);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        finish ??= event.response.status ?? null;
        break;
      default:
    }
  }
  const merged = [...calls].map(([at, call]) =>
    call.vendorsOwn ? call : { ...call, text: texts.get(at) || call.text || "" },
  );
  return { calls: merged, finish };
}

function responseItem(item: OpenAI.Responses.ResponseOutputItem): SdkCall[] {
  switch (item.type) {
    case "function_call":
      return [{ id: item.call_id, name: item.name, text: item.arguments }];
    case "custom_tool_call":
      return [{ id: item.call_id, name: item.name, text: item.input }];
    case "mcp_call":
    case "mcp_approval_request":
      return [{ id: item.id, name: item.name, text: item.arguments }];
    case "message":
    case "reasoning":
      return [];
    default: {
      const { type, id, call_id } = item as { type: string; id?: string; call_id?: string | null };
      const isCall = type.endsWith("_call") || type === "program";
      // xAI sends an empty call_id beside an id.
      return isCall ? [{ id: call_id || id, name: undefined, vendorsOwn: true }] : [];
    }
  }
}

const CALL_BLOCKS = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

function message({ content, stop_reason }: { content: readonly Block[]; stop_reason: string | null }): SdkAnswer {
  const calls = content.filter(({ type }) => CALL_BLOCKS.has(type));
  return { calls: calls.map(({ id, name, input }) => ({ id, name, value: input })), finish: stop_reason };
}

async function messageEvents(events: AsyncIterable<Anthropic.RawMessageStreamEvent>): Promise<SdkAnswer> {
  const blocks = new Map<number, { block: Block; text: string }>();
  let finish: string | null = null;
  for await (const event of events) {
    if (event.type === "message_start") {
      // The turn of a programmatic call is whole in its first event, and no blocks follow.
      for (const [index, block] of event.message.content.entries()) blocks.set(index, { block, text: "" });
      finish ??= event.message.stop_reason;
    } else if (event.type === "content_block_start") {
      blocks.set(event.index, { block: event.content_block, text: "" });
    } else if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") {
      const open = blocks.get(event.index);
      if (open) open.text += event.delta.partial_json;
    } else if (event.type === "message_delta") {
      finish ??= event.delta.stop_reason;
    }
  }
  const calls = [...blocks.values()].filter(({ block }) => CALL_BLOCKS.has(block.type));
  return {
    calls: calls.map(({ block: { id, name, input }, text }) =>
      text === "" ? { id, name, value: input } : { id, name, text },
    ),
    finish,
  };
}

/** A named part is a call; a part without a name goes on with the one before. */
async function contentChunks(chunks: AsyncIterable<GenerateContentResponse>): Promise<SdkAnswer> {
  const calls: { id: string | undefined; name: string; value: Record<string, unknown> }[] = [];
  let finish: string | null = null;
  for await (const { candidates } of chunks) {
    for (const { content, finishReason } of candidates ?? []) {
      for (const { functionCall } of content?.parts ?? []) {
        if (functionCall === undefined) continue;
        const { id, name, args } = functionCall;
        if (name) calls.push({ id, name, value: { ...args } });
        for (const partial of functionCall.partialArgs ?? []) applyPartial(calls.at(-1)?.value ?? {}, partial);
      }
      finish ??= finishReason ?? null;
    }
  }
  return { calls, finish };
}

/** Puts one piece at its JSON path: strings grow, everything else is set. */
function applyPartial(root: Record<string, unknown>, partial: NonNullable<FunctionCall["partialArgs"]>[number]): void {
  const steps = [...(partial.jsonPath ?? "").matchAll(/\.([^.[]+)|\['([^']+)'\]|\[(\d+)\]/g)];
  let at = root as Record<string | number, unknown>;
  for (const [depth, [, plain, quoted, index]] of steps.entries()) {
    const key = index === undefined ? (plain ?? quoted ?? "") : Number(index);
    if (depth < steps.length - 1) {
      at = (at[key] ??= steps[depth + 1]?.[3] === undefined ? {} : []) as Record<string | number, unknown>;
    } else if (partial.stringValue !== undefined) {
      at[key] = `${typeof at[key] === "string" ? at[key] : ""}${partial.stringValue}`;
    } else {
      at[key] = "nullValue" in partial ? null : (partial.numberValue ?? partial.boolValue);
    }
  }
}
