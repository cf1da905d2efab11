import { describe, expect, it } from "vitest";
import { jsonLine } from "./json-line.ts";

function nested(depth: number, leaf: unknown): unknown {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { a: value, b: undefined } : [1, value, "x\n"];
  return value;
}

describe("jsonLine", () => {
  it("says what JSON.stringify says", () => {
    const value = { a: [1, null, "x\u2028\ud800"], b: undefined, c: { "d\n": true } };
    expect(jsonLine(value)).toBe(JSON.stringify(value));
  });

  it("says it of values that are deeper than the stack too", () => {
    const line = jsonLine(nested(20_000, { "k\n": [undefined, 1, "y"] }));
    expect(line).not.toContain("\n");
    expect(line.slice(0, 20)).toBe('[1,{"a":[1,{"a":[1,{');
    expect(line).toContain('{"k\\n":[null,1,"y"]}');
    expect(line.match(/\[1,/g)).toHaveLength(10_000);
  });
});
