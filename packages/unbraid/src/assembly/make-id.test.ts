import { expect, test } from "vitest";
import { makeId } from "./make-id.ts";

test("is a word that every vendor takes as an id", () => {
  expect(makeId("seed", 0)).toMatch(/^[A-Za-z0-9_-]{9,64}$/);
});

test("10,000 of them are all different", () => {
  expect(new Set(Array.from({ length: 10_000 }, (_, i) => makeId(`seed ${i % 100}`, Math.floor(i / 100)))).size).toBe(
    10_000,
  );
});

test("is the same for the same seed and ordinal, and another for others", () => {
  expect(makeId("a", 0)).toBe(makeId("a", 0));
  expect(makeId("a", 0)).not.toBe(makeId("a", 1));
  expect(makeId("a", 0)).not.toBe(makeId("b", 0));
  expect(makeId("a", 11)).not.toBe(makeId("1\u0000a", 1));
});
