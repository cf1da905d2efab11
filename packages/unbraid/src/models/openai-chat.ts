// A model on the Chat Completions wire: OpenAI's own, and every compatible server. Owns its address and body.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { openaiChat as protocol } from "../protocols/openai-chat.ts";
import type { Source } from "../sources.ts";
import { openaiChatTurns as form } from "../turns/openai-chat.ts";
import { bearer } from "./bearer.ts";
import { type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";

/** What is used of an `openai` client, and of any with the same face. */
export interface OpenAIChatClient {
  /** The part of the client that is asked. */
  readonly chat: {
    /** Its part for completions. */
    readonly completions: {
      /** Sends a request. */
      create(body: never, options?: { signal?: AbortSignal }): unknown;
    };
  };
}

/**
 * A model that speaks Chat Completions: OpenAI, Azure, vLLM, llama.cpp, LM Studio, Groq, OpenRouter and so on.
 *
 * @param options Over fetch: model, `apiKey`, `baseURL` (OpenAI's by default); or a model and an `openai` client.
 * @throws TypeError where the options cannot be used.
 * @example
 * openaiChat({ model: "gpt-5", apiKey });
 * openaiChat({ model: "qwen3", baseURL: "http://127.0.0.1:8000/v1" });
 * openaiChat({ model: "gpt-5", client: new OpenAI() });
 */
export function openaiChat(options: HttpModelOptions | ClientModelOptions<OpenAIChatClient>): Model {
  return modelOf<OpenAIChatClient>(
    {
      wire: fullWire(protocol),
      form,
      provider: "openai",
      baseURL: "https://api.openai.com/v1",
      path: () => "/chat/completions",
      headers: bearer,
      // Without it no token counts come.
      body: (model, parts) => ({ model, ...parts, stream: true, stream_options: { include_usage: true } }),
      ask: ({ chat }, body, signal) => chat.completions.create(body as never, { signal }) as PromiseLike<Source>,
    },
    options,
  );
}
