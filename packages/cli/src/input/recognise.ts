// Whether a file whose name says little (`.json`, `.txt`) holds a response at all. Owns the signs of it, for every command
// that looks through folders: an HTML page, a manifest or a report in JSON has none of them.

import { RECORDING_FORMAT } from "@unbraid/server/recordings";
import type { StreamEvent } from "unbraid";
import { type ReadSettings, readChunks } from "./drive.ts";
import { openFile } from "./open.ts";

/** Bytes of a file that are looked at for what some program wrote about a response. */
const MAX_REPORT = 1024 * 1024;

/** Whether an event tells that the body is a response of some vendor's. */
export function isOfAWire(event: StreamEvent): boolean {
  switch (event.type) {
    case "notice":
    case "call.append":
    case "call.replace":
    case "call.close":
    case "call.retract":
      return false;
    case "error":
      // A page or a letter ends with this error of ours; a vendor's error is a body like any other.
      return event.error.code !== "not-a-stream";
    case "finish":
      return event.reason !== null && event.reason !== "error";
    default:
      return true;
  }
}

/**
 * Whether a file is what some reader made of a response, `unbraid calls --json` among them. An error in it looks like a
 * vendor's, but no vendor has a list of calls beside its error.
 *
 * @throws InputFailure where it cannot be read.
 */
export async function isReportOfCalls(path: string): Promise<boolean> {
  const text = await beginningOf(path);
  return hasCalls(text) || hasCalls(text.slice(0, text.indexOf("\n") + 1));
}

/**
 * Whether a file tells of a recorded exchange, whose body lies beside it.
 *
 * @throws InputFailure where it cannot be read.
 */
export async function isRecordedExchange(path: string): Promise<boolean> {
  const value = parsed(await beginningOf(path));
  return typeof value === "object" && value !== null && "format" in value && value.format === RECORDING_FORMAT;
}

async function beginningOf(path: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of openFile(path)) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_REPORT) break;
  }
  return Buffer.concat(parts).toString("utf8");
}

function hasCalls(json: string): boolean {
  const value = parsed(json);
  return typeof value === "object" && value !== null && "calls" in value && Array.isArray(value.calls);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Whether a file holds a response, read no further than to the first sign of one. A file that cannot be read to there
 * counts as one: whoever reads it next will say what is wrong with it.
 *
 * @param reading How it is to be read.
 */
export async function holdsResponse(path: string, reading: ReadSettings): Promise<boolean> {
  const enough = new AbortController();
  let recognised = false;
  let erred = false;
  const { failure } = await readChunks(openFile(path), enough.signal, reading, {
    events: (events) => {
      erred ||= events.some(({ type }) => type === "error");
      recognised ||= events.some(isOfAWire);
      if (recognised) enough.abort();
    },
  });
  if (failure !== undefined) return true;
  return recognised && !(erred && (await isReportOfCalls(path)));
}
