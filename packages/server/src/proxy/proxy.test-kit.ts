// A vendor's server and a proxy in front of it, on this machine. Owns their start and stop around a file's tests, raw sockets
// for what no client library would send, and the check that nothing is left over.

import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect } from "vitest";
import { type Proxy, startProxy } from "./proxy.ts";
import type { ProxyOptions } from "./settings.ts";

/** Answers one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void | Promise<void>;

const running: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop();
});

/** A server that answers as told; gone after the test. */
export async function upstream(handler: Handler): Promise<{ url: string; server: Server; connections: () => number }> {
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (piece: Buffer) => chunks.push(piece));
    request.on("end", () => {
      void Promise.resolve(handler(request, response, Buffer.concat(chunks))).catch(() => response.destroy());
    });
    request.on("error", () => {});
    response.on("error", () => {});
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  running.push(() => closed(server));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, connections: () => connections };
}

/** A server of bare sockets. */
export async function rawUpstream(handler: (socket: Socket) => void): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server: TcpServer = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    handler(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  running.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

function closed(server: Server): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

/** A proxy in front of one upstream; gone after the test, with no exchange left open. */
export async function proxyTo(
  url: string,
  { upstream: more = {}, ...options }: Partial<ProxyOptions> & { upstream?: object } = {},
): Promise<Proxy> {
  const proxy = await startProxy({ upstreams: [{ url, ...more }], ...options });
  running.push(async () => {
    await eventually(() => expect(proxy.open).toBe(0));
    await proxy.stop(0);
  });
  return proxy;
}

/** Tries again until it holds, for two seconds. */
export async function eventually(check: () => void, ms = 2000): Promise<void> {
  const until = Date.now() + ms;
  for (;;) {
    try {
      check();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(5);
    }
  }
}

/** An answer, whatever became of it. */
export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Why it is not whole. */
  readonly broken: string | undefined;
}

/** Asks without decoding anything. */
export function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array; agent?: never } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const body = options.body;
    const request = httpRequest(
      url,
      { method: options.method ?? (body === undefined ? "GET" : "POST"), headers: options.headers ?? {}, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        const done = (broken?: string): void =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
            broken,
          });
        response.on("data", (piece: Buffer) => chunks.push(piece));
        response.on("end", () => done());
        response.on("error", (error) => done(error.message));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

/** Writes bytes to a server and gives all that comes back until it closes. */
export function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = "";
    socket.on("data", (piece) => (text += piece.toString("latin1")));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
    socket.setTimeout(3000, () => socket.destroy());
  });
}

/** A chat request that asks for a stream. */
export const CHAT = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "?" }] });

/** A chunk of a chat stream. */
export function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

/** A chat stream whose call lacks its index. */
export const FAULTY = [
  chunk({ role: "assistant", content: "Hi. " }),
  chunk({ tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a":' } }] }),
  chunk({ tool_calls: [{ function: { arguments: "1}" } }] }),
  chunk({}, "tool_calls"),
  "data: [DONE]\n\n",
];

/** A sound one. */
export const SOUND = [
  chunk({ role: "assistant", content: "Hi. " }),
  chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f", arguments: '{"a":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: "1}" } }] }),
  chunk({}, "tool_calls"),
  "data: [DONE]\n\n",
];

/** Answers with a stream. */
export function streamed(frames: readonly string[]): Handler {
  return (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) response.write(frame);
    response.end();
  };
}
