import { describe, expect, it } from "vitest";
import { recordedWith } from "./recorded.ts";

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function cut(times: readonly (readonly [number, number])[], ...texts: readonly string[]): Promise<unknown[]> {
  const recorded = recordedWith(times);
  const seen: unknown[] = [];
  for await (const piece of recorded.pieces(chunks(...texts)))
    seen.push([recorded.clock(), Buffer.from(piece).toString()]);
  return seen;
}

describe("recorded times", () => {
  it("cut a body as it came, however it is read", async () => {
    const times = [
      [5, 2],
      [9, 5],
      [40, 6],
    ] as const;
    expect(await cut(times, "abcdef")).toEqual([
      [5, "ab"],
      [9, "cde"],
      [40, "f"],
    ]);
    expect(await cut(times, "a", "bcd", "ef")).toEqual([
      [5, "a"],
      [5, "b"],
      [9, "cd"],
      [9, "e"],
      [40, "f"],
    ]);
  });

  it("let what lies behind the last arrival come with it", async () => {
    expect(await cut([[5, 2]], "abcdef")).toEqual([
      [5, "ab"],
      [5, "cdef"],
    ]);
  });
});
