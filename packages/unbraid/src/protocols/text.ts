// A model's raw output: one body of plain text, its special tokens left in. Owns only the handing on of that text; the
// calls in it are found by rescue.

import type { Protocol } from "./protocol.ts";

/** Tokens and tags that a model's raw output begins with, and no other body. */
const BEGINNINGS = [
  ...["<|", "<｜", "<think>", "<tool_call", "<function=", "<minimax:", "<atem:", "<start_function_call>"],
  ...["<function_calls>", "[TOOL_CALLS]", "[THINK]", "]<]minimax[>["],
];

/**
 * Whether a body that begins with these bytes is a model's raw output; undefined where they do not tell yet. Only output
 * that begins with markup can be told from other bodies.
 *
 * @example
 * beginsRawText(new TextEncoder().encode("<|channel|>analysis")); // true
 */
export function beginsRawText(head: Uint8Array): boolean | undefined {
  const text = new TextDecoder().decode(head, { stream: true }).trimStart();
  if (BEGINNINGS.some((beginning) => text.startsWith(beginning))) return true;
  return BEGINNINGS.some((beginning) => beginning.startsWith(text)) ? undefined : false;
}

/** A model's raw output. The end of the input is the terminal signal. */
export const text: Protocol = {
  name: "text",
  framing: "text",
  raw: true,
  detect: () => 0,
  start: () => ({ read: (value, sink) => sink.text(value), end: (sink) => sink.end(null) }),
};
