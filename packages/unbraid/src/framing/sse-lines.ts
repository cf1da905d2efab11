// What one line of an SSE body is, by itself. Owns the spelling of fields; keeps no state.

/**
 * The value of a `data` field; any other line as it is.
 *
 *     data: {"a":1}      data:{"a":1}      data
 *           ^                 ^                ^
 */
export function withoutName(line: string): string {
  return line.replace(/^data(?:: ?|$)/, "");
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
