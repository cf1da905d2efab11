// The outline of JSON: brackets and strings, nothing else. Says where a value that began with a bracket or a quote ends,
// though it comes in pieces. Does not judge whether what stands between is JSON; keeps no text.
//
// Works on bytes as they come from the wire (UTF-8 never uses the bytes of brackets, quotes and backslashes inside a
// character) or on the units of a string.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `{` and `[`, as `}` and `]`, differ in this bit alone, and no other unit below 0x80 has their other bits. */
const FOLD = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The units of a string, for {@link Outline.read}. */
export function codeUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}

/**
 * Follows one value from its first unit to its last, and looks at each unit once. Brackets are counted, not matched: of
 * `{"a":1]` it says that the value ended, and `JSON.parse` will say what is wrong with it. Behind the end of one value it is
 * ready for the next.
 */
export class Outline {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #closed = false;

  /** Whether the value has ended. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Reads on in `units[from..to)`. Gives the index just after the value's last unit, or -1 where it goes on. */
  read(units: Uint8Array | Uint16Array, from: number, to: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let end = -1;
    for (let i = from; i < to; i++) {
      const unit = units[i]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (unit === BACKSLASH) escaped = true;
        else if (unit === QUOTE) inString = false;
        if (inString || depth > 0) continue;
      } else if (unit === QUOTE) {
        inString = true;
        continue;
      } else {
        const folded = unit | FOLD;
        if (folded === OPEN) depth++;
        if (folded !== CLOSE || --depth > 0) continue;
      }
      end = i + 1;
      break;
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
    this.#closed = end >= 0;
    return end;
  }

  /** Reads on in a text, as {@link read} does; behind the value's end nothing. */
  follow(text: string): void {
    if (!this.#closed) this.read(codeUnits(text), 0, text.length);
  }
}

/** Whether a JSON object or array begins at a place of a text. */
export function beginsBracket(text: string, at = 0): boolean {
  return (text.charCodeAt(at) | FOLD) === OPEN;
}

/** Whether a text begins with a JSON object or array and holds it to its last bracket. */
export function holdsWholeValue(text: string): boolean {
  const outline = new Outline();
  if (beginsBracket(text.trimStart())) outline.follow(text);
  return outline.closed;
}
