// A model on OpenAI's Responses wire. Owns its address and body: nothing is kept at the vendor, so every request holds the
// whole history, with the reasoning items encrypted.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { openaiResponses as protocol } from "../protocols/openai-responses.ts";
import type { Source } from "../sources.ts";
import { openaiResponsesTurns as form } from "../turns/openai-responses.ts";
import { bearer } from "./bearer.ts";
import { type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";
import type { SocketModelOptions } from "./openai-realtime.ts";
import { type Socket, SocketSession } from "./socket.ts";

/** What is used of an `openai` client. */
export interface OpenAIResponsesClient {
  /** The part of the client that is asked. */
  readonly responses: {
    /** Sends a request. */
    create(body: never, options?: { signal?: AbortSignal }): unknown;
  };
}

/** What a Responses model may be told beside the rest. */
export interface ResponsesOptions {
  /**
   * Asks for reasoning items in encrypted form, without which they cannot be sent back. Models that do not reason refuse
   * it. Default: by the model's name (o-series, gpt-5 and later).
   */
  readonly encryptedReasoning?: boolean;
}

const REASONS = /^(?:o\d|gpt-(?!5-chat)(?:[5-9]|\d\d)|codex|computer-use)/;

/**
 * A model that speaks Responses: OpenAI, Azure, xAI, LM Studio and so on. `store` is false: set it, and `include`, in
 * `body` where you want another.
 *
 * @param options Over fetch: model, `apiKey`, `baseURL` (OpenAI's by default); or a model and an `openai` client, or a
 *   socket.
 * @throws TypeError where the options cannot be used.
 * @example
 * openaiResponses({ model: "gpt-5", apiKey, body: { reasoning: { effort: "low" } } });
 */
export function openaiResponses(
  options: (HttpModelOptions | ClientModelOptions<OpenAIResponsesClient> | SocketModelOptions) & ResponsesOptions,
): Model {
  const encrypted = options.encryptedReasoning ?? REASONS.test(options.model);
  return modelOf<OpenAIResponsesClient | OverSocket>(
    {
      wire: fullWire(protocol),
      form,
      provider: "openai",
      baseURL: "https://api.openai.com/v1",
      path: () => "/responses",
      headers: bearer,
      body: (model, parts) => ({
        model,
        ...parts,
        store: false,
        ...(encrypted ? { include: ["reasoning.encrypted_content"] } : {}),
        stream: true,
      }),
      ask: ({ responses }, body, signal) => responses.create(body as never, { signal }) as PromiseLike<Source>,
    },
    "socket" in options ? { ...options, client: overSocket(options.socket) } : options,
  );
}

const ENDS = new Set<unknown>(["response.completed", "response.incomplete", "response.failed", "error"]);

/** A client whose requests go over a socket: the same bodies, each as a message. */
type OverSocket = { readonly responses: { create(body: never, options: { signal: AbortSignal }): Promise<Source> } };

function overSocket(socket: Socket): OverSocket {
  const session = new SocketSession(socket);
  return {
    responses: {
      create: (body, { signal }) => {
        const { stream: _, ...fields } = body as Record<string, unknown>;
        return session.ask([{ type: "response.create", ...fields }], ({ type }) => ENDS.has(type), signal);
      },
    },
  };
}
