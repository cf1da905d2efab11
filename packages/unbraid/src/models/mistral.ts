// A model on Mistral's chat wire. Owns its address and body.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { mistral as protocol } from "../protocols/mistral.ts";
import type { Source } from "../sources.ts";
import { mistralTurns as form } from "../turns/mistral.ts";
import { bearer } from "./bearer.ts";
import { type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";

/** What is used of a `Mistral` client. */
export interface MistralClient {
  /** The part of the client that is asked. */
  readonly chat: {
    /** Sends a request. */
    stream(request: never, options?: { signal?: AbortSignal }): unknown;
  };
}

/**
 * A model that speaks Mistral's chat.
 *
 * @param options Over fetch: model, `apiKey`, `baseURL` (Mistral's by default); or a model and a client.
 * @throws TypeError where the options cannot be used.
 * @example
 * mistral({ model: "mistral-large-latest", apiKey });
 */
export function mistral(options: HttpModelOptions | ClientModelOptions<MistralClient>): Model {
  return modelOf<MistralClient>(
    {
      wire: fullWire(protocol),
      form,
      provider: "mistral_ai",
      baseURL: "https://api.mistral.ai/v1",
      path: () => "/chat/completions",
      headers: bearer,
      body: (model, parts) => ({ model, ...parts, stream: true }),
      ask: ({ chat }, body, signal) => chat.stream(body as never, { signal }) as PromiseLike<Source>,
    },
    options,
  );
}
