// The response object of OpenAI Responses while it grows: its items by place, its ids, its usage. Owns that object; writes
// nothing.

import { idSeed, makeId } from "../assembly/make-id.ts";
import type { Usage } from "./usage.ts";
import type { Ending } from "./wire-encoder.ts";

/** An item, or any object of the wire. */
export type Item = Readonly<Record<string, unknown>>;

/** What is known of a response before it says anything. */
export interface ResponseHead {
  readonly id: string;
  /** In seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

/** One response. */
export class ResponseState {
  readonly #head: ResponseHead;
  readonly #items: Item[] = [];
  /** Places of items that were taken back. */
  readonly #dropped: Set<number> = new Set();

  constructor(head: ResponseHead) {
    this.#head = head;
  }

  /** An id for the item that comes next: the same for the same response. */
  itemId(prefix: string): string {
    return `${prefix}_${makeId(idSeed(this.#head.id), this.#items.length).slice("call_".length)}`;
  }

  /** Takes an item; gives its place. */
  add(item: Item): number {
    return this.#items.push(item) - 1;
  }

  /** An item as it ended. */
  set(index: number, item: Item): void {
    this.#items[index] = item;
  }

  /** The item is not part of the answer. */
  drop(index: number): void {
    this.#dropped.add(index);
  }

  /** The response as it is said in the events that are not its last. */
  snapshot(status: string): Item {
    return {
      id: this.#head.id,
      object: "response",
      created_at: this.#head.created,
      status,
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      model: this.#head.model,
      output: [],
      parallel_tool_calls: true,
      temperature: null,
      tool_choice: "auto",
      tools: [],
      top_p: null,
      usage: null,
    };
  }

  /** The response as it ended. */
  end(reason: Ending["reason"], usage: Usage): Item {
    const details = reason === "length" ? "max_output_tokens" : reason === "content_filter" ? reason : undefined;
    if (details === undefined) return this.#last("completed", usage);
    return { ...this.#last("incomplete", usage), incomplete_details: { reason: details } };
  }

  /** The response as it failed. */
  fail(error: Item, usage: Usage): Item {
    return { ...this.#last("failed", usage), error };
  }

  #last(status: string, usage: Usage): Item {
    const output = this.#items.filter((_, index) => !this.#dropped.has(index));
    return { ...this.snapshot(status), output, usage: responsesUsage(usage) ?? null };
  }
}

/** Token counts as Responses spells them; undefined where there are none. */
function responsesUsage(usage: Usage): Item | undefined {
  const own = usage.rawFor("openai-responses");
  if (own !== undefined) return own;
  const { counts } = usage;
  if (counts === undefined) return undefined;
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = counts;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
