import { request, type IncomingHttpHeaders } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { bytesOf, chatBody, fragment } from "../model/bodies.test-kit.ts";
import type { Piece } from "../model/recording.ts";
import { createInspector, type Inspector, type InspectorOptions } from "./inspector.ts";
import type { EntryInfo } from "./entry.ts";
import { PieceReader } from "./pieces.ts";

const open: Inspector[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((inspector) => inspector.close()));
});

async function started(options: InspectorOptions = {}): Promise<{ inspector: Inspector; url: string }> {
  const inspector = createInspector(options);
  open.push(inspector);
  return { inspector, url: await inspector.listen() };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks as a browser would not: with any host, any method, any path. */
function ask(url: string, path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      { hostname, port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (chunk: Buffer) => parts.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
        );
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

async function listed(url: string): Promise<readonly EntryInfo[]> {
  return (await (await fetch(`${url}api/list`)).json()) as readonly EntryInfo[];
}

async function until<T>(what: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const value = await what();
    if (holds(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("it never came");
}

async function pieces(url: string, id: string): Promise<readonly Piece[]> {
  const response = await fetch(`${url}api/body/${id}`);
  return [...new PieceReader().push(new Uint8Array(await response.arrayBuffer()))];
}

async function* chunks(...list: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* list;
}

const BODY = bytesOf(chatBody([fragment(0, '{"a":1}', "c", "f")]));

describe("who may ask", () => {
  it("serves the page under the secret address alone, on 127.0.0.1", async () => {
    const { url } = await started();
    const { pathname, hostname } = new URL(url);
    expect(hostname).toBe("127.0.0.1");
    expect(pathname).toMatch(/^\/[\w-]{24}\/$/);
    const page = await ask(url, pathname);
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    for (const path of ["/", "/api/list", `${pathname.slice(0, -2)}x/`, pathname.slice(0, -1), "//", "*", "/../"])
      expect((await ask(url, path)).status, path).toBe(404);
  });

  it("refuses other names for its address: one may have been pointed here (DNS rebinding)", async () => {
    const { url } = await started();
    const { pathname, port } = new URL(url);
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1.evil.example:${port}`])
      expect((await ask(url, pathname, { host })).status, host).toBe(421);
    expect((await ask(url, pathname, { host: `localhost:${port}` })).status).toBe(200);
  });

  it("refuses other pages of the same browser, and anything that would change something", async () => {
    const { url } = await started();
    const { pathname } = new URL(url);
    const path = `${pathname}api/list`;
    expect((await ask(url, path, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await ask(url, path, { "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await ask(url, path, { "sec-fetch-site": "same-origin" })).status).toBe(200);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
      expect((await ask(url, path, {}, method)).status, method).toBe(405);
  });

  it("tells the browser to run nothing but its own files, and to load nothing from elsewhere", async () => {
    const { url } = await started();
    const { pathname } = new URL(url);
    for (const path of [pathname, "/", `${pathname}api/list`, `${pathname}api/body/9`]) {
      const { headers } = await ask(url, path);
      expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(headers["content-security-policy"]).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("serves only what was given: no path reaches the file system", async () => {
    const { inspector, url } = await started();
    inspector.add({ name: "a", open: () => chunks(BODY) });
    const { pathname } = new URL(url);
    for (const path of [
      "../package.json",
      "..%2fpackage.json",
      "assets/",
      "assets",
      "src/index.ts",
      "api",
      "api/body/",
      "api/body/../1",
      "api/details/2",
      "api/details/__proto__",
      "index.html/x",
    ])
      expect((await ask(url, pathname + path)).status, path).toBe(404);
  });
});

describe("recorded responses", () => {
  it("are listed, read for their line, and given with their bytes", async () => {
    const { inspector, url } = await started();
    inspector.add({ name: "b/c.sse", open: () => chunks(BODY.subarray(0, 50), BODY.subarray(50)) });
    const [entry] = await until(
      () => listed(url),
      ([first]) => first?.summary !== null,
    );
    expect(entry).toMatchObject({
      id: "1",
      name: "b/c.sse",
      live: false,
      summary: { protocol: "openai-chat", calls: 1, names: ["f"], finish: "tool_calls", over: true, duration: null },
    });
    const got = await pieces(url, "1");
    expect(Buffer.concat(got.map(({ bytes }) => bytes))).toEqual(Buffer.from(BODY));
    expect(got.map(({ time }) => time)).toEqual([Number.NaN, Number.NaN]);
  });

  it("keep their times where there are any", async () => {
    const { inspector, url } = await started();
    inspector.add({
      name: "t",
      async *open() {
        yield { bytes: BODY.subarray(0, 50), time: 100 };
        yield { bytes: BODY.subarray(50), time: 350 };
      },
    });
    expect((await pieces(url, "1")).map(({ time }) => time)).toEqual([100, 350]);
    const [entry] = await until(
      () => listed(url),
      ([first]) => first?.summary !== null,
    );
    expect(entry?.summary?.duration).toBe(250);
  });

  it("go with the tools and the wire that were named", async () => {
    const { inspector, url } = await started();
    inspector.add({ name: "a", protocol: "mistral", tools: [{ name: "f" }], open: () => chunks(BODY) });
    inspector.add({ name: "b", open: () => chunks(BODY) });
    expect(await (await fetch(`${url}api/details/1`)).json()).toEqual({ protocol: "mistral", tools: [{ name: "f" }] });
    expect(await (await fetch(`${url}api/details/2`)).json()).toEqual({ protocol: null, tools: null });
  });

  it("say why they cannot be read, and keep what came before", async () => {
    const { inspector, url } = await started();
    inspector.add({
      name: "a",
      async *open() {
        yield BODY.subarray(0, 50);
        throw new Error("the disk is gone");
      },
    });
    const [entry] = await until(
      () => listed(url),
      ([first]) => first?.failure !== null,
    );
    expect(entry?.failure).toBe("the disk is gone");
    expect((await pieces(url, "1")).map(({ bytes }) => bytes.length)).toEqual([50]);
  });

  it("are cut at the limit", async () => {
    const { inspector, url } = await started({ maxBodyBytes: 1000 });
    let given = 0;
    inspector.add({
      name: "endless",
      async *open() {
        for (;;) {
          given += 400;
          yield new Uint8Array(400).fill(0x20);
        }
      },
    });
    const [entry] = await until(
      () => listed(url),
      ([first]) => first?.summary !== null,
    );
    expect(entry?.summary?.bytes).toBeLessThanOrEqual(1400);
    expect(entry?.failure).toBe("only the first 1000 bytes are shown");
    const got = await pieces(url, "1");
    expect(got.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(1000);
    expect(given).toBeLessThan(5000);
  });

  it("leave the list when they turn out to be none, and stay where nobody can tell", async () => {
    const { inspector, url } = await started();
    const add = (name: string, isResponse?: () => Promise<boolean>): void =>
      inspector.add({
        name,
        async *open() {
          yield bytesOf(chatBody([fragment(0, "{}", "c", "noop")]));
        },
        ...(isResponse === undefined ? {} : { isResponse }),
      });
    add("sure");
    add("none", async () => false);
    add("perhaps", async () => true);
    add("unclear", () => Promise.reject(new Error("gone")));
    const list = await until(
      () => listed(url),
      (all) => all.every(({ summary }) => summary !== null),
    );
    expect(list.map(({ name }) => name)).toEqual(["sure", "perhaps", "unclear"]);
    expect((await fetch(`${url}api/body/2`)).status).toBe(404);
  });

  it("can be long: nothing is left behind for each pause of a slow reader", async () => {
    const warnings: string[] = [];
    const warned = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", warned);
    const { inspector, url } = await started();
    inspector.add({
      name: "long",
      async *open() {
        for (let at = 0; at < 40; at++) yield new Uint8Array(1024 * 1024).fill(0x20);
      },
    });
    const got = await pieces(url, "1");
    await new Promise(setImmediate);
    process.off("warning", warned);
    expect(got.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBe(40 * 1024 * 1024);
    expect(warnings).toEqual([]);
  });

  it("are read in the background: a thousand do not hold the list up", async () => {
    const { inspector, url } = await started();
    for (let at = 0; at < 1000; at++) inspector.add({ name: `${at}.sse`, open: () => chunks(BODY) });
    expect((await listed(url)).length).toBe(1000);
    const all = await until(
      () => listed(url),
      (entries) => entries.every(({ summary }) => summary !== null),
    );
    expect(all.every(({ summary }) => summary?.calls === 1)).toBe(true);
  });
});

/** Listens to the events of the server. */
async function events(
  url: string,
  watch: string,
): Promise<{ next: () => Promise<{ event: string; data: Record<string, unknown> }>; stop: () => void }> {
  const controller = new AbortController();
  const response = await fetch(`${url}api/events?watch=${watch}`, { signal: controller.signal });
  if (response.body === null) throw new Error("no body");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  return {
    stop: () => controller.abort(),
    next: async () => {
      while (!held.includes("\n\n")) held += (await reader.read()).value ?? "";
      const end = held.indexOf("\n\n");
      const [event = "", data = ""] = held.slice(0, end).split("\n");
      held = held.slice(end + 2);
      return { event: event.slice(7), data: JSON.parse(data.slice(6)) as Record<string, unknown> };
    },
  };
}

describe("live responses", () => {
  it("are pushed as they come, to those who watch", async () => {
    const { inspector, url } = await started();
    const live = inspector.open({ name: "POST /v1" });
    const first = BODY.subarray(0, 60).slice();
    live.push(first, 10);
    // The caller's array is its own again.
    first.fill(0);
    const { next, stop } = await events(url, "1");
    expect(await next()).toEqual({ event: "ready", data: {} });
    live.push(BODY.subarray(60), 30);
    let chunk = await next();
    while (chunk.event !== "chunk") chunk = await next();
    expect(chunk.data).toEqual({
      id: "1",
      offset: 60,
      time: 30,
      bytes: Buffer.from(BODY.subarray(60)).toString("base64"),
    });
    expect((await pieces(url, "1")).map(({ bytes, time }) => [Buffer.from(bytes).toString(), time])).toEqual([
      [Buffer.from(BODY.subarray(0, 60)).toString(), 10],
      [Buffer.from(BODY.subarray(60)).toString(), 30],
    ]);
    live.end();
    live.end();
    live.push(BODY, 50);
    let entry = await next();
    while (entry.event !== "entry" && entry.event !== "end") entry = await next();
    const [told] = await listed(url);
    expect(told).toMatchObject({
      live: true,
      failure: null,
      summary: { over: true, calls: 1, bytes: BODY.length, duration: 20 },
    });
    stop();
  });

  it("say that they failed", async () => {
    const { inspector, url } = await started();
    inspector.open({ name: "x" }).end("the upstream hung up");
    expect((await listed(url))[0]?.failure).toBe("the upstream hung up");
  });

  it("are bounded in number and in bytes: the oldest that are over go first", async () => {
    const { inspector, url } = await started({ maxLiveResponses: 3, maxBodyBytes: 100 });
    const still = inspector.open({ name: "still coming" });
    for (let at = 0; at < 5; at++) {
      const live = inspector.open({ name: `n${at}` });
      live.push(new Uint8Array(150));
      live.end();
    }
    inspector.open({ name: "last" });
    const entries = await listed(url);
    expect(entries.map(({ name }) => name)).toEqual(["still coming", "n4", "last"]);
    expect(entries[1]).toMatchObject({ failure: "only the first 100 bytes are kept", summary: { bytes: 100 } });
    still.end();
  });

  it("keep no more bytes than they may, all together", async () => {
    const { inspector, url } = await started({ maxLiveBytes: 1000 });
    for (let at = 0; at < 10; at++) {
      const live = inspector.open({ name: `n${at}` });
      live.push(new Uint8Array(300));
      live.end();
    }
    inspector.open({ name: "last" });
    const kept = (await listed(url)).reduce((sum, { summary }) => sum + (summary?.bytes ?? 0), 0);
    expect(kept).toBeLessThanOrEqual(1000);
  });
});

describe("the server", () => {
  it("is gone when it is closed, with every connection", async () => {
    const { inspector, url } = await started();
    const { next } = await events(url, "");
    await next();
    await inspector.close();
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("says that the port is taken", async () => {
    const { url } = await started();
    const other = createInspector({ port: Number(new URL(url).port) });
    await expect(other.listen()).rejects.toMatchObject({ code: "EADDRINUSE" });
    await other.close();
  });
});
