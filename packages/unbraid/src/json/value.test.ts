// The value so far, written out; the comparison with `JSON.parse` at large is in json.property.test.ts.

import { describe, expect, test } from "vitest";
import { exactNumber } from "./exact-number.ts";
import { sameValue } from "./json.test-support.ts";
import { JsonValueBuilder } from "./value.ts";

function build(...fragments: string[]): JsonValueBuilder {
  const builder = new JsonValueBuilder();
  for (const fragment of fragments) builder.feed(fragment);
  return builder;
}

describe("the value so far", () => {
  test.each<[string, unknown]>([
    ["", undefined],
    [" ", undefined],
    ["{", {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":1', {}],
    ['{"a":1,', { a: 1 }],
    ['{"a":tru', {}],
    ['{"a":true', { a: true }],
    ['{"a":null', { a: null }],
    ['{"a":false', { a: false }],
    ['{"a":"', { a: "" }],
    ['{"a":"x', { a: "x" }],
    ['{"a":"x"', { a: "x" }],
    ['{"a":{', { a: {} }],
    ['{"a":[', { a: [] }],
    ['{"a":[1', { a: [] }],
    ['{"a":[1,"', { a: [1, ""] }],
    ['{"a":[1,"b"],"c":{"d":[[', { a: [1, "b"], c: { d: [[]] } }],
    ["12", undefined],
    ["-", undefined],
    ['"ab', "ab"],
    ["true", true],
    ["tru", undefined],
    ["[", []],
  ])("of %j", (text, value) => {
    for (const builder of [build(text), build(...text.split(""))]) {
      expect(builder.value).toStrictEqual(value);
      expect(builder.feed("")).toBe(true);
    }
  });

  test.each([
    ['["a\\', ["a"]],
    ['["a\\n', ["a\n"]],
    ['["a\\u', ["a"]],
    ['["a\\u00e', ["a"]],
    ['["a\\u00e9', ["aé"]],
    ['["a\\ud83d', ["a"]],
    ['["a\\ud83d\\', ["a"]],
    ['["a\\ud83d\\ude0', ["a"]],
    ['["a\\ud83d\\ude00', ["a😀"]],
    ['["a\\ud83d\\ud83d', ["a\ud83d"]],
    ['["a\\ud83dx', ["a\ud83dx"]],
    ['["a\\ud83d\\n', ["a\ud83d\n"]],
    ['["a\\ud83d"', ["a\ud83d"]],
    ['["a\\ude00', ["a\ude00"]],
    ['["a\ud83d', ["a"]],
    ['["a\ud83d\ude00', ["a😀"]],
    ['["a\\ud83d\ude00', ["a😀"]],
  ])("holds back what is not decided in %j", (text, value) => {
    expect(build(text).value).toStrictEqual(value);
    expect(build(...text.split("")).value).toStrictEqual(value);
  });

  test("an incomplete key is not there", () => {
    const builder = build('{"one":1,"tw');
    expect(builder.value).toStrictEqual({ one: 1 });
    builder.feed('o":"');
    expect(builder.value).toStrictEqual({ one: 1, two: "" });
  });

  test("of equal keys the first stands until the second's value begins", () => {
    const builder = build('{"a":"old","b":1,"a"');
    expect(builder.value).toStrictEqual({ a: "old", b: 1 });
    builder.feed(":1");
    expect(builder.value).toStrictEqual({ a: "old", b: 1 });
    builder.feed(',"a":"n');
    expect(builder.value).toStrictEqual({ a: "n", b: 1 });
    builder.feed('ew"}');
    expect(Object.entries(builder.value as object)).toEqual([
      ["a", "new"],
      ["b", 1],
    ]);
  });

  test("every escape", () => {
    const text = String.raw`["\"\\\/\b\f\n\r\t\u0000\u00FF\uabCD"]`;
    expect(build(...text.split("")).value).toStrictEqual(JSON.parse(text));
  });
});

describe("keys are own properties", () => {
  test.each([
    '{"__proto__":{"a":1}}',
    '{"__proto__":"abc"}',
    '{"__proto__":1,"a":2,"__proto__":3}',
    '{"constructor":"c","toString":1,"hasOwnProperty":null,"valueOf":[]}',
    '{"b":1,"10":2,"9":3,"a":4,"-1":5,"01":6}',
    '{"":1}',
    '[{"__proto__":["x"]}]',
  ])("%s", (text) => {
    for (const builder of [build(text), build(...text.split(""))]) {
      expect(sameValue(builder.value, JSON.parse(text))).toBe(true);
      expect(builder.done).toBe(true);
    }
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });
});

describe("numbers", () => {
  test("are doubles, as JSON.parse reads them", () => {
    const text = "[-0,9007199254740993,1e999,-1e999,1e-999,0.1,1E+2,12345678901234567890123]";
    expect(sameValue(build(...text.split("")).value, JSON.parse(text))).toBe(true);
  });

  test("are whole only when something follows, or the text ends", () => {
    const builder = build("1", "2");
    expect([builder.value, builder.done]).toEqual([undefined, false]);
    expect(builder.end()).toBe(true);
    expect([builder.value, builder.done]).toEqual([12, true]);
    expect(build("1", "2 ").value).toBe(12);
    expect(build("-").end()).toBe(false);
    expect(build("[1").end()).toBe(false);
  });

  test("can be made by the caller, who gets the source", () => {
    const sources: string[] = [];
    const builder = new JsonValueBuilder({ number: (source) => sources.push(source) });
    for (const unit of '{"a":-0.50e+1,"b":[9007199254740993]}') builder.feed(unit);
    expect(sources).toEqual(["-0.50e+1", "9007199254740993"]);
    expect(builder.value).toEqual({ a: 1, b: [2] });
  });

  test("can be exact", () => {
    const builder = new JsonValueBuilder({ number: exactNumber });
    builder.feed("[9007199254740993,0.1,1e999]");
    expect(builder.value).toEqual([9007199254740993n, 0.1, { source: "1e999" }]);
  });
});

describe("a fault", () => {
  test("stops the reading where it stands", () => {
    const builder = build('{"a":"xy","b":"z');
    expect(builder.feed('!" "c":1}')).toBe(false);
    expect(builder.feed('"c":1}')).toBe(false);
    expect(builder.value).toEqual({ a: "xy", b: "z!" });
    expect(builder.end()).toBe(false);
  });

  test("keeps what came before it in the same fragment", () => {
    expect(build('["abc\ndef"]').value).toEqual(["abc"]);
    expect(build('["abc\\x').value).toEqual(["abc"]);
    expect(build("[1,2x").value).toEqual([1, 2]);
    expect(build("[1,01").value).toEqual([1]);
  });

  test("behind the value leaves the value", () => {
    const builder = build("{}", "{}");
    expect([builder.value, builder.done, builder.end()]).toEqual([{}, true, false]);
  });
});

describe("depth", () => {
  test("10,000 levels are read", () => {
    const text = '{"a":['.repeat(5000) + "]}".repeat(5000);
    for (const builder of [build(text), build(...text.split(""))]) {
      expect(builder.done).toBe(true);
      let levels = 0;
      for (let value = builder.value; typeof value === "object" && value !== null; levels++)
        value = Object.values(value)[0];
      expect(levels).toBe(10_000);
    }
  });

  test("one more than the limit stops the reading", () => {
    const builder = new JsonValueBuilder({ maxDepth: 2 });
    expect(builder.feed('[1,{"a":')).toBe(true);
    expect(builder.feed("[")).toBe(false);
    expect(builder.value).toEqual([1, {}]);
    expect(build("[".repeat(10_001)).feed("")).toBe(false);
  });
});

test("reset forgets the text", () => {
  const builder = build('{"a":["x', '\u0000"');
  builder.reset();
  expect([builder.value, builder.done]).toEqual([undefined, false]);
  expect(builder.feed('["y"]')).toBe(true);
  expect([builder.value, builder.done]).toEqual([["y"], true]);
  builder.reset();
  builder.feed("1");
  builder.reset();
  builder.feed("2");
  builder.end();
  expect(builder.value).toBe(2);
});
