import { describe, expect, it } from "vitest";
import { columnsOf } from "./io.ts";
import { fakeIo } from "./io.test-kit.ts";

describe("columnsOf", () => {
  it.each([
    ["a terminal", 132, {}, 132],
    ["a very narrow terminal, which wraps", 20, {}, 40],
    ["a pipe", undefined, {}, 80],
    ["a pipe with COLUMNS", undefined, { COLUMNS: "100" }, 100],
    ["a COLUMNS that says nothing", undefined, { COLUMNS: "wide" }, 80],
    ["a terminal that does not know", 0, {}, 80],
  ])("%s", (_, terminal, env, expected) => {
    const { io } = fakeIo(terminal === undefined ? {} : { terminal });
    expect(columnsOf(io.stdout, env)).toBe(expected);
  });
});
