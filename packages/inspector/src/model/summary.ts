// What a list says of a response in one line. Owns the counting, event by event, so that neither the bytes nor the events
// have to be kept.

import type { FinishReason, ProtocolName, StreamEvent } from "unbraid";

/** One response in a line. Plain data. */
export interface Summary {
  /** The wire; null where none was found. */
  readonly protocol: ProtocolName | null;
  /** The model, as the vendor names it. */
  readonly model: string | null;
  /** The vendor's id of the response. */
  readonly id: string | null;
  /** Calls that were not taken back, closed or not. */
  readonly calls: number;
  /** Of those, the closed ones by how they ended. */
  readonly statuses: { readonly complete: number; readonly truncated: number; readonly malformed: number };
  /** Names of the tools, each once, at most 16. */
  readonly names: readonly string[];
  /** How often each notice was given. */
  readonly notices: Readonly<Record<string, number>>;
  /** Null where there was no terminal signal. */
  readonly finish: FinishReason | null;
  /** The message of the error, where there was one; at most 300 UTF-16 units. */
  readonly error: string | null;
  /** The beginning of the text for the user; at most 160 UTF-16 units. */
  readonly text: string;
  /** Bytes so far. */
  readonly bytes: number;
  /** Milliseconds between the first and the last chunk; null where no times are known. */
  readonly duration: number | null;
  /** True once the body has ended. */
  readonly over: boolean;
}

const MAX_NAMES = 16;
const MAX_TEXT = 160;
const MAX_ERROR = 300;

/** Counts one response as it is read. */
export class Summariser {
  #model: string | null = null;
  #id: string | null = null;
  readonly #calls: Map<string, keyof Summary["statuses"] | "open"> = new Map();
  readonly #names: Set<string> = new Set();
  readonly #notices: Map<string, number> = new Map();
  #finish: FinishReason | null = null;
  #error: string | null = null;
  #text = "";
  #bytes = 0;
  #first = Number.NaN;
  #last = Number.NaN;

  /** Notes a chunk of so many bytes that came at a time; NaN where that is not known. */
  chunk(bytes: number, time: number): void {
    this.#bytes += bytes;
    if (Number.isNaN(time)) return;
    if (Number.isNaN(this.#first)) this.#first = time;
    this.#last = time;
  }

  /** Takes the next event. */
  take(event: StreamEvent): void {
    switch (event.type) {
      case "response":
        this.#model = event.model ?? this.#model;
        this.#id = event.id ?? this.#id;
        return;
      case "call.start":
        this.#calls.set(event.call.key, "open");
        return this.#name(event.call.name);
      case "call.close":
        this.#calls.set(event.call.key, event.call.status);
        return this.#name(event.call.name);
      case "call.retract":
        this.#calls.delete(event.call.key);
        return;
      case "notice":
        this.#notices.set(event.code, (this.#notices.get(event.code) ?? 0) + 1);
        return;
      case "text":
        if (this.#text.length < MAX_TEXT) this.#text = (this.#text + event.text).slice(0, MAX_TEXT);
        return;
      case "error":
        this.#error ??= event.error.message.slice(0, MAX_ERROR);
        return;
      case "finish":
        this.#finish = event.reason;
        return;
      default:
    }
  }

  #name(name: string): void {
    if (name !== "" && this.#names.size < MAX_NAMES) this.#names.add(name);
  }

  /**
   * What has been counted.
   *
   * @param protocol The wire, as the reader has found it.
   * @param over Whether the body has ended.
   */
  summary(protocol: ProtocolName | undefined, over: boolean): Summary {
    const statuses = { complete: 0, truncated: 0, malformed: 0 };
    for (const status of this.#calls.values()) if (status !== "open") statuses[status]++;
    return {
      protocol: protocol ?? null,
      model: this.#model,
      id: this.#id,
      calls: this.#calls.size,
      statuses,
      names: [...this.#names],
      notices: Object.fromEntries(this.#notices),
      finish: this.#finish,
      error: this.#error,
      text: this.#text,
      bytes: this.#bytes,
      duration: Number.isNaN(this.#first) ? null : this.#last - this.#first,
      over,
    };
  }
}
