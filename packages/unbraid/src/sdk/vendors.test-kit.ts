// The SDKs of Cohere, Mistral, Ollama and AWS, and Google's for Interactions: what stream of objects each gives, and what a
// user would make of it by plain reading. Owns these readings. Keys are fake, retries off.

import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  InvokeModelWithResponseStreamCommand,
  type ResponseStream,
} from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { CohereClientV2 } from "cohere-ai";
import { Ollama } from "ollama";
import type { ProtocolName } from "../index.ts";
import type { SdkAnswer, SdkCall } from "./clients.test-kit.ts";

/** One way of reading with an SDK. */
export interface VendorReading {
  readonly name: string;
  readonly protocol: ProtocolName;
  /** Which of a wire's variants it reads, as fixtures and recordings name them. */
  readonly variants: readonly (string | undefined)[];
  /** The media type that its servers answer with. */
  readonly type: string;
  /** The stream of objects that a user would hand to `read()`. */
  readonly stream: (url: string) => Promise<AsyncIterable<object>>;
  /** What the objects say, read plainly. */
  readonly plain: (objects: AsyncIterable<object>) => Promise<SdkAnswer>;
}

const MODEL = "any";
const USER = { role: "user" as const, content: "?" };

function bedrock(endpoint: string): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    maxAttempts: 1,
    // Its own default is HTTP/2, which a plain server here does not speak.
    requestHandler: new NodeHttpHandler(),
  });
}

function given<T>(stream: T | undefined): T {
  if (stream === undefined) throw new Error("the SDK gave no stream");
  return stream;
}

/** A call while an SDK's user puts it together. */
interface Gathered {
  readonly id: string | undefined;
  readonly name: string | undefined;
  text: string;
}

function textual(calls: Iterable<Gathered>): SdkCall[] {
  return [...calls].map(({ id, name, text }) => ({ id, name, text }));
}

async function converse(events: AsyncIterable<object>): Promise<SdkAnswer> {
  const calls = new Map<number | undefined, Gathered>();
  let finish: string | null = null;
  for await (const event of events as AsyncIterable<ConverseStreamOutput>) {
    const start = event.contentBlockStart;
    const tool = start?.start?.toolUse;
    if (tool) calls.set(start?.contentBlockIndex, { id: tool.toolUseId, name: tool.name, text: "" });
    const call = calls.get(event.contentBlockDelta?.contentBlockIndex);
    if (call) call.text += event.contentBlockDelta?.delta?.toolUse?.input ?? "";
    finish ??= event.messageStop?.stopReason ?? null;
  }
  return { calls: textual(calls.values()), finish };
}

/** Anthropic's events, or Nova's, in the bytes of each chunk. */
async function invoked(chunks: AsyncIterable<object>): Promise<SdkAnswer> {
  const calls = new Map<number, Gathered>();
  let finish: string | null = null;
  for await (const { chunk } of chunks as AsyncIterable<ResponseStream>) {
    const event = JSON.parse(new TextDecoder().decode(chunk?.bytes)) as {
      index?: number;
      content_block?: { type: string; id: string; name: string };
      delta?: { partial_json?: string; stop_reason?: string };
      contentBlockStart?: { contentBlockIndex: number; start: { toolUse?: { toolUseId: string; name: string } } };
      contentBlockDelta?: { contentBlockIndex: number; delta: { toolUse?: { input: string } } };
      messageStop?: { stopReason: string };
    };
    const block = event.content_block;
    if (block?.type === "tool_use") calls.set(event.index ?? 0, { id: block.id, name: block.name, text: "" });
    const started = event.contentBlockStart?.start.toolUse;
    if (started)
      calls.set(event.contentBlockStart?.contentBlockIndex ?? 0, {
        id: started.toolUseId,
        name: started.name,
        text: "",
      });
    const call = calls.get(event.index ?? event.contentBlockDelta?.contentBlockIndex ?? -1);
    if (call) call.text += event.delta?.partial_json ?? event.contentBlockDelta?.delta.toolUse?.input ?? "";
    finish ??= event.delta?.stop_reason ?? event.messageStop?.stopReason ?? null;
  }
  return { calls: textual(calls.values()), finish };
}

async function cohereEvents(events: AsyncIterable<object>): Promise<SdkAnswer> {
  const calls = new Map<number, Gathered>();
  let finish: string | null = null;
  for await (const event of events as AsyncIterable<{
    type: string;
    index?: number;
    delta?: {
      finishReason?: string;
      message?: { toolCalls?: { id?: string; function?: { name?: string; arguments?: string } } };
    };
  }>) {
    const call = event.delta?.message?.toolCalls;
    if (event.type === "tool-call-start")
      calls.set(event.index ?? 0, { id: call?.id, name: call?.function?.name, text: call?.function?.arguments ?? "" });
    if (event.type === "tool-call-delta") calls.get(event.index ?? 0)!.text += call?.function?.arguments ?? "";
    if (event.type === "message-end") finish ??= event.delta?.finishReason ?? null;
  }
  return { calls: textual(calls.values()), finish };
}

/** By index; a whole call with an id of its own at a used index, as the SDK gives those without one, is another. */
async function mistralChunks(events: AsyncIterable<object>): Promise<SdkAnswer> {
  const calls: Gathered[] = [];
  let finish: string | null = null;
  for await (const { data } of events as AsyncIterable<{
    data: {
      choices: {
        finishReason: string | null;
        delta: { toolCalls?: { id?: string; function: { name: string; arguments: string | object } }[] | null };
      }[];
    };
  }>) {
    for (const { delta, finishReason } of data.choices) {
      finish ??= finishReason;
      for (const { id, function: named } of delta.toolCalls ?? []) {
        const text = typeof named.arguments === "string" ? named.arguments : JSON.stringify(named.arguments);
        if (id !== undefined && id !== "null") calls.push({ id, name: named.name, text });
        else calls.at(-1)!.text += text;
      }
    }
  }
  return { calls: textual(calls), finish };
}

async function mistralConversation(events: AsyncIterable<object>): Promise<SdkAnswer> {
  const calls = new Map<string, Gathered>();
  for await (const { data } of events as AsyncIterable<{
    data: { type: string; toolCallId?: string; name?: string; arguments?: string };
  }>) {
    if (data.type !== "function.call.delta") continue;
    const key = data.toolCallId ?? "";
    const call = calls.get(key) ?? { id: key, name: data.name, text: "" };
    calls.set(key, call);
    call.text += data.arguments ?? "";
  }
  return { calls: textual(calls.values()), finish: null };
}

async function ollamaLines(lines: AsyncIterable<object>): Promise<SdkAnswer> {
  const calls: SdkCall[] = [];
  let finish: string | null = null;
  for await (const line of lines as AsyncIterable<{
    done_reason?: string;
    message: { tool_calls?: { id?: string; function: { name: string; arguments?: object | string } }[] };
  }>) {
    for (const { id, function: named } of line.message.tool_calls ?? []) {
      const { name, arguments: value = {} } = named;
      calls.push(typeof value === "string" ? { id, name, text: value } : { id, name, value });
    }
    finish ??= line.done_reason ?? null;
  }
  return { calls, finish };
}

async function interaction(events: AsyncIterable<object>): Promise<SdkAnswer> {
  const calls = new Map<string, Gathered>();
  let hop = 0;
  let finish: string | null = null;
  for await (const event of events as AsyncIterable<{
    event_type: string;
    index: number;
    step?: { type: string; id: string; name: string };
    delta?: { type: string; arguments?: string };
    interaction?: { status: string };
  }>) {
    // Each hop counts its steps from 0; what an earlier one had begun under the same id is void.
    if (event.event_type === "interaction.created") hop++;
    const key = `${hop}:${event.index}`;
    if (event.step?.type === "function_call") {
      for (const [old, { id }] of calls) if (id === event.step.id) calls.delete(old);
      calls.set(key, { id: event.step.id, name: event.step.name, text: "" });
    }
    if (event.delta?.type === "arguments_delta") calls.get(key)!.text += event.delta.arguments ?? "";
    const status = event.event_type === "interaction.completed" ? event.interaction?.status : undefined;
    if (status !== "requires_continuation") finish ??= status ?? null;
  }
  return { calls: textual(calls.values()), finish };
}

/** Every way. */
export const vendors: readonly VendorReading[] = [
  {
    name: "BedrockRuntimeClient.send(ConverseStreamCommand)",
    protocol: "bedrock",
    variants: ["converse", "converse-stream"],
    type: "application/vnd.amazon.eventstream",
    stream: async (url) => {
      const messages = [{ role: "user" as const, content: [{ text: "?" }] }];
      const { stream } = await bedrock(url).send(new ConverseStreamCommand({ modelId: MODEL, messages }));
      return given(stream);
    },
    plain: converse,
  },
  {
    name: "BedrockRuntimeClient.send(InvokeModelWithResponseStreamCommand)",
    protocol: "bedrock",
    variants: ["invoke-anthropic", "invoke-nova", "invoke-with-response-stream"],
    type: "application/vnd.amazon.eventstream",
    stream: async (url) => {
      const command = new InvokeModelWithResponseStreamCommand({ modelId: MODEL, body: "{}" });
      return given((await bedrock(url).send(command)).body);
    },
    plain: invoked,
  },
  {
    name: "CohereClientV2.chatStream()",
    protocol: "cohere",
    variants: [undefined, "v2"],
    type: "text/event-stream",
    stream: async (url) =>
      new CohereClientV2({ token: "none", baseUrl: url, maxRetries: 0 }).chatStream({ model: MODEL, messages: [USER] }),
    plain: cohereEvents,
  },
  {
    name: "Mistral.chat.stream()",
    protocol: "mistral",
    variants: ["chat"],
    type: "text/event-stream",
    stream: async (url) =>
      new Mistral({ apiKey: "none", serverURL: url, retryConfig: { strategy: "none" } }).chat.stream({
        model: MODEL,
        messages: [USER],
      }),
    plain: mistralChunks,
  },
  {
    name: "Mistral.beta.conversations.startStream()",
    protocol: "mistral",
    variants: ["conversations"],
    type: "text/event-stream",
    stream: async (url) =>
      new Mistral({ apiKey: "none", serverURL: url, retryConfig: { strategy: "none" } }).beta.conversations.startStream(
        {
          model: MODEL,
          inputs: "?",
        },
      ),
    plain: mistralConversation,
  },
  {
    name: "Ollama.chat({ stream: true })",
    protocol: "ollama",
    variants: [undefined, "ollama"],
    type: "application/x-ndjson",
    stream: async (url) => new Ollama({ host: url }).chat({ model: MODEL, messages: [USER], stream: true }),
    plain: ollamaLines,
  },
  {
    name: "GoogleGenAI.interactions.create({ stream: true })",
    protocol: "gemini",
    variants: ["interactions"],
    type: "text/event-stream",
    stream: async (url) =>
      new GoogleGenAI({ apiKey: "none", vertexai: false, httpOptions: { baseUrl: url } }).interactions.create({
        model: MODEL,
        input: "?",
        stream: true,
      }),
    plain: interaction,
  },
];
