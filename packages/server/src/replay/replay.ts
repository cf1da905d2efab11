// Serves recordings again, so that a client can be tested without a network. Owns which recording answers which request, and
// the pace.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { refuse } from "../proxy/exchange.ts";
import { OF_THE_BYTES, passedOn } from "../proxy/headers.ts";
import { parsedRequest, readRequest } from "../proxy/request-body.ts";
import { DEFAULT_LIMITS } from "../proxy/settings.ts";
import { wireOfPath } from "../proxy/wire-of.ts";
import { listRecordings, readPieces, type StoredRecording } from "../record/recordings.ts";
import { longestFirst, redactedText, redactedUrl, redactedValue, secretsIn, secretsOf } from "../record/redact.ts";

/** How recordings are served. */
export interface ReplayOptions {
  /** The folder that `--record` wrote. */
  readonly folder: string;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Times as fast as recorded; `Infinity`: at once. Default 1. */
  readonly speed?: number;
}

/** A running replay. */
export interface Replay {
  /** Where it listens: `http://127.0.0.1:8788`. */
  readonly url: string;
  /** How many recordings there are to serve. */
  readonly recordings: number;
  /** Closes all connections, and the port. */
  stop(): Promise<void>;
}

/**
 * Serves a folder of recordings. A request gets the recording of the same method, path and body; where none has that body,
 * the recordings of the path one after another, in their order, and the last one again.
 *
 * @param options See {@link ReplayOptions}.
 * @throws TypeError for a speed that is no number above 0; the error of the system where the folder cannot be read.
 */
export async function startReplay(options: ReplayOptions): Promise<Replay> {
  const { host = "127.0.0.1", port = 0, speed = 1 } = options;
  if (!(speed > 0)) throw new TypeError(`the speed must be a number above 0, not ${speed}`);
  const shelf = new Shelf((await listRecordings(options.folder)).filter(({ response }) => response !== null));
  const server = createServer((request, response) => {
    serve(request, response, shelf, speed).catch((error: unknown) => {
      const message = `The recording cannot be served: ${error instanceof Error ? error.message : String(error)}.`;
      refuse(response, wireOfPath((request.url ?? "").replace(/\?.*$/s, ""))?.protocol, {
        status: 500,
        code: "recording_unreadable",
        message,
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    recordings: shelf.size,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The recordings by what was asked. */
class Shelf {
  readonly size: number;
  readonly #byPath: Map<string, Served[]> = new Map();

  constructor(recordings: readonly StoredRecording[]) {
    this.size = recordings.length;
    for (const recording of recordings) {
      const { method, url, body } = recording.request;
      const path = pathKey(method, url);
      const list = this.#byPath.get(path) ?? [];
      list.push({ recording, hash: hashOf(body), used: 0 });
      this.#byPath.set(path, list);
    }
  }

  /** What answers: of the same body those least used, else of the path. */
  find(method: string, url: string, body: unknown): StoredRecording | undefined {
    const list = this.#byPath.get(pathKey(method, url)) ?? [];
    const hash = hashOf(body);
    const same = list.filter((each) => each.hash === hash);
    const among = same.length > 0 ? same : list;
    const next = among.find(({ used }) => used === 0) ?? among.at(-1);
    if (next === undefined) return undefined;
    next.used++;
    return next.recording;
  }
}

interface Served {
  readonly recording: StoredRecording;
  readonly hash: string;
  used: number;
}

function pathKey(method: string, url: string): string {
  return `${method} ${url.replace(/\?$/, "")}`;
}

/** Of equal JSON values, whatever the order of their keys. */
function hashOf(body: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(body)) ?? "")
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, each]) => [name, sorted(each)]);
}

async function serve(request: IncomingMessage, response: ServerResponse, shelf: Shelf, speed: number): Promise<void> {
  const url = request.url ?? "";
  const raw = await readRequest(request, DEFAULT_LIMITS.maxRequestBytes);
  const value = parsedRequest(raw, request.headers["content-encoding"]);
  const secrets = longestFirst([...secretsOf(request.rawHeaders, url), ...secretsIn(value)]);
  const body =
    value === undefined
      ? raw.length === 0
        ? null
        : redactedText(raw.toString("utf8"), secrets)
      : redactedValue(value, secrets);
  const found = shelf.find(request.method ?? "GET", redactedUrl(url, secrets), body);
  if (found?.response === undefined || found.response === null) {
    const path = url.replace(/\?.*$/s, "");
    const message = `Nothing was recorded for ${request.method} ${redactedUrl(url)}.`;
    return refuse(response, wireOfPath(path)?.protocol, { status: 404, code: "not_recorded", message });
  }
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const { status, headers, body: name, whole } = found.response;
  const pieces = await readPieces(dirname(found.path), name);
  response.writeHead(status, passedOn(headers.flat(), OF_THE_BYTES));
  response.flushHeaders();
  let at = pieces[0]?.ms ?? 0;
  // From the request to the first piece, and then from piece to piece.
  await pause(at / speed, gone.signal);
  for (const { bytes, ms } of pieces) {
    await pause((ms - at) / speed, gone.signal);
    at = ms;
    if (gone.signal.aborted) return;
    if (!response.write(bytes)) await drained(response);
  }
  // What broke off breaks off again: the connection ends, and the body does not.
  if (whole) response.end();
  else response.write("", () => response.socket?.end());
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms >= 1) await wait(ms, undefined, { signal }).catch(() => {});
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}
