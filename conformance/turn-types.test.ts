// What the official SDKs' own types say of every turn that is built: the turns are written out as TypeScript and checked by
// the compiler, excess properties and all.

import { expect, test } from "vitest";
import { forSdk, turnForms, type ContentPart, type ToolDefinition, type TurnFormName } from "unbraid/turns";
import { allBodies, turnsOf } from "./turn-bodies.ts";
import { typeFaults, type TypedValue } from "./type-check.ts";

/** What each form's message is, and its tool definition, in the types of its SDK. */
const TYPES: Readonly<Record<TurnFormName, readonly [message: string, tool: string]>> = {
  "openai-chat": ["ChatMessage", "OpenAI.ChatCompletionTool"],
  text: ["ChatMessage", "OpenAI.ChatCompletionTool"],
  "bedrock/invoke-openai": ["ChatMessage", "OpenAI.ChatCompletionTool"],
  "openai-responses": ["OpenAI.Responses.ResponseInputItem", "OpenAI.Responses.Tool"],
  "openai-realtime": ["RealtimeClientEvent", "RealtimeFunctionTool"],
  "openai-realtime/live": ["LiveEvent", "OpenAI.Responses.Tool"],
  anthropic: ["Anthropic.Beta.BetaMessageParam", "Anthropic.Beta.BetaTool"],
  "bedrock/invoke-anthropic": ["Anthropic.Beta.BetaMessageParam", "Anthropic.Beta.BetaTool"],
  gemini: ["Plain<Gemini.Content>", "Plain<Gemini.Tool>"],
  "gemini/live": ["LiveMessage", "Plain<Gemini.Tool>"],
  "gemini/interactions": ["Gemini.Interactions.Step | InteractionsSignature", "Gemini.Interactions.Tool"],
  bedrock: ["Bedrock.Message", "Bedrock.Tool"],
  cohere: ["Cohere.ChatMessageV2", "Cohere.ToolV2"],
  mistral: ["MistralMessage", "Mistral.Tool"],
  "mistral/conversations": ["Mistral.InputEntries", "{ type: 'function' } & Mistral.FunctionTool"],
  ollama: ["OllamaMessage", "Ollama.Tool"],
};

/** Types where the SDK's own do not say all: enums by their words, and what dialects and servers take beyond the SDK. */
const PRELUDE = `
import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import type * as Gemini from "@google/genai";
import type * as Bedrock from "@aws-sdk/client-bedrock-runtime";
import type { Cohere } from "cohere-ai";
import type * as Mistral from "@mistralai/mistralai/models/components";
import type * as Ollama from "ollama";
import type { RealtimeClientEvent, RealtimeFunctionTool } from "openai/resources/realtime/realtime";
import type { ClientEvent as LiveEvent } from "openai/resources/live/live";

type Plain<T> = T extends string ? T | \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
interface Dialect { reasoning_content?: string; reasoning?: string; reasoning_details?: object[]; extra_content?: object }
type DialectCall = OpenAI.ChatCompletionMessageToolCall & { extra_content?: object; provider_metadata?: object };
type ChatMessage =
  | Exclude<OpenAI.ChatCompletionMessageParam, OpenAI.ChatCompletionAssistantMessageParam>
  | (Omit<OpenAI.ChatCompletionAssistantMessageParam, "tool_calls"> & Dialect & { tool_calls?: DialectCall[] });
interface InteractionsSignature extends Gemini.Interactions.FunctionCallStep { signature: string }
interface LiveMessage {
  clientContent?: { turns: Plain<Gemini.Content>[]; turnComplete: boolean };
  toolResponse?: Plain<Gemini.LiveClientToolResponse>;
}
type MistralMessage =
  | ({ role: "assistant" } & Mistral.AssistantMessage)
  | Mistral.ToolMessage
  | ({ role: "user" } & Mistral.UserMessage);
type OllamaCall = Ollama.ToolCall & { id?: string };
type OllamaMessage = Omit<Ollama.Message, "tool_calls"> & { tool_calls?: OllamaCall[]; tool_call_id?: string };
`;

/**
 * Parts of the vendor's own that go back as they came, and that the SDKs' request types do not know: of vendors that took
 * a wire over (xAI), of newer servers, and of composed bodies that keep them short.
 */
const VERBATIM: readonly RegExp[] = [
  /URLCitation|'"url_citation"'|url_citation/,
  /'"prompt"' does not exist in type 'ImageGenerationCall'/,
  /'"arguments"' does not exist in type 'ResponseFunctionWebSearch'/,
  /'"api"' is not assignable to type '"url"'/,
  /'"(?:GOOGLE_SEARCH_WEB|FILE_SEARCH)"' is not assignable to type .*ToolType/,
  /'"url"' does not exist in type 'GoogleSearchResult'/,
  /'"(?:server_tool_use|web_fetch_tool_result|code_execution_tool_result)"' is not assignable to type '"text"/,
];

const CONTENT: readonly ContentPart[] = [
  { type: "text", text: "see" },
  { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
  { type: "image", mediaType: "image/png", url: "https://example.org/a.png" },
  { type: "image", mediaType: "image/tiff", data: "SUkqAA==" },
  { type: "file", mediaType: "application/pdf", data: "JVBERi0=", name: "a.pdf" },
  { type: "file", mediaType: "application/pdf", url: "https://example.org/a.pdf" },
  { type: "file", mediaType: "text/plain", data: "aGk=" },
  { type: "file", mediaType: "audio/ogg", data: "T2dnUw==" },
];

const TOOLS: readonly ToolDefinition[] = [
  {
    name: "weather",
    description: "Tells it.",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
  { name: "now", parameters: {}, strict: true },
  { name: "sql", parameters: { type: "object", properties: { input: { type: "string" } } }, custom: { type: "text" } },
  {
    name: "sum",
    parameters: { type: "object", properties: { input: { type: "string" } } },
    custom: { type: "grammar", syntax: "regex", definition: "[0-9+]+" },
  },
];

/** Lines that the compiler must refuse, so that nobody takes a compiler that looked at nothing for a content one. */
const WRONG = "nonsense in";

/** Each message with its type, and what it is of. */
function* lines(): Generator<TypedValue> {
  const line = (of: string, type: string, value: unknown): TypedValue => ({ of, type, value });
  for (const form of Object.values(turnForms).map(forSdk)) {
    const [message, tool] = TYPES[form.name];
    yield line(`${WRONG} ${form.name}`, message, { nonsense: 1 });
    for (const each of form.tools(TOOLS)) yield line(`tools of ${form.name}`, tool, each);
    for (const each of form.user(CONTENT)) yield line(`user's of ${form.name}`, message, each);
    for (const each of form.user([{ type: "text", text: "hi" }])) yield line(`user's of ${form.name}`, message, each);
  }
  for (const { name, answer, form: wire, given } of allBodies().flatMap(turnsOf)) {
    const form = forSdk(wire);
    const [message] = TYPES[form.name];
    const rich = given.map((result, at) => (at === 0 ? { ...result, content: CONTENT } : result));
    for (const each of [...form.assistant(answer), ...form.results(given, answer), ...form.results(rich, answer)])
      yield line(name, message, each);
  }
}

test("every message is one of the SDK's types", { timeout: 60_000 }, async () => {
  const all = [...lines()];
  expect(all.length).toBeGreaterThan(1000);
  const faults = await typeFaults("turn-types", PRELUDE, all);
  const errors = faults.filter(({ words }) => !VERBATIM.some((known) => known.test(words)));
  expect(errors.filter(({ of }) => !of.startsWith(WRONG))).toEqual([]);
  expect(new Set(errors.map(({ of }) => of)).size).toBe(Object.keys(turnForms).length);
});
