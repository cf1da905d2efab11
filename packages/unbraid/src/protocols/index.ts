// The table of wires, and how a wire is found from its first frames. Adding a vendor is one file beside this one and one
// line in the table.

import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { cohere } from "./cohere.ts";
import { fields } from "./fields.ts";
import { gemini } from "./gemini.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiRealtime } from "./openai-realtime.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Protocol, ProtocolName } from "./protocol.ts";
import { text } from "./text.ts";

/** Every wire, by its name. */
export const protocols: Readonly<Record<ProtocolName, Protocol>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "openai-realtime": openaiRealtime,
  // Before Anthropic, whose events it wraps.
  bedrock,
  anthropic,
  gemini,
  cohere,
  mistral,
  ollama,
  text,
};

/**
 * How likely each wire is, from one frame.
 *
 * @returns The likeliest protocol and how sure that is, from 0 to 1; undefined where none is possible.
 */
export function detect(
  value: unknown,
  event?: string,
): { readonly protocol: Protocol; readonly sure: number } | undefined {
  const frame = fields(value);
  if (frame === undefined) return undefined;
  let best: { protocol: Protocol; sure: number } | undefined;
  for (const protocol of Object.values(protocols)) {
    const sure = protocol.detect(frame, event);
    if (sure > (best?.sure ?? 0)) best = { protocol, sure };
  }
  return best;
}
