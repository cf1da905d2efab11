// Where the bytes of a body come from: a file or standard input, compressed or not. Owns the opening and the words for what can
// go wrong with it. Bytes are handed on as they come, never gathered.

import { createReadStream, readFileSync, statSync } from "node:fs";
import { codeOf, InputFailure, messageOf } from "../failure.ts";
import type { Io } from "../io.ts";
import { decompressed } from "./decompress.ts";

/** The name that stands for standard input. */
export const STDIN = "-";

/** What is wrong, in words for the codes that users meet. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a directory, not a file",
  ENOTDIR: "a part of its path is no directory",
  EMFILE: "too many files are open",
  Z_BUF_ERROR: "the compressed data ends too early",
  Z_DATA_ERROR: "the gzip data is damaged",
  ZSTD_error_corruption_detected: "the zstd data is damaged",
  ZSTD_error_checksum_wrong: "the zstd data is damaged",
};

/** An {@link InputFailure} for whatever was thrown. */
export function inputFailure(error: unknown): InputFailure {
  const code = codeOf(error) ?? "source";
  return new InputFailure(code, WORDS[code] ?? messageOf(error), error);
}

/**
 * The bytes of one body, decompressed.
 *
 * @param name A path, or `-`.
 * @param io Gives standard input.
 * @throws InputFailure while it is read, after everything before the fault has been given out.
 */
export function openInput(name: string, io: Io): AsyncGenerator<Uint8Array, void, undefined> {
  return name === STDIN ? opened(io.stdin()) : openFile(name);
}

/** As {@link openInput}, of a file. */
export function openFile(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  return opened(fileChunks(path));
}

async function* opened(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* decompressed(chunks);
  } catch (error) {
    throw inputFailure(error);
  }
}

/** Bytes of a file that is read in one go. */
const SMALL = 64 * 1024;

async function* fileChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  // Most recordings are small: a stream costs four waits for each, and an audit of thousands would only wait.
  const about = statSync(path);
  if (about.isFile() && about.size <= SMALL) yield readFileSync(path);
  else for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
}
