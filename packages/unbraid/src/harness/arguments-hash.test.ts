import { describe, expect, test } from "vitest";
import { argumentsHash } from "./arguments-hash.ts";

describe("argumentsHash", () => {
  test("is SHA-256 of kind, name and canonical text, for ever", async () => {
    // printf 'json\n"pay"\n{"a":1,"b":[true,null,"x"]}' | sha256sum
    expect(await argumentsHash("pay", '{ "b": [true, null, "x"], "a": 1 }')).toBe(
      "67d919e3ea8dc23753104ae3e02a74e280564270a7bfb6130e30ae405565c60d",
    );
  });

  test.each([
    ["spacing and order", '{"a":{"x":1,"y":2},"b":[1,2]}', '{ "b" : [1, 2],\n"a": {"y": 2, "x": 1.0} }'],
    ["spelling of strings", '{"a":"\\u00e9/"}', '{"a":"é\\/"}'],
    ["spelling of numbers", '{"a":100}', '{"a":1e2}'],
    ["-0", '{"a":0}', '{"a":-0}'],
  ])("%s make no difference", async (_, one, other) => {
    expect(await argumentsHash("t", one)).toBe(await argumentsHash("t", other));
  });

  test.each([
    ["values", '{"a":1}', '{"a":2}'],
    ["types", '{"a":1}', '{"a":"1"}'],
    ["order in lists", '{"a":[1,2]}', '{"a":[2,1]}'],
    ["an empty list and an empty object", '{"a":[]}', '{"a":{}}'],
    ["keys", '{"a":1}', '{"__proto__":1}'],
    ["numbers beyond 2^53", '{"id":9007199254740993}', '{"id":9007199254740992}'],
    [
      "a long number and an object that looks like one",
      '{"a":12345678901234567890.5}',
      '{"a":{"source":"12345678901234567890.5"}}',
    ],
    ["where a key ends", '{"a":{"b":1}}', '{"a":{},"b":1}'],
  ])("%s make one", async (_, one, other) => {
    expect(await argumentsHash("t", one)).not.toBe(await argumentsHash("t", other));
  });

  test("the tool and the kind of text make a difference", async () => {
    const all = await Promise.all([
      argumentsHash("a", "{}"),
      argumentsHash("b", "{}"),
      argumentsHash("a", "{}", "text"),
      argumentsHash("a", "{ }", "text"),
    ]);
    expect(new Set(all).size).toBe(4);
  });

  test("takes texts that are deep, long or no JSON", async () => {
    const deep = `${'{"n":'.repeat(9_999)}1${"}".repeat(9_999)}`;
    for (const text of [deep, `{"a":"${"x".repeat(1 << 20)}"}`, '{"a": ,}', "", "\ud800"])
      expect(await argumentsHash("t", text)).toMatch(/^[0-9a-f]{64}$/);
  });
});
