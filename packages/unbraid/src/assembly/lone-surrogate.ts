// Halves of surrogate pairs that stand alone in a JSON text, raw or escaped. Owns the test; pure.

/** An escape of a surrogate half: only texts that hold one can hold a lone one. */
const ANY_HALF = /\\u[dD][89a-fA-F]|\p{Surrogate}/u;
/** What JSON.stringify writes for a lone half, not behind a backslash of its own. */
const LONE_HALF = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * Whether a valid JSON text holds a lone surrogate. Such a text is valid JSON, but cannot be sent as UTF-8 again unless it
 * is escaped, and some vendors refuse it in a history.
 *
 * @param text A valid JSON text.
 * @param value Its value.
 * @example
 * hasLoneSurrogate('{"t":"\\ud83d"}', { t: "\ud83d" }); // true
 */
export function hasLoneSurrogate(text: string, value: unknown): boolean {
  // JSON.stringify escapes lone halves and writes pairs as they are: https://tc39.es/ecma262/#sec-quotejsonstring
  return ANY_HALF.test(text) && LONE_HALF.test(JSON.stringify(value));
}
