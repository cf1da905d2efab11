import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callDelta, chatBody, type Fake, fakeIo, type FakeOptions, gate, run } from "../io.test-kit.ts";
import { main } from "../main.ts";

const BODY = chatBody([callDelta(0, '{"city":"Oslo"}', "call_a", "get_weather")]);

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "unbraid-inspect-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string | Uint8Array = BODY): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

interface Running {
  readonly url: string;
  readonly fake: Fake;
  readonly stop: () => Promise<number>;
}

/** Starts the command, and waits for its address. */
async function started(argv: readonly string[], options: FakeOptions = {}): Promise<Running> {
  const fake = fakeIo(options);
  const ended = main(["inspect", ...argv], fake.io);
  while (!fake.out().includes("\n")) {
    const status = await Promise.race([ended, new Promise<void>((resolve) => setTimeout(resolve, 5))]);
    if (status !== undefined) throw new Error(`it ended with ${status}: ${fake.err()}`);
  }
  return {
    url: fake.out().trim(),
    fake,
    stop: () => {
      fake.interrupt();
      return ended;
    },
  };
}

interface Listed {
  readonly name: string;
  readonly live: boolean;
  readonly failure: string | null;
  readonly summary: { readonly calls: number; readonly over: boolean; readonly duration: number | null } | null;
}

/** The list, once it is as it should be. */
async function listed(url: string, holds: (list: readonly Listed[]) => boolean): Promise<readonly Listed[]> {
  for (let tries = 0; tries < 400; tries++) {
    const list = (await (await fetch(`${url}api/list`)).json()) as readonly Listed[];
    if (holds(list)) return list;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the list never came to that");
}

function allRead(list: readonly Listed[]): boolean {
  return list.every(({ summary, failure }) => summary !== null || failure !== null);
}

describe("unbraid inspect", () => {
  it("lists of a folder only what turns out to be a response, and of what was named everything", async () => {
    file("a.sse");
    file("b.json", '{"error":{"message":"Overloaded","code":529}}');
    file("c.json", '{"calls":[],"error":{"message":"Overloaded","code":529}}');
    const named = file("d.json", '{"name":"no response"}');
    const { url, stop } = await started([folder, named]);
    const list = await listed(url, (each) => each.length === 3 && allRead(each));
    expect(list.map(({ name }) => name)).toEqual([join(folder, "a.sse"), join(folder, "b.json"), named]);
    expect(await stop()).toBe(130);
  });

  it("prints the address of a page with what was named, and ends with Ctrl-C", async () => {
    file("a.sse");
    file("b.sse.gz", gzipSync(BODY));
    file("notes.md");
    const { url, fake, stop } = await started([folder]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/$/);
    const list = await listed(url, allRead);
    expect(list.map(({ name, summary }) => [name.slice(folder.length), summary?.calls])).toEqual([
      ["/a.sse", 1],
      ["/b.sse.gz", 1],
    ]);
    expect(fake.err()).toContain("1 file left out");
    expect(await (await fetch(url)).text()).toContain("<title>unbraid inspector</title>");
    expect(await stop()).toBe(130);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("has the times of a recording", async () => {
    file("x.openai-chat.sse");
    file("x.openai-chat.sse.times", `[120,40]\n[620.5,${BODY.length}]\n`);
    file("x.json", "{}");
    const { url, stop } = await started([folder]);
    const list = await listed(url, allRead);
    expect(list).toMatchObject([{ name: join(folder, "x.openai-chat.sse"), summary: { duration: 500.5 } }]);
    await stop();
  });

  it("shows standard input while it comes", async () => {
    const { opened, open } = gate();
    const stdin = (async function* () {
      yield BODY.slice(0, 40);
      await opened;
      yield BODY.slice(40);
    })();
    const { url, stop } = await started(["-"], { stdin });
    await listed(url, ([first]) => first?.live === true && first.summary?.over === false);
    open();
    const list = await listed(url, ([first]) => first?.summary?.over === true);
    expect(list).toMatchObject([{ name: "standard input", summary: { calls: 1 }, failure: null }]);
    expect(await stop()).toBe(130);
  });

  it("goes on without what cannot be read, and says so", async () => {
    const { url, fake, stop } = await started([
      join(folder, "none.sse"),
      file("a.sse"),
      file("bad.sse.gz", gzipSync(BODY).subarray(0, 60)),
    ]);
    expect(fake.err()).toContain("none.sse: there is no such file");
    const list = await listed(url, allRead);
    expect(list.map(({ failure }) => failure)).toEqual([null, "the compressed data ends too early"]);
    await stop();
  });

  it("passes the wire and the tools on", async () => {
    const tools = file("tools.json", JSON.stringify([{ name: "get_weather", parameters: { type: "object" } }]));
    const { url, stop } = await started(["--protocol", "mistral", "--tools", tools, file("a.sse")]);
    expect(await (await fetch(`${url}api/details/1`)).json()).toEqual({
      protocol: "mistral",
      tools: [{ name: "get_weather", parameters: { type: "object" } }],
    });
    await stop();
  });

  it("has lessons where nothing is named", async () => {
    const { url, stop } = await started([]);
    expect(await (await fetch(`${url}api/list`)).json()).toEqual([]);
    expect(await stop()).toBe(130);
  });

  it.each([
    ["nothing that is there", ["/no/such"], "there is nothing to show"],
    ["standard input twice", ["-", "-"], 'give "-" once'],
    ["a port that is none", ["--port", "70000"], "whole number up to 65535"],
    ["a port in words", ["--port", "many"], "whole number up to 65535"],
  ])("refuses %s", async (_, argv, words) => {
    const { status, out, err } = await run(["inspect", ...argv]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(words);
  });

  it("says that the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { status, err } = await run(["inspect", "--port", String(port)]);
    other.close();
    expect(status).toBe(2);
    expect(err).toBe(`unbraid: port ${port} is taken: give another --port, or 0 for any free one\n`);
  });
});
