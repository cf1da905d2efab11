// A model on Ollama's own wire. Owns its address and body.

import { fullWire } from "../full-wire.ts";
import type { Model } from "../harness/model.ts";
import { ollama as protocol } from "../protocols/ollama.ts";
import type { Source } from "../sources.ts";
import { ollamaTurns as form } from "../turns/ollama.ts";
import { bearer } from "./bearer.ts";
import { type ClientModelOptions, type HttpModelOptions, modelOf } from "./model-of.ts";

/** What is used of an `ollama` client. */
export interface OllamaClient {
  /** Sends a request. */
  chat(request: never): unknown;
}

/**
 * A model that an Ollama server runs.
 *
 * @param options Over fetch: model, `baseURL` (`http://127.0.0.1:11434` by default); or a model and a client.
 * @throws TypeError where the options cannot be used.
 * @example
 * ollama({ model: "qwen3" });
 */
export function ollama(options: HttpModelOptions | ClientModelOptions<OllamaClient>): Model {
  return modelOf<OllamaClient>(
    {
      wire: fullWire(protocol),
      form,
      provider: "ollama",
      baseURL: "http://127.0.0.1:11434",
      path: () => "/api/chat",
      headers: bearer,
      body: (model, parts) => ({ model, ...parts, stream: true }),
      ask: async (client, body, signal) => abortable(await asked(client, body), signal),
    },
    options,
  );
}

type Abortable = AsyncIterable<unknown> & { abort(): void };

function asked(client: OllamaClient, body: object): Promise<Abortable> {
  return client.chat(body as never) as Promise<Abortable>;
}

/** The client takes no signal, and leaving its iterator leaves the connection open: only `abort` closes it. */
function abortable(stream: Abortable, signal: AbortSignal): Source {
  const iterator = stream[Symbol.asyncIterator]();
  const stop = (): void => stream.abort();
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const over = (): void => signal.removeEventListener("abort", stop);
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const step = await iterator.next();
        if (step.done === true) over();
        return step;
      },
      return: async () => {
        over();
        stop();
        return { done: true, value: undefined };
      },
    }),
  };
}
