// Text made anonymous without changing what it is to a parser. Owns the masks; each keeps the length and the signs of JSON,
// so that a text that is not JSON stays wrong in the same place.

/**
 * Letters and digits gone, everything else as it was.
 *
 * @param text Any text.
 * @param letter What stands for a letter; with nothing, text and digits vanish. Each letter is masked by itself, so that
 *   what is masked in pieces is the same as what is masked whole.
 */
export function maskText(text: string, letter: "x" | "" = "x"): string {
  return text.replace(/\\u[0-9a-fA-F]{4}|\\.|[\p{L}\p{M}\x80-\xff]|\p{N}/gsu, (found) => {
    // An escape stays one; of its letters only those of a character would say something.
    if (found.startsWith("\\u")) return String.raw`\u0078`;
    if (found.startsWith("\\")) return found;
    if (letter === "") return "";
    if (/\p{N}/u.test(found)) return "1".repeat(found.length);
    return (found === found.toLowerCase() ? "x" : "X").repeat(found.length);
  });
}

/** As {@link maskText}, but what stands in angle brackets, and the words that calls are written with, stay. */
export function maskProse(text: string): string {
  return text.replace(
    /(<[^<>]*>|"(?:name|arguments|parameters|function|tool|type)"|\b(?:true|false|null)\b)|[^<"a-z]+|[\s\S]/gi,
    (found, kept) => (kept === undefined ? maskText(found) : found),
  );
}

/** Where a JSON text stands between two of its fragments. */
interface Place {
  inString: boolean;
  escape: boolean;
  /** Hexadecimal digits of a `\u` escape that are still to come. */
  hex: number;
}

/**
 * Masks the strings of a JSON text that comes in fragments; what stands outside of strings keeps its words (`true`, but also
 * `True`), and its numbers become ones.
 */
export class JsonMask {
  readonly #letter: "x" | "";
  #place: Place = { inString: false, escape: false, hex: 0 };

  /** @param letter What stands for a letter in a string. */
  constructor(letter: "x" | "" = "x") {
    this.#letter = letter;
  }

  /** The next fragment, masked. */
  feed(text: string): string {
    // A text that begins like an object begins anew: a repeat, or all of it once more.
    if (/^\s*[{[]/.test(text) && !this.#place.inString) this.#place = { inString: false, escape: false, hex: 0 };
    let masked = "";
    for (const character of text) masked += this.#next(character);
    return masked;
  }

  #next(character: string): string {
    const place = this.#place;
    if (!place.inString) {
      if (character === '"') place.inString = true;
      return /[0-9]/.test(character) ? "1" : character;
    }
    if (place.hex > 0) {
      // `\u0078` is an x.
      return ["8", "7", "0", "0"][--place.hex] ?? "0";
    }
    if (place.escape) {
      place.escape = false;
      if (character === "u") place.hex = 4;
      return character;
    }
    if (character === "\\") {
      place.escape = true;
      return character;
    }
    if (character === '"') {
      place.inString = false;
      return character;
    }
    return /[\p{L}\p{M}\p{N}\x80-\xff]/u.test(character) ? this.#letter.repeat(character.length) : character;
  }
}

/** The same name for the same value: `id_1`, `id_2`. */
export class Renaming {
  readonly #stem: string;
  readonly #names: Map<string, string> = new Map();

  /** @param stem What every name begins with. */
  constructor(stem: string) {
    this.#stem = stem;
  }

  /** The name for a value; blank stays blank. */
  name(value: string): string {
    if (value.trim() === "" || ABSENT.has(value)) return value;
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = `${this.#stem}_${this.#names.size + 1}`;
    this.#names.set(value, name);
    return name;
  }
}

/** Words that servers write where there is nothing: what is read from them must stay. */
const ABSENT: ReadonlySet<string> = new Set(["null", "None", "undefined"]);
