// A vendor's server on this machine, for tests that read real HTTP. Owns one server a test file, on 127.0.0.1 and a free
// port; nothing here reaches further.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll } from "vitest";

/** Answers one request. */
export type Reply = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** What was seen of the requests to one reply. */
export interface Visits {
  /** The base URL; what an SDK puts behind it does not matter. */
  readonly url: string;
  readonly requests: number;
  /** Resolves once the client has closed the connection before the answer was whole. */
  readonly left: Promise<void>;
}

/** Starts a server before the file's tests and closes it after them. */
export function loopback(): { at(reply: Reply): Visits } {
  const replies = new Map<string, Reply>();
  let server: Server | undefined;
  beforeAll(async () => {
    const made = createServer((request, response) => {
      request.resume();
      const reply = replies.get(request.url?.split(/[/?]/)[1] ?? "") ?? nothing;
      void Promise.resolve(reply(response, request)).catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
    server = made;
  });
  afterAll(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });
  return {
    at(reply) {
      const name = String(replies.size);
      const address = server?.address() as AddressInfo | undefined;
      if (address === undefined) throw new Error("the server runs only while the file's tests do");
      let resolve: () => void;
      const left = new Promise<void>((done) => (resolve = done));
      const visits = { url: `http://127.0.0.1:${address.port}/${name}`, requests: 0, left };
      replies.set(name, (response, request) => {
        visits.requests++;
        response.on("close", () => {
          if (!response.writableFinished) resolve();
        });
        return reply(response, request);
      });
      return visits;
    },
  };
}

function nothing(response: ServerResponse): void {
  response.writeHead(404).end();
}

/** A whole body with its head, in pieces of random sizes; the sizes are the same for the same body. */
export function whole(body: Uint8Array | string, head: Head = {}): Reply {
  return async (response) => {
    writeHead(response, head);
    const bytes = head.gzip === true ? gzipSync(body) : Buffer.from(body);
    for (const piece of randomPieces(bytes, head.largest ?? 2_000)) {
      if (response.destroyed) return;
      if (!response.write(piece)) await turn();
    }
    response.end();
  };
}

/** A body that begins and then says no more, with the connection left open. */
export function unending(body: Uint8Array | string, head: Head = {}): Reply {
  return (response) => {
    writeHead(response, head);
    response.write(body);
  };
}

/** A body that begins and whose connection then breaks. */
export function broken(body: Uint8Array | string, head: Head = {}): Reply {
  return (response) => {
    writeHead(response, head);
    // What is written in the same turn as the socket is destroyed would be lost.
    response.write(body, () => setTimeout(() => response.socket?.destroy(), 20));
  };
}

/** How an answer is announced. */
export interface Head {
  readonly status?: number;
  readonly type?: string;
  readonly gzip?: boolean;
  /** The longest piece. */
  readonly largest?: number;
}

function writeHead(response: ServerResponse, { status = 200, type = "text/event-stream", gzip = false }: Head): void {
  response.writeHead(status, { "content-type": type, ...(gzip ? { "content-encoding": "gzip" } : {}) });
}

/** Cuts bytes anywhere, inside characters too. */
export function* randomPieces(bytes: Uint8Array, largest: number): Generator<Uint8Array, void> {
  const random = mulberry32(bytes.length);
  for (let from = 0; from < bytes.length;) {
    const to = from + 1 + Math.floor(random() * largest);
    yield bytes.subarray(from, to);
    from = to;
  }
}

/** Numbers from 0 to 1 that are the same for the same seed; public domain, by Tommy Ettinger. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
