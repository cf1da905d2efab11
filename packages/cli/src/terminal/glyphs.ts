// Text from the wire as it may be shown. Owns which characters a terminal gets and how many columns each takes: control
// characters, escapes, bidirectional overrides and invisible characters come out as visible marks, so that no fragment
// can move the cursor, recolour the screen, hide itself or break the layout.

import { eastAsianWidth } from "get-east-asian-width";

/**
 * How a glyph is to be painted:
 *
 * - `plain`: as the text around it;
 * - `space`: a mark that stands for a common blank (line feed, tab, a space at an edge);
 * - `odd`: a mark that stands for a character nobody would see.
 */
type GlyphKind = "plain" | "space" | "odd";

/** One thing to show: a character of the text with what combines with it, or the mark that stands for one. */
export interface Glyph {
  readonly text: string;
  /** Columns on the terminal. */
  readonly width: number;
  readonly kind: GlyphKind;
  /** UTF-16 units of the source text that it stands for. */
  readonly units: number;
}

/** What takes no column: it is drawn into the character before it. Later Hangul vowels and finals do as well. */
const COMBINING = /^[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]$/u;

/** Controls, formats, lone surrogates, private and unassigned characters, line separators, blanks that look like a space. */
const HIDDEN = /^[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u2000-\u200a\u202f\u205f\u2800]$/u;

const PICTURE = /^\p{Extended_Pictographic}$/u;

/** What may stand on a keycap: a digit and the two characters that make a keycap of it. */
const KEYCAP_BASE = /^[0-9#*]$/;

/** Combining characters on one base that are drawn; what is stacked higher would cover the lines above. */
const MAX_COMBINING = 3;

const JOINER = 0x200d;
const DOTTED_CIRCLE = "\u25cc";

/**
 * The glyphs of a text, one by one, so that the beginning of a long text costs only what is looked at.
 *
 * @param text Any string; lone surrogates are allowed.
 * @param edges True: spaces at the beginning and the end of the text are marked, since they could not be seen there.
 * @example
 * [...glyphs("a\n\u001b[31m")].map((glyph) => glyph.text).join(""); // "a␊␛[31m"
 */
export function* glyphs(text: string, edges = false): Generator<Glyph, void, undefined> {
  const inside = edges ? innerRange(text) : { from: 0, to: text.length };
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) as number;
    // U+0300 is the first combining character.
    const simple = code < 0x7f && (code <= 0x20 || !(text.charCodeAt(at + 1) >= 0x300));
    const glyph = simple ? asciiGlyph(code, at >= inside.from && at < inside.to) : wideGlyph(text, at, code);
    yield glyph;
    at += glyph.units;
  }
}

function innerRange(text: string): { from: number; to: number } {
  let from = 0;
  while (text.charCodeAt(from) === 0x20) from++;
  let to = text.length;
  while (to > from && text.charCodeAt(to - 1) === 0x20) to--;
  return { from, to };
}

function asciiGlyph(code: number, inside: boolean): Glyph {
  if (code > 0x20) return { text: String.fromCharCode(code), width: 1, kind: "plain", units: 1 };
  if (code === 0x20) return { text: inside ? " " : "\u2423", width: 1, kind: inside ? "plain" : "space", units: 1 };
  const blank = code === 0x0a || code === 0x0d || code === 0x09;
  // U+2400 and the next 31 are the pictures of the control characters.
  return { text: String.fromCharCode(0x2400 + code), width: 1, kind: blank ? "space" : "odd", units: 1 };
}

function wideGlyph(text: string, at: number, code: number): Glyph {
  const character = String.fromCodePoint(code);
  const { length } = character;
  if (code === 0x7f) return { text: "\u2421", width: 1, kind: "odd", units: 1 };
  if (HIDDEN.test(character)) return { ...mark(code), units: length };
  // A combining character with nothing before it in this text would be drawn into what we put there.
  const alone = COMBINING.test(character);
  const width = alone ? 1 : eastAsianWidth(code);
  const tail = drawnInto(text, at + length);
  const shown = (alone ? DOTTED_CIRCLE + character : character) + tail.text;
  return {
    text: shown,
    width,
    kind: "plain",
    units: length + tail.units + silent(text, at + length + tail.units, code),
  };
}

/** The combining characters that follow. */
function drawnInto(text: string, from: number): { text: string; units: number } {
  let at = from;
  for (let count = 0; count < MAX_COMBINING && at < text.length; count++) {
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    if (!COMBINING.test(character) || HIDDEN.test(character)) break;
    at += character.length;
  }
  return { text: text.slice(from, at), units: at - from };
}

/**
 * Units after a picture that are left out: the selector of its style, a joiner to a further picture, a keycap. Terminals do not
 * agree on the width of what these make; of the pictures by themselves they do.
 */
function silent(text: string, at: number, code: number): number {
  const next = text.codePointAt(at);
  if (KEYCAP_BASE.test(String.fromCodePoint(code)))
    return next === 0xfe0f && text.charCodeAt(at + 1) === 0x20e3 ? 2 : 0;
  if (!PICTURE.test(String.fromCodePoint(code))) return 0;
  const selector = next === 0xfe0f || next === 0xfe0e ? 1 : 0;
  if (text.charCodeAt(at + selector) !== JOINER) return selector;
  const joined = text.codePointAt(at + selector + 1);
  return joined !== undefined && PICTURE.test(String.fromCodePoint(joined)) ? selector + 1 : selector;
}

/** The mark of a character that cannot be shown: `⟨U+202E⟩`. */
function mark(code: number): { text: string; width: number; kind: GlyphKind } {
  const text = `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
  return { text, width: text.length, kind: "odd" };
}
