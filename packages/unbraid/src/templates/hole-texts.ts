// The strings that stand in the holes of frames that matched: copied out of the bytes without their escapes, and decoded for
// many frames at once, since one call of a decoder costs as much as ten small fragments. Owns the copy, the escapes of JSON
// strings and the decoding.

import { characters } from "./ascii.ts";

/** Ranges and bytes up to which more frames may be taken before what was taken is decoded. */
const MAX_RANGES = 256;
const MAX_BYTES = 8 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
/** No code point: the bytes ended too early. */
const CUT = -2;

/** ASCII up to which a text costs less to put together from its characters than to decode; V8 would make a rope of more. */
const SMALL = 12;
/** Bytes; where there is Node's `Buffer`, one of these, for it decodes a few bytes in half a `TextDecoder`'s time. */
interface Store extends Uint8Array {
  toString(encoding?: "latin1" | "utf8", start?: number, end?: number): string;
}

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });
const REPLACEMENT = "\ufffd";

/** By the letter behind the backslash, the character that a short escape stands for; 0: it is none. */
const ESCAPES: Uint8Array = /* @__PURE__ */ shortEscapes();

function shortEscapes(): Uint8Array {
  const table = new Uint8Array(256);
  for (const pair of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"])
    table[pair.charCodeAt(0)] = pair.charCodeAt(1);
  return table;
}

/**
 * Strings one after another: the n-th one taken is the n-th range. Its store has room for `slack` bytes beyond `MAX_BYTES`,
 * so that a frame of up to that many bytes can be taken whenever it is not `full`.
 */
export class HoleTexts {
  /** How many strings were taken. */
  count = 0;
  readonly #store: Store;
  #length = 0;
  /** UTF-16 units of what was taken, if it is UTF-8. */
  #units = 0;
  /** Where each range begins, in bytes and in units; it ends where the next one begins. The first one begins at 0. */
  readonly #byteStarts = new Int32Array(MAX_RANGES + 8);
  readonly #unitStarts = new Int32Array(MAX_RANGES + 8);
  /** Nothing but ASCII was taken. */
  #ascii = true;
  /** A range begins inside a character: together with the end of the one before it would be another text. */
  #split = false;
  #text = "";
  /** What was taken is no UTF-8, perhaps, so that units are not what was counted: each range is decoded for itself. */
  #unsound = false;

  /** @param slack See above. */
  constructor(slack: number) {
    this.#store = storeOf(MAX_BYTES + slack);
  }

  /** Whether what was taken should be decoded before more is taken. */
  get full(): boolean {
    return this.count >= MAX_RANGES || this.#length >= MAX_BYTES;
  }

  /** Forgets the strings from the n-th one on. */
  truncate(count: number): void {
    this.count = count;
    this.#length = count === 0 ? 0 : (this.#byteStarts[count] as number);
    this.#units = count === 0 ? 0 : (this.#unitStarts[count] as number);
    if (count > 0) return;
    this.#ascii = true;
    this.#split = false;
  }

  /**
   * Takes the inside of a JSON string.
   *
   * @param bytes Where it stands.
   * @param start Behind its opening quote.
   * @param limit Bytes from here on are not looked at.
   * @returns Where its closing quote stands; -1 where it is no JSON string, or holds an escaped half of a surrogate pair,
   *   which no UTF-8 can say; `limit` where it does not end before it.
   */
  take(bytes: Uint8Array, start: number, limit: number): number {
    const store = this.#store;
    let at = start;
    let to = this.#length;
    // Bytes that are no unit of their own.
    let extra = 0;
    while (at < limit) {
      const byte = bytes[at] as number;
      // By far the most: a table of bytes would cost more, for each look into one is checked by the engine.
      if (byte >= 0x20 && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH) {
        store[to++] = byte;
        at++;
      } else if (byte === QUOTE) {
        this.#add(to, extra);
        return at;
      } else if (byte >= 0x80) {
        // A character begins with each byte but those of 0x80 to 0xBF; one of four bytes is two units.
        if (byte < 0xc0) {
          extra++;
          this.#split ||= at === start;
        } else if (byte >= 0xf0) extra--;
        this.#ascii = false;
        store[to++] = byte;
        at++;
      } else if (byte !== BACKSLASH) {
        return -1;
      } else if (at + 1 >= limit) {
        return limit;
      } else {
        const letter = bytes[at + 1] as number;
        if (letter === LOWER_U) {
          const point = codePoint(bytes, at + 2, limit);
          if (point < 0) return point === CUT ? limit : -1;
          const before = to;
          to = encode(point, store, to);
          extra += to - before - (point > 0xffff ? 2 : 1);
          if (point >= 0x80) this.#ascii = false;
          at += point > 0xffff ? 12 : 6;
        } else {
          const character = ESCAPES[letter] as number;
          if (character === 0) return -1;
          store[to++] = character;
          at += 2;
        }
      }
    }
    return limit;
  }

  /** Ends a range: it goes to byte `end`, and `extra` of its bytes are no units. */
  #add(end: number, extra: number): void {
    this.#units += end - this.#length - extra;
    this.#length = end;
    this.count++;
    this.#byteStarts[this.count] = end;
    this.#unitStarts[this.count] = this.#units;
  }

  /** Decodes all strings. */
  decode(): void {
    const length = this.#length;
    const ascii = this.#ascii;
    this.#text = ascii && length <= SMALL ? characters(this.#store, 0, length) : decoded(this.#store, length, ascii);
    // Where bytes are no UTF-8 there is a replacement character for them; without one the counts are right.
    this.#unsound = !ascii && (this.#split || this.#text.includes(REPLACEMENT));
  }

  /** All strings behind each other, once they are decoded; undefined where only each for itself can be had. */
  get all(): string | undefined {
    return this.#unsound ? undefined : this.#text;
  }

  /** Where the n-th string begins in `all`, in units; it ends where the next one begins. */
  startOf(range: number): number {
    return this.#unitStarts[range] as number;
  }

  /** The n-th string, once all are decoded. */
  at(range: number): string {
    // A single one is given out as it was decoded: engines make a slice another kind of string, and code that meets all
    // kinds of strings looks for the length of each anew.
    if (this.count === 1 && !this.#unsound) return this.#text;
    const starts = this.#unsound ? this.#byteStarts : this.#unitStarts;
    const start = starts[range] as number;
    const end = starts[range + 1] as number;
    return this.#unsound ? utf8.decode(this.#store.subarray(start, end)) : this.#text.slice(start, end);
  }
}

/**
 * The code point that an escape stands for, together with the one behind it where the two are a surrogate pair; `at` is behind
 * its `\\u`. -1 where there is none: bad digits, or half a pair. `CUT` where the bytes end too early to tell.
 */
function codePoint(bytes: Uint8Array, at: number, limit: number): number {
  if (at + 4 > limit) return CUT;
  const first = hexadecimal(bytes, at);
  if (first < 0) return -1;
  if (first < 0xd800 || first > 0xdfff) return first;
  if (first > 0xdbff) return -1;
  // A frame that is whole may end sooner than the other half would: it must not wait for more bytes.
  if (at + 4 < limit && bytes[at + 4] !== BACKSLASH) return -1;
  if (at + 10 > limit) return CUT;
  if (bytes[at + 5] !== LOWER_U) return -1;
  const second = hexadecimal(bytes, at + 6);
  return second < 0xdc00 || second > 0xdfff ? -1 : 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

/** The value of four hexadecimal digits; negative where they are none. */
function hexadecimal(bytes: Uint8Array, at: number): number {
  return (digit(bytes[at]) << 12) | (digit(bytes[at + 1]) << 8) | (digit(bytes[at + 2]) << 4) | digit(bytes[at + 3]);
}

function digit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Writes a code point that is no half of a pair as UTF-8; gives the place behind it. */
function encode(point: number, store: Uint8Array, at: number): number {
  let to = at;
  if (point < 0x80) {
    store[to++] = point;
  } else {
    if (point < 0x800) {
      store[to++] = 0xc0 | (point >> 6);
    } else {
      if (point < 0x10000) {
        store[to++] = 0xe0 | (point >> 12);
      } else {
        store[to++] = 0xf0 | (point >> 18);
        store[to++] = 0x80 | ((point >> 12) & 0x3f);
      }
      store[to++] = 0x80 | ((point >> 6) & 0x3f);
    }
    store[to++] = 0x80 | (point & 0x3f);
  }
  return to;
}

function storeOf(size: number): Store {
  const { Buffer } = globalThis as { Buffer?: { from?: (memory: ArrayBuffer) => Store } };
  return Buffer?.from?.(new ArrayBuffer(size)) ?? new Uint8Array(size);
}

/** The text of the first bytes, where they are UTF-8. */
function decoded(store: Store, length: number, ascii: boolean): string {
  if (store.constructor === Uint8Array) return utf8.decode(store.subarray(0, length));
  return store.toString(ascii ? "latin1" : "utf8", 0, length);
}
