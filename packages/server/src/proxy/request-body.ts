// The body of a request that the proxy has to look into. Owns its size limit and its parsing; the bytes go on as they came.

import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { type Obj, objectOf } from "../mend/dialect.ts";
import { ExchangeFailure } from "./failure.ts";

/** Bytes that a compressed request may hold. */
const MAX_PLAIN = 64 * 1024 * 1024;

/**
 * Reads a body.
 *
 * @throws ExchangeFailure where it is longer than `max` bytes, or the client breaks off.
 */
export function readRequest(request: IncomingMessage, max: number): Promise<Buffer> {
  const tooLarge = (): ExchangeFailure =>
    new ExchangeFailure(413, "request_too_large", `The request's body is longer than ${max} bytes.`);
  if (Number(request.headers["content-length"] ?? 0) > max) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= max) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      chunks.length = 0;
      reject(tooLarge());
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    const broken = (): void => reject(new ExchangeFailure(400, "request_broken", "The request's body broke off."));
    request.on("error", broken);
    request.on("close", broken);
  });
}

/**
 * The JSON object in a request.
 *
 * @param coding Its content coding.
 * @returns Undefined where there is none, or it cannot be seen.
 */
export function parsedRequest(raw: Uint8Array, coding: string | undefined): Obj | undefined {
  try {
    return objectOf(JSON.parse(Buffer.from(plain(raw, coding)).toString("utf8")) as unknown);
  } catch {
    return undefined;
  }
}

function plain(raw: Uint8Array, coding: string | undefined): Uint8Array {
  const options = { maxOutputLength: MAX_PLAIN };
  switch (coding?.trim().toLowerCase()) {
    case "gzip":
      return gunzipSync(raw, options);
    case "deflate":
      return inflateSync(raw, options);
    case "br":
      return brotliDecompressSync(raw, options);
    default:
      return raw;
  }
}
