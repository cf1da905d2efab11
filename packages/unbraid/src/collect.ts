// Events folded into one answer. Owns the fold; decides nothing about the wire.

import { defined } from "./defined.ts";
import { isClientKind } from "./kinds.ts";
import type { Dropped, FinishReason, NoticeEvent, StreamEvent, ToolCall, UsageEvent, WireError } from "./events.ts";

/** A whole response. */
export interface Collected {
  /** The closed calls that were not taken back, in order of first sight. */
  readonly calls: readonly ToolCall[];
  /** What was kept out of the calls, and why. */
  readonly dropped: readonly Dropped[];
  /** The keys of calls that the session shows as answered. */
  readonly answered: readonly string[];
  /** The text for the user; of several choices, that of the first. */
  readonly text: string;
  /** The model's reasoning; of several choices, that of the first. */
  readonly reasoning: string;
  /** Text that the vendor marked as a refusal. */
  readonly refusal: string;
  /** The vendor's parts that must be echoed, in order. */
  readonly parts: readonly unknown[];
  /** The last token counts. */
  readonly usage: UsageEvent | null;
  /** Null where the wire had no terminal signal; of several responses, that of the last. */
  readonly finish: FinishReason | null;
  /** The wire's own first finish word. */
  readonly rawFinish: string | null;
  /** What went wrong. */
  readonly error: WireError | null;
  /** Everything irregular that was seen, in order. */
  readonly notices: readonly NoticeEvent[];
  /** What is known of the response. */
  readonly response: { readonly id?: string; readonly model?: string };
}

/**
 * Folds events as they come.
 *
 * @example
 * const collector = new Collector();
 * for (const event of reader.push(chunk)) collector.add(event);
 * collector.result.calls;
 */
export class Collector {
  readonly #calls: Map<string, ToolCall> = new Map();
  readonly #answered: Set<string> = new Set();
  readonly #texts: Map<number, string> = new Map();
  readonly #reasoning: Map<number, string> = new Map();
  readonly #dropped: Dropped[] = [];
  readonly #parts: unknown[] = [];
  readonly #notices: NoticeEvent[] = [];
  #refusal = "";
  #usage: UsageEvent | null = null;
  #finish: FinishReason | null = null;
  #rawFinish: string | null = null;
  #error: WireError | null = null;
  #response: Collected["response"] = {};

  /** Takes one event. */
  add(event: StreamEvent): void {
    switch (event.type) {
      case "call.close":
        this.#calls.set(event.call.key, event.call);
        return;
      case "call.retract":
        this.#calls.delete(event.call.key);
        return;
      case "call.answered":
        for (const { id, key } of this.#calls.values()) if (id === event.id) this.#answered.add(key);
        return;
      case "text":
        if (event.refusal === true) this.#refusal += event.text;
        else grow(this.#texts, event);
        return;
      case "reasoning":
        return grow(this.#reasoning, event);
      case "part":
        this.#parts.push(event.part);
        return;
      case "usage":
        this.#usage = event;
        return;
      case "finish":
        this.#finish = event.reason;
        this.#rawFinish = event.raw;
        return;
      case "error":
        this.#error ??= event.error;
        return;
      case "notice":
        this.#notices.push(event);
        if (event.dropped !== undefined) this.#dropped.push(event.dropped);
        return;
      case "response":
        this.#response = defined({ id: event.id, model: event.model });
        return;
      case "call.start":
      case "call.append":
      case "call.replace":
    }
  }

  /** What has been collected so far. */
  get result(): Collected {
    return {
      calls: [...this.#calls.values()].toSorted((a, b) => a.index - b.index),
      dropped: [...this.#dropped],
      answered: [...this.#answered],
      text: first(this.#texts),
      reasoning: first(this.#reasoning),
      refusal: this.#refusal,
      parts: [...this.#parts],
      usage: this.#usage,
      finish: this.#finish,
      rawFinish: this.#rawFinish,
      error: this.#error,
      notices: [...this.#notices],
      response: this.#response,
    };
  }
}

function grow(texts: Map<number, string>, { choice, text }: { readonly choice: number; readonly text: string }): void {
  texts.set(choice, (texts.get(choice) ?? "") + text);
}

function first(texts: ReadonlyMap<number, string>): string {
  return texts.get(0) ?? [...texts.values()][0] ?? "";
}

/**
 * Collects a whole response.
 *
 * @param events What `read()` gives, or a list of events.
 * @returns The answer; never rejects for trouble on the wire, which stands in `error` and `notices`.
 * @example
 * const { calls, text, finish } = await collect(read(response));
 */
export async function collect(events: AsyncIterable<StreamEvent> | Iterable<StreamEvent>): Promise<Collected> {
  const collector = new Collector();
  for await (const event of events) collector.add(event);
  return collector.result;
}

/**
 * The ids that may run under the default policy: calls of the client's tools that are complete, in a response that
 * finished with `tool_calls`, and not answered in the session already. Validity against a schema is not looked at.
 *
 * @example
 * runnable(await collect(read(response))); // ["call_1"]
 */
export function runnable(collected: Pick<Collected, "calls" | "finish" | "answered">): readonly string[] {
  const { calls, finish, answered } = collected;
  return calls
    .filter(
      ({ key, kind, status }) =>
        finish === "tool_calls" && status === "complete" && isClientKind(kind) && !answered.includes(key),
    )
    .map(({ id }) => id);
}
