// Bytes that wait for the rest of their frame, and bytes turned into text. Owns no format.

import { release } from "../release.ts";

/** Line feed. */
export const LF = 0x0a;
/** Carriage return. */
export const CR = 0x0d;
/** Space: it and all bytes below it count as blank. */
export const SPACE = 0x20;

/** The byte order mark in UTF-8. */
export const BOM: Uint8Array = /* @__PURE__ */ new Uint8Array([0xef, 0xbb, 0xbf]);

/** `ignoreBOM`: a mark inside the body is text; the one at its very beginning is skipped before any decoding. */
const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of bytes that end at a character's end; what is no UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** The text of a beginning that may be cut inside a character: the cut character is left out. */
export function decodeHead(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
}

const SMALLEST = 1024;
/** A buffer that has grown beyond this is given back once its frame is over. */
const LARGEST_KEPT = 256 * 1024;

/**
 * Bytes put one after another. Capacity doubles, so that a frame arriving in n pieces costs its length, not n times its
 * length: a list of pieces would do that too, but needs a hundred bytes of objects for each byte of a 1-byte chunk.
 */
export class ByteBuffer {
  #store = new Uint8Array(SMALLEST);
  #length = 0;

  /** How many bytes it holds. */
  get length(): number {
    return this.#length;
  }

  /** What it holds, as a view that the next `append` or `clear` makes stale. */
  get view(): Uint8Array {
    return this.#store.subarray(0, this.#length);
  }

  /** The last byte, or undefined when there is none. */
  get last(): number | undefined {
    return this.#store[this.#length - 1];
  }

  /** Copies `bytes[from..to)` behind what is there. */
  append(bytes: Uint8Array, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > this.#store.length) this.#replace(Math.max(length, 2 * this.#store.length));
    this.#store.set(to - from === bytes.length ? bytes : bytes.subarray(from, to), this.#length);
    this.#length = length;
  }

  /** Forgets everything. */
  clear(): void {
    this.#length = 0;
    if (this.#store.length > LARGEST_KEPT) this.#replace(SMALLEST);
  }

  /** Goes on in another store; what no longer counts is let go. */
  #replace(size: number): void {
    const old = this.#store;
    this.#store = new Uint8Array(size);
    this.#store.set(old.subarray(0, this.#length));
    release(old);
  }
}

/** Two pieces of a body as one array. */
export function joined(head: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (head.length === 0) return bytes;
  const all = new Uint8Array(head.length + bytes.length);
  all.set(head);
  all.set(bytes, head.length);
  return all;
}
