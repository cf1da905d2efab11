import { describe, expect, test } from "vitest";
import { argumentsOf, argumentsTextOf, bounded, checkNames, COMMON_NAMES, nameOf } from "./echoed-call.ts";
import { GEMINI_NAMES } from "./gemini.ts";
import { callOf } from "./turns.test-kit.ts";

describe("arguments", () => {
  test("are the model's own text, white space, key order and all", () => {
    const call = callOf({
      argumentsText: ' {"b": 1.0,\n"a":12345678901234567168}',
      arguments: { b: 1, a: 12345678901234567168 },
    });
    expect(argumentsTextOf(call)).toBe(call.argumentsText);
    expect(argumentsOf(call)).toBe(call.arguments);
  });

  test.each(["", " ", "null"])("of a call without any (%j) are an empty object", (argumentsText) => {
    const call = callOf({ argumentsText, arguments: {} });
    expect(argumentsTextOf(call)).toBe("{}");
    expect(argumentsOf(call)).toEqual({});
  });

  test.each(["malformed", "truncated"] as const)("that cannot be read (%s) are held by an object", (status) => {
    const call = callOf({ status, argumentsText: '{"a": "x', arguments: null });
    expect(JSON.parse(argumentsTextOf(call))).toEqual({ invalid_arguments: '{"a": "x' });
    expect(argumentsOf(call)).toEqual({ invalid_arguments: '{"a": "x' });
    expect(argumentsOf({ ...call, argumentsText: "" })).toEqual({});
  });

  test("that are long are bounded, and what is left out is counted", () => {
    const held = bounded(`${"a".repeat(5000)}${"z".repeat(5000)}`);
    expect(held.length).toBeLessThan(3600);
    expect(held).toContain("… (6500 characters left out) …");
    expect([held.startsWith("aaa"), held.endsWith("zzz")]).toEqual([true, true]);
    // The cut falls into a pair.
    expect(bounded(`${"a".repeat(2999)}😀${"b".repeat(9000)}`)).not.toMatch(/\p{Surrogate}/u);
  });

  test("never hold half a surrogate pair, which no vendor takes", () => {
    const call = callOf({
      argumentsText: String.raw`{"t":"\ud83d","u":"\ud83d\ude00","v":"\\ud83d"}`,
      arguments: { t: "\ud83d", u: "😀", v: "\\ud83d" },
    });
    expect(argumentsOf(call)).toEqual({ t: "\ufffd", u: "😀", v: "\\ud83d" });
    expect(JSON.parse(argumentsTextOf(call))).toEqual({ t: "\ufffd", u: "😀", v: "\\ud83d" });
  });

  test("keep everything else where half a pair is replaced, and all of it where pairs are whole", () => {
    const whole = String.raw`{"id":12345678901234567890, "t":"\ud83d\ude00", "f":1.0, "a":1,"a":2}`;
    expect(argumentsTextOf(callOf({ argumentsText: whole, arguments: { id: 1 } }))).toBe(whole);
    const half = String.raw`{"id":12345678901234567890, "\uD83D":"\\\uDE00\n"}`;
    expect(argumentsTextOf(callOf({ argumentsText: half, arguments: { id: 1 } }))).toBe(
      half.replace(String.raw`\uD83D`, "\ufffd").replace(String.raw`\uDE00`, "\ufffd"),
    );
  });

  test("nested deeper than a writer of JSON goes are held as text", () => {
    const text = `{"a":${"[".repeat(3000)}${"]".repeat(3000)}}`;
    let deep: unknown = [];
    for (let i = 0; i < 3000; i++) deep = [deep];
    expect(argumentsOf(callOf({ argumentsText: text, arguments: { a: deep } }))).toHaveProperty("invalid_arguments");
  });

  test("with the name of a prototype stay plain keys", () => {
    const args = JSON.parse('{"__proto__":{"x":1}}') as Record<string, unknown>;
    expect(Object.keys(argumentsOf(callOf({ argumentsText: '{"__proto__":{"x":1}}', arguments: args })))).toEqual([
      "__proto__",
    ]);
  });
});

describe("names", () => {
  test.each([
    ["get_weather-2", "get_weather-2"],
    ["", "unnamed_tool"],
    ["multi_tool_use.parallel", "multi_tool_use_parallel"],
    ["wétter 😀", "w_tter__"],
    ["x".repeat(70), "x".repeat(64)],
  ])("%j is echoed as %j", (name, echoed) => expect(nameOf(name, COMMON_NAMES)).toBe(echoed));

  test("Gemini takes dots, and no digit first", () => {
    expect(nameOf("a.b:c", GEMINI_NAMES)).toBe("a.b:c");
    expect(nameOf("2x", GEMINI_NAMES)).toBe("_2x");
  });

  test("of definitions must be taken as they are, each once", () => {
    expect(() => checkNames([{ name: "a b" }], COMMON_NAMES)).toThrow(
      '"a b" is refused by this vendor: use 1 to 64 of',
    );
    expect(() => checkNames([{ name: "" }], COMMON_NAMES)).toThrow(TypeError);
    expect(() => checkNames([{ name: "a" }, { name: "a" }], COMMON_NAMES)).toThrow('Two tools have the name "a"');
    expect(() => checkNames([{ name: "a" }, { name: "b" }], COMMON_NAMES)).not.toThrow();
  });
});
