// Faults at every point between an upstream, the proxy and a client: no crash, nothing left over, and the client is told each
// time in its own words.

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { ask, CHAT, chunk, eventually, proxyTo, rawUpstream, SOUND, upstream } from "./proxy.test-kit.ts";

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));
process.on("uncaughtExceptionMonitor", (error) => unhandled.push(error));
afterAll(() => expect(unhandled).toEqual([]));

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

function chunked(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** Waits for the head of a request, then does it. */
function onRequest(act: (socket: Socket) => unknown): (socket: Socket) => void {
  return (socket) => {
    let seen = "";
    socket.on("data", (data) => {
      const before = seen.includes("\r\n\r\n");
      seen += data.toString("latin1");
      if (!before && seen.includes("\r\n\r\n")) act(socket);
    });
  };
}

/** Client's wire, its path, its request, the beginning of a stream, and how an error looks in it. */
const WIRES = [
  {
    wire: "openai-chat",
    path: "/v1/chat/completions",
    body: CHAT,
    first: SOUND.slice(0, 2).join(""),
    told: /\ndata: \{"error":\{"message":"[^"]+","type":"upstream_error"/,
    refused: { error: { message: expect.any(String), type: "server_error", code: expect.any(String) } },
  },
  {
    wire: "openai-responses",
    path: "/v1/responses",
    body: '{"stream":true}',
    first:
      'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","output":[]}}\n\n',
    told: /\nevent: error\ndata: \{"type":"error","sequence_number":\d+,"code":"[^"]+","message":"/,
    refused: { error: { message: expect.any(String), type: "server_error", code: expect.any(String) } },
  },
  {
    wire: "anthropic",
    path: "/v1/messages",
    body: '{"stream":true}',
    first:
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"c","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
    told: /\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"/,
    refused: { type: "error", error: { type: "api_error", message: expect.any(String) } },
  },
  {
    wire: "gemini",
    path: "/v1beta/models/g:streamGenerateContent?alt=sse",
    body: "{}",
    first: 'data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"a"}]}}]}\n\n',
    told: /\ndata: \{"error":\{"code":\d+,"message":"[^"]+","status":"UNAVAILABLE"\}\}/,
    refused: { error: { code: expect.any(Number), message: expect.any(String), status: expect.any(String) } },
  },
  {
    wire: "ollama",
    path: "/api/chat",
    body: "{}",
    first:
      '{"model":"l","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"a"},"done":false}\n',
    told: /\n\{"error":"[^"]+"\}\n$/,
    refused: { error: expect.any(String) },
  },
] as const;

describe.each(WIRES)("$wire", ({ path, body, first, told, refused }) => {
  test.each([
    ["closes at once", (socket: Socket) => void socket.end(), 502],
    ["resets before the head", (socket: Socket) => void socket.resetAndDestroy(), 502],
    [
      "resets within the head",
      (socket: Socket) => void socket.write("HTTP/1.1 200 OK\r\nConte", () => socket.resetAndDestroy()),
      502,
    ],
    ["answers no HTTP", (socket: Socket) => void socket.end("SSH-2.0-OpenSSH\r\n\r\n"), 502],
    [
      "answers with a head without end",
      (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`),
      502,
    ],
  ])("an upstream that %s", async (_, act, status) => {
    const { url } = await rawUpstream(onRequest(act));
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}${path}`, { body });
    expect(got.status).toBe(status);
    expect(JSON.parse(got.body.toString())).toMatchObject(refused);
  });

  test("an upstream that is not there", async () => {
    const proxy = await proxyTo("http://127.0.0.1:9");
    const got = await ask(`${proxy.url}${path}`, { body });
    expect(got.status).toBe(502);
    expect(JSON.parse(got.body.toString())).toMatchObject(refused);
  });

  test.each([
    [
      "resets after a frame",
      (socket: Socket) =>
        void socket.write(CHUNKED + chunked(first), () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ],
    [
      "resets within a frame",
      (socket: Socket) =>
        void socket.write(CHUNKED + chunked(first + first.slice(0, 30)), () =>
          setTimeout(() => socket.resetAndDestroy(), 20),
        ),
    ],
    ["closes within a chunk", (socket: Socket) => void socket.end(`${CHUNKED}${chunked(first)}fff\r\ndata:`)],
    ["closes without the last chunk", (socket: Socket) => void socket.end(CHUNKED + chunked(first))],
    ["promised more bytes", (socket: Socket) => void socket.end(`${HEAD}Content-Length: 100000\r\n\r\n${first}`)],
    ["writes garbage between chunks", (socket: Socket) => void socket.write(`${CHUNKED}${chunked(first)}no chunk\r\n`)],
    ["ends without a finish word", (socket: Socket) => void socket.end(`${CHUNKED}${chunked(first)}0\r\n\r\n`)],
    ["ends at once", (socket: Socket) => void socket.end(`${CHUNKED}0\r\n\r\n`)],
    [
      "closes its side only",
      (socket: Socket) => void socket.write(`${HEAD}Connection: close\r\n\r\n${first}`, () => socket.end()),
    ],
    ["falls silent", (socket: Socket) => void socket.write(CHUNKED + chunked(first))],
    [
      "sends a page of a gateway",
      (socket: Socket) =>
        void socket.end(
          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 24\r\n\r\n<html>Bad gateway</html>",
        ),
    ],
    [
      "sends binary garbage",
      (socket: Socket) => void socket.end(`${CHUNKED}${chunked("\u0000\u0001\u0002 nothing\n\n")}0\r\n\r\n`),
    ],
    [
      "compresses badly",
      (socket: Socket) => void socket.end(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!`),
    ],
  ])("an upstream that %s", async (_, act) => {
    const { url, sockets } = await rawUpstream(onRequest(act));
    const proxy = await proxyTo(url, { timeouts: { silence: 150 } });
    const got = await ask(`${proxy.url}${path}`, { body });
    expect(got).toMatchObject({ status: 200, broken: undefined });
    expect(`\n${got.body.toString()}`).toMatch(told);
    await eventually(() => expect(sockets.size).toBe(0));
  });

  test("an upstream whose gzip is cut off: what could be read, and an error", async () => {
    const { url } = await upstream((_, response) => {
      const bytes = gzipSync(first.repeat(3));
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      response.end(bytes.subarray(0, bytes.length - 9));
    });
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}${path}`, { body });
    expect(got.broken).toBeUndefined();
    expect(`\n${got.body.toString()}`).toMatch(told);
  });

  test("an upstream that begins no answer in time", async () => {
    const { url } = await rawUpstream(() => {});
    const proxy = await proxyTo(url, { timeouts: { firstByte: 80 } });
    const got = await ask(`${proxy.url}${path}`, { body });
    expect(got.status).toBe(504);
    expect(JSON.parse(got.body.toString())).toMatchObject(refused);
  });
});

describe("any wire", () => {
  test("an upstream that cannot be connected to in time", async () => {
    // The handshake of TLS never comes.
    const { url } = await rawUpstream(() => {});
    const proxy = await proxyTo(url.replace("http:", "https:"), { timeouts: { connect: 80 } });
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.status).toBe(504);
    expect(got.body.toString()).toContain("upstream_connect_timeout");
  });

  test("a line of 50 MB: told, and the upstream is let go", async () => {
    let left = false;
    const { url } = await upstream(async (_, response) => {
      response.on("close", () => (left = true));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`${SOUND[0]}data: `);
      const piece = Buffer.alloc(1_000_000, "x");
      for (let at = 0; at < 50 && !response.destroyed; at++)
        if (!response.write(piece))
          await Promise.race([new Promise((resolve) => response.once("drain", resolve)), sleep(100)]);
      response.end();
    });
    const proxy = await proxyTo(url);
    const before = process.memoryUsage().rss;
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.body.toString()).toContain("frame-too-large");
    expect(got.body.length).toBeLessThan(2000);
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);
    await eventually(() => expect(left).toBe(true));
  });

  test("a longer body than was promised ends where it was promised to", async () => {
    const { url } = await rawUpstream(
      onRequest((socket) => {
        const body = SOUND.join("");
        socket.end(`${HEAD}Content-Length: ${body.length}\r\n\r\n${body}HTTP/1.1 200 OK\r\nX-Smuggled: 1\r\n\r\n`);
      }),
    );
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.body.toString()).toBe(SOUND.join(""));
    expect((await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT })).body.toString()).toBe(SOUND.join(""));
  });

  test("both lengths in an answer", async () => {
    const { url } = await rawUpstream(
      onRequest((socket) =>
        socket.end(`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunked("abcde")}0\r\n\r\n`),
      ),
    );
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.status).toBe(502);
    expect(got.body.toString()).toContain("upstream_bad_response");
  });

  test("an answer that is not streamed and breaks off", async () => {
    const { url } = await rawUpstream(
      onRequest((socket) =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"choices":['),
      ),
    );
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: "{}" });
    expect(got.status).toBe(502);
    expect(JSON.parse(got.body.toString())).toMatchObject({ error: { code: "upstream_broke_off" } });
  });

  test("an answer that passes untouched and breaks off breaks off at the client", async () => {
    const { url } = await rawUpstream(
      onRequest((socket) =>
        socket.end("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
      ),
    );
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/audio`, { body: "{}" });
    expect(got).toMatchObject({ status: 200, body: Buffer.from("abc") });
    expect(got.broken).toBeDefined();
  });

  test("an unknown stream that breaks off breaks off at the client", async () => {
    const { url } = await rawUpstream(onRequest((socket) => socket.end(`${CHUNKED}${chunked("data: 1\n\n")}`)));
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/events`, { body: "{}" });
    expect(got.broken).toBeDefined();
  });

  test("trailing bytes, late headers and a switch of protocols", async () => {
    const { url } = await rawUpstream(
      onRequest((socket) =>
        socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello"),
      ),
    );
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.status).toBe(502);
  });

  test("an answer that comes before the request has ended", async () => {
    const { url } = await rawUpstream((socket) => {
      socket.once("data", () =>
        socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"),
      );
    });
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/files`, { body: Buffer.alloc(200_000) }).catch((error: unknown) => error);
    // The client may still be writing when the connection closes.
    if (!(got instanceof Error)) expect(got).toMatchObject({ status: 413 });
  });
});

describe("clients", () => {
  async function openClient(url: string, path: string, body: string): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await new Promise((resolve) => socket.once("data", resolve));
    return socket;
  }

  function endless(): Parameters<typeof upstream>[0] {
    return (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(chunk({ content: "x".repeat(20_000) })), 1);
      response.on("close", () => clearInterval(timer));
    };
  }

  test("that reset in the middle", async () => {
    const { url } = await upstream(endless());
    const lines: string[] = [];
    const proxy = await proxyTo(url, { log: (line) => lines.push(line) });
    for (let at = 0; at < 10; at++) (await openClient(proxy.url, "/v1/chat/completions", CHAT)).resetAndDestroy();
    await eventually(() => expect(lines).toHaveLength(10));
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ clientGone: true, mode: "stream" });
  });

  test("that stall are let go", async () => {
    const { url } = await upstream(endless());
    const lines: string[] = [];
    const proxy = await proxyTo(url, { timeouts: { stall: 200 }, log: (line) => lines.push(line) });
    const socket = await openClient(proxy.url, "/v1/chat/completions", CHAT);
    socket.pause();
    await eventually(() => expect(lines).toHaveLength(1), 5000);
    expect(JSON.parse(lines[0]!)).toMatchObject({ error: "client_stalled" });
    socket.destroy();
  });

  test("that leave in the middle of their request", async () => {
    const { url } = await upstream((_, response) => void response.end());
    const proxy = await proxyTo(url);
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    socket.write("POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n{");
    await eventually(() => expect(proxy.open).toBe(1));
    socket.destroy();
    await eventually(() => expect(proxy.open).toBe(0));
  });

  test("that send many requests at once on one connection", async () => {
    const { url } = await upstream((request, response) => void response.end(request.url));
    const proxy = await proxyTo(url);
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (data) => (text += data.toString()));
    socket.write([1, 2, 3].map((at) => `GET /${at} HTTP/1.1\r\nHost: h\r\n\r\n`).join(""));
    await eventually(() => expect(text).toMatch(/\/1[^]*\/2[^]*\/3/));
    socket.destroy();
  });
});

test("an observer that throws harms nobody", async () => {
  const { url } = await upstream((_, response) => void response.end("ok"));
  const faults: string[] = [];
  const bad = (): never => {
    throw new Error("observer");
  };
  const proxy = await proxyTo(url, {
    observers: [{ begin: bad }, { begin: () => ({ head: bad, bytes: bad, end: bad, request: bad, events: bad }) }],
    log: (line) => void (line.includes('"fault"') && faults.push(line)),
  });
  expect((await ask(`${proxy.url}/v1/chat/completions`, { body: "{}" })).body.toString()).toBe("ok");
  await eventually(() => expect(faults.length).toBeGreaterThan(2));
});
