// The entry `unbraid/strict`: for each wire a reader that reads what keeps the wire's own rules, and refuses the rest. For pages
// that count bytes and talk to one vendor, and for those who want nothing guessed.

import { readMessages } from "../protocols/anthropic.ts";
import { readConverse } from "../protocols/bedrock.ts";
import { readCohere } from "../protocols/cohere.ts";
import { readGenerateContent } from "../protocols/gemini.ts";
import { readMistral } from "../protocols/mistral.ts";
import { readOllama } from "../protocols/ollama.ts";
import { readChat } from "../protocols/openai-chat.ts";
import { readResponse } from "../protocols/openai-responses.ts";
import type { Wire } from "../wire.ts";
import { AwsBodies } from "./aws-bodies.ts";
import { strictWire } from "./reader.ts";
import { geminiRefusal, refusing, responsesRefusal } from "./refusals.ts";

export * from "../one-wire.ts";

/**
 * OpenAI Chat Completions, read strictly: as by the other entries, as long as the header of every call comes once, under keys of
 * its own, and every frame is sound. What else comes ends the response with an error, `irregular` where a rule is broken;
 * calls that were open close as truncated. So a strict reader lets nothing run that the others would not let run.
 *
 * @example
 * import { openaiChat } from "unbraid/strict";
 *
 * for await (const event of openaiChat.read(await fetch(url, request))) {
 *   if (event.type === "error") console.error(event.error.code, event.error.message);
 * }
 */
export const openaiChat: Wire = /* @__PURE__ */ strictWire({
  name: "openai-chat",
  framing: "sse",
  start: readChat,
});

/** OpenAI Responses over HTTP, read strictly. See `openaiChat`. */
export const openaiResponses: Wire = /* @__PURE__ */ strictWire({
  name: "openai-responses",
  framing: "sse",
  start: /* @__PURE__ */ refusing(readResponse, responsesRefusal),
});

/** Anthropic Messages, read strictly. See `openaiChat`. */
export const anthropic: Wire = /* @__PURE__ */ strictWire({
  name: "anthropic",
  framing: "sse",
  start: readMessages,
});

/** Gemini generateContent, read strictly. See `openaiChat`. */
export const gemini: Wire = /* @__PURE__ */ strictWire({
  name: "gemini",
  framing: "sse",
  start: /* @__PURE__ */ refusing(readGenerateContent, geminiRefusal),
});

/** Amazon Bedrock: ConverseStream and InvokeModelWithResponseStream, read strictly. See `openaiChat`. */
export const bedrock: Wire = /* @__PURE__ */ strictWire({
  name: "bedrock",
  framing: "aws-event-stream",
  binary: (text, limit) => new AwsBodies(text, limit),
  start: readConverse,
});

/** Cohere chat, version 2, read strictly. See `openaiChat`. */
export const cohere: Wire = /* @__PURE__ */ strictWire({
  name: "cohere",
  framing: "sse",
  start: readCohere,
});

/** Mistral chat and Conversations, read strictly. See `openaiChat`. */
export const mistral: Wire = /* @__PURE__ */ strictWire({
  name: "mistral",
  framing: "sse",
  start: readMistral,
});

/** Ollama's own chat, read strictly. See `openaiChat`. */
export const ollama: Wire = /* @__PURE__ */ strictWire({
  name: "ollama",
  framing: "ndjson",
  start: readOllama,
});
