// The openai package: its stream helpers, and its raw chat stream concatenated by index, as OpenAI's guide to function
// calling shows (platform.openai.com/docs/guides/function-calling, streaming). Owns the way its users use it.

import OpenAI from "openai";
import type { Ask, HandedCall, Peer } from "../peer.ts";

const PACKAGES = ["openai"];
const client = ({ url }: Ask): OpenAI => new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0, logLevel: "off" });

/** `strict` makes the helper parse the arguments so far; without it, it leaves them as text. */
const chat = ({ tools, onPartial }: Ask) => ({
  model: "any",
  messages: [{ role: "user" as const, content: "?" }],
  tools: tools.map(({ name, parameters }) => ({
    type: "function" as const,
    function: { name, parameters, ...(onPartial ? { strict: true } : {}) },
  })),
});

const responses = ({ tools }: Ask) => ({
  model: "any",
  input: "?",
  tools: tools.map(({ name, parameters }) => ({ type: "function" as const, name, parameters, strict: false })),
});

const chatHelper: Peer = {
  name: "openai: chat.completions.stream()",
  wire: "openai-chat",
  packages: PACKAGES,
  partials: "asked",
  async read(ask) {
    const stream = client(ask).chat.completions.stream(chat(ask), { signal: ask.signal });
    if (ask.onPartial) {
      stream.on("tool_calls.function.arguments.delta", ({ parsed_arguments }) => ask.onPartial?.(parsed_arguments));
    }
    const { choices } = await stream.finalChatCompletion();
    const calls = choices[0]?.message.tool_calls ?? [];
    return {
      calls: calls.flatMap((call): HandedCall[] =>
        call.type === "function" ? [{ id: call.id, name: call.function.name, text: call.function.arguments }] : [],
      ),
      finish: choices[0]?.finish_reason ?? null,
    };
  },
};

/**
 * The guide's loop. Kinder than the guide in two points: it appends only what comes after the first fragment (the guide
 * adds the first one twice, which shows where that is not empty), and it takes absent arguments for none.
 */
const chatRaw: Peer = {
  name: "openai: create({ stream }), by index",
  wire: "openai-chat",
  packages: PACKAGES,
  async read(ask) {
    const stream = await client(ask).chat.completions.create({ ...chat(ask), stream: true }, { signal: ask.signal });
    const calls: Record<number, { id: string | undefined; name: string; text: string }> = {};
    let finish: string | null = null;
    for await (const chunk of stream) {
      const choice = chunk.choices[0];
      for (const { index, id, function: named } of choice?.delta.tool_calls ?? []) {
        const call = (calls[index] ??= { id, name: named?.name ?? "", text: "" });
        call.text += named?.arguments ?? "";
      }
      finish ??= choice?.finish_reason ?? null;
    }
    return { calls: Object.values(calls), finish };
  },
};

const responsesHelper: Peer = {
  name: "openai: responses.stream()",
  wire: "openai-responses",
  packages: PACKAGES,
  async read(ask) {
    const stream = client(ask).responses.stream(responses(ask), { signal: ask.signal });
    const { output, status } = await stream.finalResponse();
    return {
      calls: output.flatMap((item): HandedCall[] =>
        item.type === "function_call" ? [{ id: item.call_id, name: item.name, text: item.arguments }] : [],
      ),
      finish: status ?? null,
    };
  },
};

export const openaiPeers: readonly Peer[] = [chatHelper, chatRaw, responsesHelper];
