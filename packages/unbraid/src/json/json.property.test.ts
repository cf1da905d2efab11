// The room against `JSON.parse`: the same verdicts and values for generated, broken and cut texts. The same checks, over
// millions of texts, are in json.long.test.ts.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkFault, checkFollow, checkPrefixes, checkText, checkUndo } from "./json.test-checks.ts";
import { canBeCompleted, mutated, randomFrom, validText } from "./json.test-support.ts";

const seeds = fc.integer();
const TOKENS = [
  '"',
  "\\",
  "\\u",
  "d83d",
  "de00",
  "a",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "0",
  "-",
  "1",
  ".",
  "e",
  "E+",
  "true",
  "fals",
  "null",
  " ",
  "\n",
  "\u0001",
  "\u00a0",
  '"a":',
  '""',
  "[]",
  "1,",
];
const soups = fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }).map((tokens) => tokens.join(""));
const texts = fc.oneof(
  fc.json({ maxDepth: 4 }),
  soups,
  seeds.map((seed) => validText(randomFrom(seed))),
  seeds.map((seed) => mutated(randomFrom(seed), validText(randomFrom(seed + 1)))),
);

describe("against JSON.parse", () => {
  test("verdict and value, however the text is cut", () => {
    fc.assert(
      fc.property(texts, seeds, (text, seed) => checkText(text, randomFrom(seed))),
      { numRuns: 3000 },
    );
  });

  test("no proper prefix of a valid text is broken, and a prefix is whole when it is JSON", () => {
    fc.assert(
      fc.property(
        seeds.map((seed) => validText(randomFrom(seed))),
        checkPrefixes,
      ),
      { numRuns: 300 },
    );
  });

  test("the fault is at the first character that no continuation can save", () => {
    fc.assert(fc.property(texts, checkFault), { numRuns: 1500 });
  });

  test("a follower hears what stands at its path", () => {
    fc.assert(
      fc.property(texts, seeds, (text, seed) => checkFollow(text, randomFrom(seed))),
      { numRuns: 3000 },
    );
  });

  test("undo takes back exactly the last fragment", () => {
    fc.assert(
      fc.property(texts, texts, seeds, (text, other, seed) => checkUndo(text, other, randomFrom(seed))),
      { numRuns: 3000 },
    );
  });
});

describe("every character in every place", () => {
  const units = [
    ...Array.from({ length: 0xa1 }, (_, unit) => unit),
    0x0660,
    0x1680,
    0x2028,
    0x3000,
    0xd800,
    0xfeff,
    0xff10,
  ];
  test.each([
    ["", "1"],
    ["", ""],
    ["[", "]"],
    ["[1", "]"],
    ["[1,", "]"],
    ["[]", ""],
    ["{", '"a":1}'],
    ['{"a":1,', '"b":2}'],
    ['{"a', '":1}'],
    ['{"a"', ":1}"],
    ['{"a":', "1}"],
    ['{"a":1', "}"],
    ['"', '"'],
    ['"\\', '"'],
    ['"\\', '0000"'],
    ['{"\\', '":1}'],
    ['"\\u', '000"'],
    ['"\\u000', '"'],
    ['{"\\u00', '0":1}'],
    ["-", ""],
    ["0", ""],
    ["0", "1"],
    ["-0", ""],
    ["1", "1"],
    ["1.", ""],
    ["1.5", "2"],
    ["1e", "1"],
    ["1e+", ""],
    ["1e1", ""],
    ["t", "ue"],
    ["fals", ""],
    ["nul", ""],
    ["true", ""],
  ])("%j and %j", (before, behind) => {
    for (const unit of units) {
      const text = before + String.fromCharCode(unit) + behind;
      checkText(text, randomFrom(unit));
      checkFault(before + String.fromCharCode(unit));
    }
  });
});

test("the completer of these tests is no pushover", () => {
  expect(["", "{", '{"a', '{"a":[tr', '["\\u1', '[1,{"":-', '"\\'].every(canBeCompleted)).toBe(true);
  expect(["}", "{,", "[1,]", "01", "tx", '"\\x', "1 2", '{"a" "'].some(canBeCompleted)).toBe(false);
});
