// One body traced. Owns what is fed with its bytes and events, and when which text is written. The demo traces with it
// too.

import { NaiveTap } from "@unbraid/inspector/analysis";
import { Collector, type StreamEvent } from "unbraid";
import type { ReadOutcome, Taker } from "../input/drive.ts";
import type { Output } from "../io.ts";
import { type CallsDocument, documentOf } from "../report/document.ts";
import { Tally } from "../report/tally.ts";
import type { Page } from "../terminal/page.ts";
import type { ToolCheck } from "../tools/check.ts";
import { TraceLines, type TraceOptions } from "./lines.ts";
import { summaryText } from "./summary.ts";

/** A trace in progress. */
export class TraceSession implements Taker {
  readonly #page: Page;
  readonly #output: Output;
  readonly #tally: Tally = new Tally();
  readonly #collector: Collector = new Collector();
  readonly #naive: NaiveTap = new NaiveTap();
  readonly #lines: TraceLines;
  #begun = false;

  /**
   * @param output Takes the text.
   * @param page How it is written.
   * @param options What to leave out.
   */
  constructor(output: Output, page: Page, options: TraceOptions) {
    this.#output = output;
    this.#page = page;
    this.#lines = new TraceLines(page, this.#tally, options);
  }

  /** Whether any byte has come. */
  get begun(): boolean {
    return this.#begun;
  }

  bytes(chunk: Uint8Array): void {
    this.#begun = true;
    this.#naive.push(chunk);
  }

  /** Writes the lines of some events at once. */
  async events(events: readonly StreamEvent[]): Promise<void> {
    for (const event of events) {
      this.#collector.add(event);
      this.#tally.add(event);
    }
    const text = this.#lines.lines(events);
    // Of a file that cannot be opened there is nothing to trace.
    if (text !== "" && this.#begun) await this.#output.write(text);
  }

  /**
   * Writes the end.
   *
   * @param file The name of the body.
   * @param outcome How the reading went.
   * @param check The declared tools, where they are known.
   */
  async end(file: string, outcome: ReadOutcome, check: ToolCheck | undefined): Promise<CallsDocument> {
    const collected = this.#collector.result;
    const found = check?.all(collected.calls) ?? [];
    const document = documentOf(file, collected, outcome, found);
    const [naive] = this.#naive.results(outcome.protocol);
    await this.#output.write(
      `${this.#lines.end()}${summaryText({ document, collected, tally: this.#tally, found, naive }, this.#page)}\n`,
    );
    return document;
  }
}
