// What is counted of an exchange while it goes on, and its summary at the end. Owns the counts; keeps no content.

import type { FinishReason, ProtocolName, StreamEvent } from "unbraid";
import type { ExchangeSummary } from "../observe/observer.ts";

/** Models' names are cut there: they come from the wire. */
const MAX_MODEL = 200;

/** The counts of one exchange. */
export class Tally {
  readonly #start = performance.now();
  #firstByte: number | undefined;
  #model: string | undefined;
  readonly #calls: Record<string, number> = {};
  readonly #notices: Record<string, number> = {};
  #finish: FinishReason | null = null;
  #vendorError = false;
  bytesIn = 0;
  bytesOut = 0;
  status = 0;
  mode: ExchangeSummary["mode"] = "refused";
  mended = false;
  error: string | undefined;
  clientGone = false;
  protocol: ProtocolName | undefined;

  /** Milliseconds since the exchange began. */
  get elapsed(): number {
    return performance.now() - this.#start;
  }

  /** A piece of the answer came. */
  came(bytes: number): void {
    this.#firstByte ??= this.elapsed;
    this.bytesIn += bytes;
  }

  /** The reader said something. */
  events(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (event.type === "call.close") count(this.#calls, event.call.status);
      else if (event.type === "notice") count(this.#notices, event.code);
      else if (event.type === "response") this.#model ??= event.model?.slice(0, MAX_MODEL);
      else if (event.type === "finish") this.#finish = event.reason;
      else if (event.type === "error") this.#vendorError = true;
    }
  }

  /** Something that another vendor's wire could not say. */
  notice(code: string): void {
    count(this.#notices, code);
  }

  /** What became of the exchange. */
  summary(): ExchangeSummary {
    const { protocol, status, mode, mended, clientGone, bytesIn, bytesOut } = this;
    return {
      protocol,
      model: this.#model,
      status,
      mode,
      mended,
      calls: this.#calls,
      notices: this.#notices,
      finish: this.#finish,
      error: this.error ?? (this.#vendorError ? "stream_error" : undefined),
      clientGone,
      firstByteMs: this.#firstByte === undefined ? undefined : Math.round(this.#firstByte),
      durationMs: Math.round(this.elapsed),
      bytesIn,
      bytesOut,
    };
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
