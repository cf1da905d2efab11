import { isDeepStrictEqual } from "node:util";
import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { sameValue } from "./same-value.ts";

describe("sameValue", () => {
  test.prop([fc.jsonValue(), fc.jsonValue()])("says what Node says", (one, other) => {
    expect(sameValue(one, other)).toBe(isDeepStrictEqual(one, other));
    expect(sameValue(one, structuredClone(one))).toBe(true);
  });

  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[], {}, false],
    [{ a: undefined }, { b: undefined }, false],
    [[1, 2], [2, 1], false],
    [-0, 0, false],
    [JSON.parse('{"__proto__":1}'), {}, false],
  ])("%j and %j: %s", (one, other, same) => {
    expect(sameValue(one, other)).toBe(same);
  });

  it("is not stopped by depth", () => {
    const deep = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
    expect(sameValue(deep(100_000), deep(100_000))).toBe(true);
    expect(sameValue(deep(100_000), deep(99_999))).toBe(false);
  });
});
