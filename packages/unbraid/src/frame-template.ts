// Frames of one call differ only in the fragment: they need not be parsed. Owns the fast path: a template learned from one
// parsed frame, and the match of the next one against it.
//
// Why it is exact. A template is made from a frame T that `JSON.parse` accepted. It is T's text, cut at values that stand
// at known paths (the holes), each of them a string or a whole number. A frame F matches when it is the same text between
// the holes, character for character, and each hole holds the inside of a JSON string (checked: no bare quote, no control
// character, escapes read by `JSON.parse` itself) or a whole number as JSON writes it. Then F is valid JSON, since T is and
// each hole was replaced by a value of the same kind; and its value differs from T's only at the paths of the holes,
// because objects and arrays are the same text with the same keys in the same order. A path that stands twice in T (equal
// keys) makes no template. So what the protocol would say of F is what it said of T, with the holes' values put in. The
// protocol offers a template only for frames of which it says one fragment and nothing else.

/** Where a value stands in a frame. */
type FramePath = readonly (string | number)[];

/** What a hole's value is for. */
export type HoleUse = "text" | "index" | "item" | "sequence" | "skip";

/** A value that may differ from frame to frame. */
export interface Hole {
  readonly path: FramePath;
  readonly use: HoleUse;
}

/** The values that a matching frame has in its holes. One record, written anew by every match. */
export interface HoleValues {
  text: string;
  index: number;
  item: string;
  sequence: number;
}

/** Longest frame that a template is made from: a longer one is no small fragment, and parsing it costs little a byte. */
const MAX_TEMPLATE = 4096;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;

interface Piece {
  /** The constant text before the hole; the hole of a string begins behind its quote. */
  readonly before: string;
  readonly use: HoleUse;
  readonly string: boolean;
}

/** See the file's head. */
export class FrameTemplate {
  /** What the last match found; where the template has no such hole: no index, no item, no number. */
  readonly values: HoleValues = { text: "", index: -1, item: "", sequence: Number.NaN };
  readonly #pieces: readonly Piece[];
  readonly #after: string;

  private constructor(pieces: readonly Piece[], after: string) {
    this.#pieces = pieces;
    this.#after = after;
  }

  /**
   * Makes a template.
   *
   * @param text The text of a frame that `JSON.parse` accepted.
   * @param holes The values that may differ. Those that do not stand in the frame are left out.
   * @returns Undefined where a path stands twice, a value is no string or whole number, or the frame is too long.
   */
  static from(text: string, holes: readonly Hole[]): FrameTemplate | undefined {
    if (text.length > MAX_TEMPLATE) return undefined;
    const found = new Finder(text, holes).find();
    if (found === undefined) return undefined;
    const pieces: Piece[] = [];
    let at = 0;
    for (const { start, end, use, string } of found) {
      pieces.push({ before: flat(text.slice(at, start)), use, string });
      at = end;
    }
    return new FrameTemplate(pieces, flat(text.slice(at).trimEnd()));
  }

  /**
   * Whether a frame is the template with other values in its holes; these are then in `values`.
   *
   * @param text The frame's text.
   */
  match(text: string): boolean {
    let at = 0;
    for (const piece of this.#pieces) {
      const { before } = piece;
      if (!text.startsWith(before, at)) return false;
      at = piece.string
        ? this.#string(text, at + before.length, piece.use)
        : this.#number(text, at + before.length, piece.use);
      if (at < 0) return false;
    }
    const { length } = this.#after;
    if (!text.startsWith(this.#after, at)) return false;
    // Anthropic pads its frames with spaces behind the JSON.
    return at + length === text.length || text.slice(at + length).trim() === "";
  }

  /** Reads the inside of a string; gives the place of its closing quote, -1 where it is no string. */
  #string(text: string, start: number, use: HoleUse): number {
    let escaped = false;
    let at = start;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
      if (code === BACKSLASH) {
        escaped = true;
        at++;
      } else if (!(code >= 0x20)) {
        return -1;
      }
    }
    if (use === "skip") return escaped ? -1 : at;
    const value = escaped ? unescape(text.slice(start - 1, at + 1)) : text.slice(start, at);
    if (value === undefined) return -1;
    if (use === "text") this.values.text = value;
    else this.values.item = value;
    return at;
  }

  /** Reads a whole number of up to 15 digits; gives the place behind it, -1 where it is none. */
  #number(text: string, start: number, use: HoleUse): number {
    let at = start;
    let value = 0;
    for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(++at))
      value = value * 10 + (code - ZERO);
    const digits = at - start;
    if (digits === 0 || digits > 15 || (digits > 1 && text.charCodeAt(start) === ZERO)) return -1;
    // 1.5 and 1e5 go on behind their digits: the constant text that follows does not match then.
    if (use === "index") this.values.index = value;
    else if (use === "sequence") this.values.sequence = value;
    return at;
  }
}

/** A text of its own, not a window into the larger text that the frame was cut from. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function unescape(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

/** A value that was found: of a string, its inside. */
interface Found {
  readonly start: number;
  readonly end: number;
  readonly use: HoleUse;
  readonly string: boolean;
}

/** Finds the places of values in a JSON text that is known to be valid. */
class Finder {
  readonly #text: string;
  readonly #holes: readonly Hole[];
  readonly #path: (string | number)[] = [];
  readonly #found: Found[] = [];
  readonly #seen: Set<Hole> = new Set();
  #at = 0;
  #usable = true;

  constructor(text: string, holes: readonly Hole[]) {
    this.#text = text;
    this.#holes = holes;
  }

  find(): readonly Found[] | undefined {
    this.#value();
    return this.#usable && this.#found.some(({ use }) => use === "text") ? this.#found : undefined;
  }

  #skipSpace(): void {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at++;
  }

  #value(): void {
    this.#skipSpace();
    const start = this.#at;
    const first = this.#text.charAt(start);
    if (first === "{" || first === "[") return this.#container(first === "[");
    if (first === '"') this.#string();
    else while (/[^,\]}\s]/.test(this.#text.charAt(this.#at))) this.#at++;
    this.#note(start, first === '"');
  }

  #note(start: number, string: boolean): void {
    const hole = this.#holes.find(
      ({ path }) => path.length === this.#path.length && path.every((step, at) => step === this.#path[at]),
    );
    if (hole === undefined) return;
    const text = this.#text.slice(start, this.#at);
    const numeric = hole.use === "index" || hole.use === "sequence";
    if (this.#seen.has(hole) || (numeric ? !/^\d{1,15}$/.test(text) : !string)) {
      this.#usable = false;
      return;
    }
    this.#seen.add(hole);
    this.#found.push(
      string
        ? { start: start + 1, end: this.#at - 1, use: hole.use, string }
        : { start, end: this.#at, use: hole.use, string },
    );
  }

  #string(): string {
    const start = this.#at++;
    while (this.#text.charAt(this.#at) !== '"') this.#at += this.#text.charAt(this.#at) === "\\" ? 2 : 1;
    this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #container(array: boolean): void {
    this.#at++;
    for (let index = 0; ; index++) {
      this.#skipSpace();
      const char = this.#text.charAt(this.#at);
      if (char === "]" || char === "}") {
        this.#at++;
        return;
      }
      if (char === ",") {
        this.#at++;
        this.#skipSpace();
      }
      this.#path.push(array ? index : this.#key());
      this.#value();
      this.#path.pop();
    }
  }

  #key(): string {
    const key = JSON.parse(this.#string()) as string;
    this.#skipSpace();
    this.#at++;
    return key;
  }
}
