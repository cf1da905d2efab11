// Names of MCP tools as vendors take them.

import { expect, test } from "vitest";
import { toolName } from "./names.ts";

test.each([
  ["echo", undefined, "echo"],
  ["echo", "docs", "docs_echo"],
  ["files/read.text", undefined, "files_read_text"],
  ["Wetter für Zürich", undefined, "Wetter_f_r_Z_rich"],
  ["2fa", undefined, "_2fa"],
  ["-x", undefined, "_-x"],
  ["", undefined, "_"],
])("%j with the prefix %j is %s", (own, prefix, expected) => {
  expect(toolName(own, prefix, new Set())).toBe(expected);
});

test("a name that is taken, or too long, is told apart by its order", () => {
  expect(toolName("a.b", undefined, new Set(["a_b"]))).toBe("a_b_2");
  expect(toolName("a.b", undefined, new Set(["a_b", "a_b_2"]))).toBe("a_b_3");
  const long = "x".repeat(128);
  const first = toolName(long, undefined, new Set());
  expect(first).toBe(`${"x".repeat(62)}_2`);
  expect(toolName(long, undefined, new Set([first]))).toBe(`${"x".repeat(62)}_3`);
  expect(toolName("y".repeat(64), undefined, new Set())).toHaveLength(64);
});
