// Texts made to cost much, and the reading of them against a clock. hostile.test.ts reads some short ones,
// hostile.long.test.ts a megabyte of each.

import { expect } from "vitest";
import { openaiChat } from "../protocols/openai-chat.ts";
import type { Reader } from "../reader.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import { rescue } from "./index.ts";
import { chunk, TOOLS } from "./rescue.test-kit.ts";

/** What reading a megabyte may take on a slow and busy machine; it takes some twentieths of this. */
const MILLISECONDS = 10_000;

/** Reads a long text and says how long that took, and how much came out. */
export function read(text: string, piece: number, field = "content"): { readonly time: number; readonly out: number } {
  const reader = new TolerantReader(openaiChat, { tools: TOOLS, rescue });
  reader.push(chunk({ role: "assistant" }));
  const begun = performance.now();
  let out = 0;
  const count = (events: ReturnType<Reader["push"]>): void => {
    for (const event of events)
      if (event.type === "text" || event.type === "reasoning" || event.type === "call.append") out += event.text.length;
  };
  for (let at = 0; at < text.length; at += piece) count(reader.push(chunk({ [field]: text.slice(at, at + piece) })));
  count(reader.end());
  return { time: performance.now() - begun, out };
}

export const REPEATED: readonly string[] = [
  "<",
  "<|",
  "[",
  "{",
  " ",
  "`",
  '"',
  "\n",
  "c",
  "<tool_",
  "<tool_call>",
  '<tool_call>{"',
  '<tool_call>{"name": "',
  '<tool_call>{"arguments":{"a":"',
  '<tool_call>{"name": "get_weather", "arguments": {"a": "',
  '<tool_call>{"name":"get_weather","arguments":{}}</tool_call>',
  '<tool_call>{"name":"nope","arguments":{}}</tool_call>',
  "[TOOL_CALLS][",
  "commentary to=",
  "<|channel|>",
  "<function=get_weather><parameter=city>",
  "</parameter>",
  "[get_weather(a=",
  "<|python_start|>[get_weather(a=[",
  "<|tool_call>call:get_weather{a:{",
  "<think>",
  "<think></think>",
  ']<]minimax[>[<invoke name="search">]<]minimax[>[<filter>',
  "\ud83d",
];
export const HEADS: readonly string[] = [
  "",
  "<think>",
  '<tool_call>{"name":"write_file","arguments":{"content":"',
  '<tool_call>{"name":"write_file","arguments":{"content":"a"b',
  "<function=write_file><parameter=content>",
  "<function=search><parameter=filter>",
  '<|python_start|>[write_file(content="',
  '{"name":"write_file","arguments":{"content":"',
];

/** Reads a repeated text whole, in blocks and by single characters. */
export function checkLinear(head: string, unit: string, size: number): void {
  const text = head + unit.repeat(Math.ceil(size / unit.length));
  for (const [piece, of] of [
    [text.length, text],
    [4096, text],
    [1, text.slice(0, text.length / 10)],
  ] as const)
    expect(read(of, piece).time).toBeLessThan(MILLISECONDS);
}
