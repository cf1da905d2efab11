// The @anthropic-ai/sdk package: its message stream helper. Owns the way its users use it.

import Anthropic from "@anthropic-ai/sdk";
import type { HandedCall, Peer } from "../peer.ts";

const messages: Peer = {
  name: "@anthropic-ai/sdk: messages.stream()",
  wire: "anthropic",
  packages: ["@anthropic-ai/sdk"],
  partials: "asked",
  async read({ url, tools, signal, onPartial }) {
    const client = new Anthropic({ apiKey: "none", authToken: null, baseURL: url, maxRetries: 0, logLevel: "off" });
    const stream = client.messages.stream(
      {
        model: "any",
        max_tokens: 1_000,
        messages: [{ role: "user", content: "?" }],
        tools: tools.map(({ name, parameters }) => ({ name, input_schema: { ...parameters, type: "object" } })),
      },
      { signal },
    );
    if (onPartial) stream.on("inputJson", (_, value) => onPartial(value));
    const { content, stop_reason } = await stream.finalMessage();
    return {
      calls: content.flatMap((block): HandedCall[] =>
        block.type === "tool_use" ? [{ id: block.id, name: block.name, value: block.input }] : [],
      ),
      finish: stop_reason,
    };
  },
};

export const anthropicPeers: readonly Peer[] = [messages];
