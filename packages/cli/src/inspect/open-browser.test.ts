import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openBrowser } from "./open-browser.ts";

it.runIf(process.platform === "linux")("hands the address to the system, as one word", async () => {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-open-"));
  const said = join(folder, "said");
  writeFileSync(
    join(folder, "xdg-open"),
    `#!/bin/sh\nprintf '%s|' "$#" "$@" > '${said}.part' && mv '${said}.part' '${said}'\n`,
  );
  chmodSync(join(folder, "xdg-open"), 0o755);
  const before = process.env["PATH"];
  process.env["PATH"] = `${folder}:${before}`;
  try {
    openBrowser("http://127.0.0.1:1/a b;c/");
    for (let tries = 0; tries < 400; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      try {
        expect(readFileSync(said, "utf8")).toBe("1|http://127.0.0.1:1/a b;c/|");
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== "ENOENT") throw error;
      }
    }
    throw new Error("it was never opened");
  } finally {
    process.env["PATH"] = before;
    rmSync(folder, { recursive: true, force: true });
  }
});

it("goes on where there is no browser", async () => {
  const before = process.env["PATH"];
  process.env["PATH"] = "/nowhere";
  openBrowser("http://127.0.0.1:1/");
  process.env["PATH"] = before;
  await new Promise((resolve) => setTimeout(resolve, 50));
});
