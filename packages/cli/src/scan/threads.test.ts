// The built command over its threads. Recordings are copied about: a walk, a share for each thread, one report.

import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { ScanReport } from "./report.ts";

const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
const CASES = fileURLToPath(new URL("../../../../conformance/cases/", import.meta.url));
const COPIES = 10;

const root = mkdtempSync(join(tmpdir(), "unbraid-threads-"));
afterAll(() => rmSync(root, { recursive: true }));
for (let copy = 0; copy < COPIES; copy++) {
  mkdirSync(join(root, String(copy)));
  for (const name of readdirSync(CASES).filter((file) => /\.(sse|ndjson)$/.test(file)))
    copyFileSync(join(CASES, name), join(root, String(copy), name));
}

function scan(...args: string[]): ScanReport {
  const { stdout } = spawnSync(process.execPath, [BIN, "scan", "--json", ...args], { encoding: "utf8" });
  return JSON.parse(stdout) as ScanReport;
}

function interrupted(patience: number): Promise<{ readonly status: number | null; readonly out: string }> {
  const child = spawn(process.execPath, [BIN, "scan", "--json", "--jobs", "2", root]);
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  setTimeout(() => child.kill("SIGINT"), patience);
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, out })));
}

// `npm test` builds before it tests; a test run by itself may find nothing built.
describe.runIf(existsSync(BIN))("unbraid scan on threads", () => {
  it("says the same as one thread", () => {
    const one = scan("--jobs", "1", root);
    expect(scan("--jobs", "3", root)).toEqual(one);
    const small = scan("--jobs", "1", join(root, "0"));
    expect(one.totals.calls).toBe(COPIES * small.totals.calls);
    expect(one.totals.responses).toBeGreaterThan(COPIES * 150);
  });

  it("prints what it has when it is interrupted", async () => {
    // A body that keeps a thread busy for seconds.
    writeFileSync(join(root, "big.sse"), `data: {"choices":[{"delta":{"content":"x"}}]}\n\n`.repeat(600_000));
    let end: { readonly status: number | null; readonly out: string } = { status: null, out: "" };
    // Before the command listens the signal ends it without a status; how long that takes depends on the machine.
    for (let patience = 700; end.status === null && patience < 20_000; patience *= 2) end = await interrupted(patience);
    expect(end.status).toBe(130);
    expect(JSON.parse(end.out)).toMatchObject({ format: "unbraid-scan", interrupted: true });
  });
});
