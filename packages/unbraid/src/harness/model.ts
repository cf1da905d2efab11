// What a model is to the loop: something that takes a history and answers with a stream. Owns the contract.

import type { Source } from "../sources.ts";
import type { ToolDefinition, TurnForm } from "../turns/turn-form.ts";
import type { Wire } from "../wire.ts";

/** One request to a model. */
export interface ModelRequest {
  /** The history, in the vendor's own messages. */
  readonly messages: readonly unknown[];
  /** The tools to declare. */
  readonly tools: readonly ToolDefinition[];
  /** Instructions that stand before the history. */
  readonly system?: string;
  /** Aborts the request and the stream. */
  readonly signal: AbortSignal;
}

/**
 * A model behind some endpoint or SDK client. Made by the functions of `unbraid/models`, or by hand for anything else
 * that answers with a stream.
 */
export interface Model {
  /** How its answers are read. */
  readonly wire: Wire;
  /** How its turns go back. */
  readonly form: TurnForm;
  /** The vendor, in the words of OpenTelemetry's `gen_ai.provider.name`. */
  readonly provider: string;
  /** The model's name. */
  readonly name: string;
  /** Sends a request. Gives the stream that answers it, in whatever form `read` takes. */
  send(request: ModelRequest): Promise<Source>;
}
