import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { boundedJson } from "./bounded-json.ts";

const ALL = 1_000_000;

test.prop([fc.jsonValue()])("writes JSON as JSON.stringify does", (value) => {
  expect(boundedJson(value, ALL)).toEqual({ text: JSON.stringify(value), cut: false });
});

test.prop([fc.jsonValue(), fc.nat(40)])("is never longer than asked, and is a beginning", (value, length) => {
  const whole = JSON.stringify(value);
  const { text, cut } = boundedJson(value, length);
  expect(text.length).toBeLessThanOrEqual(length);
  expect(cut).toBe(whole.length > length);
  if (!/["\\]/.test(text)) expect(whole.startsWith(text)).toBe(true);
});

describe("what JSON has no word for", () => {
  const circular: Record<string, unknown> = { a: 1 };
  circular["self"] = circular;
  const list: unknown[] = [];
  list.push(list);
  test.each<[string, unknown, string]>([
    ["undefined", undefined, "null"],
    ["a function", () => 1, "null"],
    ["a symbol", Symbol("x"), "null"],
    ["NaN", NaN, "null"],
    ["a bigint", 12345678901234567890n, "12345678901234567890"],
    ["members that are undefined", { a: undefined, b: () => 1, c: Symbol("x"), d: 1 }, '{"d":1}'],
    ["a circle", circular, '{"a":1,"self":"[circular]"}'],
    ["a list in itself", list, '["[circular]"]'],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["an invalid date", new Date(NaN), "null"],
    [
      "a map",
      new Map<unknown, unknown>([
        ["a", 1],
        [2, "b"],
      ]),
      '{"2":"b","a":1}',
    ],
    ["a set", new Set([1, "b"]), '[1,"b"]'],
    ["an error", new RangeError("too far"), '{"name":"RangeError","message":"too far"}'],
    ["a pattern", /x/g, '"/x/g"'],
    ["bytes", new Uint8Array(12), '"[12 bytes]"'],
    ["a buffer", new ArrayBuffer(3), '"[3 bytes]"'],
    ["a hole", Array(2), "[null,null]"],
    ["__proto__ as a key", JSON.parse('{"__proto__": {"a": 1}}'), '{"__proto__":{"a":1}}'],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
  ])("%s", (_, value, text) => {
    expect(boundedJson(value, ALL).text).toBe(text);
  });

  test("the same object twice is no circle", () => {
    const shared = { a: 1 };
    expect(boundedJson([shared, shared], ALL).text).toBe('[{"a":1},{"a":1}]');
  });
});

describe("hostile values", () => {
  test("getters, toJSON and proxies that throw", () => {
    const thrower = (): never => {
      throw new Error("no");
    };
    const broken = new Proxy({}, { get: thrower, ownKeys: thrower, has: thrower, getPrototypeOf: thrower });
    const value = {
      get a() {
        return thrower();
      },
      b: { toJSON: thrower },
      c: broken,
      d: 1,
    };
    expect(boundedJson(value, ALL).text).toBe('{"a":"[unreadable]","b":"[unreadable]","c":"[unreadable]","d":1}');
  });

  test("very deep ones", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = { n: deep };
    expect(boundedJson(deep, ALL).text).toContain("[nested too deep]");
  });

  test("members beyond the length are not read", () => {
    let reads = 0;
    const value: Record<string, unknown> = {};
    for (let at = 0; at < 1_000; at++) {
      Object.defineProperty(value, `k${at}`, { enumerable: true, get: () => (reads += 1) });
    }
    expect(boundedJson(value, 50).cut).toBe(true);
    expect(reads).toBeLessThan(20);
  });

  test("endless and doubling ones cost no more than what is written", () => {
    const endless = new Proxy([], { get: (_, key) => (key === "length" ? 4_294_967_295 : 1) });
    expect(boundedJson(endless, 100)).toMatchObject({ cut: true });
    let doubling: unknown = "x";
    for (let level = 0; level < 60; level++) doubling = [doubling, doubling];
    expect(boundedJson(doubling, 1_000)).toMatchObject({ cut: true });
    expect(boundedJson("y".repeat(50_000_000), 10)).toEqual({ text: '"yyyyyyyyy', cut: true });
  });
});
