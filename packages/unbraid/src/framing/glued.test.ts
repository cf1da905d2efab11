import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { isDisguisedComment, splitGlued } from "./index.ts";
import { Outline } from "./outline.ts";

describe("splitGlued", () => {
  test.each<[string, string, string[]]>([
    ["events without a blank line between", '{"a":1}\n{"b":2}\n[DONE]', ['{"a":1}', '{"b":2}', "[DONE]"]],
    [
      "a document that was cut before the next line",
      '{"id":"c","ob\n{"error":{"code":502}}',
      ['{"id":"c","ob', '{"error":{"code":502}}'],
    ],
    ["[DONE] behind a document", '{"a":1}[DONE]', ['{"a":1}', "[DONE]"]],
    ["[DONE] behind a document that was cut", '{"a":"b[DONE]', ['{"a":"b', "[DONE]"]],
    ["data: in the middle", '{"a":1}data: {"b":2}', ['{"a":1}', '{"b":2}']],
    ["data: without a space, and [DONE]", '{"a":1}data:{"b":2}data:[DONE]', ['{"a":1}', '{"b":2}', "[DONE]"]],
    ["data: after a document that was cut", '{"a":"cudata: {"b":2}', ['{"a":"cu', '{"b":2}']],
    ["data: twice", 'data: {"a":1}', ['{"a":1}']],
    ["data: [DONE] twice", "data: [DONE]", ["[DONE]"]],
    ["documents without anything between", '{"a":1}{"b":"}{"}[{"c":3}]', ['{"a":1}', '{"b":"}{"}', '[{"c":3}]']],
    ["commas between documents", '{"a":1},{"b":2}', ['{"a":1}', '{"b":2}']],
    ["printed documents", '{\n"a":\n{"x":1}\n}\n{\n"b":2\n}', ['{\n"a":\n{"x":1}\n}', '{\n"b":2\n}']],
    ["words before and after", 'error: {"a":1} sorry', ["error:", '{"a":1}', "sorry"]],
    ["the end of a message that was cut before a whole one", 'f"}},"p":0}}{"b":2}', ['f"}},"p":0}}', '{"b":2}']],
    ["words on lines of their own", 'one\ntwo\n{"a":1}\nthree', ["one\ntwo", '{"a":1}', "three"]],
  ])("%s", (_, data, pieces) => {
    expect(splitGlued(data)).toEqual(pieces);
  });

  test.each([
    ["nothing", ""],
    ["blanks", " \n "],
    ["one document", '{"a":1}'],
    ["one document that was cut", '{"a":{"b":"c'],
    ["one printed document that was cut", '{\n "a": [\n  1,\n'],
    ["the end of a message, which holds an object", 'op":{"reason":"tool_use"},"p":{"x":1}}'],
    ["words", "upstream error"],
    ["a page", "<html>\n<h1>504</h1>\n</html>"],
    ["only [DONE]", " [DONE]"],
  ])("a single piece stays: %s", (_, data) => {
    expect(splitGlued(data)).toBeUndefined();
  });

  test("text that a model wrote about SSE is no seam", () => {
    const inner = JSON.stringify({ text: 'send data: {"x":1} and }data: {"y":2}' });
    expect(splitGlued(`${inner}{"cut":"`)).toEqual([inner, '{"cut":"']);
    expect(splitGlued(inner.slice(0, -4))).toBeUndefined();
  });

  test("takes glued objects apart, whatever they hold", () => {
    const object = fc
      .dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
      .map((value) => JSON.stringify(value));
    const glue = fc.constantFrom("", " ", "\n", "data: ", "data:", "\ndata: ");
    fc.assert(
      fc.property(fc.array(fc.tuple(object, glue), { minLength: 2 }), fc.boolean(), (parts, done) => {
        const objects = [...parts.map(([text]) => text), ...(done ? ["[DONE]"] : [])];
        const data = objects.map((text, i) => text + (i === objects.length - 1 ? "" : (parts[i]?.[1] ?? ""))).join("");
        expect(splitGlued(data)).toEqual(objects);
      }),
      { numRuns: 500 },
    );
  });

  test("loses nothing but blanks, commas and data:", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "\\",
      ",",
      ":",
      "x",
      " ",
      "\n",
      "data: ",
      "[DONE]",
      '{"a":1}',
      "é",
    );
    const solid = (text: string): string => text.replaceAll(/\s|,|data:/g, "");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const data = pieces.join("");
        expect(solid(solid((splitGlued(data) ?? [data]).join("")))).toBe(solid(solid(data)));
      }),
      { numRuns: 20_000 },
    );
  });

  test("looks at each unit a few times, however the text is made", () => {
    const read = vi.spyOn(Outline.prototype, "read");
    // Each of these takes a quadratic method minutes, and the test its time limit.
    for (const unit of [
      "[",
      "{",
      '{"',
      "data:",
      'data: {"',
      "\n",
      '"\n',
      "x{",
      "[DONE]",
      "[DON",
      '{"a":1}',
      ',{"a":"',
    ]) {
      const data = unit.repeat(400_000 / unit.length);
      splitGlued(data);
      let units = 0;
      for (const [i, [, from, to]] of read.mock.calls.entries()) {
        const end = read.mock.results[i]?.value;
        units += (typeof end === "number" && end >= 0 ? end : to) - from;
      }
      expect(units).toBeLessThanOrEqual(4 * data.length);
      read.mockClear();
    }
    read.mockRestore();
  });
});

test("isDisguisedComment", () => {
  expect(isDisguisedComment(": OPENROUTER PROCESSING")).toBe(true);
  expect(isDisguisedComment(" :")).toBe(true);
  expect(isDisguisedComment('{":":1}')).toBe(false);
  expect(isDisguisedComment("")).toBe(false);
});
