// Halves of surrogate pairs that stand alone in a JSON text, raw or escaped. Owns the test; pure.

/** An escape of a half: only texts that hold one, or a raw one, can hold a lone one. */
const ESCAPED_HALF = /\\u[dD][89a-fA-F]/;
const RAW_HALF = /\p{Surrogate}/u;
/** What JSON.stringify writes for a lone half, not behind a backslash of its own. */
const LONE_HALF = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * Whether a valid JSON text holds a lone surrogate. Such a text is valid JSON, but cannot be sent as UTF-8 again unless it
 * is escaped, and some vendors refuse it in a history.
 *
 * @param text A valid JSON text.
 * @param value Its value.
 * @param numbered Whether there may be `\\u` escapes in it.
 * @example
 * hasLoneSurrogate('{"t":"\\ud83d"}', { t: "\ud83d" }); // true
 */
export function hasLoneSurrogate(text: string, value: unknown, numbered = true): boolean {
  // JSON.stringify escapes lone halves and writes pairs as they are: https://tc39.es/ecma262/#sec-quotejsonstring
  return ((numbered && ESCAPED_HALF.test(text)) || hasRawHalf(text)) && LONE_HALF.test(JSON.stringify(value));
}

/** Whether half a surrogate pair stands alone in a text. Text that was bytes has none. `isWellFormed` (ES2024) costs a tenth of the expression. */
export function hasRawHalf(text: string): boolean {
  const { isWellFormed } = text as { isWellFormed?: () => boolean };
  return isWellFormed === undefined ? RAW_HALF.test(text) : !isWellFormed.call(text);
}
