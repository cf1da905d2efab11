// What may be known of an exchange while it goes on: the bus between the proxy and whoever looks at it (recorder, log,
// metrics, a page). Owns the contract. A listener that throws is a fault of its own and must not touch the exchange.

import type { ProtocolName, StreamEvent } from "unbraid";
import type { RawHeaders } from "../proxy/headers.ts";

/** An exchange that has begun. */
export interface ExchangeInfo {
  /** Unique in the process. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The method. */
  readonly method: string;
  /** The request target as the client wrote it, with its query: may hold secrets. */
  readonly url: string;
  /** The request's fields as they came: hold secrets. */
  readonly headers: RawHeaders;
  /** The name of the upstream. */
  readonly upstream: string;
  /** The wire of the upstream's answer, as far as the path tells. */
  readonly protocol: ProtocolName | undefined;
}

/** The head of the upstream's answer. */
export interface AnswerHead {
  /** The status that the upstream gave. */
  readonly status: number;
  /** Its fields as they came. */
  readonly headers: RawHeaders;
}

/** How an exchange ended. */
export interface ExchangeSummary {
  /** The wire of the upstream's answer. */
  readonly protocol: ProtocolName | undefined;
  /** The model's name, as the answer gives it. */
  readonly model: string | undefined;
  /** The status that the client got; 0 where it got none. */
  readonly status: number;
  /** Whether the answer was read as a stream or whole, or passed untouched. */
  readonly mode: "stream" | "whole" | "passed" | "refused";
  /** Whether anything was written otherwise than it came. */
  readonly mended: boolean;
  /** Calls by status. */
  readonly calls: Readonly<Record<string, number>>;
  /** Notices by code. */
  readonly notices: Readonly<Record<string, number>>;
  /** How the response finished, in the library's words; null where nothing told. */
  readonly finish: string | null;
  /** The proxy's or the upstream's word for what went wrong. */
  readonly error: string | undefined;
  /** True where the client left before the answer was whole. */
  readonly clientGone: boolean;
  /** Milliseconds from the request to the first byte of the answer; undefined where none came. */
  readonly firstByteMs: number | undefined;
  /** Milliseconds from the request to the end of the answer. */
  readonly durationMs: number;
  /** Bytes of the upstream's body, decompressed where it was read. */
  readonly bytesIn: number;
  /** Bytes of the body that the client was sent. */
  readonly bytesOut: number;
}

/** Hears of one exchange. Every part may be left away. */
export interface ExchangeListener {
  /** The whole request body, where it was read before it was sent on. */
  request?(body: Uint8Array): void;
  /** The upstream has begun its answer. */
  head?(head: AnswerHead): void;
  /** Bytes of the answer's body, decompressed, and milliseconds since the exchange began. */
  bytes?(chunk: Uint8Array, ms: number): void;
  /** What the reader said, where the answer is read. Positions count the bytes of `bytes`. */
  events?(events: readonly StreamEvent[]): void;
  /** The exchange is over; always, and last. */
  end?(summary: ExchangeSummary): void;
}

/** Hears of all exchanges. */
export interface Observer {
  /**
   * An exchange begins.
   *
   * @returns Who hears of it; undefined: nobody.
   */
  begin(exchange: ExchangeInfo): ExchangeListener | undefined;
  /** The proxy has stopped: resolves when what is still to be done is done. */
  close?(): Promise<void>;
}

/** Tells all listeners, and keeps their faults from the exchange. */
export class Listeners implements Required<ExchangeListener> {
  readonly #all: readonly ExchangeListener[];
  readonly #onFault: (error: unknown) => void;

  constructor(observers: readonly Observer[], exchange: ExchangeInfo, onFault: (error: unknown) => void) {
    this.#onFault = onFault;
    const all: ExchangeListener[] = [];
    for (const observer of observers) {
      this.#safely(() => {
        const listener = observer.begin(exchange);
        if (listener !== undefined) all.push(listener);
      });
    }
    this.#all = all;
  }

  request(body: Uint8Array): void {
    for (const each of this.#all) this.#safely(() => each.request?.(body));
  }

  head(head: AnswerHead): void {
    for (const each of this.#all) this.#safely(() => each.head?.(head));
  }

  bytes(chunk: Uint8Array, ms: number): void {
    for (const each of this.#all) this.#safely(() => each.bytes?.(chunk, ms));
  }

  events(events: readonly StreamEvent[]): void {
    for (const each of this.#all) this.#safely(() => each.events?.(events));
  }

  end(summary: ExchangeSummary): void {
    for (const each of this.#all) this.#safely(() => each.end?.(summary));
  }

  #safely(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#onFault(error);
    }
  }
}
