import { describe, expect, test } from "vitest";
import { byteLength, present, wholeIndex } from "./wire-values.ts";

describe("present", () => {
  test.each([
    "",
    " ",
    "\t\n",
    "null",
    "None",
    "undefined",
    " null ",
    null,
    undefined,
    {},
    [],
    true,
    0.5,
    Number.NaN,
    Infinity,
  ])("%j is absent", (value) => {
    expect(present(value)).toBeUndefined();
  });

  test.each([
    ["call_1", "call_1"],
    ["0", "0"],
    [" a ", " a "],
    ["nullable", "nullable"],
    ["NULL_", "NULL_"],
    [0, "0"],
    [7, "7"],
  ])("%j is %j, byte for byte", (value, held) => {
    expect(present(value)).toBe(held);
  });
});

describe("wholeIndex", () => {
  test.each([
    [0, 0],
    [3, 3],
    ["0", 0],
    ["12", 12],
    ["007", 7],
  ])("%j is %d", (value, index) => {
    expect(wholeIndex(value)).toBe(index);
  });

  test.each([
    null,
    undefined,
    "",
    " ",
    "x",
    "-1",
    "1.5",
    "1e3",
    -1,
    0.5,
    Number.NaN,
    Infinity,
    2 ** 53,
    true,
    {},
    [],
    [0],
  ])("%j is no index", (value) => {
    expect(wholeIndex(value)).toBeUndefined();
  });
});

test.each(["", "a", "é", "€", "\u{1f600}", "a\u{1f600}é", "\ud83d", "\ude00", "\ud83dx", "\ude00\ud83d"])(
  "byteLength(%j) is that of its UTF-8",
  (text) => {
    expect(byteLength(text)).toBe(new TextEncoder().encode(text).length);
  },
);
