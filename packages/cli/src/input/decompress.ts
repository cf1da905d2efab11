// Compressed bodies taken apart as they come. Owns the telling by magic bytes and the promise that everything which could
// be decompressed is given out before an error is thrown.

// By its namespace: a Node without zstd would refuse to link the name.
import * as zlib from "node:zlib";

/** Bytes that are handed to zlib at once: the most that can come out of them, about a thousand times as much, stays small. */
const SLICE = 4096;

/** Where a zstd stream would be taken apart by a Node that cannot do that. */
class NoZstd extends Error {
  readonly code = "NO_ZSTD";
}

/**
 * Decompresses bytes that are gzip (RFC 1952: they begin with 1f 8b) or zstd (RFC 8878: 28 b5 2f fd), and leaves others as
 * they are.
 *
 * @param chunks The bytes as they come.
 * @throws What zlib throws, after everything before the fault has been given out.
 */
export async function* decompressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let unzip: Unzip | undefined;
  let first = true;
  try {
    for await (const chunk of headed(chunks, 4)) {
      if (first) unzip = unzipOf(chunk);
      first = false;
      if (unzip === undefined) yield chunk;
      else for (let at = 0; at < chunk.length; at += SLICE) yield* unzip.push(chunk.subarray(at, at + SLICE));
    }
    if (unzip !== undefined) yield* unzip.end();
  } finally {
    unzip?.destroy();
  }
}

/** What takes apart a body that begins like this; undefined where nothing need be. */
function unzipOf(head: Uint8Array): Unzip | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return new Unzip(zlib.createGunzip());
  if (head[0] !== 0x28 || head[1] !== 0xb5 || head[2] !== 0x2f || head[3] !== 0xfd) return undefined;
  // Node has it from 22.15 on.
  if (typeof zlib.createZstdDecompress !== "function") throw new NoZstd("zstd needs Node 22.15 or newer");
  return new Unzip(zlib.createZstdDecompress());
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
  readonly #stream: zlib.Gunzip | zlib.ZstdDecompress;
  #out: Uint8Array[] = [];
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(stream: zlib.Gunzip | zlib.ZstdDecompress) {
    this.#stream = stream;
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
