// What one line of an SSE body is, by itself. Owns the spelling of fields; keeps no state.

import { SPACE } from "./bytes.ts";

const COLON = 0x3a;

/** Where the value begins of a field whose colon stands before `text[at]`: at most one space after it is no part of the value. */
export function valueStart(text: string, at: number): number {
  return text.charCodeAt(at) === SPACE ? at + 1 : at;
}

/**
 * The value of field `name` in a line; undefined where the line is another one. A field without a colon has an empty value.
 *
 *     data: {"a":1}      data:{"a":1}      data
 *           ^                 ^                ^
 */
export function fieldValue(line: string, name: string): string | undefined {
  const colon = name.length;
  if (!line.startsWith(name)) return undefined;
  if (line.length === colon) return "";
  if (line.charCodeAt(colon) !== COLON) return undefined;
  return line.slice(valueStart(line, colon + 1));
}

/**
 * Whether a line can be a field that we do not know, which the standard says to ignore, and not words or markup. A chunk
 * size that a proxy let through (`1f4`) is such a line as well.
 */
export function isUnknownField(line: string): boolean {
  return /^[\w.-]+(?::|$)/.test(line);
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
