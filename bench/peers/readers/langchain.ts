// LangChain: the chat models' streams, their chunks added up with `concat`, as its guide to streamed tool calls shows. Owns
// the way its users use it.

import { ChatAnthropic } from "@langchain/anthropic";
import type { AIMessageChunk } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import type { Ask, Handed, HandedCall, Peer, Wire } from "../peer.ts";

/** A part of what both chat models are. */
interface Model {
  stream(input: string, options: { signal: AbortSignal }): Promise<AsyncIterable<AIMessageChunk>>;
}

/** The vendor's word where the chunk has one: LangChain passes it on as it comes. */
function finishOf(chunk: AIMessageChunk): string | undefined {
  const metadata = { ...chunk.additional_kwargs, ...chunk.response_metadata };
  const word = metadata["finish_reason"] ?? metadata["stop_reason"] ?? metadata["status"];
  return typeof word === "string" && word !== "in_progress" ? word : undefined;
}

async function addUp(model: Model, { signal, onPartial }: Ask): Promise<Handed> {
  let whole: AIMessageChunk | undefined;
  let finish: string | null = null;
  for await (const chunk of await model.stream("?", { signal })) {
    whole = whole === undefined ? chunk : whole.concat(chunk);
    if (onPartial) for (const { args } of whole.tool_calls ?? []) onPartial(args);
    finish ??= finishOf(chunk) ?? null;
  }
  const invalid = (whole?.invalid_tool_calls ?? []).map((call): HandedCall => {
    return { id: call.id, name: call.name ?? "", text: call.args ?? "", flagged: true };
  });
  const calls = (whole?.tool_calls ?? []).map((call): HandedCall => ({
    id: call.id,
    name: call.name,
    value: call.args,
  }));
  return { calls: [...calls, ...invalid], finish };
}

const functions = ({ tools }: Ask) =>
  tools.map(({ name, parameters }) => ({
    type: "function" as const,
    function: { name, description: name, parameters },
  }));

const peer = (name: string, wire: Wire, provider: string, model: (ask: Ask) => Model): Peer => ({
  name: `langchain: ${name}.stream()`,
  wire,
  packages: ["@langchain/core", provider],
  partials: "asked",
  read: (ask) => addUp(model(ask), ask),
});

const openai = (ask: Ask, useResponsesApi: boolean): Model =>
  new ChatOpenAI({
    model: "any",
    apiKey: "none",
    maxRetries: 0,
    useResponsesApi,
    configuration: { baseURL: ask.url, logLevel: "off" },
  }).bindTools(functions(ask));

export const langchainPeers: readonly Peer[] = [
  peer("ChatOpenAI", "openai-chat", "@langchain/openai", (ask) => openai(ask, false)),
  peer("ChatOpenAI (responses)", "openai-responses", "@langchain/openai", (ask) => openai(ask, true)),
  peer("ChatAnthropic", "anthropic", "@langchain/anthropic", (ask) =>
    new ChatAnthropic({
      model: "any",
      apiKey: "none",
      maxRetries: 0,
      maxTokens: 1_000,
      anthropicApiUrl: ask.url,
    }).bindTools(functions(ask)),
  ),
];
