import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { parseJson } from "./parse.ts";
import { native, randomFrom, sameValue, validText } from "./json.test-support.ts";

test("gives what JSON.parse gives", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const text = validText(randomFrom(seed));
      for (const options of [{}, { number: Number }, { maxDepth: 20 }]) {
        const result = parseJson(text, options);
        if (!result.ok || !sameValue(result.value, native(text)?.value)) throw new Error(text);
      }
    }),
    { numRuns: 500 },
  );
});

describe("a fault instead of an exception", () => {
  test.each([
    ['{"a":1', "unexpected-end", 6],
    ["", "unexpected-end", 0],
    ['{"a":1,}', "unexpected-character", 7],
    ["{}{}", "trailing-text", 2],
    ['"\n"', "control-character", 1],
  ])("%j", (text, code, offset) => {
    expect(parseJson(text)).toMatchObject({ ok: false, fault: { code, offset } });
    expect(parseJson(text, { number: Number })).toMatchObject({ ok: false, fault: { code, offset } });
  });
});

describe("depth", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

  test("of 10,000 levels is read, in whichever way", () => {
    expect(parseJson(nested(10_000)).ok).toBe(true);
    expect(parseJson(nested(10_000), { number: Number }).ok).toBe(true);
  });

  test("is limited to 10,000 levels, or as the caller says", () => {
    expect(parseJson(nested(10_001))).toMatchObject({ ok: false, fault: { code: "too-deep", offset: 10_000 } });
    expect(parseJson(nested(3), { maxDepth: 3 }).ok).toBe(true);
    expect(parseJson(nested(4), { maxDepth: 3 })).toMatchObject({ ok: false, fault: { code: "too-deep", offset: 3 } });
    expect(parseJson(`[${" ".repeat(50)}1]`, { maxDepth: 1 })).toEqual({ ok: true, value: [1] });
    expect(parseJson("1", { maxDepth: 0 })).toEqual({ ok: true, value: 1 });
  });

  test("is read where the engine's own parser runs out of stack", () => {
    const parse = vi.spyOn(JSON, "parse").mockImplementation(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    try {
      expect(parseJson('{"a":[1,{"b":"c"}]}')).toEqual({ ok: true, value: { a: [1, { b: "c" }] } });
    } finally {
      parse.mockRestore();
    }
  });
});

test("an own __proto__, the last of equal keys, and numbers as they are", () => {
  const result = parseJson('{"__proto__":{"x":1},"a":1,"b":2,"a":3,"z":-0}', { number: Number });
  const value = (result.ok ? result.value : {}) as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(["__proto__", "a", "b", "z"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(value["a"]).toBe(3);
  expect(value["z"]).toBe(-0);
});
