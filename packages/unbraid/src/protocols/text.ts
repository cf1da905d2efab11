// A model's raw output: one body of plain text, its special tokens left in. Owns only the handing on of that text; the
// calls in it are found by rescue.

import type { EmitFrame, Framer } from "../framing/frame.ts";
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

/** Makes a frame of each piece of a text, as it comes. */
class Pieces implements Framer {
  readonly framing = "text";
  readonly #decoder = new TextDecoder();
  #index = 0;
  #offset = 0;

  push(bytes: Uint8Array, emit: EmitFrame): void {
    this.#emit(this.#decoder.decode(bytes, { stream: true }), bytes.length, emit);
  }

  end(emit: EmitFrame): void {
    this.#emit(this.#decoder.decode(), 0, emit);
  }

  #emit(data: string, length: number, emit: EmitFrame): void {
    const start = this.#offset;
    const index = this.#index++;
    const end = (this.#offset += length);
    if (data !== "") emit({ data, event: undefined, start, end, index, terminated: true, fault: undefined });
  }
}

/** A model's raw output. The end of the input is the terminal signal. */
export const text: Protocol = {
  name: "text",
  framing: "text",
  raw: () => new Pieces(),
  detect: () => 0,
  start: () => ({ read: (value, sink) => sink.text(value), end: (sink) => sink.end(null) }),
};
