import { describe, expect, it } from "vitest";
import { until } from "./until.ts";

const patient = (): undefined => undefined;

describe("until", () => {
  it("hands everything on", async () => {
    const seen = await all(until(chunks(1, 2, 3), { signal: new AbortController().signal, patience: patient }));
    expect(seen).toEqual([1, 2, 3]);
  });

  it("stops at once when the signal fires, though the source never answers", async () => {
    const controller = new AbortController();
    const seen: number[] = [];
    for await (const chunk of until(hanging(), { signal: controller.signal, patience: patient })) {
      seen.push(chunk);
      setTimeout(() => controller.abort(), 5);
    }
    expect(seen).toEqual([1]);
  });

  it("reads nothing where the signal has fired before", async () => {
    const seen = await all(until(chunks(1), { signal: AbortSignal.abort(), patience: patient }));
    expect(seen).toEqual([]);
  });

  it("stops when its patience is over", async () => {
    const signal = new AbortController().signal;
    const seen = await all(until(hanging(), { signal, patience: () => 5 }));
    expect(seen).toEqual([1]);
  });

  it("throws what the source throws", async () => {
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error("gone");
    }
    const signal = new AbortController().signal;
    await expect(all(until(failing(), { signal, patience: patient }))).rejects.toThrow("gone");
  });

  it("tells the source when the loop is left", async () => {
    let told = false;
    async function* source(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
      } finally {
        told = true;
      }
    }
    for await (const _ of until(source(), { signal: new AbortController().signal, patience: patient })) break;
    expect(told).toBe(true);
  });
});

async function all(source: AsyncIterable<number>): Promise<number[]> {
  const seen: number[] = [];
  for await (const chunk of source) seen.push(chunk);
  return seen;
}

async function* chunks(...list: readonly number[]): AsyncGenerator<number> {
  yield* list;
}

async function* hanging(): AsyncGenerator<number> {
  yield 1;
  await new Promise(() => {});
}
