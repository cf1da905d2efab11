// How waits grow.

import { describe, expect, test } from "vitest";
import { backOff } from "./back-off.ts";

describe("backOff", () => {
  test("doubles up to a bound, and never falls under half of it", () => {
    expect([1, 2, 3, 4, 5, 6, 60].map((attempt) => backOff(attempt, 1))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
    ]);
    expect([1, 5].map((attempt) => backOff(attempt, 0))).toEqual([250, 4_000]);
  });

  test("is not the same for everybody", () => {
    expect(new Set(Array.from({ length: 20 }, () => backOff(5))).size).toBeGreaterThan(10);
  });
});
