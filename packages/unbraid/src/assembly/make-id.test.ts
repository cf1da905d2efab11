import { expect, test } from "vitest";
import { idSeed, makeId } from "./make-id.ts";

test("is a word that every vendor takes as an id", () => {
  expect(makeId(idSeed("seed"), 0)).toMatch(/^[A-Za-z0-9_-]{9,64}$/);
});

test("10,000 of them are all different", () => {
  expect(
    new Set(Array.from({ length: 10_000 }, (_, i) => makeId(idSeed(`seed ${i % 100}`), Math.floor(i / 100)))).size,
  ).toBe(10_000);
});

test("is the same for the same seed and ordinal, and another for others", () => {
  expect(makeId(idSeed("a"), 0)).toBe(makeId(idSeed("a"), 0));
  expect(makeId(idSeed("a"), 0)).not.toBe(makeId(idSeed("a"), 1));
  expect(makeId(idSeed("a"), 0)).not.toBe(makeId(idSeed("b"), 0));
  expect(makeId(idSeed("a"), 11)).not.toBe(makeId(idSeed("a"), 1, 1));
});
