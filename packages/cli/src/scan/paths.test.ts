import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findFiles, type Found } from "./paths.ts";

const root = mkdtempSync(join(tmpdir(), "unbraid-paths-"));
afterAll(() => rmSync(root, { recursive: true }));
for (const folder of ["a/b", ".hidden"]) mkdirSync(join(root, folder), { recursive: true });
for (const file of [
  "a/1.sse",
  "a/b/2.NDJSON.gz",
  "a/b/3.json",
  "a/readme.md",
  ".hidden/4.sse",
  "a/.5.sse",
  "top.sse.zst",
])
  writeFileSync(join(root, file), "xy");
symlinkSync(join(root, "a"), join(root, "a/b/circle"));
symlinkSync(join(root, "nowhere.sse"), join(root, "a/dangling.sse"));
symlinkSync(join(root, "top.sse.zst"), join(root, "a/link.sse.zst"));

async function walked(paths: readonly string[]): Promise<Found[]> {
  const all: Found[] = [];
  for await (const one of findFiles(paths)) all.push(one);
  return all;
}

async function found(...paths: string[]): Promise<string[]> {
  const all = await walked(paths.map((path) => join(root, path)));
  return all
    .map((one) => `${relative(root, one.path)}${"problem" in one ? `: ${one.problem}` : one.sure ? "" : "?"}`)
    .toSorted();
}

describe("findFiles", () => {
  it("walks a directory: bodies by their endings, nothing hidden, no circle, no link to nowhere", async () => {
    expect(await found(".")).toEqual(["a/1.sse", "a/b/2.NDJSON.gz", "a/b/3.json?", "a/link.sse.zst", "top.sse.zst"]);
  });

  it("gives what was asked for by name, whatever its ending", async () => {
    expect(await found("a/readme.md", ".hidden/4.sse")).toEqual([".hidden/4.sse", "a/readme.md"]);
  });

  it("follows patterns, and says when one matches nothing", async () => {
    expect(await found("**/*.sse")).toEqual(["a/1.sse", "a/dangling.sse: there is no such file"]);
    expect(await found("a/*/*.{json,NDJSON.gz}")).toEqual(["a/b/2.NDJSON.gz", "a/b/3.json"]);
    expect(await found("a/*.xyz")).toEqual(["a/*.xyz: no file matches this pattern"]);
  });

  it("gives a file once, however often it was asked for", async () => {
    expect(await found("a", "a/1.sse", "a/b", "a", "./a/../a/1.sse")).toEqual(await found("a"));
    expect(await found("top.sse.zst", "top.sse.zst")).toEqual(["top.sse.zst"]);
  });

  it("says what is missing or no file, and waits for no pipe", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await found("none.sse", "pipe")).toEqual([
      "none.sse: there is no such file",
      "pipe: it is neither a file nor a directory",
    ]);
  });

  it("reports the size", async () => {
    expect(await walked([join(root, "a/1.sse")])).toMatchObject([{ bytes: 2 }]);
  });
});
