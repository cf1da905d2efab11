// Content codings taken off while the bytes come. Owns the table of codings; what is not in it passes untouched.

import { type Readable, Transform, type TransformCallback } from "node:stream";
import * as zlib from "node:zlib";
import { promisify } from "node:util";

/** Newer than the oldest Node that is supported. */
const zstd = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;
const zstdWhole = (zlib as { zstdDecompress?: typeof zlib.brotliDecompress }).zstdDecompress;

/**
 * Whether a body begins as RFC 9110 (8.4.1.2) wants `deflate`: in the zlib format. Some servers send the bare data, and the
 * clients that people use take both.
 */
function isZlib(first: number | undefined): boolean {
  return first !== undefined && (first & 0x0f) === 8;
}

/** `deflate` in either form; the first byte tells. */
class Inflating extends Transform {
  #inner: Transform | undefined;

  override _transform(chunk: Uint8Array, _: BufferEncoding, done: TransformCallback): void {
    this.#inner ??= this.#begun(isZlib(chunk[0]));
    this.#inner.write(chunk, () => done());
  }

  override _flush(done: TransformCallback): void {
    if (this.#inner === undefined) return done();
    this.#inner.on("end", () => done());
    this.#inner.end();
  }

  override _read(size: number): void {
    this.#inner?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }

  #begun(zlibs: boolean): Transform {
    const inner = zlibs ? zlib.createInflate() : zlib.createInflateRaw();
    inner.on("data", (chunk: Uint8Array) => {
      if (!this.push(chunk)) inner.pause();
    });
    inner.on("error", (error) => this.destroy(error));
    return inner;
  }
}

const DECODERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  deflate: () => new Inflating(),
  br: () => zlib.createBrotliDecompress(),
  zstd,
};

const WHOLE: Readonly<Record<string, typeof zlib.gunzip | undefined>> = {
  gzip: zlib.gunzip,
  "x-gzip": zlib.gunzip,
  deflate: zlib.inflate,
  br: zlib.brotliDecompress,
  zstd: zstdWhole,
};

/** The coding of a body: `identity` for none. */
export function codingOf(header: string | undefined): string {
  const coding = (header ?? "").trim().toLowerCase();
  return coding === "" ? "identity" : coding;
}

/** Whether a coding can be taken off. */
export function isKnown(coding: string): boolean {
  return coding === "identity" || (Object.hasOwn(DECODERS, coding) && DECODERS[coding] !== undefined);
}

/**
 * A body without its coding, as it comes. Errors of either end are the result's.
 *
 * @param coding One that {@link isKnown}.
 */
export function decoded(body: Readable, coding: string): Readable {
  const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding]?.() : undefined;
  if (decoder === undefined) return body;
  body.on("error", (error) => decoder.destroy(error));
  body.on("aborted", () => decoder.destroy(new Error("aborted")));
  return body.pipe(decoder);
}

/**
 * A whole body without its coding.
 *
 * @param max Bytes that may come out.
 * @throws What zlib throws, also where more would come out.
 */
export async function decodedWhole(bytes: Uint8Array, coding: string, max: number): Promise<Uint8Array> {
  const known = Object.hasOwn(WHOLE, coding) ? WHOLE[coding] : undefined;
  const decode = coding === "deflate" && !isZlib(bytes[0]) ? zlib.inflateRaw : known;
  if (decode === undefined) return bytes;
  return promisify(
    decode as (buffer: Uint8Array, options: object, done: (error: Error | null, out: Buffer) => void) => void,
  )(bytes, { maxOutputLength: max });
}
