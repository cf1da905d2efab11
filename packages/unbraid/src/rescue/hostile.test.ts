// Texts made to cost much: time and memory grow with their length, whatever they repeat.

import { describe, expect, test } from "vitest";
import { openaiChat } from "../protocols/openai-chat.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import { checkLinear, HEADS, read, REPEATED } from "./hostile.test-checks.ts";
import { rescue } from "./index.ts";
import { chunk, TOOLS } from "./rescue.test-kit.ts";

describe.each(HEADS)("behind %j", (head) => {
  test("some thousand characters of anything", () => {
    for (const unit of REPEATED) checkLinear(head, unit, 5_000);
  });
});

test.each(["<", "<tool_", "<tool_call>", '<tool_call>{"'])("a megabyte of %j", (unit) =>
  checkLinear("", unit, 1_000_000),
);

test.each(["<", "<tool_call>", "<function=nope>"])("the reasoning, with %j over and over", (unit) => {
  const text = unit.repeat(100_000 / unit.length);
  expect(read(text, 4096, "reasoning_content").out).toBe(text.length);
});

test("what is held until the end has a bound", () => {
  const reader = new TolerantReader(openaiChat, { tools: TOOLS, rescue });
  const piece = "x".repeat(1 << 16);
  reader.push(chunk({ content: '{"name": "write_file", "arguments": {"content": "' }));
  let out = 0;
  for (let i = 0; i < 64; i++)
    for (const event of reader.push(chunk({ content: piece }))) if (event.type === "text") out += event.text.length;
  expect(out).toBeGreaterThan(3 << 20);
});
