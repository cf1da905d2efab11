// The argument text of a call while it comes. Owns how a long one is kept until somebody asks for all of it: as UTF-8, which
// is half of what JavaScript takes for a text that is not all Latin-1, outside of its heap, and given back at once. Were it
// kept as strings, at the close there would be the pieces, the whole and the parsed value, in two bytes a character each.

import { GrowingText } from "../json/growing-text.ts";
import { release } from "../release.ts";
import { hasRawHalf } from "./lone-surrogate.ts";

/** UTF-16 units up to which a text is not packed: of a short one the memory is no matter, and packing costs a little time. */
const SHORT = 256 * 1024;
/** UTF-16 units that are packed at once after that. */
const BLOCK = 16 * 1024;
/** UTF-8 bytes that a UTF-16 unit takes at most. */
const WIDEST = 3;
const EMPTY = /* @__PURE__ */ new Uint8Array(0);

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

/** See the file's head. Adding costs what is added; looking costs what was added since the last look, or all of it once. */
export class HeldText {
  /** What somebody has looked at, unless it is short. */
  #whole = "";
  /** Behind it: whole characters as UTF-8, and then what has come since they were packed. */
  #packed: Uint8Array = EMPTY;
  #bytes = 0;
  readonly #recent: GrowingText = new GrowingText();
  /** UTF-16 units of `#whole` and of what is packed. */
  #before = 0;
  /** Half a surrogate pair has come by itself: UTF-8 cannot say it, and nothing is packed any more. */
  #halves = false;
  readonly #short: number;

  /** @param short Units up to which it is not packed. */
  constructor(short: number = SHORT) {
    this.#short = short;
  }

  /** UTF-16 units. */
  get length(): number {
    return this.#before + this.#recent.length;
  }

  /** Adds a fragment. */
  add(fragment: string): void {
    // Before, not behind: a text that comes in one piece is not packed.
    if (this.#recent.length >= (this.#bytes > 0 ? BLOCK : this.#short)) this.#pack();
    this.#recent.add(fragment);
  }

  /** All of it. */
  get text(): string {
    // A short beginning that was looked at is packed with the rest: in one piece, for of two strings behind each other the
    // engine makes a third one.
    if (this.#before === 0 && this.#recent.length < this.#short) return this.#recent.text;
    if (this.#bytes > 0) this.#pack();
    if (this.length > this.#whole.length) this.#take(this.#whole + this.#unpacked(0, this.#bytes) + this.#recent.text);
    return this.#whole;
  }

  /** Whether it is this text, which is then kept in the place of what was packed. */
  is(text: string): boolean {
    if (text.length !== this.length) return false;
    if (this.#bytes === 0) return text === this.text;
    const rest = this.#endOfPacked(text);
    if (rest < 0 || text.slice(rest) !== this.#recent.text) return false;
    this.#take(text);
    return true;
  }

  /** Starts anew. */
  clear(): void {
    this.#take("");
  }

  #pack(): void {
    const text = this.#recent.text;
    const last = text.charCodeAt(text.length - 1);
    // The other half may be about to come.
    const end = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    const sound = text.slice(0, end);
    this.#halves ||= hasRawHalf(sound);
    if (this.#halves) return;
    this.#reserve(end * WIDEST);
    this.#bytes += encoder.encodeInto(sound, this.#packed.subarray(this.#bytes)).written;
    this.#before += end;
    this.#recent.clear();
    this.#recent.add(text.slice(end));
  }

  /** Makes room for more bytes. */
  #reserve(bytes: number): void {
    const old = this.#packed;
    if (this.#bytes + bytes <= old.length) return;
    this.#packed = new Uint8Array(Math.max(this.#bytes + bytes, 2 * old.length));
    this.#packed.set(old.subarray(0, this.#bytes));
    release(old);
  }

  #unpacked(start: number, end: number): string {
    return start === end ? "" : decoder.decode(this.#packed.subarray(start, end));
  }

  /** Where in a text what has come behind the packed text would begin; -1 where the text does not begin with what is packed. */
  #endOfPacked(text: string): number {
    if (!text.startsWith(this.#whole)) return -1;
    let at = this.#whole.length;
    for (let start = 0; start < this.#bytes;) {
      let end = Math.min(start + BLOCK, this.#bytes);
      // No character of UTF-8 begins with 10xxxxxx.
      while (end < this.#bytes && ((this.#packed[end] as number) & 0xc0) === 0x80) end--;
      const piece = this.#unpacked(start, end);
      if (!text.startsWith(piece, at)) return -1;
      at += piece.length;
      start = end;
    }
    return at;
  }

  /** Makes a text the whole. */
  #take(text: string): void {
    release(this.#packed);
    this.#packed = EMPTY;
    this.#bytes = 0;
    this.#recent.clear();
    this.#whole = text;
    this.#before = text.length;
  }
}
