// Recordings read again. Owns the listing of a folder and the pieces of a body with their times.

import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Obj, objectOf } from "../mend/dialect.ts";
import { type Arrival, parseTimes, RECORDING_FORMAT, type RecordedExchange } from "./format.ts";

/** A recording that is whole on disk. */
export interface StoredRecording extends RecordedExchange {
  /** The path of the exchange's file. */
  readonly path: string;
}

/** A piece of a body, and when it came. */
export interface RecordedPiece {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** Milliseconds since the exchange began. */
  readonly ms: number;
}

/**
 * The recordings in a folder, oldest first. Other files are passed over.
 *
 * @throws The error of the system where the folder cannot be read.
 */
export async function listRecordings(folder: string): Promise<readonly StoredRecording[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && !name.startsWith(".")).toSorted();
  const found: StoredRecording[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const value = parsed(await readFile(path, "utf8"));
    if (isRecording(value)) found.push({ ...value, path });
  }
  return found.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
}

/**
 * The pieces of a recorded body.
 *
 * @param folder Where the recording lies.
 * @param name The body's file.
 */
export async function readPieces(folder: string, name: string): Promise<readonly RecordedPiece[]> {
  const path = join(folder, basename(name));
  const body = await readFile(path);
  return pieces(body, await timesBeside(path));
}

/** A body cut as it came; whole where no times are known. */
export function pieces(body: Uint8Array, times: readonly Arrival[]): readonly RecordedPiece[] {
  const out: RecordedPiece[] = [];
  let at = 0;
  let last = 0;
  for (const [ms, end] of times) {
    if (end > body.length) break;
    if (end > at) out.push({ bytes: body.subarray(at, end), ms });
    at = end;
    last = ms;
  }
  if (at < body.length) out.push({ bytes: body.subarray(at), ms: last });
  return out;
}

/**
 * The arrivals that were recorded beside a body.
 *
 * @param path The body's file.
 * @returns None where there is no such file.
 */
export async function timesBeside(path: string): Promise<readonly Arrival[]> {
  try {
    return parseTimes(await readFile(`${path}.times`, "utf8"));
  } catch {
    return [];
  }
}

/**
 * The exchange that a body was recorded in.
 *
 * @param path The body's file.
 * @returns Undefined where the file is no recording's body.
 */
export async function exchangeBeside(path: string): Promise<RecordedExchange | undefined> {
  // The name is the exchange's, a wire's where one was known, and an ending.
  for (
    let end = path.lastIndexOf(".");
    end > path.length - basename(path).length;
    end = path.lastIndexOf(".", end - 1)
  ) {
    const value = parsed(await readFile(`${path.slice(0, end)}.json`, "utf8").catch(() => ""));
    if (isRecording(value) && value.response?.body === basename(path)) return value;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether it says what is needed to serve it again; anything may stand in a file. */
function isRecording(value: unknown): value is RecordedExchange {
  const recording = objectOf(value);
  const request = objectOf(recording?.["request"]);
  const response = recording?.["response"];
  return (
    recording?.["format"] === RECORDING_FORMAT &&
    typeof recording["startedAt"] === "string" &&
    typeof request?.["method"] === "string" &&
    typeof request["url"] === "string" &&
    (response === null || isAnswer(objectOf(response)))
  );
}

function isAnswer(answer: Obj | undefined): boolean {
  const { status, body, headers } = answer ?? {};
  return (
    Number.isInteger(status) &&
    (status as number) >= 200 &&
    (status as number) < 600 &&
    typeof body === "string" &&
    Array.isArray(headers) &&
    headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((each) => typeof each === "string"))
  );
}
