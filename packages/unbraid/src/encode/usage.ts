// Token counts from one vendor's spelling into another's. Owns the meaning of each vendor's fields; counts nothing.

import type { UsageEvent } from "../events.ts";
import type { ProtocolName } from "../protocols/protocol.ts";

/** Token counts that mean the same for every vendor. */
export interface TokenCounts {
  /** Tokens of the request, those from a cache and those written to one among them. */
  readonly input: number | undefined;
  /** Tokens that the model wrote, its reasoning among them. */
  readonly output: number | undefined;
  /** Tokens of the request that came from a cache. */
  readonly cached: number | undefined;
  /** Tokens of the request that were written to a cache. */
  readonly cacheWritten: number | undefined;
  /** Tokens of reasoning. */
  readonly reasoning: number | undefined;
}

/** The usage of a response so far: what later events leave out of it stays. */
export class Usage {
  #raw: Record<string, unknown> | undefined;
  #input: number | undefined;
  #output: number | undefined;
  readonly #from: ProtocolName | undefined;

  constructor(from: ProtocolName | undefined) {
    this.#from = from;
  }

  /** Takes an event. */
  add(event: UsageEvent): void {
    this.#raw = { ...this.#raw, ...fieldsOf(event.raw) };
    this.#input = event.inputTokens ?? this.#input;
    this.#output = event.outputTokens ?? this.#output;
  }

  /** The vendor's own object, where the wire is its own; undefined elsewhere and where nothing came. */
  rawFor(wire: ProtocolName): Readonly<Record<string, unknown>> | undefined {
    return this.#from === wire ? this.#raw : undefined;
  }

  /** The counts; undefined where nothing came. */
  get counts(): TokenCounts | undefined {
    const raw = this.#raw;
    if (raw === undefined) return undefined;
    const plain = { input: this.#input, output: this.#output };
    const none = { cached: undefined, cacheWritten: undefined, reasoning: undefined };
    switch (this.#from) {
      case "openai-chat":
      case "mistral":
        return {
          ...plain,
          ...none,
          cached: numberAt(raw, "prompt_tokens_details", "cached_tokens"),
          reasoning: numberAt(raw, "completion_tokens_details", "reasoning_tokens"),
        };
      case "openai-responses":
      case "openai-realtime":
        return {
          ...plain,
          ...none,
          cached: numberAt(raw, "input_tokens_details", "cached_tokens"),
          reasoning: numberAt(raw, "output_tokens_details", "reasoning_tokens"),
        };
      case "anthropic": {
        // Here alone `input_tokens` leaves out what came from or went to a cache.
        const cached = numberAt(raw, "cache_read_input_tokens");
        const cacheWritten = numberAt(raw, "cache_creation_input_tokens");
        const input = plain.input === undefined ? undefined : plain.input + (cached ?? 0) + (cacheWritten ?? 0);
        return { ...plain, ...none, input, cached, cacheWritten };
      }
      case "gemini": {
        // Here alone the reasoning is not among the tokens of the answer.
        const reasoning = numberAt(raw, "thoughtsTokenCount");
        const output = plain.output === undefined ? reasoning : plain.output + (reasoning ?? 0);
        return { ...plain, ...none, output, reasoning, cached: numberAt(raw, "cachedContentTokenCount") };
      }
      default:
        return { ...plain, ...none };
    }
  }
}

function numberAt(raw: Readonly<Record<string, unknown>>, ...path: readonly string[]): number | undefined {
  let at: unknown = raw;
  for (const name of path) at = fieldsOf(at)?.[name];
  return typeof at === "number" ? at : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}
