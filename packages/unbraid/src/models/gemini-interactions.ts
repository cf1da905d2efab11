// A model on Gemini's Interactions wire. Owns its address and body: nothing is kept at the vendor, so every request holds
// the whole history as steps.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { gemini as protocol } from "../protocols/gemini.ts";
import type { Source } from "../sources.ts";
import { geminiInteractionsTurns as form } from "../turns/gemini-interactions.ts";
import { type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";

/** What is used of a `@google/genai` client. */
export interface GeminiInteractionsClient {
  /** The part of the client that is asked. */
  readonly interactions: {
    /** Sends a request. */
    create(params: never, options?: { signal?: AbortSignal }): unknown;
  };
}

/**
 * A model that speaks Gemini's Interactions. `store` is false: set it in `body` where you want another.
 *
 * @param options Over fetch: model, `apiKey`, `baseURL` (the Gemini API's by default); or a model and a client.
 * @throws TypeError where the options cannot be used.
 * @example
 * geminiInteractions({ model: "gemini-3-pro", apiKey });
 */
export function geminiInteractions(options: HttpModelOptions | ClientModelOptions<GeminiInteractionsClient>): Model {
  return modelOf<GeminiInteractionsClient>(
    {
      wire: fullWire(protocol),
      form,
      provider: "gcp.gemini",
      baseURL: "https://generativelanguage.googleapis.com/v1beta",
      path: () => "/interactions",
      headers: (key) => ({ "x-goog-api-key": key }),
      body: (model, parts) => ({ model, ...parts, store: false, stream: true }),
      ask: ({ interactions }, body, signal) => interactions.create(body as never, { signal }) as PromiseLike<Source>,
    },
    options,
  );
}
