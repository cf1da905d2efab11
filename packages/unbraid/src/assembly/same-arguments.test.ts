import { describe, expect, test } from "vitest";
import { sameArguments } from "./same-arguments.ts";

test.each([
  ['{"a":1}', '{"a":1}'],
  ['{"a":1}', ' { "a" : 1 } '],
  ['{"a":1,"b":[2,{"c":null}]}', '{"b":[2,{"c":null}],"a":1}'],
  ['{"a":"\\u00e9"}', '{"a":"é"}'],
  ['{"a":1.0}', '{"a":1}'],
  ["not json", "not json"],
  [" not json ", "not json"],
  ['{"__proto__":1}', '{ "__proto__": 1 }'],
])("%j says the same as %j", (a, b) => {
  expect(sameArguments(a, b)).toBe(true);
  expect(sameArguments(b, a)).toBe(true);
});

test.each([
  ['{"a":1}', '{"a":2}'],
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"a":[]}', '{"a":{}}'],
  ['{"a":{"0":1}}', '{"a":[1]}'],
  ['{"a":1}', '{"a":1,"b":2}'],
  ['{"a":null}', "{}"],
  ['{"a":0}', '{"a":false}'],
  ['{"__proto__":1}', "{}"],
  ['{"constructor":1}', '{"toString":1}'],
  ['{"a":1', '{"a":1}'],
  ["", "{}"],
  ["null", "{}"],
])("%j does not say the same as %j", (a, b) => {
  expect(sameArguments(a, b)).toBe(false);
  expect(sameArguments(b, a)).toBe(false);
});

test("numbers beyond 2^53 that only JSON.parse makes equal are not the same", () => {
  expect(sameArguments('{"id": 9007199254740993}', '{"id":9007199254740992}')).toBe(false);
});

test("very deep values do not exhaust the stack", () => {
  const deep = `${'{"a":'.repeat(9000)}1${"}".repeat(9000)}`;
  expect(sameArguments(deep, ` ${deep}`)).toBe(true);
  expect(() => sameArguments(deep, deep.replace("1", "2"))).not.toThrow();
});

test("values as deep as a text may be are compared without the stack", () => {
  for (const [open, close] of [
    ['{"a":', "}"],
    ["[", "]"],
  ] as const) {
    const deep = (value: string, space = ""): string =>
      `${(open + space).repeat(10_000)}${value}${close.repeat(10_000)}`;
    expect(sameArguments(deep("1"), deep("1", " "))).toBe(true);
    expect(sameArguments(deep("1"), deep("2", " "))).toBe(false);
    expect(sameArguments(deep("9007199254740993"), deep("9007199254740993", " "))).toBe(true);
    expect(sameArguments(deep("9007199254740993"), deep("9007199254740992", " "))).toBe(false);
  }
});

describe("long numbers", () => {
  test.each([
    ["123456789012345678901", "123456789012345678901"],
    ["0.30000000000000004", "3.0000000000000004e-1"],
    ["1.000000000000000000", "1"],
    ["1000000000000000000000", "1e21"],
    ["0.000000000000000", "0"],
    ["-1.2345678901234567e-7", "-1.2345678901234567E-07"],
    ["10000000000000000000000000000000000000000000000001", "10000000000000000000000000000000000000000000000001.0"],
  ])("%s and %s are one number", (a, b) => {
    expect(sameArguments(`{"n":${a}}`, `{ "n":${b}}`)).toBe(true);
    expect(sameArguments(`{ "n":${b}}`, `{"n":${a}}`)).toBe(true);
  });

  test.each([
    ["123456789012345678901", "123456789012345678902"],
    ["1", "1.0000000000000000001"],
    ["0.1", "0.1000000000000000000001"],
    ["1e400", "1000000000000000000000e380"],
    ["0.000000000000000", "1e-400"],
    ["9007199254740993", '"9007199254740993"'],
    ["9007199254740993", '"n9007199254740993"'],
    ["[9007199254740993,9007199254740992]", "[9007199254740992,9007199254740993]"],
    ["0.0000000000000000", "-0"],
  ])("%s and %s are two", (a, b) => {
    expect(sameArguments(`{"n":${a}}`, `{ "n":${b}}`)).toBe(false);
    expect(sameArguments(`{ "n":${b}}`, `{"n":${a}}`)).toBe(false);
  });

  test.each([
    [String.raw`"\"9007199254740993"`, String.raw`"\u00229007199254740993"`],
    [String.raw`"\\"`, String.raw`"\u005c"`],
    [String.raw`"a\\","b":"1"`, String.raw`"a\u005c","b":"\u0031"`],
    [String.raw`"\ud83d\ude00 12"`, '"😀 12"'],
  ])("beside them the strings %s and %s are one", (a, b) => {
    const long = '"n":123456789012345678';
    expect(sameArguments(`{${long},"s":${a}}`, `{"s":${b},${long}}`)).toBe(true);
  });
});

test("texts made to be slow cost their length", () => {
  const size = 400_000;
  const hostile = ["0".repeat(size), `1${"0".repeat(size)}1`, `"${"\\\\".repeat(size / 2)}"`, `1e${"0".repeat(size)}1`];
  const started = performance.now();
  for (const each of hostile) {
    const text = `{"a":${each},"b":123456789012345678}`;
    sameArguments(text, text.replace(",", " ,"));
    sameArguments(`{"a":${"-1.5e".repeat(size / 5)}`, `${text} `);
  }
  // It takes a hundredth of that; were it quadratic, it would take minutes.
  expect(performance.now() - started).toBeLessThan(5_000);
});
