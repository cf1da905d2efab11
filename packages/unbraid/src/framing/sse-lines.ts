// What one line of an SSE body is, by itself. Owns the spelling of fields; keeps no state.

import { SPACE } from "./bytes.ts";

/** Begins a comment, and ends the name of a field. */
export const COLON = 0x3a;

/**
 * Where the value of field `name` begins in the line `text[at..end)`, or -1 where the line is another one. A field
 * without a colon has an empty value; at most one space after the colon is no part of the value.
 *
 *     data: {"a":1}      data:{"a":1}      data
 *           ^                 ^                ^
 */
export function fieldValue(text: string, at: number, end: number, name: string): number {
  if (!text.startsWith(name, at)) return -1;
  const colon = at + name.length;
  if (colon === end) return end;
  if (text.charCodeAt(colon) !== COLON) return -1;
  return text.charCodeAt(colon + 1) === SPACE && colon + 1 < end ? colon + 2 : colon + 1;
}

/**
 * Whether a line can be a field that we do not know, which the standard says to ignore, and not words or markup. A chunk
 * size that a proxy let through (`1f4`) is such a line as well.
 */
export function isUnknownField(line: string): boolean {
  return /^[\w.-]+(?::|$)/.test(line);
}

/** Whether a line, less its indent, begins as a JSON message does; `[DONE]` is one too. */
export function beginsMessage(line: string): boolean {
  return line.startsWith("{") || line.startsWith("[");
}

/**
 * Whether a line, less its indent, can go on inside a JSON document that a server spread over lines without naming the
 * field again. A line that could be a field of its own cannot: those the standard ignores.
 *
 *     data: {
 *       "id": "x"
 *       ^
 */
export function continuesJson(line: string): boolean {
  return /^(?:["{}[\],\d-]|(?:true|false|null)\s*,?\s*$)/.test(line) && !/^[\w.-]+:/.test(line);
}
