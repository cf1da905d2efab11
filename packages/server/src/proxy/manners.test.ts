// How the proxy behaves on the wire between a client and an upstream that both behave.

import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import * as zlib from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { ask, CHAT, chunk, eventually, FAULTY, proxyTo, raw, SOUND, streamed, upstream } from "./proxy.test-kit.ts";
import { startProxy } from "./proxy.ts";

const JSON_TYPE = { "content-type": "application/json" };

describe("what passes", () => {
  test("path, query, body and fields, but those between neighbours", async () => {
    let seen: unknown;
    const { url } = await upstream((request, response, body) => {
      seen = { url: request.url, raw: request.rawHeaders, body: body.toString(), method: request.method };
      response.writeHead(201, "Made", [
        "X-Answer",
        "1",
        "Set-Cookie",
        "a=1",
        "Set-Cookie",
        "b=2",
        "Connection",
        "x-secret, keep-alive",
        "X-Secret",
        "s",
        "Proxy-Authenticate",
        "Basic",
      ]);
      response.end("done");
    });
    const proxy = await proxyTo(`${url}/base`);
    const got = await ask(`${proxy.url}/a%20b/c?x=1&x=2`, {
      body: "b\u0000y",
      headers: {
        Authorization: "Bearer k",
        "X-One": "1",
        Connection: "x-one, close",
        "Keep-Alive": "timeout=5",
        TE: "trailers",
        "Proxy-Authorization": "Basic x",
        "Proxy-Connection": "keep-alive",
        Expect: "100-continue",
      },
    });
    expect(seen).toMatchObject({ method: "POST", url: "/base/a%20b/c?x=1&x=2", body: "b\u0000y" });
    const names = (seen as { raw: string[] }).raw.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(names).toContain("authorization");
    for (const gone of ["x-one", "te", "proxy-authorization", "proxy-connection", "expect"])
      expect(names).not.toContain(gone);
    expect((seen as { raw: string[] }).raw).toContain(new URL(url).host);
    expect(got).toMatchObject({ status: 201, body: Buffer.from("done") });
    expect(got.headers).toMatchObject({ "x-answer": "1", "set-cookie": ["a=1", "b=2"] });
    expect(got.headers["x-secret"]).toBeUndefined();
    expect(got.headers["proxy-authenticate"]).toBeUndefined();
  });

  test("what is no stream of ours, byte for byte and with its coding", async () => {
    const body = gzipSync('{"data":[{"id":"m"}]}');
    const { url } = await upstream((_, response) => {
      response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip", "content-length": body.length, etag: '"e"' });
      response.end(body);
    });
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/models`, { headers: { "accept-encoding": "gzip" } });
    expect(got.body).toEqual(body);
    expect(got.headers).toMatchObject({
      "content-encoding": "gzip",
      "content-length": String(body.length),
      etag: '"e"',
    });
  });

  test("streams that are none of ours, as they come", async () => {
    const { url } = await upstream(streamed(['event: progress\ndata: {"done":1}\n\n', "data: not json\n\n", "da"]));
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/events`, { body: "{}" });
    expect(got.body.toString()).toBe('event: progress\ndata: {"done":1}\n\ndata: not json\n\nda');
  });

  test("answers without a body", async () => {
    const { url } = await upstream((request, response) => {
      if (request.method === "HEAD") response.writeHead(200, { "content-length": 5 }).end();
      else response.writeHead(request.url === "/304" ? 304 : 204).end();
    });
    const proxy = await proxyTo(url);
    expect(await ask(`${proxy.url}/`, { method: "HEAD" })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(await ask(`${proxy.url}/204`)).toMatchObject({ status: 204, broken: undefined });
    expect(await ask(`${proxy.url}/304`)).toMatchObject({ status: 304, broken: undefined });
    expect(await ask(`${proxy.url}/`, { method: "DELETE" })).toMatchObject({ status: 204 });
  });

  test("errors of the upstream, as they are", async () => {
    const { url } = await upstream((_, response) => {
      response.writeHead(429, { ...JSON_TYPE, "retry-after": "7" }).end('{"error":{"message":"slow down"}}');
    });
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
    expect(got.body.toString()).toBe('{"error":{"message":"slow down"}}');
  });

  test("a request body of any length, streamed", async () => {
    let size = 0;
    const { url } = await upstream((_, response, body) => {
      size = body.length;
      response.end();
    });
    const proxy = await proxyTo(url, { limits: { maxRequestBytes: 1000 } });
    await ask(`${proxy.url}/files`, { body: Buffer.alloc(3_000_000) });
    expect(size).toBe(3_000_000);
  });
});

describe("what is mended", () => {
  test.each([
    ["identity", (text: string) => Buffer.from(text)],
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", (zlib as { zstdCompressSync?: (text: string) => Buffer }).zstdCompressSync],
  ] as const)("a stream under %s, sent plain", async (coding, compress) => {
    if (compress === undefined) return;
    const body = compress(FAULTY.join(""));
    const { url } = await upstream((_, response) => {
      const headers = {
        "content-type": "text/event-stream; charset=utf-8",
        "content-length": body.length,
        "x-id": "7",
      };
      response.writeHead(200, coding === "identity" ? headers : { ...headers, "content-encoding": coding }).end(body);
    });
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.body.toString()).toContain('"index":0,"id":"c1"');
    expect(got.headers).toMatchObject({ "content-type": "text/event-stream; charset=utf-8", "x-id": "7" });
    expect(got.headers["content-encoding"]).toBeUndefined();
    expect(got.headers["content-length"]).toBeUndefined();
  });

  test("a sound stream passes byte for byte", async () => {
    const { url } = await upstream(streamed(SOUND));
    const proxy = await proxyTo(url);
    expect((await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT })).body.toString()).toBe(SOUND.join(""));
  });

  test("a whole answer; a sound one keeps its bytes and its coding", async () => {
    const message = (entry: object, extra: object): string =>
      JSON.stringify({
        id: "c",
        x: 1,
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: null, tool_calls: [entry] },
            finish_reason: "stop",
            ...extra,
          },
        ],
      });
    const faulty = message({ type: "function", function: { name: "f", arguments: { a: 1 } }, y: 2 }, {});
    const sound = message(
      { id: "c1", type: "function", function: { name: "f", arguments: "{}" } },
      { finish_reason: "tool_calls" },
    );
    const { url } = await upstream((request, response) => {
      const body = gzipSync(request.url === "/sound/chat/completions" ? sound : faulty);
      response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip", etag: '"e"' }).end(body);
    });
    const proxy = await proxyTo(url);
    const body = CHAT.replace("true", "false");
    const mended = await ask(`${proxy.url}/chat/completions`, { body });
    expect(mended.headers).toMatchObject({ "content-length": String(mended.body.length) });
    expect(mended.headers["etag"]).toBeUndefined();
    const { choices, x } = JSON.parse(mended.body.toString()) as {
      choices: { message: { tool_calls: { id: string }[] } }[];
      x: number;
    };
    expect(x).toBe(1);
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: { name: "f", arguments: '{"a":1}' }, y: 2 }] },
    });
    expect(choices[0]?.message.tool_calls[0]?.id).toMatch(/^call_/);
    const kept = await ask(`${proxy.url}/sound/chat/completions`, { body });
    expect(kept).toMatchObject({ headers: { "content-encoding": "gzip", etag: '"e"' }, body: gzipSync(sound) });
  });

  test("a whole answer that is too long passes untouched", async () => {
    const body = JSON.stringify({ choices: [], pad: "x".repeat(100_000) });
    const { url } = await upstream((_, response) => void response.writeHead(200, JSON_TYPE).end(body));
    const proxy = await proxyTo(url, { limits: { maxWholeBytes: 10_000 } });
    const got = await ask(`${proxy.url}/chat/completions`, { body: "{}" });
    expect(got.body.toString()).toBe(body);
  });

  test("a stream under a path that says nothing, by its first frame", async () => {
    const { url } = await upstream(streamed(FAULTY));
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/my/gateway`, { body: CHAT });
    expect(got.body.toString()).toContain('"index":0,"id":"c1"');
  });

  test("an answer that was to be streamed and is not becomes a stream", async () => {
    const message = {
      role: "assistant",
      content: "Hi.",
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
    };
    const body = JSON.stringify({
      id: "c",
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    });
    const { url } = await upstream((_, response) => void response.writeHead(200, JSON_TYPE).end(body));
    const proxy = await proxyTo(url);
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.headers["content-type"]).toBe("text/event-stream");
    expect(got.body.toString()).toMatch(/^data: \{.*"content":"Hi\.".*\n\n/);
    expect(got.body.toString()).toContain("data: [DONE]");
  });

  test("with --rescue, calls that the server left in the text", async () => {
    const text = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>';
    const frames = [
      chunk({ role: "assistant", content: "Look: " }),
      ...Array.from(text, (content) => chunk({ content })),
      chunk({}, "stop"),
      "data: [DONE]\n\n",
    ];
    const { url } = await upstream(streamed(frames));
    const proxy = await proxyTo(url, { upstream: { rescue: true } });
    const tools = [
      { type: "function", function: { name: "f", parameters: { type: "object", properties: { a: {} } } } },
    ];
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: JSON.stringify({ ...JSON.parse(CHAT), tools }) });
    const body = got.body.toString();
    expect(body).toContain('"name":"f"');
    expect(body).toContain('"finish_reason":"tool_calls"');
    expect(body).not.toContain("tool_call>");
  });
});

describe("no open proxy", () => {
  test("listens on loopback unless told otherwise", async () => {
    const proxy = await proxyTo("http://127.0.0.1:1");
    expect(new URL(proxy.url).hostname).toBe("127.0.0.1");
  });

  test.each([
    ["a target with a host", "GET http://127.0.0.1:9/x HTTP/1.1\r\nHost: h\r\n\r\n", 400],
    ["a target with two slashes", "GET //evil.example/x HTTP/1.1\r\nHost: h\r\n\r\n", 400],
    ["CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n", 405],
    ["TRACE", "TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", 405],
    ["dot segments", "GET /a/../../admin HTTP/1.1\r\nHost: h\r\n\r\n", 400],
    ["escaped dot segments", "GET /a/%2e%2E/admin HTTP/1.1\r\nHost: h\r\n\r\n", 400],
    ["dot segments behind escaped slashes", "GET /a%2f..%2fadmin HTTP/1.1\r\nHost: h\r\n\r\n", 400],
    ["dot segments with parameters", "GET /a/..;x/admin HTTP/1.1\r\nHost: h\r\n\r\n", 400],
    ["overlong dots", "GET /a/%c0%ae%C0%AE/admin HTTP/1.1\r\nHost: h\r\n\r\n", 400],
    ["dot segments behind backslashes", "GET /a\\..\\admin HTTP/1.1\r\nHost: h\r\n\r\n", 400],
    [
      "a WebSocket",
      "GET /v1/realtime HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n",
      501,
    ],
    [
      "two lengths of one body",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["two lengths that differ", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400],
    ["two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400],
    [
      "what stands behind a refused request",
      "GET //a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
      400,
    ],
    ["no host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["a head that is too long", `GET / HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(70_000)}\r\n\r\n`, 431],
    ["what is no HTTP", "\u0016\u0003\u0001\u0002\r\n\r\n", 400],
  ])("refuses %s", async (_, bytes, status) => {
    let asked = 0;
    const { url } = await upstream((__, response) => {
      asked++;
      response.end();
    });
    const proxy = await proxyTo(`${url}/v1`);
    expect(await raw(proxy.url, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(asked).toBe(0);
  });

  test("goes to the upstream whatever the Host field says", async () => {
    let host: string | undefined;
    const { url } = await upstream((request, response) => {
      host = request.headers.host;
      response.end();
    });
    const proxy = await proxyTo(url);
    await raw(proxy.url, "GET /x HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    expect(host).toBe(new URL(url).host);
  });

  test("keeps below the upstream's base path", async () => {
    const seen: (string | undefined)[] = [];
    const { url } = await upstream((request, response) => {
      seen.push(request.url);
      response.end();
    });
    const proxy = await proxyTo(`${url}/api/v1/`);
    for (const path of ["/chat", "/v1/chat", "/v1", "/v10/chat", "/"]) await ask(`${proxy.url}${path}`);
    expect(seen).toEqual(["/api/v1/chat", "/api/v1/chat", "/api/v1", "/api/v1/v10/chat", "/api/v1/"]);
  });

  test("chooses among upstreams by prefix and by host", async () => {
    const name = (text: string) => upstream((request, response) => void response.end(`${text} ${request.url}`));
    const [a, b, c] = [await name("a"), await name("b"), await name("c")];
    const proxy = await startProxy({
      upstreams: [{ url: a.url }, { url: b.url, prefix: "/b" }, { url: c.url, host: "C.test" }],
    });
    const get = async (path: string, host?: string): Promise<string> =>
      (await ask(`${proxy.url}${path}`, { headers: host === undefined ? {} : { host } })).body.toString();
    expect(await get("/x")).toBe("a /x");
    expect(await get("/b/x")).toBe("b /x");
    expect(await get("/bx")).toBe("a /bx");
    expect(await get("/b/x", "c.test:80")).toBe("c /b/x");
    await proxy.stop(0);
  });
});

describe("connections", () => {
  test("are kept on both sides", async () => {
    const { url, connections } = await upstream(streamed(SOUND));
    const proxy = await proxyTo(url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let at = 0; at < 5; at++) {
      await new Promise<void>((resolve, reject) => {
        const request = httpRequest(`${proxy.url}/v1/chat/completions`, { method: "POST", agent }, (response) => {
          ports.add(response.socket.localPort);
          response.resume().on("end", resolve);
        });
        request.on("error", reject);
        request.end(CHAT);
      });
    }
    agent.destroy();
    expect(ports.size).toBe(1);
    expect(connections()).toBe(1);
  });

  test("that the upstream closed in the meantime cost nothing", async () => {
    let count = 0;
    const { url } = await upstream((request, response) => {
      if (++count === 2) {
        // As a server does whose keep-alive ran out just then.
        request.socket.destroy();
        return;
      }
      response.end("ok");
    });
    const proxy = await proxyTo(url);
    expect((await ask(`${proxy.url}/v1/chat/completions`, { body: "{}" })).body.toString()).toBe("ok");
    expect((await ask(`${proxy.url}/v1/chat/completions`, { body: "{}" })).body.toString()).toBe("ok");
    expect(count).toBe(3);
  });

  test("to the upstream end when the client leaves", async () => {
    let left = false;
    const { url } = await upstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(SOUND[0]);
      response.on("close", () => (left = true));
    });
    const proxy = await proxyTo(url);
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: ${CHAT.length}\r\n\r\n${CHAT}`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    await eventually(() => expect(left).toBe(true));
  });

  test("to the upstream end when the client leaves before the answer", async () => {
    let left = false;
    const { url } = await upstream((_, response) => {
      response.on("close", () => (left = true));
    });
    const proxy = await proxyTo(url);
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: ${CHAT.length}\r\n\r\n${CHAT}`);
    await eventually(() => expect(proxy.open).toBe(1));
    await sleep(20);
    socket.destroy();
    await eventually(() => expect(left).toBe(true));
  });

  test.each(["/v1/chat/completions", "/events", "/files"])(
    "%s: a slow client holds the upstream back",
    async (path) => {
      let sent = 0;
      const { url } = await upstream((request, response) => {
        response.writeHead(200, {
          "content-type": path === "/files" ? "application/octet-stream" : "text/event-stream",
        });
        const frame = path.startsWith("/v1")
          ? chunk({ content: "x".repeat(10_000) })
          : `data: ${"x".repeat(10_000)}\n\n`;
        const write = (): void => {
          while (!response.destroyed && sent < 200_000_000) {
            sent += frame.length;
            if (!response.write(frame)) return;
          }
        };
        response.on("drain", write);
        request.on("close", () => (sent += 0));
        write();
      });
      const proxy = await proxyTo(url);
      const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
      socket.pause();
      socket.write(`POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: ${CHAT.length}\r\n\r\n${CHAT}`);
      await sleep(300);
      const first = sent;
      await sleep(200);
      // Nothing moves once the buffers of the sockets are full.
      expect(sent).toBe(first);
      expect(sent).toBeLessThan(30_000_000);
      socket.destroy();
    },
  );
});

describe("limits", () => {
  test("of a request's length", async () => {
    const { url } = await upstream((_, response) => void response.end());
    const proxy = await proxyTo(url, { limits: { maxRequestBytes: 1000 } });
    const got = await ask(`${proxy.url}/v1/messages`, { body: "x".repeat(1001) });
    expect(got.status).toBe(413);
    expect(JSON.parse(got.body.toString())).toMatchObject({ type: "error", error: { type: "request_too_large" } });
  });

  test("of a request's length that is not said before", async () => {
    const { url } = await upstream((_, response) => void response.end());
    const proxy = await proxyTo(url, { limits: { maxRequestBytes: 1000 } });
    const text = await raw(
      proxy.url,
      `POST /v1/messages HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${"1f4\r\n" + "x".repeat(500) + "\r\n"}${"1f4\r\n" + "x".repeat(500) + "\r\n"}1\r\nx\r\n0\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("of exchanges at once", async () => {
    const { url } = await upstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(SOUND[0]);
      setTimeout(() => response.end("data: [DONE]\n\n"), 150);
    });
    const proxy = await proxyTo(url, { limits: { maxExchanges: 1 } });
    const first = ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    await eventually(() => expect(proxy.open).toBe(1));
    const second = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(second).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(JSON.parse(second.body.toString())).toMatchObject({ error: { code: "overloaded" } });
    expect((await first).status).toBe(200);
  });
});

describe("waiting", () => {
  test("comments keep a client while a call is held", async () => {
    const { url } = await upstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const frame of SOUND.slice(0, 3)) response.write(frame);
      await sleep(120);
      response.end(SOUND.slice(3).join(""));
    });
    const proxy = await proxyTo(url, { upstream: { hold: true }, timeouts: { keepAlive: 30 } });
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    const text = got.body.toString();
    expect(text).toContain(": keep-alive\n\n");
    expect(text.replaceAll(": keep-alive\n\n", "")).toBe(SOUND.join(""));
  });

  test("a server that leaves its connection open after the finish word is not waited for", async () => {
    const { url } = await upstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const frame of SOUND.slice(0, 4)) response.write(frame);
    });
    const proxy = await proxyTo(url, { timeouts: { settle: 50 } });
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.body.toString()).toBe(SOUND.join(""));
  });
});

describe("stopping", () => {
  test("lets streams end and takes no new ones", async () => {
    const { url } = await upstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(SOUND[0]);
      await sleep(150);
      response.end(SOUND.slice(1).join(""));
    });
    const proxy = await startProxy({ upstreams: [{ url }], adminPort: 0 });
    const agent = new Agent({ keepAlive: true });
    await fetch(`${proxy.adminUrl}/healthz`);
    const first = ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    await eventually(() => expect(proxy.open).toBe(1));
    const stopped = proxy.stop();
    await expect(ask(`${proxy.url}/v1/chat/completions`, { body: CHAT })).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    expect((await first).body.toString()).toBe(SOUND.join(""));
    await stopped;
    agent.destroy();
  });

  test("closes what is left after the grace", async () => {
    const { url } = await upstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(SOUND[0]);
    });
    const proxy = await startProxy({ upstreams: [{ url }] });
    const first = ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    await eventually(() => expect(proxy.open).toBe(1));
    await sleep(30);
    const began = Date.now();
    await proxy.stop(50);
    expect(Date.now() - began).toBeLessThan(1000);
    expect((await first).broken).toBeDefined();
  });
});

describe("the proxy's own paths", () => {
  it("do not hide the upstream's", async () => {
    const { url } = await upstream((request, response) => void response.end(`upstream ${request.url}`));
    const proxy = await proxyTo(url, { adminPort: 0 });
    for (const path of ["/metrics", "/healthz", "/health"])
      expect((await ask(`${proxy.url}${path}`)).body.toString()).toBe(`upstream ${path}`);
    expect((await ask(`${proxy.url}/-/healthz`)).body.toString()).toBe('{"status":"ok","open":0}');
    expect((await ask(`${proxy.adminUrl}/healthz`)).body.toString()).toBe('{"status":"ok","open":0}');
    expect((await ask(`${proxy.url}/-/nothing`)).status).toBe(404);
  });

  it("count what went by, with few labels and no content", async () => {
    const { url } = await upstream(streamed(FAULTY));
    const lines: string[] = [];
    const proxy = await proxyTo(url, { adminPort: 0, log: (line) => lines.push(line) });
    await ask(`${proxy.url}/v1/chat/completions?key=hidden-in-the-query`, {
      body: CHAT,
      headers: { authorization: "Bearer hidden" },
    });
    await eventually(() => expect(lines).toHaveLength(1));
    const metrics = (await ask(`${proxy.adminUrl}/metrics`)).body.toString();
    expect(metrics).toContain('unbraid_mended_total{upstream="' + new URL(url).host + '",protocol="openai-chat"} 1');
    expect(metrics).toMatch(/unbraid_calls_total\{.*status="complete"\} 1/);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      event: "response",
      method: "POST",
      path: "/v1/chat/completions",
      protocol: "openai-chat",
      model: "m",
      status: 200,
      mode: "stream",
      mended: true,
      calls: { complete: 1 },
      finish: "tool_calls",
      firstByteMs: expect.any(Number),
      durationMs: expect.any(Number),
    });
    expect(lines[0] + metrics).not.toMatch(/hidden|Hi\. /);
  });
});
