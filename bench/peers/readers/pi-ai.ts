// The @mariozechner/pi-ai package: its stream of each wire. Owns the way its users use it.

import { stream, Type, type Api, type Model } from "@mariozechner/pi-ai";
import type { HandedCall, Peer, Wire } from "../peer.ts";

const peer = (wire: Wire, api: Api, provider: string): Peer => ({
  name: `@mariozechner/pi-ai: ${api}`,
  wire,
  packages: ["@mariozechner/pi-ai"],
  partials: "always",
  async read({ url, tools, signal, onPartial }) {
    const model: Model<Api> = {
      id: "any",
      name: "any",
      api,
      provider,
      baseUrl: url,
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 100_000,
      maxTokens: 1_000,
    };
    const events = stream(
      model,
      {
        messages: [{ role: "user", content: "?", timestamp: 0 }],
        tools: tools.map(({ name, parameters }) => ({ name, description: name, parameters: Type.Unsafe(parameters) })),
      },
      { apiKey: "none", maxRetries: 0, signal },
    );
    for await (const event of events) {
      if (event.type === "error") throw new Error(event.error.errorMessage ?? event.reason);
      if (event.type !== "toolcall_delta" || !onPartial) continue;
      const block = event.partial.content[event.contentIndex];
      if (block?.type === "toolCall") onPartial(block.arguments);
    }
    const { content, stopReason } = await events.result();
    return {
      calls: content.flatMap((block): HandedCall[] =>
        block.type === "toolCall" ? [{ id: ownId(block.id), name: block.name, value: block.arguments }] : [],
      ),
      finish: stopReason,
    };
  },
});

/** For Responses it keeps call id and item id in one, with a bar between them. */
const ownId = (id: string): string => id.split("|")[0] ?? id;

export const piAiPeers: readonly Peer[] = [
  peer("openai-chat", "openai-completions", "any"),
  peer("openai-responses", "openai-responses", "any"),
  peer("anthropic", "anthropic-messages", "anthropic"),
  peer("gemini", "google-generative-ai", "google"),
];
