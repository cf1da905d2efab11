// The bytes of a body as they came, and when. Owns the growing array and the list of chunks.

import { Column } from "./column.ts";

/** Bytes that only grow, with the places where one chunk ended and the next began. */
export class ByteStore {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(4096);
  #length = 0;
  readonly #ends: Column = new Column();
  readonly #times: Column = new Column();

  /** How many bytes there are. */
  get length(): number {
    return this.#length;
  }

  /** How many chunks they came in. */
  get chunks(): number {
    return this.#ends.length;
  }

  /** Adds a chunk that came at a time, in milliseconds; NaN where that is not known. */
  push(chunk: Uint8Array, time: number): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      wider.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = wider;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
    this.#ends.push(length);
    this.#times.push(time);
  }

  /** A view of some bytes; valid until the next `push`. */
  slice(start: number, end: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(Math.max(0, start), Math.min(end, this.#length));
  }

  /** When the byte before an offset came. */
  timeBefore(end: number): number {
    return this.#times.at(Math.min(this.#ends.below(end), this.#ends.length - 1));
  }

  /** Offsets strictly between two others where one chunk ended and the next began. */
  cuts(start: number, end: number): readonly number[] {
    const cuts: number[] = [];
    for (let at = this.#ends.upTo(start); at < this.#ends.length; at++) {
      const cut = this.#ends.at(at);
      if (cut >= end) break;
      cuts.push(cut);
    }
    return cuts;
  }

  /** The chunks again, in order. */
  *all(): Generator<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly time: number }, void, undefined> {
    let start = 0;
    for (let at = 0; at < this.#ends.length; at++) {
      const end = this.#ends.at(at);
      yield { bytes: this.#bytes.subarray(start, end), time: this.#times.at(at) };
      start = end;
    }
  }
}
