// The AI SDK: streamText with its provider of each wire, tools declared without `execute`. Owns the way its users use it.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, readUIMessageStream, streamText, tool, toUIMessageStream, type LanguageModel } from "ai";
import type { Ask, Handed, HandedCall, Peer, Wire } from "../peer.ts";

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

function start(model: LanguageModel, { tools, signal }: Ask) {
  return streamText({
    model,
    prompt: "?",
    maxRetries: 0,
    abortSignal: signal,
    tools: Object.fromEntries(
      tools.map(({ name, parameters }) => [name, tool({ inputSchema: jsonSchema(parameters) })]),
    ),
    onError: () => {},
  });
}

/** Takes the parts as they come. An error part is what it throws. */
async function parts(result: ReturnType<typeof start>): Promise<Handed> {
  const calls: HandedCall[] = [];
  let finish: string | null = null;
  for await (const part of result.stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolCallId: id, toolName: name, input } = part;
      if (part.invalid !== true) calls.push({ id, name, value: input });
      else calls.push({ id, name, flagged: true, ...(typeof input === "string" ? { text: input } : { value: input }) });
    }
    if (part.type === "finish") {
      // Its word for "the wire said nothing" is `other` without a raw word.
      const silent = part.finishReason === "other" && part.rawFinishReason === undefined;
      finish = silent ? null : part.finishReason;
    }
  }
  return { calls, finish };
}

/** The value so far exists only where messages are put together for a user interface. */
async function messages(result: ReturnType<typeof start>, onPartial: (value: unknown) => void): Promise<Handed> {
  const calls = new Map<string, HandedCall>();
  let trouble: unknown;
  const stream = readUIMessageStream({
    stream: toUIMessageStream({ stream: result.stream }),
    onError: (error) => (trouble = error),
  });
  for await (const message of stream) {
    for (const part of message.parts) {
      if (!("toolCallId" in part)) continue;
      const name = part.type === "dynamic-tool" ? part.toolName : part.type.replace(/^tool-/, "");
      if (part.state === "input-streaming") onPartial(part.input);
      if (part.state === "input-available")
        calls.set(part.toolCallId, { id: part.toolCallId, name, value: part.input });
    }
  }
  if (trouble !== undefined)
    throw trouble instanceof Error ? trouble : new Error("readUIMessageStream failed", { cause: trouble });
  return { calls: [...calls.values()], finish: await result.finishReason };
}

const peer = (name: string, wire: Wire, provider: string, model: (url: string) => LanguageModel): Peer => ({
  name: `ai: streamText, ${name}`,
  wire,
  packages: ["ai", provider],
  partials: "asked",
  read(ask) {
    const result = start(model(ask.url), ask);
    return ask.onPartial ? messages(result, ask.onPartial) : parts(result);
  },
});

const KEY = { apiKey: "none" };

export const aiSdkPeers: readonly Peer[] = [
  peer("openai-compatible", "openai-chat", "@ai-sdk/openai-compatible", (url) =>
    createOpenAICompatible({ ...KEY, name: "any", baseURL: url })("any"),
  ),
  peer("openai", "openai-responses", "@ai-sdk/openai", (url) =>
    createOpenAI({ ...KEY, baseURL: url }).responses("any"),
  ),
  peer("anthropic", "anthropic", "@ai-sdk/anthropic", (url) => createAnthropic({ ...KEY, baseURL: url })("any")),
  peer("google", "gemini", "@ai-sdk/google", (url) => createGoogle({ ...KEY, baseURL: url })("any")),
];
