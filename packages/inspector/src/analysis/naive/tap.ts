// The naive readers beside the real one, on the same bytes. Owns the feeding of them all until the wire is known.

import type { ProtocolName } from "unbraid";
import { DataLines } from "./data-lines.ts";
import { type NaiveCall, type NaiveReader, naiveWires } from "./readers.ts";

/** What a naive reader made of a body. */
export interface NaiveResult {
  /** Its calls. */
  readonly calls: readonly NaiveCall[];
  /** By what it told calls apart. */
  readonly key: string;
}

interface Running {
  readonly wire: string;
  readonly key: string;
  readonly reader: NaiveReader;
}

/**
 * Takes the bytes of a body, and has at the end what naive readers made of it.
 *
 * @example
 * const tap = new NaiveTap();
 * tap.push(bytes);
 * tap.results("openai-chat").map(({ key }) => key); // ["index", "the call announced last"]
 */
export class NaiveTap {
  readonly #lines: DataLines = new DataLines();
  readonly #running: readonly Running[] = Object.entries(naiveWires).flatMap(([wire, readers]) =>
    readers.map(({ key, start }) => ({ wire, key, reader: start() })),
  );

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    for (const value of this.#lines.push(bytes)) this.#take(value);
  }

  /**
   * What came out, by the wire's own key first.
   *
   * @param protocol The wire that it was.
   * @returns Nothing where the body has no data lines, or nobody reads that wire line by line.
   */
  results(protocol: ProtocolName | null): readonly NaiveResult[] {
    for (const value of this.#lines.end()) this.#take(value);
    if (this.#lines.count === 0) return [];
    return this.#running
      .filter(({ wire }) => wire === protocol)
      .map(({ key, reader }) => ({ key, calls: reader.calls }));
  }

  #take(value: unknown): void {
    for (const { reader } of this.#running) reader.take(value);
  }
}
