// A model's raw output: one body of plain text, its special tokens left in. Owns only the handing on of that text; the
// calls in it are found by rescue.

import type { Protocol } from "./protocol.ts";

/** A model's raw output. The end of the input is the terminal signal. */
export const text: Protocol = {
  name: "text",
  framing: "text",
  raw: true,
  detect: () => 0,
  start: () => ({ read: (value, sink) => sink.text(value), end: (sink) => sink.end(null) }),
};
