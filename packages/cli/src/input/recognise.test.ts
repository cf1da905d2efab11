import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chatBody } from "../io.test-kit.ts";
import type { ReadSettings } from "./drive.ts";
import { holdsResponse, isReportOfCalls } from "./recognise.ts";

const READING: ReadSettings = { protocol: undefined, tools: undefined, limits: {}, chunkSize: undefined };
const BODY = chatBody([{ content: "Sunny." }], "stop");
const VENDOR_ERROR = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}';
const REPORT = '{"protocol":"openai-chat","calls":[],"finish":"error","id":"x","error":{"code":502,"message":"no"}}';

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "unbraid-recognise-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(content: string | Uint8Array): string {
  const path = join(folder, "a.json");
  writeFileSync(path, content);
  return path;
}

describe("a file that may be a response", () => {
  it.each([
    ["a stream", BODY],
    ["a compressed one", gzipSync(BODY)],
    ["a vendor's error", VENDOR_ERROR],
    ["a stream with an error in it", `${BODY}data: ${VENDOR_ERROR}\n\n`],
    ["what cannot be read to its first sign", gzipSync(BODY).subarray(0, 20)],
  ])("is one: %s", async (_, content) => {
    expect(await holdsResponse(file(content), READING)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["a manifest", '{"name":"x","version":"1.0.0"}'],
    ["a page", "<!doctype html><title>x</title>"],
    ["a report of calls with an error in it", REPORT],
    ["such a report over many lines", JSON.stringify(JSON.parse(REPORT), null, 1)],
    ["many such reports", `${REPORT}\n${REPORT}\n`],
  ])("is none: %s", async (_, content) => {
    expect(await holdsResponse(file(content), READING)).toBe(false);
  });

  it("is one although it cannot be found", async () => {
    expect(await holdsResponse(join(folder, "gone.json"), READING)).toBe(true);
  });

  it("is read no further than to the first sign", async () => {
    const path = file(BODY.repeat(40_000));
    const begun = performance.now();
    await holdsResponse(path, READING);
    expect(performance.now() - begun).toBeLessThan(500);
  });
});

describe("a report of calls", () => {
  it("has a list of calls", async () => {
    expect(await isReportOfCalls(file(REPORT))).toBe(true);
    expect(await isReportOfCalls(file('{"calls":1,"error":{}}'))).toBe(false);
    expect(await isReportOfCalls(file("[]"))).toBe(false);
  });
});
