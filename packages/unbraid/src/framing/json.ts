// A body of JSON: documents, an array, or one value a line, as the body itself shows. Owns the choice between the two
// ways to read it, which the first line decides.
//
//     {"done":false}\n        a whole object, then the line ends: JSON lines
//                   ^
//     {\n                     anything else: values by their brackets
//      ^

import type { EmitFrame, Framer, FramingName } from "./frame.ts";
import { JsonValues } from "./json-values.ts";
import { SseFramer } from "./sse.ts";

/**
 * Cuts a body of JSON into its values. Lines are preferred where they are the rule, since after one that was cut short
 * the next begins anew; the bracket that it lacks would take the rest of the body with it.
 */
class JsonFramer implements Framer {
  readonly #limit: number;
  readonly #values: JsonValues;
  #lines: SseFramer | undefined = undefined;

  /** Reads a body from offset `offset` on; frames longer than `limit` bytes are skipped. */
  constructor(limit: number, offset: number) {
    this.#limit = limit;
    this.#values = new JsonValues(limit, offset);
  }

  get framing(): FramingName {
    if (this.#lines !== undefined) return "ndjson";
    return this.#values.isArray ? "json-array" : "json";
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    if (this.#lines !== undefined) {
      this.#lines.push(bytes, emit);
      return;
    }
    const values = this.#values;
    const read = values.push(bytes, emit);
    if (!values.linesFollow) return;
    this.#lines = new SseFramer(this.#limit, values.offset, "ndjson", values.count);
    this.#lines.push(bytes.subarray(read), emit);
  }

  end(emit: EmitFrame): void {
    (this.#lines ?? this.#values).end(emit);
  }
}

/**
 * Reads a body of JSON value by value, as they come.
 *
 * @param limit Longest frame in bytes.
 * @param offset Body offset at which the reading begins.
 */
export function jsonBodies(limit: number, offset: number): Framer {
  return new JsonFramer(limit, offset);
}
