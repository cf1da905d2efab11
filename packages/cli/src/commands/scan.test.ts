import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callDelta, chatBody, columnsOfLine, fakeIo, hostileCharacter, run } from "../io.test-kit.ts";
import { main } from "../main.ts";
import type { ScanReport } from "../scan/report.ts";

const CASES = new URL("../../../../conformance/cases/", import.meta.url).pathname;
const root = mkdtempSync(join(tmpdir(), "unbraid-scan-"));
afterAll(() => rmSync(root, { recursive: true }));

const sound = chatBody([callDelta(0, '{"city":', "a", "weather"), callDelta(0, '"Oslo"}')]);
const malformed = chatBody([callDelta(0, '{"city": }', "a", "weather")]);
const cut = chatBody([callDelta(0, '{"city":', "a", "weather")], null);

function write(name: string, content: string | Uint8Array): string {
  const path = join(root, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function report(...args: string[]): Promise<ScanReport> {
  const { out } = await run(["scan", "--json", "--jobs", "1", ...args]);
  return JSON.parse(out) as ScanReport;
}

beforeAll(() => {
  write("mixed/sound.sse", sound);
  write("mixed/deep/malformed.sse.gz", zlib.gzipSync(malformed));
  write("mixed/deep/cut.sse", cut);
  write("mixed/notes.json", '{"calls":[],"finish":"stop"}');
  write("mixed/LICENCE.txt", "Permission is hereby granted, free of charge");
  write("mixed/damaged.sse.gz", zlib.gzipSync(sound).subarray(0, 30));
});

describe("unbraid scan", () => {
  it("says what `unbraid calls` says of each, added up", async () => {
    const { out } = await run(["calls", "--json", ...casesOf("sse"), ...casesOf("ndjson"), ...casesOf("eventstream")]);
    const documents = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { calls: { status: string }[]; diagnostics: { code: string }[] });
    const calls = documents.flatMap((document) => document.calls);
    const { totals, notices } = await report(...casesOf("sse"), ...casesOf("ndjson"), ...casesOf("eventstream"));
    expect(totals).toMatchObject({
      responses: documents.length,
      calls: calls.length,
      complete: calls.filter(({ status }) => status === "complete").length,
      truncated: calls.filter(({ status }) => status === "truncated").length,
      malformed: calls.filter(({ status }) => status === "malformed").length,
    });
    const codes = documents.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code));
    for (const [code, count] of Object.entries(notices))
      expect(count, code).toBe(codes.filter((one) => one === code).length);
  });

  it("leaves out what was made of responses, be there an error in it", async () => {
    const overloaded = '{"error":{"message":"Overloaded","code":529}}';
    write("beside/a.sse", sound);
    write("beside/a.expected.json", `{"calls":[],"id":"a",${overloaded.slice(1)}`);
    write("beside/b.json", overloaded);
    const { files, skipped, totals } = await report(join(root, "beside"));
    expect({ files, skipped, responses: totals.responses, errors: totals.errors }).toEqual({
      files: 2,
      skipped: 1,
      responses: 2,
      errors: 1,
    });
  });

  it("says what to do about a log whose bodies it does not find", async () => {
    const log = write("odd.jsonl", `${JSON.stringify({ a: { b: sound } })}\n`);
    expect((await report(log)).broken).toEqual([
      { name: log, message: "no stream, and no log with streams in the usual fields; --field names another" },
    ]);
    expect((await report(log, "--field", "a.b")).totals.calls).toBe(1);
  });

  it("says beside the CSV what could not be read, and that it does not read standard input", async () => {
    const missing = await run(["scan", "--csv", "--jobs", "1", join(root, "missing.sse")]);
    expect(missing.status).toBe(1);
    expect(missing.err).toBe(`unbraid: ${join(root, "missing.sse")}: there is no such file\n`);
    const stdin = await run(["scan", "-"]);
    expect(stdin.status).toBe(2);
    expect(stdin.err).toContain("take unbraid calls -");
  });

  it("walks directories, takes gzip apart, leaves files without a stream out, and names those it cannot read", async () => {
    const { files, skipped, totals, groups, broken, brokenFiles } = await report(join(root, "mixed"));
    expect({ files, skipped, brokenFiles }).toEqual({ files: 3, skipped: 2, brokenFiles: 1 });
    expect(totals).toMatchObject({ responses: 3, calls: 3, complete: 1, truncated: 1, malformed: 1, unfinished: 1 });
    expect(groups.map(({ protocol, model }) => [protocol, model])).toEqual([["openai-chat", "m"]]);
    expect(broken[0]).toMatchObject({ message: "the compressed data ends too early" });
    expect((await run(["scan", join(root, "mixed")])).status).toBe(1);
  });

  it.runIf(typeof zlib.zstdCompressSync === "function")("takes zstd apart", async () => {
    const path = write("one.sse.zst", zlib.zstdCompressSync(Buffer.from(sound)));
    expect((await report(path)).totals).toMatchObject({ complete: 1, bytes: sound.length });
  });

  it("reads bodies out of the lines of a log", async () => {
    const lines = [
      { model: "gpt", url: "http://one.example/v1?key=k", body: sound },
      { model: "gpt", url: "http://one.example/v1", body: malformed },
      { model: "gpt", body: 5 },
    ];
    const path = write("log.jsonl", `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"torn`);
    const { totals, groups, worst, broken } = await report(path);
    expect(totals).toMatchObject({ responses: 2, complete: 1, malformed: 1 });
    // The body names its model itself; the log's is for bodies that do not.
    expect(groups).toMatchObject([{ model: "m", server: "one.example" }]);
    expect(worst[0]?.name).toBe(`${path}:2`);
    expect(broken[0]?.message).toBe(
      "line 3: the line has none of the usual fields with a body; line 4: the line is not JSON",
    );
    const named = write("named.log", JSON.stringify({ deep: { wire: JSON.parse('{"object":"x"}') as object } }));
    expect((await report(named, "--field", "deep.wire")).totals.responses).toBe(1);
  });

  it("knows of a recording when its fragments came, and from where", async () => {
    const bytes = Buffer.from(sound);
    const ends = [...sound.matchAll(/\n\n/g)].map(({ index }) => index + 2);
    const stem = "recorded/2026-05-04T12-00-00.123Z-1";
    write(`${stem}.openai-chat.sse`, bytes);
    write(`${stem}.openai-chat.sse.times`, ends.map((end, at) => JSON.stringify([200 + 50 * at, end])).join("\n"));
    const body = "2026-05-04T12-00-00.123Z-1.openai-chat.sse";
    const exchange = {
      format: "unbraid-recording/1",
      startedAt: "2026-05-04T12:00:00.123Z",
      upstream: "gpu-7:8000",
      request: { method: "POST", url: "/v1/chat/completions" },
      response: { status: 200, headers: [], body },
    };
    write(`${stem}.json`, JSON.stringify(exchange));
    const { files, skipped, groups } = await report(join(root, "recorded"));
    expect({ files, skipped }).toEqual({ files: 1, skipped: 0 });
    expect(groups).toMatchObject([
      { server: "gpu-7:8000", firstFragment: { count: 1, min: 200 }, gaps: { count: 1, min: 50, max: 50 } },
    ]);
    expect((await run(["scan", join(root, "recorded")])).out).toContain("first fragment    median 200 ms");
  });

  it("writes a table that fits 80 columns, with nothing hostile in it", async () => {
    const hostile = sound.replaceAll('"m"', JSON.stringify(`\u001b]0;x\u0007\u202e${"long ".repeat(40)}`));
    write("table/a.sse", hostile);
    write("table/b.sse", malformed);
    const { out, status } = await run(["scan", join(root, "table"), join(root, "missing.sse")]);
    expect(status).toBe(1);
    for (const line of out.split("\n")) expect(columnsOfLine(line), line).toBeLessThanOrEqual(80);
    expect(hostileCharacter(out)).toBeUndefined();
    expect(out).toContain("malformed-arguments");
    expect(out).toContain("missing.sse: there is no such file");
  });

  it("writes CSV that no spreadsheet runs", async () => {
    write("csv/a.sse", sound.replaceAll('"m"', JSON.stringify('=HYPERLINK("x"),1')));
    const { out } = await run(["scan", "--csv", join(root, "csv")]);
    const [head = "", row = ""] = out.split("\r\n");
    expect(head).toMatch(/^protocol,model,server,responses,calls,complete,/);
    expect(row).toMatch(/^openai-chat,"'=HYPERLINK\(""x""\),1",,1,1,1,/);
  });

  it("writes a page that needs nothing else and runs nothing", async () => {
    write("page/a.sse", malformed.replaceAll('"m"', JSON.stringify('<script>alert(1)</script>"&')));
    const path = join(root, "report.html");
    await run(["scan", "--html", path, join(root, "page")]);
    const page = readFileSync(path, "utf8");
    expect(page).not.toMatch(/<script|<link|<img|https?:|@import|url\(/i);
    expect(page).toContain("&lt;script&gt;");
    expect(page).toContain("default-src 'none'");
    expect(page.match(/<svg/g)?.length).toBeGreaterThan(2);
  });

  it("adds partial reports up to what one scan says", async () => {
    const whole = await report(join(root, "mixed"));
    const parts = [join(root, "mixed/deep"), join(root, "mixed/sound.sse")];
    const files = await Promise.all(
      parts.map(async (part, at) => write(`${at}.json`, JSON.stringify(await report(part)))),
    );
    const { out, status } = await run(["scan", "--merge", "--json", ...files]);
    expect(status).toBe(0);
    expect((JSON.parse(out) as ScanReport).totals).toEqual(whole.totals);
  });

  it.each([
    ["{}", "is no report of a scan"],
    ['{"format":"unbraid-scan","version":9}', "is a report of version 9"],
    ['{"format":"unbraid-scan","version":1,"groups":[{}]}', "is a damaged report"],
    ["{", "is not JSON"],
  ])("refuses to add up %s", async (content, words) => {
    const { status, err } = await run(["scan", "--merge", write("bad.json", content)]);
    expect(status).toBe(2);
    expect(err).toContain(words);
  });

  it("prints what it has when it is interrupted", async () => {
    const many = Array.from({ length: 100 }, (_, at) => write(`many/${at}.sse`, sound));
    const fake = fakeIo();
    const stderr = {
      isTerminal: true,
      columns: 80,
      write: async () => fake.interrupt(),
    };
    const io = { ...fake.io, stderr };
    const status = await main(["scan", "--json", "--jobs", "1", ...many], io);
    const { interrupted, totals } = JSON.parse(fake.out()) as ScanReport;
    expect(status).toBe(130);
    expect(interrupted).toBe(true);
    expect(totals.responses).toBeGreaterThan(0);
    expect(totals.responses).toBeLessThan(100);
  });

  it("takes no two formats at once", async () => {
    expect((await run(["scan", "--json", "--csv", root])).status).toBe(2);
  });
});

function casesOf(ending: string): string[] {
  return readdirSync(CASES)
    .filter((name) => name.endsWith(`.${ending}`))
    .map((name) => join(CASES, name));
}
