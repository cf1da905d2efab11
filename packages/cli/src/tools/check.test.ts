import type { ToolCall } from "unbraid";
import { describe, expect, it } from "vitest";
import { Misuse } from "../failure.ts";
import { ToolCheck } from "./check.ts";

function call(args: Record<string, unknown> | null, more: Partial<ToolCall> = {}): ToolCall {
  return {
    key: "call-0",
    id: "c1",
    name: "weather",
    kind: "function",
    choice: 0,
    index: 0,
    status: args === null ? "truncated" : "complete",
    argumentsText: "{}",
    arguments: args,
    ...more,
  };
}

const weather = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" }, where: { type: "object", required: ["lat"] } },
  required: ["city"],
};

function codes(parameters: unknown, given: ToolCall): string[] {
  return new ToolCheck([{ name: "weather", parameters }]).check(given).map(({ code }) => code);
}

describe("ToolCheck", () => {
  it("has nothing to say of a valid call", () => {
    expect(codes(weather, call({ city: "Oslo", days: 3 }))).toEqual([]);
  });

  it("names what is missing, in the depth too", () => {
    const [found] = new ToolCheck([{ name: "weather", parameters: weather }]).check(call({ where: {} }));
    expect(found).toMatchObject({
      code: "missing-required-arguments",
      call: "call-0",
      missing: ["/city", "/where/lat"],
    });
    expect(found?.message).toBe("weather needs city, /where/lat, which the call does not give.");
  });

  it("names what does not fit", () => {
    const [found] = new ToolCheck([{ name: "weather", parameters: weather }]).check(call({ city: 3, days: 1.5 }));
    expect(found?.code).toBe("invalid-arguments");
    expect(found?.errors).toEqual([
      { path: "/city", message: "must be string" },
      { path: "/days", message: "must be integer" },
    ]);
    expect(found?.message).toContain("/city must be string; /days must be integer");
  });

  it("says both where both are so", () => {
    expect(codes(weather, call({ days: "3" }))).toEqual(["missing-required-arguments", "invalid-arguments"]);
  });

  it("knows an unknown tool, whatever became of the call", () => {
    expect(codes(weather, call({}, { name: "wether" }))).toEqual(["unknown-tool"]);
    expect(codes(weather, call(null, { name: "wether" }))).toEqual(["unknown-tool"]);
  });

  it("says nothing of the arguments of a call that is not complete, nor of what the vendor runs", () => {
    expect(codes(weather, call(null))).toEqual([]);
    expect(codes(weather, call({}, { name: "web_search", kind: "server" }))).toEqual([]);
  });

  it("leaves free text alone", () => {
    expect(codes(undefined, call(null, { kind: "custom", status: "complete", argumentsText: "select 1" }))).toEqual([]);
  });

  it.each([
    [
      "draft 2020-12",
      { $schema: "https://json-schema.org/draft/2020-12/schema", properties: { a: { prefixItems: [{}] } } },
    ],
    [
      "draft 7",
      { $schema: "http://json-schema.org/draft-07/schema#", properties: { b: { items: [{ type: "null" }] } } },
    ],
    ["another draft", { $schema: "http://json-schema.org/draft-04/schema#", type: "object" }],
    ["formats that nobody knows", { properties: { a: { format: "colour" } } }],
    ["keywords that nobody knows", { type: "object", "x-order": 3 }],
    ["a schema that says nothing", {}],
    ["true", true],
  ])("reads %s", (_, schema) => {
    expect(codes(schema, call({ a: ["x"] }))).toEqual([]);
  });

  it("reads Gemini's spelling", () => {
    const schema = {
      type: "OBJECT",
      properties: { city: { type: "STRING", nullable: true }, type: { type: "INTEGER" } },
    };
    expect(codes(schema, call({ city: null, type: 3 }))).toEqual([]);
    expect(codes(schema, call({ city: 3 }))).toEqual(["invalid-arguments"]);
  });

  it("does not take data in a schema for schema", () => {
    const schema = { properties: { a: { enum: ["STRING", { type: "OBJECT" }] } } };
    expect(codes(schema, call({ a: { type: "OBJECT" } }))).toEqual([]);
  });

  it.each([
    ["text", "object"],
    ["an unknown type", { type: "thing" }],
    ["a reference to nowhere", { $ref: "https://example.org/schema.json" }],
  ])("refuses a schema that is %s, and says whose it is", (_, schema) => {
    expect(() => new ToolCheck([{ name: "weather", parameters: schema }])).toThrow(Misuse);
    expect(() => new ToolCheck([{ name: "weather", parameters: schema }])).toThrow(/"weather"/);
  });

  it("does not fall over arguments that are nested very deep", () => {
    const schema = { $defs: { n: { type: "object", properties: { n: { $ref: "#/$defs/n" } } } }, $ref: "#/$defs/n" };
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) deep = { n: deep };
    expect(codes(schema, call(deep, { argumentsText: "…" }))).toEqual(["invalid-arguments"]);
  });
});
