// The naive readers beside the real one, on the same bytes. Owns the feeding of them all until the wire is known.

import type { ProtocolName } from "unbraid";
import { DataLines } from "./data-lines.ts";
import { type NaiveCall, type NaiveReader, naiveWires } from "./readers.ts";

/** What a naive reader made of a body. */
export interface NaiveResult {
  readonly calls: readonly NaiveCall[];
  /** By what it told calls apart. */
  readonly key: string;
}

/** Takes the bytes of a body. */
export class NaiveTap {
  readonly #lines = new DataLines();
  readonly #readers: readonly (readonly [string, NaiveReader])[] = Object.entries(naiveWires).map(([name, wire]) => [
    name,
    wire.start(),
  ]);

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    for (const value of this.#lines.push(bytes)) this.#take(value);
  }

  /**
   * What came out.
   *
   * @param protocol The wire that it was.
   * @returns Undefined where the body has no data lines, or nobody reads that wire line by line.
   */
  result(protocol: ProtocolName | null): NaiveResult | undefined {
    for (const value of this.#lines.end()) this.#take(value);
    const wire = protocol === null ? undefined : naiveWires[protocol];
    const reader = this.#readers.find(([name]) => name === protocol)?.[1];
    if (wire === undefined || reader === undefined || this.#lines.count === 0) return undefined;
    return { calls: reader.calls, key: wire.key };
  }

  #take(value: unknown): void {
    for (const [, reader] of this.#readers) reader.take(value);
  }
}
