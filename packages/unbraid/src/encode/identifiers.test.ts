// Ids and names that one wire allows and another does not: there and back.

import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { fitIdentifier, originalIdentifier } from "./identifiers.ts";

const STRICT = { pattern: /^[A-Za-z0-9_-]+$/, max: Infinity };
const SHORT = { pattern: /^[A-Za-z0-9_-]+$/, max: 64 };
const NO_DIGIT_FIRST = { pattern: /^[A-Za-z_][A-Za-z0-9_.:-]*$/, max: 128 };

test.each([
  ["call_1", "call_1"],
  ["functions.get_weather:0", "ub_functions_2eget_5fweather_3a0"],
  ["é", "ub__e9"],
  ["東", "ub__u6771"],
  ["\ud83d", "ub__ud83d"],
  // What looks like one of ours is written anew, so that it comes back as it was.
  ["ub_a_2eb", "ub_ub_5fa_5f2eb"],
  // What only begins like one is a word of its own.
  ["ub_42", "ub_42"],
  ["ub_", "ub_"],
])("%s is written as %s", (word, written) => {
  expect(fitIdentifier(word, STRICT)).toBe(written);
  expect(originalIdentifier(written)).toBe(word);
});

test("a word that is wrong by its first character alone comes back", () => {
  expect(fitIdentifier("7up", NO_DIGIT_FIRST)).toBe("ub__37up");
  expect(originalIdentifier("ub__37up")).toBe("7up");
  expect(fitIdentifier("my.tool", NO_DIGIT_FIRST)).toBe("my.tool");
});

test("what is too long is a digest: always the same, and another for another", () => {
  const long = "x".repeat(65);
  expect(fitIdentifier(long, SHORT)).toMatch(/^call_[0-9a-f]{16}$/);
  expect(fitIdentifier(long, SHORT)).toBe(fitIdentifier(long, SHORT));
  expect(fitIdentifier(`${long}y`, SHORT)).not.toBe(fitIdentifier(long, SHORT));
  // Short enough, but not when it is spelled out.
  expect(fitIdentifier(".".repeat(30), SHORT)).toMatch(/^call_[0-9a-f]{16}$/);
});

property.prop([fc.string({ minLength: 1, unit: "binary" })])(
  "every word comes back, and no two are the same",
  (word) => {
    const written = fitIdentifier(word, STRICT);
    expect(written).toMatch(STRICT.pattern);
    expect(originalIdentifier(written)).toBe(word);
  },
);

property.prop([fc.stringMatching(/^(?:ub_)?[a-z0-9_-]{1,20}$/)])(
  "an allowed word is changed only where it must be",
  (word) => {
    const written = fitIdentifier(word, STRICT);
    expect(originalIdentifier(written)).toBe(word);
    if (originalIdentifier(word) === word) expect(written).toBe(word);
  },
);
