// Words of others inside our own: how a text that a model, a tool or a person wrote is quoted in a message, so that it
// is bounded, has no hidden characters and cannot pass for the message itself. Owns quoting; pure functions.

/** Texts up to this many UTF-16 units are quoted whole. */
const WHOLE_QUOTE = 400;
/** Of longer texts, so many UTF-16 units before and behind the place that is shown. */
const AROUND = 120;

/**
 * A text as a quotation: every line behind `> `, so that no line of it can be taken for one of ours. Longer texts are
 * shown around one place.
 *
 * @param text Anybody's text, however long.
 * @param at The place to show of a long text, in UTF-16 units. Default the end.
 * @returns Lines, the last without a line feed. What was left out is marked with `…`.
 * @example
 * quoted('{"query": ,}'); // '> {"query": ,}'
 */
export function quoted(text: string, at: number = text.length): string {
  // Line ends as places are counted by; what else some readers take for one is spelled as an escape.
  const lines = excerpt(text, at).split(/\r?\n/);
  return lines.map((line) => `> ${visible(line)}`).join("\n");
}

/** A long text cut to what stands around a place. */
function excerpt(text: string, at: number): string {
  if (text.length <= WHOLE_QUOTE) return text;
  const middle = Math.min(Math.max(at, 0), text.length);
  const first = Math.max(0, middle - AROUND - Math.max(0, middle + AROUND - text.length));
  const from = first > 0 && isLowHalf(text, first) ? first - 1 : first;
  const last = Math.min(text.length, first + 2 * AROUND);
  const to = last < text.length && isLowHalf(text, last) ? last + 1 : last;
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}

/** Whether a cut before this place would go through a pair of surrogates. */
function isLowHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Whether {@link quoted} shows all of a text. */
export function isQuotedWhole(text: string): boolean {
  return text.length <= WHOLE_QUOTE;
}

/**
 * Control characters, those that turn the direction of writing, those without width, tags (which spell hidden ASCII), and
 * halves of surrogate pairs.
 */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** A text whose characters that cannot be seen are spelled as escapes; a tab stays. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) => {
    if (found === "\t") return found;
    const point = found.codePointAt(0) ?? 0;
    return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
  });
}

/**
 * A short text in one line: hidden characters and line ends as escapes, cut with `…`.
 *
 * @param text Anybody's text, however long.
 * @param length UTF-16 units that are kept at most, before escapes.
 */
export function inline(text: string, length: number): string {
  return text.length <= length ? visible(text) : `${visible(beginning(text, length))}…`;
}

/** The beginning of a text, not ending in half a character. */
export function beginning(text: string, length: number): string {
  return text.slice(0, length > 0 && isLowHalf(text, length) ? length - 1 : length);
}

/** A name in quotes, in one line. */
export function quotedName(name: string): string {
  return JSON.stringify(inline(name, 64));
}
