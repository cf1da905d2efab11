import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bodiesOf, checkUnchanged } from "./bodies.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "unbraid-bodies-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Makes files by their paths. */
function make(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), "data: {}\n\n");
  }
}

async function names(path = folder): Promise<readonly string[]> {
  return (await bodiesOf(path)).files.map(({ name }) => name.slice(folder.length + 1));
}

describe("the bodies of a path", () => {
  it("are a file by itself, whatever its name", async () => {
    make("strange.name");
    expect(await names(join(folder, "strange.name"))).toEqual(["strange.name"]);
  });

  it("are those in a folder and below it, by name", async () => {
    make("b.sse", "a.sse.gz", "deep/er/c.ndjson", "deep/d.eventstream", "picture.png", "notes.md");
    const { files, passedOver, more } = await bodiesOf(folder);
    expect(files.map(({ name }) => name.slice(folder.length + 1))).toEqual([
      "a.sse.gz",
      "b.sse",
      "deep/d.eventstream",
      "deep/er/c.ndjson",
    ]);
    expect({ passedOver, more }).toEqual({ passedOver: 2, more: false });
  });

  it("are not what is hidden or belongs to others", async () => {
    make(".git/a.sse", "node_modules/x/b.sse", ".c.sse", "d.sse");
    expect(await names()).toEqual(["d.sse"]);
  });

  it("are not the files beside the body of a recording", async () => {
    make("x.json", "x.openai-chat.sse", "x.openai-chat.sse.times", "y.json", "y.expected.json");
    expect(await names()).toEqual(["x.openai-chat.sse", "y.expected.json", "y.json"]);
  });

  it("never lead out of the folder, whatever a link says", async () => {
    const outside = mkdtempSync(join(tmpdir(), "unbraid-outside-"));
    writeFileSync(join(outside, "secret.sse"), "");
    make("in.sse", "sub/also.sse");
    symlinkSync(join(outside, "secret.sse"), join(folder, "link.sse"));
    symlinkSync(outside, join(folder, "linked"));
    symlinkSync(folder, join(folder, "sub/round"));
    symlinkSync(join(folder, "sub/also.sse"), join(folder, "inside.sse"));
    symlinkSync(join(folder, "nowhere.sse"), join(folder, "broken.sse"));
    symlinkSync("/dev/zero", join(folder, "zero.sse"));
    expect(await names()).toEqual(["in.sse", "inside.sse", "sub/also.sse"]);
    rmSync(outside, { recursive: true });
  });

  it("are no more than the limit", async () => {
    make("a.sse", "b.sse", "c.sse");
    const { files, more } = await bodiesOf(folder, 2);
    expect({ count: files.length, more }).toEqual({ count: 2, more: true });
  });

  it("are not there", async () => {
    await expect(bodiesOf(join(folder, "no"))).rejects.toMatchObject({
      code: "ENOENT",
      message: "there is no such file",
    });
  });

  it("are refused where something else was put in their place", async () => {
    make("a.sse", "other.sse");
    const [file] = (await bodiesOf(folder)).files;
    if (file === undefined) throw new Error("no file");
    await checkUnchanged(file);
    rmSync(file.path);
    symlinkSync(join(folder, "other.sse"), file.path);
    await expect(checkUnchanged(file)).rejects.toMatchObject({ code: "moved" });
    rmSync(file.path);
    await expect(checkUnchanged(file)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("say what can be read only once", async () => {
    expect((await bodiesOf("/dev/null")).files).toMatchObject([{ regular: false }]);
  });
});
