// Every composed case, whole and cut in every way: the answer is right, and the same.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { answerOf, atRandom, composedCases, differences, every, eventsOf } from "./compare.ts";

const folders = ["./cases/", "./cases-more/", "./cases-wires/"].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);
const cases = folders.flatMap(composedCases);

/** Longest body that is also read byte by byte; longer ones test speed. */
const LONG = 100_000;

test("the cases are there", () => {
  expect(cases.length).toBeGreaterThanOrEqual(205);
});

describe.each(cases)("$name", (one) => {
  const { bytes, expected } = one;
  const whole = eventsOf(one);

  test("gives the right answer", () => {
    const wrong = differences(one, answerOf(whole), whole);
    if (wrong.length > 0) expect.fail(`${wrong.join("\n")}\n\nWhy that is right: ${expected.notes ?? "(no notes)"}`);
  });

  test("gives the same events however the bytes are cut", () => {
    expect(eventsOf(one, every(7, bytes.length))).toEqual(whole);
    for (let seed = 1; seed <= 5; seed++)
      expect(eventsOf(one, atRandom(seed, bytes.length)), `seed ${seed}`).toEqual(whole);
    if (bytes.length <= LONG) expect(eventsOf(one, every(1, bytes.length))).toEqual(whole);
    if (Array.isArray(expected.splits)) expect(eventsOf(one, expected.splits as number[])).toEqual(whole);
  });
});
