// A model on Anthropic's Messages wire. Owns its address and body.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { anthropic as protocol } from "../protocols/anthropic.ts";
import type { Source } from "../sources.ts";
import { anthropicTurns as form } from "../turns/anthropic.ts";
import { type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";

/** What is used of an `@anthropic-ai/sdk` client. */
export interface AnthropicClient {
  /** The part of the client that is asked. */
  readonly messages: {
    /** Sends a request. */
    create(body: never, options?: { signal?: AbortSignal }): unknown;
  };
}

/** What an Anthropic model may be told beside the rest. */
export interface AnthropicOptions {
  /** The most tokens that an answer may have, which this API wants to be told. Default 8,192. */
  readonly maxTokens?: number;
}

const MAX_TOKENS = 8_192;

/**
 * A model that speaks Messages: Anthropic, and compatible endpoints.
 *
 * @param options Over fetch: model, `apiKey`, `baseURL` (Anthropic's by default); or a model and a client.
 * @throws TypeError where the options cannot be used.
 * @example
 * anthropic({ model: "claude-sonnet-4-5", apiKey, maxTokens: 4_096 });
 */
export function anthropic(options: (HttpModelOptions | ClientModelOptions<AnthropicClient>) & AnthropicOptions): Model {
  const { maxTokens = MAX_TOKENS } = options;
  return modelOf<AnthropicClient>(
    {
      wire: fullWire(protocol),
      form,
      provider: "anthropic",
      baseURL: "https://api.anthropic.com/v1",
      path: () => "/messages",
      headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
      body: (model, parts) => ({ model, max_tokens: maxTokens, ...parts, stream: true }),
      ask: ({ messages }, body, signal) => messages.create(body as never, { signal }) as PromiseLike<Source>,
    },
    options,
  );
}
