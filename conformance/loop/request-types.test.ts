// What the official SDKs' own types say of every request that the loop sends: the task is played over clients that keep
// what they are given, and the requests are written out as TypeScript and checked by the compiler, excess properties and
// all.

import { expect, test } from "vitest";
import type { Model } from "../../packages/unbraid/src/harness/index.ts";
import * as models from "../../packages/unbraid/src/models/index.ts";
import { bodyOf, type ScriptedWire } from "../../packages/unbraid/src/models/scripted.test-kit.ts";
import { typeFaults, type TypedValue } from "../type-check.ts";
import { expectTask, play, reasonsOn, SCRIPT } from "./task.test-kit.ts";

/** The type of a request, in the words of each SDK. */
const TYPES: Readonly<Record<ScriptedWire, string>> = {
  "openai-chat": "OpenAI.ChatCompletionCreateParamsStreaming",
  "openai-responses": "OpenAI.Responses.ResponseCreateParamsStreaming",
  anthropic: "Anthropic.MessageCreateParamsStreaming",
  gemini: "Plain<Omit<Gemini.GenerateContentParameters, 'config'>> & { config: Config }",
  "gemini-interactions": "Omit<Interaction, 'input'> & { input: (Gemini.Interactions.Step | Signed)[] }",
  bedrock: "Bedrock.ConverseStreamCommandInput",
  cohere: "Cohere.V2ChatStreamRequest",
  mistral: "Mistral.ChatCompletionStreamRequest",
  ollama: "Omit<Ollama.ChatRequest, 'messages'> & { stream: true; messages: OllamaMessage[] }",
};

const PRELUDE = `
import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import type * as Gemini from "@google/genai";
import type * as Bedrock from "@aws-sdk/client-bedrock-runtime";
import type { Cohere } from "cohere-ai";
import type * as Mistral from "@mistralai/mistralai/models/components";
import type * as Ollama from "ollama";

type Plain<T> = T extends string ? T | \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Config = Plain<Omit<Gemini.GenerateContentConfig, "abortSignal">>;
type Interaction = Gemini.Interactions.InteractionCreateParams.CreateModelInteractionParamsStreaming;
interface Signed extends Gemini.Interactions.FunctionCallStep { signature: string }
type OllamaCall = Ollama.ToolCall & { id?: string };
type OllamaMessage = Omit<Ollama.Message, "tool_calls"> & { tool_calls?: OllamaCall[]; tool_call_id?: string };
`;

/** A model of a wire over a client that keeps requests and plays the script. */
function kept(wire: ScriptedWire, requests: object[]): Model {
  let turn = 0;
  const answer = (request: object): AsyncIterable<unknown> => {
    requests.push(structuredClone(withoutSignal(request)));
    const { frames } = bodyOf(wire, SCRIPT[turn++] ?? { id: "over" });
    return (async function* () {
      yield* frames;
    })();
  };
  const ask = (request: never): AsyncIterable<unknown> => answer(request);
  const model = "scripted";
  switch (wire) {
    case "openai-chat":
      return models.openaiChat({ model, client: { chat: { completions: { create: ask } } } });
    case "openai-responses":
      return models.openaiResponses({ model: "gpt-5", client: { responses: { create: ask } } });
    case "anthropic":
      return models.anthropic({ model, client: { messages: { create: ask } } });
    case "gemini":
      return models.gemini({ model, client: { models: { generateContentStream: ask } } });
    case "gemini-interactions":
      return models.geminiInteractions({ model, client: { interactions: { create: ask } } });
    case "bedrock":
      return models.bedrock({
        model,
        command: (input) => input,
        client: { send: async (command) => ({ stream: answer(command) }) },
      });
    case "cohere":
      return models.cohere({ model, client: { chatStream: ask } });
    case "mistral":
      return models.mistral({ model, client: { chat: { stream: ask } } });
    default:
      return models.ollama({
        model,
        client: { chat: (request) => Promise.resolve(Object.assign(ask(request), { abort: () => {} })) },
      });
  }
}

function withoutSignal(request: object): object {
  const { config } = request as { config?: { abortSignal?: AbortSignal } };
  if (config === undefined) return request;
  const { abortSignal: _, ...rest } = config;
  return { ...request, config: rest };
}

test("every request is one of the SDK's types", { timeout: 60_000 }, async () => {
  const values: TypedValue[] = [];
  for (const [wire, type] of Object.entries(TYPES) as [ScriptedWire, string][]) {
    const requests: object[] = [];
    const model = kept(wire, requests);
    expectTask(model, reasonsOn(wire), await play(model));
    expect(requests).toHaveLength(SCRIPT.length);
    values.push({ of: `nonsense ${wire}`, type, value: { ...requests[0], nonsense: 1 } });
    values.push(...requests.map((value, at) => ({ of: `${wire} ${at}`, type, value })));
  }
  const faults = await typeFaults("request-types", PRELUDE, values);
  expect(faults.filter(({ of }) => !of.startsWith("nonsense"))).toEqual([]);
  // A compiler that looked at nothing would be content with nonsense too.
  expect(new Set(faults.map(({ of }) => of)).size).toBe(Object.keys(TYPES).length);
});
