// Text from the wire cut to a width. Owns cutting, padding, wrapping and pointing at a place. Everything that comes from
// outside goes through here on its way to the terminal.

import { type Glyph, glyphs } from "./glyphs.ts";
import type { Paint, Style } from "./style.ts";

const same: Paint = (text) => text;

/** How the glyphs of a text are painted. */
export interface Brush {
  readonly plain: Paint;
  readonly space: Paint;
  readonly odd: Paint;
}

/** A brush that paints nothing. */
const NO_BRUSH: Brush = { plain: same, space: same, odd: same };

/** A brush in one colour, marks of characters that cannot be seen set off. */
export function brush(style: Style, plain: Paint): Brush {
  return { plain, space: style.dim, odd: style.odd };
}

/** A text ready for the terminal. */
export interface Fitted {
  /** Painted. */
  readonly text: string;
  /** Columns that it takes. */
  readonly width: number;
  /** UTF-16 units of the source that were not shown. */
  readonly left: number;
}

/** Options of {@link fit}. */
export interface FitOptions {
  readonly brush?: Brush;
  /** Marks spaces at the beginning and the end. */
  readonly edges?: boolean;
  /** Says behind the ellipsis how many characters are not shown. */
  readonly count?: boolean;
}

/**
 * The beginning of a text that fits into a width, with an ellipsis where something was left out.
 *
 * @param text Any text.
 * @param width Columns, at least 1.
 * @example
 * fit('{"city":"Oslo"}', 8).text; // '{"city"…'
 */
export function fit(text: string, width: number, options: FitOptions = {}): Fitted {
  const taken = take(text, width, options.edges ?? false);
  if (taken.units === text.length) return { text: painted(taken.glyphs, options), width: taken.width, left: 0 };
  // The note on what is missing needs room of its own. It is a little longer than it may have to be, never shorter.
  const note = options.count === true && width >= 24 ? ` ${text.length} more` : "";
  const room = take(text, width - 1 - note.length, options.edges ?? false);
  const left = text.length - room.units;
  const end = `\u2026${note === "" ? "" : ` ${left} more`}`;
  return {
    text: painted(room.glyphs, options) + (options.brush?.space ?? same)(end),
    width: room.width + end.length,
    left,
  };
}

function take(text: string, width: number, edges: boolean): { glyphs: Glyph[]; width: number; units: number } {
  const taken: Glyph[] = [];
  let used = 0;
  let units = 0;
  for (const glyph of glyphs(text, edges)) {
    if (used + glyph.width > width) break;
    taken.push(glyph);
    used += glyph.width;
    units += glyph.units;
  }
  return { glyphs: taken, width: used, units };
}

/** Glyphs of one kind in a row are painted together: fewer escape sequences, and easier to read back. */
function painted(list: readonly Glyph[], { brush: paints = NO_BRUSH }: FitOptions): string {
  let out = "";
  let run = "";
  for (const [at, glyph] of list.entries()) {
    run += glyph.text;
    if (list[at + 1]?.kind === glyph.kind) continue;
    out += paints[glyph.kind](run);
    run = "";
  }
  return out;
}

/**
 * A text as it may be shown, whatever its length.
 *
 * @example
 * visible("a\u001b[2Jb"); // "a␛[2Jb"
 */
export function visible(text: string): string {
  let out = "";
  for (const glyph of glyphs(text)) out += glyph.text;
  return out;
}

/** Columns that a text takes as {@link visible} shows it. */
export function widthOf(text: string): number {
  let width = 0;
  for (const glyph of glyphs(text)) width += glyph.width;
  return width;
}

/** A text in a column of a fixed width: cut or filled with spaces. */
export function cell(text: string, width: number, paint: Paint = same): string {
  const { text: shown, width: used } = fit(text, width);
  return paint(shown) + " ".repeat(width - used);
}

/**
 * Words broken into lines of a width; a word that is longer than a line is cut into pieces.
 *
 * @param text Any text; it is made visible.
 * @param width Columns, at least 1; a mark that is wider than that stands on a line of its own.
 * @param first Columns of the first line, where it is shorter.
 */
export function wrap(text: string, width: number, first: number = width): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const room = (): number => (lines.length === 0 ? first : width);
  const flush = (): void => {
    lines.push(line);
    line = "";
    used = 0;
  };
  for (const word of text.split(" ")) {
    const whole = widthOf(word);
    if (used > 0 && used + 1 + whole > room()) flush();
    if (used > 0) {
      line += " ";
      used++;
    }
    for (const glyph of glyphs(word)) {
      if (used > 0 && used + glyph.width > room()) flush();
      line += glyph.text;
      used += glyph.width;
    }
  }
  flush();
  return lines;
}

/** A text with a place in it, and the column of that place. */
export interface Pointed {
  readonly text: string;
  /** Columns before the place. */
  readonly column: number;
}

/**
 * The part of a text around a place.
 *
 * @param text Any text.
 * @param offset UTF-16 offset of the place; the end of the text is a place too.
 * @param width Columns, at least 4.
 */
export function around(text: string, offset: number, width: number, paints: Brush = NO_BRUSH): Pointed {
  const place = Math.min(Math.max(offset, 0), text.length);
  // Two thirds of the width show what led to the place.
  const room = Math.max(1, Math.floor((width * 2) / 3));
  let from = place;
  let before = 0;
  while (from > 0) {
    const step = isLowSurrogate(text, from - 1) ? 2 : 1;
    const grown = widthOf(text.slice(from - step, place));
    if (grown > room) break;
    before = grown;
    from -= step;
  }
  const cut = from > 0 ? "\u2026" : "";
  const shown = fit(text.slice(from), width - cut.length, { brush: paints });
  return { text: paints.space(cut) + shown.text, column: cut.length + before };
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
