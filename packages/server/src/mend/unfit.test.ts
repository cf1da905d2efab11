import { assert as assertAll, boolean, dictionary, jsonValue, nat, property, string } from "fast-check";
import { expect, test } from "vitest";
import type { ToolCall } from "unbraid";
import { unfit } from "./unfit.ts";

const call: ToolCall = {
  key: "k",
  id: "c",
  name: "f",
  kind: "function",
  choice: 0,
  index: 0,
  status: "malformed",
  argumentsText: '{"a": ,}',
  arguments: null,
};
const strict = [{ name: "f", parameters: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } }];

test("nothing was sent: the text stands under one key, or alone where a tool takes every object", () => {
  expect(unfit(call, "", strict)).toBe('{"invalid_arguments":"{\\"a\\": ,}"}');
  expect(unfit(call, "", undefined)).toBe('{"invalid_arguments":"{\\"a\\": ,}"}');
  for (const parameters of [undefined, {}, { type: "object", properties: { a: {} } }, { required: [] }])
    expect(JSON.parse(unfit(call, "", [{ name: "f", ...(parameters && { parameters }) }]) ?? "")).toBe('{"a": ,}');
});

test("behind a beginning that a tool would run with, whatever is added, nothing is added", () => {
  expect(unfit(call, '{"a":1', [{ name: "f" }])).toBeUndefined();
  const nullable = { required: ["a"], properties: { a: { type: ["string", "null"] } } };
  expect(unfit(call, '{"a":1', [{ name: "f", parameters: nullable }])).toBeUndefined();
  expect(unfit(call, '{"b":1', [{ name: "f", parameters: nullable }])).toBe(
    ',"b":null,"invalid_arguments":"{\\"a\\": ,}"}',
  );
});

test("every beginning of every object becomes one whose keys say nothing", () => {
  assertAll(
    property(dictionary(string({ unit: "binary" }), jsonValue()), nat(), boolean(), (value, cut, wide) => {
      // Names that JSON.parse treats as any other, and a literal does not.
      const text = JSON.stringify({ ...value, 'a"\\\u0001': [1.5e-7, -2, true, { n: [] }] }, undefined, wide ? 1 : 0);
      const sent = text.slice(0, cut % text.length);
      const added = unfit(call, sent, undefined);
      const whole = JSON.parse(sent + added) as Record<string, unknown>;
      expect(whole["invalid_arguments"]).toBe(call.argumentsText);
      for (const [key, each] of Object.entries(whole)) if (key !== "invalid_arguments") expect(each).toBeNull();
    }),
    { numRuns: 500 },
  );
});

test("the beginning of what is no object becomes that", () => {
  for (const sent of ["[", "[1,", '[{"a":', "[[", '"a\\', '"\\u00', "-", "12", "tru", '[{"a":1,'])
    expect(() => JSON.parse(sent + unfit(call, sent, undefined)) as unknown, sent).not.toThrow();
});
