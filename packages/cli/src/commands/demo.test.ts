import { describe, expect, it } from "vitest";
import { scenes } from "../demo/scenes.ts";
import { columnsOfLine, run } from "../io.test-kit.ts";

describe("unbraid demo", () => {
  it("shows every scene, what goes wrong in it, and what to do next", async () => {
    const started = performance.now();
    const { status, out, err } = await run(["demo"]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(performance.now() - started).toBeLessThan(5000);
    for (const { title } of scenes) expect(out).toContain(title);
    expect(out).toContain("repeated-call #1");
    expect(out).toContain("runs it, though it is truncated");
    expect(out).toContain("repair offered");
    expect(out).toContain("What next");
    expect(out).not.toContain("\u001b");
    for (const line of out.split("\n")) expect(columnsOfLine(line)).toBeLessThanOrEqual(80);
  });

  it("gets from each scene what it says", async () => {
    const documents = await Promise.all(
      scenes.map(async ({ path }) => JSON.parse((await run(["calls", "--json", path])).out) as { runnable: string[] }),
    );
    expect(documents.map(({ runnable }) => runnable)).toEqual([
      ["call_weather", "call_time"],
      ["call_oslo", "call_lima"],
      ["call_mail"],
      [],
      [],
    ]);
  });

  it("does not wait where it is told not to", async () => {
    const started = performance.now();
    await run(["demo", "--fast"], { terminal: 80 });
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it("names a file that is there, as it can be typed", async () => {
    const { out } = await run(["demo"]);
    const [, file = ""] = /unbraid trace (\S+)/.exec(out) ?? [];
    expect((await run(["trace", file])).status).toBe(0);
  });
});
