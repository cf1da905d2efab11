import { expect, test } from "vitest";
import { defined } from "./defined.ts";

test("fields that are undefined are left out, and nothing else is", () => {
  const fields = { a: 1, b: undefined, c: null, d: "", e: false, f: 0 };
  expect(Object.keys(defined(fields))).toEqual(["a", "c", "d", "e", "f"]);
  expect(Object.keys(fields)).toHaveLength(6);
});

test("what may be undefined may be absent", () => {
  const some = (value: string | undefined): { a: number; b?: string } => defined({ a: 1, b: value });
  expect(some(undefined)).toEqual({ a: 1 });
});
