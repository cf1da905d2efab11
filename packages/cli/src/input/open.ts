// Where the bytes of a body come from: a file or standard input, gzip or not. Owns the opening and the words for what can
// go wrong with it. Bytes are handed on as they come, never gathered.

import { createReadStream } from "node:fs";
import { codeOf, InputFailure, messageOf } from "../failure.ts";
import type { Io } from "../io.ts";
import { gunzipped } from "./gunzip.ts";

/** The name that stands for standard input. */
export const STDIN = "-";

/** What is wrong, in words for the codes that users meet. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a directory, not a file",
  ENOTDIR: "a part of its path is no directory",
  EMFILE: "too many files are open",
  Z_BUF_ERROR: "the gzip data ends too early",
  Z_DATA_ERROR: "the gzip data is damaged",
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
export async function* openInput(name: string, io: Io): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* gunzipped(name === STDIN ? io.stdin() : fileChunks(name));
  } catch (error) {
    throw inputFailure(error);
  }
}

async function* fileChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of createReadStream(path)) yield chunk as Uint8Array;
}
