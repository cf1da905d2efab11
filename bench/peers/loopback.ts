// A server on this machine that answers every request with one body. Owns the server, and the guard that keeps the readers
// from reaching any other.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A body and what its server says it is. */
export interface Served {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** A running server. */
export interface Loopback {
  /** Serves a body from now on; gives the base URL to ask it from. */
  serve(served: Served): string;
  close(): Promise<void>;
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startLoopback(): Promise<Loopback> {
  let current: Served | undefined;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": current?.contentType ?? "text/plain" });
      response.end(current?.bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    serve(served) {
      current = served;
      return `http://127.0.0.1:${port}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes `fetch` refuse every other host: a reader that would report home, or misses its base URL, fails instead. */
export function keepOnLoopback(): void {
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.hostname !== "127.0.0.1") return Promise.reject(new Error(`not on loopback: ${url.hostname}`));
    return fetch(input, init);
  };
}
