import { expect, test } from "vitest";
import type { JsonSchema } from "../turns/turn-form.ts";
import { tool } from "./tool.ts";

/** What is said of a value of the one field `u`. */
async function said(u: JsonSchema, value: unknown): Promise<readonly string[]> {
  const judge = tool({ name: "t", schema: { type: "object", properties: { u } }, execute: () => "" });
  const judged = await judge.validate({ u: value });
  return judged.ok ? [] : judged.issues.map(({ path, expected }) => `${path.join(".")}: ${expected}`);
}

const circle = {
  type: "object",
  properties: { kind: { const: "circle" }, radius: { type: "number" } },
  required: ["kind", "radius"],
};
const box = { type: "object", properties: { kind: { enum: ["box"] }, side: { type: "number" } }, required: ["side"] };

test.each<[what: string, schema: JsonSchema, value: unknown, words: readonly string[]]>([
  ["types are said in one", { anyOf: [{ type: "string" }, { type: "null" }] }, 5, ["u: string or null"]],
  ["each type once", { oneOf: [{ type: "object" }, { type: "object" }, { type: "array" }] }, 5, ["u: object or array"]],
  ["the branch that was meant", { oneOf: [circle, box] }, { kind: "circle" }, ["u.radius: a value, it is required"]],
  ["the other one", { oneOf: [circle, box] }, { kind: "box", side: "1" }, ["u.side: number"]],
  ["by its type", { anyOf: [{ type: "string" }, box] }, { side: "1" }, ["u.side: number"]],
  [
    "no branch was meant",
    { oneOf: [circle, box] },
    { kind: "x", side: 1 },
    ["u.radius: a value, it is required", 'u.kind: "circle"', 'u.kind: one of ["box"]'],
  ],
  [
    "two branches fit",
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    5,
    ["u: must match exactly one schema in oneOf"],
  ],
  [
    "unions within unions",
    { anyOf: [{ type: "string" }, { type: "array", items: { anyOf: [{ type: "number" }, { type: "null" }] } }] },
    ["x"],
    ["u.0: number or null"],
  ],
  ["what only sums up", { propertyNames: { minLength: 3 } }, { x: 1 }, ["u: must not have fewer than 3 characters"]],
  ["items that come twice", { uniqueItems: true }, ["a", "a"], ["u: must not have the same item twice, as at 0 and 1"]],
])("of a union: %s", async (_, schema, value, words) => {
  expect(await said(schema, value)).toEqual(words);
});

test("of a union of references, as generators of schemas write them", async () => {
  const judge = tool({
    name: "t",
    schema: {
      type: "object",
      properties: { u: { oneOf: [{ $ref: "#/$defs/Circle" }, { $ref: "#/$defs/Box" }] } },
      $defs: { Circle: circle, Box: box },
    },
    execute: () => "",
  });
  expect(await judge.validate({ u: { kind: "circle" } })).toEqual({
    ok: false,
    issues: [{ path: ["u", "radius"], expected: "a value, it is required", received: "nothing" }],
  });
});
