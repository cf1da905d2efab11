// A model on Cohere's v2 chat wire. Owns its address and body.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { cohere as protocol } from "../protocols/cohere.ts";
import type { Source } from "../sources.ts";
import { cohereTurns as form } from "../turns/cohere.ts";
import { bearer } from "./bearer.ts";
import { type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";

/** What is used of a client for v2. */
export interface CohereV2Client {
  /** Sends a request. */
  chatStream(request: never, options?: { abortSignal?: AbortSignal }): unknown;
}

/** What is used of a `CohereClientV2`, or of a `CohereClient`, whose `v2` is taken. */
export type CohereClient = CohereV2Client | { readonly v2: CohereV2Client };

/**
 * A model that speaks Cohere's v2 chat.
 *
 * @param options Over fetch: model, `apiKey`, `baseURL` (Cohere's by default); or a model and a client.
 * @throws TypeError where the options cannot be used.
 * @example
 * cohere({ model: "command-a-03-2025", apiKey });
 */
export function cohere(options: HttpModelOptions | ClientModelOptions<CohereClient>): Model {
  return modelOf<CohereClient>(
    {
      wire: fullWire(protocol),
      form,
      provider: "cohere",
      baseURL: "https://api.cohere.com/v2",
      path: () => "/chat",
      headers: bearer,
      body: (model, parts) => ({ model, ...parts, stream: true }),
      ask: (client, body, signal) => {
        const { stream: _, ...request } = body;
        const v2 = "v2" in client ? client.v2 : client;
        return v2.chatStream(request as never, { abortSignal: signal }) as PromiseLike<Source>;
      },
    },
    options,
  );
}
