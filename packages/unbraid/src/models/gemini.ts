// A model on Gemini's generateContent wire, by SSE. Owns its address and body.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { gemini as protocol } from "../protocols/gemini.ts";
import type { Source } from "../sources.ts";
import { geminiTurns as form } from "../turns/gemini.ts";
import { type Body, type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";

/** What is used of a `@google/genai` client. */
export interface GeminiClient {
  /** The part of the client that is asked. */
  readonly models: {
    /** Sends a request. */
    generateContentStream(params: never): unknown;
  };
}

/**
 * A model that speaks generateContent: the Gemini API, and Vertex AI by its own `baseURL`.
 *
 * @param options Over fetch: model, `apiKey`, `baseURL` (the Gemini API's by default); or a model and a client.
 * @throws TypeError where the options cannot be used.
 * @example
 * gemini({ model: "gemini-3-pro", apiKey, body: { generationConfig: { temperature: 0 } } });
 */
export function gemini(options: HttpModelOptions | ClientModelOptions<GeminiClient>): Model {
  return modelOf<GeminiClient>(
    {
      wire: fullWire(protocol),
      form,
      provider: "gcp.gemini",
      baseURL: "https://generativelanguage.googleapis.com/v1beta",
      path: (model) => `/${model.includes("/") ? model : `models/${model}`}:streamGenerateContent?alt=sse`,
      headers: (key) => ({ "x-goog-api-key": key }),
      body: (_, parts) => parts,
      ask: ({ models }, body, signal, model) =>
        models.generateContentStream(sdkBody(model, body, signal) as never) as PromiseLike<Source>,
    },
    options,
  );
}

/** The SDK puts everything but the contents into one `config`, the members of `generationConfig` too. */
function sdkBody(model: string, { contents, generationConfig, ...rest }: Body, signal: AbortSignal): Body {
  return { model, contents, config: { ...(generationConfig as Body | undefined), ...rest, abortSignal: signal } };
}
