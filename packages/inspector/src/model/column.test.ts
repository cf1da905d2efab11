import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { Column } from "./column.ts";

function columnOf(values: readonly number[]): Column {
  const column = new Column();
  for (const value of values) column.push(value);
  return column;
}

describe("Column", () => {
  test.prop([fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 200 }), fc.integer({ min: -1, max: 31 })])(
    "finds what a walk finds",
    (values, value) => {
      const sorted = values.toSorted((a, b) => a - b);
      const column = columnOf(sorted);
      expect(column.upTo(value)).toBe(sorted.filter((each) => each <= value).length);
      expect(column.below(value)).toBe(sorted.filter((each) => each < value).length);
    },
  );

  it("has nothing outside of its ends", () => {
    const column = columnOf([1, 2]);
    expect([column.at(-1), column.at(2), column.at(1)]).toEqual([Number.NaN, Number.NaN, 2]);
    column.set(5, 1);
    expect(column.length).toBe(2);
    column.clear();
    expect([column.length, column.at(0)]).toEqual([0, Number.NaN]);
  });
});
