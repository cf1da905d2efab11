// Counters for Prometheus. Owns the names and labels; every label takes few values, whatever clients and servers send.

import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ExchangeInfo, ExchangeListener, ExchangeSummary, Observer } from "./observer.ts";

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The proxy's metrics: an observer, and their text. */
export class Metrics implements Observer {
  readonly #registry = new Registry();
  readonly #open: Gauge;
  readonly #responses: Counter<"upstream" | "protocol" | "status" | "mode">;
  readonly #mended: Counter<"upstream" | "protocol">;
  readonly #calls: Counter<"upstream" | "protocol" | "status">;
  readonly #notices: Counter<"upstream" | "protocol" | "code">;
  readonly #failures: Counter<"upstream" | "code">;
  readonly #gone: Counter<"upstream">;
  readonly #bytes: Counter<"upstream" | "direction">;
  readonly #firstByte: Histogram<"upstream">;
  readonly #duration: Histogram<"upstream">;

  constructor() {
    const registers = [this.#registry];
    const counter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
      new Counter({ name: `unbraid_${name}`, help, labelNames, registers });
    const histogram = (name: string, help: string): Histogram<"upstream"> =>
      new Histogram({ name: `unbraid_${name}`, help, labelNames: ["upstream"], buckets: SECONDS, registers });
    this.#open = new Gauge({ name: "unbraid_exchanges_open", help: "Exchanges that are going on.", registers });
    this.#responses = counter("responses_total", "Answers sent to clients.", [
      "upstream",
      "protocol",
      "status",
      "mode",
    ]);
    this.#mended = counter("mended_total", "Answers in which something was written otherwise than it came.", [
      "upstream",
      "protocol",
    ]);
    this.#calls = counter("calls_total", "Tool calls read, by how they ended.", ["upstream", "protocol", "status"]);
    this.#notices = counter("notices_total", "Irregularities seen, by code.", ["upstream", "protocol", "code"]);
    this.#failures = counter("failures_total", "Errors told to clients by the proxy, by code.", ["upstream", "code"]);
    this.#gone = counter("clients_gone_total", "Clients that left before their answer was whole.", ["upstream"]);
    this.#bytes = counter("bytes_total", "Bytes of bodies.", ["upstream", "direction"]);
    this.#firstByte = histogram("first_byte_seconds", "From the request to the first byte of the answer.");
    this.#duration = histogram("duration_seconds", "From the request to the end of the answer.");
  }

  /** The media type of {@link text}. */
  get type(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus's text format. */
  async text(): Promise<string> {
    return this.#registry.metrics();
  }

  begin({ upstream }: ExchangeInfo): ExchangeListener {
    this.#open.inc();
    return {
      end: (summary) => {
        this.#open.dec();
        this.#count(upstream, summary);
      },
    };
  }

  #count(upstream: string, summary: ExchangeSummary): void {
    const protocol = summary.protocol ?? "none";
    const { status, mode } = summary;
    this.#responses.inc({ upstream, protocol, status: String(status), mode });
    if (summary.mended) this.#mended.inc({ upstream, protocol });
    for (const [name, count] of Object.entries(summary.calls))
      this.#calls.inc({ upstream, protocol, status: name }, count);
    for (const [code, count] of Object.entries(summary.notices)) this.#notices.inc({ upstream, protocol, code }, count);
    if (summary.error !== undefined) this.#failures.inc({ upstream, code: summary.error });
    if (summary.clientGone) this.#gone.inc({ upstream });
    this.#bytes.inc({ upstream, direction: "in" }, summary.bytesIn);
    this.#bytes.inc({ upstream, direction: "out" }, summary.bytesOut);
    if (summary.firstByteMs !== undefined) this.#firstByte.observe({ upstream }, summary.firstByteMs / 1000);
    this.#duration.observe({ upstream }, summary.durationMs / 1000);
  }
}
