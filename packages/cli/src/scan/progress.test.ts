import { describe, expect, it } from "vitest";
import type { Output } from "../io.ts";
import { Progress } from "./progress.ts";

function terminal(isTerminal = true): { output: Output; written: string[] } {
  const written: string[] = [];
  return { written, output: { isTerminal, columns: 60, write: async (text) => void written.push(text) } };
}

describe("Progress", () => {
  it("says how many, how fast, and how long it will still take, once it knows how many there are", () => {
    let now = 0;
    const progress = new Progress(terminal().output, () => now);
    for (let file = 0; file < 100; file++) progress.expect(10);
    now = 2_000;
    progress.advance(50, 500);
    expect(progress.line()).toBe("50 files of at least 100  25/s");
    progress.counted();
    expect(progress.line()).toBe("██████████░░░░░░░░░░ 50 %  50 files of 100  25/s  2 s left");
  });

  it("goes by files where there are no bytes, and divides by nothing", () => {
    const progress = new Progress(terminal().output, () => 0);
    progress.expect(0);
    progress.counted();
    expect(progress.line()).toContain("0 %");
    progress.advance(1, 0);
    expect(progress.line()).toContain("100 %");
  });

  it("writes ten times a second at most, fits the terminal, and takes its line away", async () => {
    let now = 0;
    const { output, written } = terminal();
    const progress = new Progress(output, () => now);
    for (now = 0; now < 1_000; now += 10) progress.advance(1, 1);
    await progress.clear();
    expect(written).toHaveLength(11);
    expect(Math.max(...written.map((line) => line.length))).toBeLessThanOrEqual(61);
    expect(written.at(-1)).toMatch(/^\r +\r$/);
  });

  it("writes nothing where there is no terminal", async () => {
    const { output, written } = terminal(false);
    const progress = new Progress(output);
    progress.advance(1, 1);
    await progress.clear();
    expect(written).toEqual([]);
  });
});
