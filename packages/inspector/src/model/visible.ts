// Bytes and text as they can be shown: nothing invisible, nothing that moves what stands beside it. Owns which characters
// are drawn as they are and what stands for the others.

/** A run that is drawn in one way. */
export interface Segment {
  /**
   * - `text`: as it is;
   * - `mark`: a sign for a character that cannot be seen;
   * - `byte`: a byte that is no UTF-8;
   * - `cut`: nothing of the body: here one chunk ended and the next began.
   */
  readonly kind: "text" | "mark" | "byte" | "cut";
  /** What is drawn. */
  readonly text: string;
  /** What it is, for a person; empty for text. */
  readonly title: string;
}

/** Control and format characters, separators, surrogates, private and unassigned ones: bidi overrides are among them. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

const NAMES: Readonly<Record<number, readonly [sign: string, title: string]>> = {
  0x00: ["NUL", "null"],
  0x07: ["BEL", "bell"],
  0x08: ["BS", "backspace"],
  0x09: ["TAB", "tab"],
  0x0a: ["LF", "line feed"],
  0x0d: ["CR", "carriage return"],
  0x1b: ["ESC", "escape"],
  0x7f: ["DEL", "delete"],
  0xad: ["SHY", "soft hyphen"],
  0x200b: ["ZWSP", "zero width space"],
  0x200d: ["ZWJ", "zero width joiner"],
  0x200e: ["LRM", "left-to-right mark"],
  0x200f: ["RLM", "right-to-left mark"],
  0x202a: ["LRE", "left-to-right embedding"],
  0x202b: ["RLE", "right-to-left embedding"],
  0x202c: ["PDF", "end of a change of direction"],
  0x202d: ["LRO", "left-to-right override"],
  0x202e: ["RLO", "right-to-left override"],
  0x2066: ["LRI", "left-to-right isolate"],
  0x2067: ["RLI", "right-to-left isolate"],
  0x2068: ["FSI", "first strong isolate"],
  0x2069: ["PDI", "end of an isolate"],
  0xfeff: ["BOM", "byte order mark"],
};

/** Gathers runs. */
class Runs {
  readonly segments: Segment[] = [];
  #text = "";

  /** Adds a character, by its code point. */
  character(point: number): void {
    const text = String.fromCodePoint(point);
    if (!UNSEEN.test(text)) {
      this.#text += text;
      return;
    }
    this.#flush();
    const hex = point.toString(16).toUpperCase().padStart(4, "0");
    const [sign, title] = NAMES[point] ?? [`U+${hex}`, "a character that cannot be seen"];
    this.segments.push({ kind: "mark", text: sign, title: `${title}, U+${hex}` });
    // The line is broken where it is, behind the sign.
    if (point === 0x0a) this.#text += "\n";
  }

  /** Adds a byte that belongs to no character. */
  byte(byte: number): void {
    this.#flush();
    const hex = byte.toString(16).toUpperCase().padStart(2, "0");
    this.segments.push({ kind: "byte", text: hex, title: `byte 0x${hex}: no UTF-8` });
  }

  /** Notes the end of a chunk. */
  cut(): void {
    this.#flush();
    this.segments.push({ kind: "cut", text: "╎", title: "a chunk ended here" });
  }

  #flush(): void {
    if (this.#text !== "") this.segments.push({ kind: "text", text: this.#text, title: "" });
    this.#text = "";
  }

  /** All of it. */
  end(): readonly Segment[] {
    this.#flush();
    return this.segments;
  }
}

/** A text as it can be shown. */
export function visibleText(text: string): readonly Segment[] {
  const runs = new Runs();
  for (const character of text) runs.character(character.codePointAt(0) ?? 0);
  return runs.end();
}

/**
 * Bytes as they can be shown.
 *
 * @param bytes The bytes.
 * @param cuts Offsets in them where one chunk ended and the next began, ascending.
 */
export function visibleBytes(bytes: Uint8Array, cuts: readonly number[] = []): readonly Segment[] {
  const runs = new Runs();
  let next = 0;
  let at = 0;
  while (at < bytes.length) {
    for (; next < cuts.length && (cuts[next] as number) <= at; next++) runs.cut();
    const length = characterLength(bytes, at);
    // A character that came in two chunks is shown by its bytes, with the cut between them.
    const broken = next < cuts.length && (cuts[next] as number) < at + length;
    if (length === 0 || broken) runs.byte(bytes[at++] as number);
    else {
      runs.character(codePoint(bytes, at, length));
      at += length;
    }
  }
  return runs.end();
}

/** Bytes of the UTF-8 character at an offset; 0 where there is none (RFC 3629: no overlong form, no surrogate). */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  for (let next = at + 1; next < at + length; next++) if (((bytes[next] as number) & 0xc0) !== 0x80) return 0;
  const point = codePoint(bytes, at, length);
  const lowest = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000;
  return point < lowest || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? 0 : length;
}

function codePoint(bytes: Uint8Array, at: number, length: number): number {
  const first = bytes[at] as number;
  if (length === 1) return first;
  let point = first & (0x7f >> length);
  for (let next = at + 1; next < at + length; next++) point = (point << 6) | ((bytes[next] as number) & 0x3f);
  return point;
}
