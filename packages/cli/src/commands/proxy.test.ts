import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callDelta, chatBody, fakeIo, run } from "../io.test-kit.ts";
import { main } from "../main.ts";

const FAULTY = chatBody([callDelta(4, '{"a":1}', "c1", "f")]);
let server: Server;
let upstream: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "unbraid-"));
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" }).end(FAULTY);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Starts a command that serves, does something with its URL, and ends it. */
async function serving(
  argv: readonly string[],
  use: (url: string) => Promise<void>,
  end: "terminate" | "interrupt" = "terminate",
): Promise<{ status: number; out: string; err: string }> {
  const fake = fakeIo();
  const ended = main(argv, fake.io);
  let url: string | undefined;
  for (let tries = 0; url === undefined && tries < 400; tries++) {
    await sleep(10);
    url = /(http:\/\/127\.0\.0\.1:\d+[^\s]*)/.exec(fake.err())?.[1];
  }
  await use(url ?? "");
  fake[end]();
  return { status: await ended, out: fake.out(), err: fake.err() };
}

async function ask(base: string): Promise<string> {
  const response = await fetch(`${base}/chat/completions`, { method: "POST", body: '{"stream":true}' });
  return response.text();
}

describe("unbraid proxy and replay", () => {
  it("mend, record, log, and serve again", async () => {
    const recordings = join(folder, "recordings");
    let text = "";
    const proxy = await serving(
      ["proxy", "--upstream", upstream, "--port", "0", "--record", recordings],
      async (url) => {
        expect(url).toMatch(/\/v1$/);
        text = await ask(url);
      },
    );
    expect(text).toContain('"index":0,"id":"c1"');
    expect(proxy.status).toBe(0);
    expect(proxy.err).toContain(`-> ${upstream}\n`);
    expect(proxy.err).toMatch(/health http.*\/-\/healthz, metrics http.*\/-\/metrics/);
    expect(JSON.parse(proxy.out.trim())).toMatchObject({ event: "response", mended: true, calls: { complete: 1 } });

    const [body] = readdirSync(recordings).filter((name) => name.endsWith(".sse"));
    const calls = await run(["calls", "--json", join(recordings, body!)]);
    expect(JSON.parse(calls.out)).toMatchObject({ calls: [{ id: "c1", name: "f", arguments: { a: 1 } }] });
    const trace = await run(["trace", join(recordings, body!)]);
    expect(trace.out.split("\n")[0]).toMatch(/^\s+ms frame/);
    const events = await run(["trace", "--json", join(recordings, body!)]);
    expect(JSON.parse(events.out.split("\n")[0]!)).toMatchObject({ at: { time: expect.any(Number) } });

    let raw = "";
    const replay = await serving(
      ["replay", recordings, "--port", "0", "--speed", "max"],
      async (url) => void (raw = await ask(`${url}/v1`)),
      "interrupt",
    );
    expect(raw).toBe(FAULTY);
    expect(replay).toMatchObject({ status: 130, err: expect.stringContaining("1 recordings at http") });
  });

  it("take a file for several upstreams", async () => {
    const config = join(folder, "proxy.json");
    writeFileSync(
      config,
      JSON.stringify({
        upstreams: [
          { url: upstream, prefix: "/a" },
          { url: upstream, prefix: "/b" },
        ],
        port: 0,
      }),
    );
    const { err, status } = await serving(["proxy", "--config", config, "--no-log"], async (url) => {
      expect(await ask(url)).toContain('"index":0,"id":"c1"');
    });
    expect(status).toBe(0);
    expect(err.match(/base URL/g)).toHaveLength(2);
  });

  it.each([
    [["proxy"], /name one server with --upstream/],
    [["proxy", "--upstream", "http://a", "--config", "x"], /name one server/],
    [["proxy", "--upstream", "nowhere", "--port", "0"], /cannot start: the upstream "nowhere"/],
    [["proxy", "--config", "/no/such/file"], /cannot read \/no\/such\/file: there is no such file/],
    [["proxy", "--upstream", "http://a", "--port", "99999"], /at most 65535/],
    [["proxy", "--upstream", "http://a", "--as", "nothing"], /Allowed choices/],
    [["proxy", "--upstream", "http://a", "--as", "bedrock"], /Allowed choices/],
    [["proxy", "--upstream", "http://a", "--model", "m"], /--model needs --as/],
    [["proxy", "--upstream", "http://a", "--upstream-protocol", "gemini"], /--upstream-protocol needs --as/],
    [["replay", "/no/such/folder"], /cannot serve \/no\/such\/folder: there is no such file/],
    [["replay", tmpdir(), "--speed", "0"], /number above 0, or max/],
  ])("say what is wrong: %j", async (argv, words) => {
    const { status, err } = await run(argv);
    expect(status).toBe(2);
    expect(err).toMatch(words);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  it("say that the port is taken, and what to do", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as AddressInfo;
    const { status, err } = await run(["proxy", "--upstream", "http://127.0.0.1:9", "--port", String(port)]);
    expect(status).toBe(2);
    expect(err).toContain(`port ${port} is taken: give another --port, or 0 for any free one`);
    await new Promise((resolve) => holder.close(resolve));
  });

  it("say that a folder holds no recording", async () => {
    const empty = mkdtempSync(join(folder, "empty-"));
    expect(await run(["replay", empty])).toMatchObject({
      status: 2,
      err: expect.stringContaining("there is no recording in"),
    });
  });
});
