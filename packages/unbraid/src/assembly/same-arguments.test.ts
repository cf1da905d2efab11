import { expect, test } from "vitest";
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
