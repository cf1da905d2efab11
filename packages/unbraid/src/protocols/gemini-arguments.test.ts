// Partial arguments by JSON path, written as one text that only grows.

import { describe, expect, test } from "vitest";
import { PartialArguments } from "./gemini-arguments.ts";

interface Part {
  readonly jsonPath?: unknown;
  readonly stringValue?: unknown;
  readonly numberValue?: unknown;
  readonly boolValue?: unknown;
  readonly nullValue?: unknown;
  readonly willContinue?: boolean;
}

/** The text that was given out, and the value at the end. */
function written(parts: readonly Part[]): { text: string; value: unknown; inOrder: boolean } {
  const args = new PartialArguments();
  let text = "";
  for (const part of parts) text += args.add({ ...part }) ?? "";
  const { inOrder } = args;
  if (inOrder) text += args.end();
  else ({ text } = args);
  return { text, value: text === "" ? undefined : JSON.parse(text), inOrder };
}

const s = (jsonPath: string, stringValue: string, willContinue?: boolean): Part => ({
  jsonPath,
  stringValue,
  ...(willContinue === undefined ? {} : { willContinue }),
});
const n = (jsonPath: string, numberValue: number): Part => ({ jsonPath, numberValue });

test.each<[string, readonly Part[], unknown]>([
  [
    "values of every type",
    [
      s("$.s", "x"),
      n("$.n", -1.5),
      { jsonPath: "$.b", boolValue: false },
      { jsonPath: "$.z", nullValue: "NULL_VALUE" },
      { jsonPath: "$.z2", nullValue: null },
    ],
    { s: "x", n: -1.5, b: false, z: null, z2: null },
  ],
  [
    "zero, the empty string and false",
    [n("$.n", 0), s("$.s", ""), { jsonPath: "$.b", boolValue: false }],
    { n: 0, s: "", b: false },
  ],
  ["a string in pieces", [s("$.s", "a", true), s("$.s", "b", true), s("$.s", "c")], { s: "abc" }],
  ["a string that an empty piece ends", [s("$.s", "a", true), s("$.s", ""), n("$.n", 1)], { s: "a", n: 1 }],
  ["a string that a value-less part ends", [s("$.s", "a", true), { jsonPath: "$.s" }, n("$.n", 1)], { s: "a", n: 1 }],
  ["a string that the next path ends", [s("$.s", "a", true), n("$.n", 1)], { s: "a", n: 1 }],
  [
    "objects and arrays",
    [s("$.a.b[0].c", "x"), s("$.a.b[0].d", "y"), s("$.a.b[1].c", "z"), n("$.a.e", 1), n("$.f", 2)],
    { a: { b: [{ c: "x", d: "y" }, { c: "z" }], e: 1 }, f: 2 },
  ],
  ["arrays of arrays", [n("$.a[0][0]", 1), n("$.a[0][1]", 2), n("$.a[1][0]", 3)], { a: [[1, 2], [3]] }],
  ["an empty array, an empty object", [{ jsonPath: "$.a[]" }, { jsonPath: "$.o" }], { a: [], o: {} }],
  ["an array that is said to be over", [n("$.a[0]", 1), { jsonPath: "$.a[]" }, n("$.b", 2)], { a: [1], b: 2 }],
  ["a gap in an array", [n("$.a[2]", 1)], { a: [null, null, 1] }],
  [
    "names in brackets",
    [s("$['a b'].c", "x"), s('$["d.e"]', "y"), s("$['it\\'s']", "z")],
    { "a b": { c: "x" }, "d.e": "y", "it's": "z" },
  ],
  ["names that are numbers keep their place", [s("$.b", "x"), s("$['1']", "y")], { b: "x", 1: "y" }],
  [
    "characters that JSON escapes",
    [s("$.s", 'a"\\\n\u0000', true), s("$.s", "\u{1f600}")],
    { s: 'a"\\\n\u0000\u{1f600}' },
  ],
  ["a surrogate pair cut in two", [s("$.s", "\ud83d", true), s("$.s", "\ude00")], { s: "\u{1f600}" }],
])("%s", (_, parts, value) => {
  expect(written(parts)).toMatchObject({ value, inOrder: true });
});

test.each<[string, readonly Part[], unknown]>([
  ["a path that goes back to an object", [n("$.a.x", 1), n("$.b", 2), n("$.a.y", 3)], { a: { x: 1, y: 3 }, b: 2 }],
  ["a path that goes back to an array", [n("$.a[1]", 1), n("$.a[0]", 2)], { a: [2, 1] }],
  ["a scalar that is said again", [n("$.a", 1), n("$.a", 2)], { a: 2 }],
  [
    "two strings that grow in turns",
    [s("$.a", "1", true), s("$.b", "2", true), s("$.a", "3", true), s("$.b", "4"), s("$.a", "5")],
    { a: "135", b: "24" },
  ],
  ["a string that goes on behind another value", [s("$.a", "1", true), n("$.n", 2), s("$.a", "3")], { a: "13", n: 2 }],
])("out of order: %s", (_, parts, value) => {
  expect(written(parts)).toMatchObject({ value, inOrder: false });
});

test("__proto__ and constructor are keys like any other", () => {
  const { text } = written([n("$.__proto__.x", 1), n("$.constructor", 2)]);
  expect(text).toBe('{"__proto__":{"x":1},"constructor":2}');
  expect(({} as { x?: unknown }).x).toBeUndefined();
  const back = written([n("$.__proto__.x", 1), n("$.b", 2), n("$.__proto__.y", 3)]);
  expect(back.text).toBe('{"__proto__":{"x":1,"y":3},"b":2}');
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

describe("what cannot be read is refused, and harms nothing", () => {
  test.each([
    undefined,
    null,
    5,
    "",
    "$",
    "a",
    "$a",
    "$.",
    "$..a",
    "$.a..b",
    "$[0]",
    "$.a[",
    "$.a[x]",
    "$.a[-1]",
    "$.a[*]",
    "$['a",
    "$.a[1e3]",
    {},
  ])("the path %j", (jsonPath) => {
    const args = new PartialArguments();
    args.add({ jsonPath: "$.ok", numberValue: 1 });
    expect(args.add({ jsonPath, numberValue: 2 })).toBeUndefined();
    expect(JSON.parse(`{"ok":1${args.end()}`)).toEqual({ ok: 1 });
  });

  test("an index far behind the end of an array", () => {
    const { text } = written([n("$.a[0]", 1), n("$.a[999999999]", 2), n("$.b", 3)]);
    expect(text.length).toBeLessThan(100);
    expect(JSON.parse(text)).toEqual({ a: [1], b: 3 });
  });

  test("many such gaps do not add up", () => {
    const parts = Array.from({ length: 3000 }, (_, i) => n(`$.a[${(i + 1) * 1000}]`, 1));
    expect(written(parts).text.length).toBeLessThan(2_000_000);
    expect(written([s("$.s", "x", true), s("$.t", "x"), s("$.s", "y"), ...parts]).text.length).toBeLessThan(2_000_000);
  });

  test("a path that goes through a value of another kind", () => {
    expect(written([n("$.a", 1), n("$.a.b", 2), n("$.c", 3)]).value).toMatchObject({ c: 3 });
    expect(written([n("$.a[0]", 1), n("$.a.b", 2), n("$.c", 3)]).value).toMatchObject({ c: 3 });
    expect(written([n("$.a.b", 1), n("$.a[0]", 2), n("$.c", 3)]).value).toMatchObject({ c: 3 });
  });

  test("very deep and very many paths", () => {
    expect(written([n(`$${".a".repeat(900)}`, 1)]).inOrder).toBe(true);
    expect(new PartialArguments().add({ jsonPath: `$${".a".repeat(100_000)}`, numberValue: 1 })).toBeUndefined();
    expect(Object.keys(written(Array.from({ length: 5000 }, (_, i) => n(`$.k${i}`, i))).value as object)).toHaveLength(
      5000,
    );
  });
});

test("nothing came: no text", () => {
  expect(written([]).text).toBe("");
});
