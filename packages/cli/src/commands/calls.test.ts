import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callDelta, chatBody, columnsOfLine, fakeIo, gate, run } from "../io.test-kit.ts";
import { main } from "../main.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "unbraid-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const sound = chatBody([callDelta(0, "", "a", "weather"), callDelta(0, '{"city"'), callDelta(0, ':"Oslo"}')]);
const cut = chatBody([callDelta(0, '{"city"', "a", "weather")], null);

function documents(out: string): Record<string, unknown>[] {
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

describe("unbraid calls --json", () => {
  it("prints one document with all fields", async () => {
    const path = file("sound.sse", sound);
    const { status, out, err } = await run(["calls", "--json", path]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(documents(out)).toEqual([
      {
        file: path,
        protocol: "openai-chat",
        calls: [
          expect.objectContaining({
            id: "a",
            name: "weather",
            kind: "function",
            choice: 0,
            index: 0,
            status: "complete",
            argumentsText: '{"city":"Oslo"}',
            arguments: { city: "Oslo" },
          }),
        ],
        dropped: [],
        finish: "tool_calls",
        rawFinish: "tool_calls",
        error: null,
        text: "",
        reasoning: "",
        runnable: ["a"],
        diagnostics: [],
      },
    ]);
  });

  it("keeps the order of the arguments and goes on behind what it cannot read", async () => {
    const [one, two] = [file("one.sse", sound), file("two.sse", sound)];
    const { status, out, err } = await run(["calls", "--json", one, join(folder, "none"), folder, two]);
    expect(status).toBe(1);
    const list = documents(out);
    expect(list.map((document) => document["file"])).toEqual([one, join(folder, "none"), folder, two]);
    expect(list[1]).toMatchObject({
      protocol: null,
      calls: [],
      runnable: [],
      error: { code: "ENOENT", message: "there is no such file", fatal: true },
    });
    expect(list[2]).toMatchObject({ error: { code: "EISDIR", fatal: true } });
    expect(list[3]).toMatchObject({ runnable: ["a"], error: null });
    expect(err).toBe(
      `unbraid: cannot read ${join(folder, "none")}: there is no such file\nunbraid: cannot read ${folder}: it is a directory, not a file\n`,
    );
  });

  it("says so when a stream has no end, and exits with 1", async () => {
    const { status, out } = await run(["calls", "--json", file("cut.sse", cut)]);
    expect(status).toBe(1);
    expect(documents(out)[0]).toMatchObject({
      finish: null,
      runnable: [],
      calls: [{ status: "truncated", arguments: null }],
    });
  });

  it("says so when a stream carries an error, and exits with 1", async () => {
    const body = `${cut}data: {"error":{"code":"overloaded","message":"busy"}}\n\n`;
    const { status, out } = await run(["calls", "--json", "-"], { stdin: [body] });
    expect(status).toBe(1);
    const [document] = documents(out);
    expect(document).toMatchObject({ file: "-", finish: "error", error: { code: "overloaded", message: "busy" } });
    expect(document?.["error"]).not.toHaveProperty("fatal");
  });

  it("finds gzip by itself, in files and in standard input", async () => {
    const zipped = gzipSync(sound);
    const fromFile = await run(["calls", "--json", file("zipped", zipped)]);
    const fromStdin = await run(["calls", "--json", "-"], { stdin: [zipped.subarray(0, 1), zipped.subarray(1)] });
    for (const { status, out } of [fromFile, fromStdin]) {
      expect(status).toBe(0);
      expect(documents(out)[0]).toMatchObject({ runnable: ["a"] });
    }
  });

  it("keeps what it read of a gzip file that is cut", async () => {
    // Stored, not compressed, so that the cut falls into what comes last.
    const zipped = gzipSync(sound.replace("data: [DONE]\n\n", ": the end of it\n"), { level: 0 });
    const { status, out, err } = await run(["calls", "--json", file("cut.gz", zipped.subarray(0, -20))]);
    expect(status).toBe(1);
    expect(err).toContain("the compressed data ends too early");
    expect(documents(out)[0]).toMatchObject({
      error: { code: "Z_BUF_ERROR", fatal: true },
      calls: [{ id: "a", argumentsText: '{"city":"Oslo"}' }],
    });
  });

  it("gives the same answer whatever the size of the pieces", async () => {
    const whole = await run(["calls", "--json", "-"], { stdin: [sound] });
    for (const size of ["1", "7", "100000"])
      expect(await run(["calls", "--json", "--chunk-size", size, "-"], { stdin: [sound] })).toEqual(whole);
  });

  it("prints a document as soon as its file is done", async () => {
    const path = file("first.sse", sound);
    const { opened, open } = gate();
    async function* later(): AsyncGenerator<string> {
      await opened;
      yield sound;
    }
    const fake = fakeIo({ stdin: later() });
    const done = main(["calls", "--json", path, "-"], fake.io);
    while (fake.out() === "") await new Promise((resolve) => setTimeout(resolve, 5));
    expect(documents(fake.out())).toHaveLength(1);
    open();
    expect(await done).toBe(0);
    expect(documents(fake.out())).toHaveLength(2);
  });

  it("keeps to the limits it is given", async () => {
    const body = chatBody([callDelta(0, `{"city":"${"x".repeat(500)}"}`, "a", "weather")]);
    const args = await run(["calls", "--json", "--max-argument-bytes", "100", "-"], { stdin: [body] });
    expect(documents(args.out)[0]).toMatchObject({
      runnable: [],
      error: { code: "limit" },
      calls: [{ status: "truncated" }],
    });
    const frame = await run(["calls", "--json", "--max-frame-bytes", "300", "-"], { stdin: [body] });
    expect(frame.status).toBe(1);
    expect(documents(frame.out)[0]).toMatchObject({ error: { code: "frame-too-large" } });
  });

  it("writes arguments that are nested deeper than the stack", async () => {
    const args = `{"a":${"[".repeat(9990)}${"]".repeat(9990)}}`;
    const { out } = await run(["calls", "--json", "-"], { stdin: [chatBody([callDelta(0, args, "a", "weather")])] });
    expect(documents(out)).toHaveLength(1);
    expect(out).toContain(`"arguments":${args}`);
  });

  it("prints what was read when it is interrupted", async () => {
    async function* hanging(): AsyncGenerator<string> {
      yield cut;
      await new Promise(() => {});
    }
    const fake = fakeIo({ stdin: hanging() });
    const done = main(["calls", "--json", "-"], fake.io);
    setTimeout(fake.interrupt, 20);
    expect(await done).toBe(130);
    expect(documents(fake.out())[0]).toMatchObject({ finish: "cancelled", calls: [{ id: "a", status: "truncated" }] });
  });
});

describe("unbraid calls --tools", () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const tools = (): string => file("tools.json", JSON.stringify([{ name: "weather", parameters: schema }]));

  async function check(...deltas: readonly object[]): Promise<Record<string, unknown> | undefined> {
    const { out } = await run(["calls", "--json", "--tools", tools(), "-"], { stdin: [chatBody(deltas)] });
    return documents(out)[0];
  }

  it("lets a call run that is known and valid", async () => {
    expect(await check(callDelta(0, '{"city":"Oslo"}', "a", "weather"))).toMatchObject({
      runnable: ["a"],
      diagnostics: [],
    });
  });

  it("notices unknown names, missing fields and wrong types, and lets none of these run", async () => {
    const document = await check(
      callDelta(0, "{}", "a", "weather"),
      callDelta(1, "{}", "b", "wether"),
      callDelta(2, '{"city":3}', "c", "weather"),
    );
    expect(document).toMatchObject({
      runnable: [],
      diagnostics: [
        { code: "missing-required-arguments" },
        { code: "unknown-tool" },
        { code: "invalid-arguments", errors: [{ path: "/city", message: "must be string" }] },
      ],
    });
  });
});

describe("unbraid calls, for a person", () => {
  it("shows calls, problems and what may run", async () => {
    const { status, out } = await run(["calls", file("sound.sse", sound), file("cut.sse", cut)], {
      terminal: 80,
      env: { NO_COLOR: "1" },
    });
    expect(status).toBe(1);
    expect(out).toContain('1  weather  a   complete      2     15\n     {"city":"Oslo"}\nmay run  #1\n');
    expect(out).toContain("nothing may run  the response ended with no terminal signal");
    for (const line of out.split("\n")) expect(columnsOfLine(line)).toBeLessThanOrEqual(80);
  });

  it("says why a file could not be read, and nothing else of it", async () => {
    const { out } = await run(["calls", join(folder, "none")]);
    expect(out).toBe(`${join(folder, "none")}\nerror  ENOENT: there is no such file\n`);
  });
});
