// Recordings of real exchanges, read again and served again.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, CHAT, eventually, FAULTY, proxyTo, rawUpstream, streamed, upstream } from "../proxy/proxy.test-kit.ts";
import { startReplay, type Replay } from "../replay/replay.ts";
import { parseTimes } from "./format.ts";
import { listRecordings, pieces, readPieces } from "./recordings.ts";

let folder: string;
let replay: Replay | undefined;

beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), "unbraid-")), "recordings")));
afterEach(async () => {
  await replay?.stop();
  replay = undefined;
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

const SECRET = "sk-live-0123456789abcdef0123";

async function recorded(count: number): Promise<Awaited<ReturnType<typeof listRecordings>>> {
  await eventually(() =>
    expect(
      readdirSync(folder).filter(
        (name) =>
          name.endsWith(".json") &&
          !name.startsWith(".") &&
          !name.includes(".other.") &&
          !name.endsWith(".openai-chat.json"),
      ).length,
    ).toBe(count),
  );
  await eventually(() => expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]));
  return listRecordings(folder);
}

describe("recording", () => {
  test("keeps the raw bytes with their times, and the request beside them", async () => {
    const { url } = await upstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const frame of FAULTY) {
        response.write(frame);
        await sleep(15);
      }
      response.end();
    });
    const proxy = await proxyTo(url, { record: { folder } });
    await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    const [recording] = await recorded(1);
    expect(recording).toMatchObject({
      format: "unbraid-recording/1",
      protocol: "openai-chat",
      request: { method: "POST", url: "/v1/chat/completions", body: JSON.parse(CHAT) },
      response: { status: 200, whole: true, bytes: FAULTY.join("").length },
      error: null,
    });
    const name = recording!.response!.body;
    expect(readFileSync(join(folder, name), "utf8")).toBe(FAULTY.join(""));
    const times = parseTimes(readFileSync(join(folder, `${name}.times`), "utf8"));
    expect(times.at(-1)?.[1]).toBe(FAULTY.join("").length);
    expect(times.length).toBeGreaterThan(2);
    expect(times.at(-1)![0] - times[0]![0]).toBeGreaterThan(40);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test("keeps no secret, wherever it stands", async () => {
    const { url } = await upstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": "session=verysecret" });
      response.end(`data: {"choices":[],"echo":"${SECRET}, plainest"}\n\ndata: [DONE]\n\n`);
    });
    const proxy = await proxyTo(url, { record: { folder } });
    await ask(`${proxy.url}/v1/chat/completions?key=${SECRET}&api-version=1`, {
      body: JSON.stringify({ stream: true, api_key: "plainest", messages: [{ content: `my key is ${SECRET}` }] }),
      headers: { authorization: `Bearer ${SECRET}`, "x-api-key": SECRET, cookie: "a=verysecret" },
    });
    await recorded(1);
    const all = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("\n");
    expect(all).not.toMatch(/sk-live|verysecret|plain/);
    expect(all).toContain("api-version=1");
  });

  test("keeps bodies without their compression", async () => {
    const { url } = await upstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      response.end(gzipSync(FAULTY.join("")));
    });
    const proxy = await proxyTo(url, { record: { folder } });
    await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    const [recording] = await recorded(1);
    expect(readFileSync(join(folder, recording!.response!.body), "utf8")).toBe(FAULTY.join(""));
  });

  test("says what is not whole", async () => {
    const { url } = await rawUpstream((socket) => {
      socket.once("data", () =>
        socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n${FAULTY[0]}`),
      );
    });
    const proxy = await proxyTo(url, { record: { folder } });
    await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    const [recording] = await recorded(1);
    expect(recording).toMatchObject({
      response: { whole: false, bytes: FAULTY[0]!.length },
      error: "upstream_broke_off",
    });
  });

  test("takes no more room than it may", async () => {
    const { url } = await upstream(streamed(FAULTY));
    const lines: string[] = [];
    const proxy = await proxyTo(url, { record: { folder, maxBytes: 4000 }, log: (line) => lines.push(line) });
    for (let at = 0; at < 12; at++) await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    await eventually(() => expect(lines.some((line) => line.includes("no more are begun"))).toBe(true));
    await eventually(() => expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]));
    const size = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(size).toBeGreaterThan(1000);
    expect(size).toBeLessThan(8000);
  });

  test("cuts a body at its limit", async () => {
    const { url } = await upstream(streamed(FAULTY));
    const proxy = await proxyTo(url, { record: { folder, maxBodyBytes: 10 } });
    await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect((await recorded(1))[0]).toMatchObject({ response: { whole: false, bytes: 0 } });
  });

  test("makes folders as deep as asked for, and says where none can be made", async () => {
    const { url } = await upstream(streamed(FAULTY));
    await proxyTo(url, { record: { folder: join(folder, "a", "b") } });
    expect(statSync(join(folder, "a", "b")).mode & 0o777).toBe(0o700);
    writeFileSync(join(folder, "file"), "");
    await expect(proxyTo(url, { record: { folder: join(folder, "file", "c") } })).rejects.toThrow(/ENOTDIR/);
    await expect(proxyTo(url, { record: { folder: join(folder, "file") } })).rejects.toThrow(/EEXIST/);
    // Where the system makes none, though the folder above is there.
    if (process.platform === "linux")
      await expect(proxyTo(url, { record: { folder: "/proc/unbraid" } })).rejects.toThrow(/ENOENT|EACCES|EPERM/);
  });

  test("removes what a process left half written, and harms no exchange when the disk fails", async () => {
    const first = await proxyTo((await upstream(streamed(FAULTY))).url, { record: { folder } });
    await first.stop(0);
    writeFileSync(join(folder, ".left.part"), "x");
    const { url } = await upstream(streamed(FAULTY));
    const faults: string[] = [];
    const proxy = await proxyTo(url, {
      record: { folder },
      log: (line) => void (line.includes('"fault"') && faults.push(line)),
    });
    expect(existsSync(join(folder, ".left.part"))).toBe(false);
    rmSync(folder, { recursive: true });
    const got = await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    expect(got.body.toString()).toContain("[DONE]");
    await eventually(() => expect(faults.length).toBeGreaterThan(0));
  });
});

describe("reading", () => {
  test("passes over files that are no recordings, and times that cannot be", async () => {
    expect(parseTimes("[1.5,3]\nnonsense\n[2,1]\n[4,9]\n")).toEqual([
      [1.5, 3],
      [4, 9],
    ]);
    expect(
      pieces(Buffer.from("abcdef"), [
        [1, 2],
        [5, 99],
      ]).map(({ bytes, ms }) => [Buffer.from(bytes).toString(), ms]),
    ).toEqual([
      ["ab", 1],
      ["cdef", 1],
    ]);
  });
});

describe("replay", () => {
  async function record(bodies: readonly string[], pause = 0): Promise<void> {
    let at = 0;
    const { url } = await upstream(async (request, response) => {
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream", "x-kept": "1" });
      response.write(`data: {"n":${++at}}\n\n`);
      if (pause > 0) await sleep(pause);
      response.end("data: [DONE]\n\n");
    });
    const proxy = await proxyTo(url, { record: { folder } });
    await ask(`${proxy.url}/v1/models`);
    for (const body of bodies)
      await ask(`${proxy.url}/v1/chat/completions?key=${SECRET}`, {
        body,
        headers: { authorization: `Bearer ${SECRET}` },
      });
    await recorded(bodies.length + 1);
  }

  test("answers by path and body, then in order", async () => {
    await record(['{"a":1,"b":2}', '{"a":2}', '{"a":2}']);
    replay = await startReplay({ folder, speed: Infinity });
    expect(replay.recordings).toBe(4);
    const get = async (body: string): Promise<string> =>
      (await ask(`${replay!.url}/v1/chat/completions?key=another`, { body })).body.toString().slice(0, 13);
    expect(await get('{"a":2}')).toBe('data: {"n":2}');
    expect(await get('{"b":2,"a":1}')).toBe('data: {"n":1}');
    expect(await get('{"a":2}')).toBe('data: {"n":3}');
    expect(await get('{"a":2}')).toBe('data: {"n":3}');
    expect(await get('{"unknown":true}')).toBe('data: {"n":3}');
    const got = await ask(`${replay.url}/v1/models`);
    expect(got.body.toString()).toBe('{"data":[]}');
  });

  test("says what it has not, in the client's words", async () => {
    await record(["{}"]);
    replay = await startReplay({ folder });
    const got = await ask(`${replay.url}/v1/messages`, { body: "{}" });
    expect(got.status).toBe(404);
    expect(JSON.parse(got.body.toString())).toMatchObject({ type: "error", error: { type: "not_found_error" } });
  });

  test("keeps the pace, or another one", async () => {
    await record(["{}"], 200);
    const took = async (speed: number): Promise<number> => {
      const running = await startReplay({ folder, speed });
      const began = performance.now();
      const got = await ask(`${running.url}/v1/chat/completions?key=x`, { body: "{}" });
      expect(got.headers["x-kept"]).toBe("1");
      await running.stop();
      return performance.now() - began;
    };
    expect(await took(1)).toBeGreaterThan(180);
    expect(await took(4)).toBeLessThan(150);
    expect(await took(Infinity)).toBeLessThan(100);
  });

  test("breaks off what broke off", async () => {
    const { url } = await rawUpstream((socket) => {
      socket.once("data", () =>
        socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n${FAULTY[0]}`),
      );
    });
    const proxy = await proxyTo(url, { record: { folder } });
    await ask(`${proxy.url}/v1/chat/completions`, { body: CHAT });
    await recorded(1);
    replay = await startReplay({ folder });
    const got = await ask(`${replay.url}/v1/chat/completions`, { body: CHAT });
    expect(got.body.toString()).toBe(FAULTY[0]);
    expect(got.broken).toBeDefined();
    const [recording] = await listRecordings(folder);
    expect(await readPieces(folder, recording!.response!.body)).toHaveLength(1);
  });

  test("needs a speed that is one", async () => {
    await expect(startReplay({ folder: tmpdir(), speed: 0 })).rejects.toThrow(TypeError);
  });

  test("passes over recordings that say too little, and tells of those that cannot be served", async () => {
    const whole = {
      format: "unbraid-recording/1",
      id: "x",
      startedAt: "2026-01-01T00:00:00Z",
      request: { method: "GET", url: "/v1/x", headers: [], body: null },
      response: { status: 200, headers: [], body: "../../secret.txt", whole: true },
    };
    const { request: _, ...bare } = whole;
    const others = [bare, { ...whole, response: {} }, { ...whole, response: { ...whole.response, headers: [["a"]] } }];
    mkdirSync(folder, { recursive: true });
    for (const [at, each] of [whole, ...others, null, []].entries())
      writeFileSync(join(folder, `${at}.json`), JSON.stringify(each));
    replay = await startReplay({ folder });
    expect(replay.recordings).toBe(1);
    const got = await ask(`${replay.url}/v1/x`);
    expect(got.status).toBe(500);
    expect(got.body.toString()).toContain("The recording cannot be served");
  });
});
