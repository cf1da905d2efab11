// Every composed case, whole and cut in every way: the answer is right, and the same.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { StreamEvent } from "unbraid";
import { answerOf, atRandom, type Case, composedCases, differences, every, eventsOf } from "./compare.ts";

const folders = ["./cases/", "./cases-more/", "./cases-wires/", "./cases-text/"].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);
const cases = folders.flatMap(composedCases);

/** A body without frames comes in as many pieces as it is cut into: what they amount to is the same. */
function said(one: Case, events: readonly StreamEvent[]): unknown {
  if (one.protocol !== "text") return events;
  const { notices, ...answer } = answerOf(events);
  return { ...answer, notices: notices.map(({ code, message, dropped }) => ({ code, message, dropped })) };
}

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
    const right = said(one, whole);
    const cutAt = (cuts: Iterable<number>): unknown => said(one, eventsOf(one, cuts));
    expect(cutAt(every(7, bytes.length))).toEqual(right);
    for (let seed = 1; seed <= 5; seed++) expect(cutAt(atRandom(seed, bytes.length)), `seed ${seed}`).toEqual(right);
    if (bytes.length <= LONG) expect(cutAt(every(1, bytes.length))).toEqual(right);
    if (Array.isArray(expected.splits)) expect(cutAt(expected.splits as number[])).toEqual(right);
  });
});
