// Gzip taken apart as it comes. Owns the telling by magic bytes and the promise that everything which could be
// decompressed is given out before an error is thrown.

import { createGunzip, type Gunzip } from "node:zlib";

/** Bytes that are handed to zlib at once: the most that can come out of them, about a thousand times as much, stays small. */
const SLICE = 4096;

/**
 * Decompresses bytes that are gzip (RFC 1952: they begin with 1f 8b), and leaves others as they are.
 *
 * @param chunks The bytes as they come.
 * @throws What zlib throws, after everything before the fault has been given out.
 */
export async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let unzip: Unzip | undefined;
  let first = true;
  try {
    for await (const chunk of headed(chunks, 2)) {
      if (first && chunk[0] === 0x1f && chunk[1] === 0x8b) unzip = new Unzip();
      first = false;
      if (unzip === undefined) yield chunk;
      else for (let at = 0; at < chunk.length; at += SLICE) yield* unzip.push(chunk.subarray(at, at + SLICE));
    }
    if (unzip !== undefined) yield* unzip.end();
  } finally {
    unzip?.destroy();
  }
}

/** The same bytes, the first chunk at least `size` bytes long where there are as many. */
async function* headed(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < size) continue;
    yield head;
    head = undefined;
  }
  if (head !== undefined && head.length > 0) yield head;
}

/** A zlib stream that is driven slice by slice. Iterated as a stream it would drop what it still holds when it fails. */
class Unzip {
  readonly #stream: Gunzip = createGunzip();
  #out: Uint8Array[] = [];
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor() {
    this.#stream.on("data", (chunk: Uint8Array) => this.#out.push(chunk));
    this.#stream.on("error", (error) => {
      this.#error = error;
      this.#wake?.();
    });
  }

  async *push(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    await this.#until((done) => this.#stream.write(bytes, done));
    yield* this.#take();
  }

  async *end(): AsyncGenerator<Uint8Array, void, undefined> {
    await this.#until((done) => this.#stream.once("end", done).end());
    yield* this.#take();
  }

  destroy(): void {
    this.#stream.destroy();
  }

  #until(start: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      start(resolve);
    });
  }

  *#take(): Generator<Uint8Array, void, undefined> {
    const out = this.#out;
    this.#out = [];
    yield* out;
    if (this.#error !== undefined) throw this.#error;
  }
}
