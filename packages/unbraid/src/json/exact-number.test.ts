import { describe, expect, test } from "vitest";
import { exactNumber } from "./exact-number.ts";
import { parseJson } from "./parse.ts";
import { randomFrom } from "./json.test-support.ts";

describe("a number stays a number when nothing is lost", () => {
  test.each([
    ["0", 0],
    ["-0", -0],
    ["-0.0", -0],
    ["0e5", 0],
    ["12", 12],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", 9007199254740992],
    ["9007199254740994", 9007199254740994],
    ["18014398509481984", 18014398509481984],
    ["0.1", 0.1],
    ["1.50", 1.5],
    ["0.000001", 0.000001],
    ["1e3", 1000],
    ["1E+21", 1e21],
    ["1e30", 1e30],
    ["1.7976931348623157e308", Number.MAX_VALUE],
    ["5e-324", Number.MIN_VALUE],
    ["123456789.125", 123456789.125],
    ["1000000000000000000000.0", 1e21],
  ])("%s", (source, value) => {
    expect(exactNumber(source)).toBe(value);
  });
});

describe("an integer that a double cannot hold is a bigint", () => {
  test.each([
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    ["1000000000000000000000000000000", 10n ** 30n],
    [`1${"0".repeat(400)}`, 10n ** 400n],
  ])("%s", (source, value) => {
    expect(exactNumber(source)).toBe(value);
  });

  test("but not with more than 4,096 digits", () => {
    const long = "9".repeat(4097);
    expect(exactNumber(long)).toEqual({ source: long });
    expect(typeof exactNumber("9".repeat(4096))).toBe("bigint");
  });
});

describe("a decimal that a double changes keeps its source", () => {
  test.each([
    "3.14159265358979323846",
    "0.1000000000000000055511151231257827",
    "1e999",
    "-1e999",
    "1e-999",
    "9007199254740993.0",
    "9007199254740993e0",
    "1e99999999999999999999",
    "1.00000000000000001",
  ])("%s", (source) => {
    expect(exactNumber(source)).toEqual({ source });
  });
});

test("every double, as JavaScript prints it, comes back as itself", () => {
  const random = randomFrom(5);
  for (let count = 0; count < 5000; count++) {
    const double = (random() - 0.5) * 10 ** Math.floor(random() * 600 - 300);
    const again = exactNumber(JSON.stringify(double));
    expect(typeof again === "bigint" ? Number(again) : again).toBe(double);
  }
});

test("in a text", () => {
  expect(parseJson('{"id":9007199254740993,"pi":3.1,"big":[1e400]}', { number: exactNumber })).toEqual({
    ok: true,
    value: { id: 9007199254740993n, pi: 3.1, big: [{ source: "1e400" }] },
  });
});
