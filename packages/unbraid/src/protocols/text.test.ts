// A model's raw output through the reader: told from its first bytes, read in any pieces, ended by its end.

import { rescue } from "unbraid/rescue";
import { expect, test } from "vitest";
import { createReader } from "../any-wire.ts";
import { collect } from "../collect.ts";
import { text } from "../entries/text.ts";
import { beginsRawText } from "./text.ts";

const encode = (of: string): Uint8Array => new TextEncoder().encode(of);

test.each([
  ["<|channel|>", true],
  ["\n <|start|>", true],
  ["<｜tool▁calls▁begin｜>", true],
  ["<think>", true],
  ["<tool_call>", true],
  ["[TOOL_CALLS]", true],
  ["", undefined],
  [" \n", undefined],
  ["<", undefined],
  ["<th", undefined],
  ["[T", undefined],
  ["[", undefined],
  ["<html>", false],
  ["<!DOCTYPE", false],
  ["<table>", false],
  ["[{", false],
  ["[DONE]", false],
  ["{", false],
  ["data: {}", false],
  ["Hello", false],
] as const)("%j begins raw output: %j", (head, begins) => {
  expect(beginsRawText(encode(head))).toBe(begins);
});

const BODY = "<|channel|>analysis<|message|>Hm é.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>";

test.each([1000, 1, 2, 3])("found from its bytes, %i at a time", async (length) => {
  const reader = createReader({ rescue });
  const bytes = encode(BODY);
  const events = [];
  for (let at = 0; at < bytes.length; at += length) events.push(...reader.push(bytes.subarray(at, at + length)));
  events.push(...reader.end());
  expect(reader.protocol).toBe("text");
  const { text: said, reasoning, finish, notices } = await collect(events);
  expect([said, reasoning, finish, notices]).toEqual(["Yes.", "Hm é.", "stop", []]);
});

test("a body that never tells, and other bodies in small pieces, are read as before", () => {
  const read = (body: string): readonly string[] => {
    const reader = createReader();
    const events = body.split("").flatMap((unit) => [...reader.push(unit)]);
    return [...events, ...reader.end()].map(({ type }) => type);
  };
  expect(read("<")).toContain("error");
  expect(read("<html>x</html>")).toContain("error");
  expect(read('[{"choices":[{"delta":{"content":"a"}}]}]')).toContain("text");
  expect(read('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n')).toContain("text");
  expect(read('{"choices":[{"index":0,"message":{"content":"a"}}]}')).toContain("text");
  expect(read("")).toEqual(["notice", "finish"]);
});

test("the entry reads any source", async () => {
  const whole = await collect(text.read("Just words."));
  expect([whole.text, whole.finish, whole.calls]).toEqual(["Just words.", "stop", []]);
  const pieces = await collect(text.read(["a", encode("b"), "c"]));
  expect(pieces.text).toBe("abc");
});

test("a limit on the response's bytes", async () => {
  const { text: said, error } = await collect(text.read("0123456789", { limits: { maxResponseBytes: 5 } }));
  expect([said, error?.code]).toEqual(["01234", "limit"]);
});

test("blanks without end before the first word are not kept, and tell the same however they are cut", () => {
  const wireOf = (body: string, length: number): string | undefined => {
    const reader = createReader({ rescue });
    const bytes = encode(body);
    for (let at = 0; at < bytes.length; at += length) reader.push(bytes.subarray(at, at + length));
    reader.end();
    return reader.protocol;
  };
  const near = `${" ".repeat(1000)}<think>x</think>`;
  const far = `${" ".repeat(3000)}<think>x</think>`;
  for (const length of [1, 7, 1024, 10_000]) {
    expect(wireOf(near, length)).toBe("text");
    expect(wireOf(far, length)).not.toBe("text");
  }
  const begun = performance.now();
  wireOf(" ".repeat(4_000_000), 512);
  expect(performance.now() - begun).toBeLessThan(2000);
});
