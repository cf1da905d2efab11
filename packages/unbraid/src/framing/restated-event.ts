// An SSE event that says a long text once more that has come already: Responses sends the arguments of each call in pieces, and
// then whole, two or three times. Owns the comparison of such an event with the text as its bytes come, so that the text is
// neither kept, nor decoded, nor parsed again. Knows no vendor: what may be restated it is told.
//
//     data: {"type":"….done","arguments":"{\"path\":\"src/…  …\"}","sequence_number":4}\n\n
//     ^ kept                              ^ compared            ^ kept
//
// Why it is exact. Bytes are left out only where they are the text as `JSON.stringify` spells it (but for control characters
// without a letter of their own: who meets one gives up), between a quote behind a colon and another quote: where the event is JSON, that is a string with this very value. In its place stands a random word
// that nobody outside has seen. What `JSON.parse` makes of the shorter event differs from what it would make of the whole one
// only in the strings that are this word, and in their place the text is put. An event that goes on otherwise, or is no
// JSON, is put together again byte for byte, and read as ever.

import { ByteBuffer, CR, LF } from "./bytes.ts";
import type { EmitFrame, Frame } from "./frame.ts";
import type { SseFramer } from "./sse.ts";

/** Bytes of an event that are looked at for the beginning of such a string. */
export const MAX_HEAD = 1024;
/** Bytes that are kept of an event beside the texts. */
const MAX_KEPT = 64 * 1024;
/** UTF-16 units of a text that are compared at once, and bytes that one of them takes at most. */
const BLOCK = 2048;
const WIDEST = 3;
/** An event of one data line, up to somewhere in its value. */
const BEGINNING = /^(?:event:[^\r\n]*\r?\n)?data: ?\{[^\r\n]*$/;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The first byte of U+FFFD: so is half of a surrogate pair encoded, which no byte can say. */
const LIKE_HALF = 0xef;
const HALF = /\p{Surrogate}/u;

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();

/** By the letter behind the backslash, the character that `JSON.stringify` spells so; 0: none. */
const SHORT: Uint8Array = /* @__PURE__ */ shortEscapes();

function shortEscapes(): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of '"\\\b\f\n\r\t') table[spelling(character).charCodeAt(1)] = character.charCodeAt(0);
  return table;
}

/** A string in an event that may say a text again that has come before. */
export interface Restated {
  /** Where it begins, behind its quote, in what was shown of the event. */
  readonly at: number;
  /** The text that it may say again. */
  readonly text: string;
}

/** A text that was left out, and before which byte of what was kept it stood. */
interface LeftOut {
  readonly at: number;
  readonly text: string;
}

/** See the file's head. Serves one body, an event at a time. */
export class RestatedEvent {
  readonly #find: (beginning: string) => Restated | undefined;
  /** Longest event in bytes. */
  readonly #limit: number;
  #state: "none" | "open" | "over" | "other" = "none";
  /** The event without the texts. */
  readonly #kept = new ByteBuffer();
  readonly #leftOut: LeftOut[] = [];
  /** Bytes that are left out. */
  #bytes = 0;
  /** Where the line behind the data begins in what is kept; -1 while the data line is open. */
  #lastLine = -1;
  /** The text that is compared now, a block of it as UTF-8, the units before that block, and those up to its end. */
  #text: string | undefined;
  readonly #block = new Uint8Array(BLOCK * WIDEST);
  #before = 0;
  #units = 0;
  /** Bytes of the block, and how many of them the event has. */
  #length = 0;
  #same = 0;
  /** The event has the backslash of an escape. */
  #escape = false;
  /** What all words begin with; made when the first one is needed. */
  #word = "";

  /**
   * @param find Gives the string in an event's bytes, of which the ASCII at their beginning is shown, that may say a text
   *   again.
   * @param limit Longest event in bytes: a longer one is put together again.
   */
  constructor(find: (beginning: string) => Restated | undefined, limit: number) {
    this.#find = find;
    this.#limit = limit;
  }

  /** Whether an event is being read. */
  get open(): boolean {
    return this.#state !== "none";
  }

  /**
   * Begins with the event at `from`, where a text may be said again in it.
   *
   * @param end Where the event ends, or what has come of it.
   * @returns Where to go on reading; `from` where it is no such event, as far as can be seen.
   */
  begin(bytes: Uint8Array, from: number, end: number): number {
    const head = asciiHead(bytes, from, end);
    const found = this.#find(head);
    if (found === undefined || !BEGINNING.test(head.slice(0, found.at))) return from;
    this.#state = "open";
    return this.#start(bytes, from, found);
  }

  /**
   * Reads on.
   *
   * @param sse Gets the event, when it is over or proves to be another.
   * @returns Where what follows begins: behind the event, or somewhere in it where it is another.
   */
  read(bytes: Uint8Array, from: number, sse: SseFramer, emit: EmitFrame): number {
    let at = from;
    while (this.#state === "open" && at < bytes.length) {
      at = this.#text === undefined ? this.#keep(bytes, at) : this.#compare(bytes, at, this.#text);
      if (this.#bytes + this.#kept.length > this.#limit) this.#state = "other";
    }
    if (this.#state === "over") this.#finish(sse, emit);
    else if (this.#state === "other") this.giveUp(sse, emit);
    return at;
  }

  /** Lets the framer read what there is of the event, as it came. */
  giveUp(sse: SseFramer, emit: EmitFrame): void {
    const text = this.#text;
    const pieces = this.#pieces((left) => encoder.encode(spelling(left)));
    if (text !== undefined) {
      // Bytes as characters: what is no ASCII stands for itself, and may end inside of a character.
      const same = spelling(String.fromCharCode(...this.#block.subarray(0, this.#same)));
      pieces.push(
        encoder.encode(spelling(text.slice(0, this.#before))),
        Uint8Array.from(same, (each) => each.charCodeAt(0)),
      );
      if (this.#escape) pieces.push(Uint8Array.of(BACKSLASH));
    }
    this.#clear();
    for (const piece of pieces) sse.push(piece, emit);
  }

  /** Keeps what stands before a text, and begins to compare it. */
  #start(bytes: Uint8Array, from: number, { at, text }: Restated): number {
    this.#kept.append(bytes, from, from + at);
    this.#text = text;
    this.#before = this.#units = this.#length = this.#same = 0;
    return from + at;
  }

  /** Compares; gives the place of the first byte that is not in the text. */
  #compare(bytes: Uint8Array, from: number, text: string): number {
    let at = from;
    let more = true;
    while (more && at < bytes.length) {
      if (this.#same === this.#length) more = this.#nextBlock(text);
      at = this.#compareBlock(bytes, at);
      more &&= this.#same === this.#length;
    }
    this.#bytes += at - from;
    if (at === bytes.length) return at;
    if (bytes[at] === QUOTE && !this.#escape && this.#same === this.#length && this.#units === text.length) {
      this.#leftOut.push({ at: this.#kept.length, text });
      this.#text = undefined;
    } else {
      this.#state = "other";
    }
    return at;
  }

  /** Compares with the block; gives the first byte that is not in it, behind which the block or the bytes may be over. */
  #compareBlock(bytes: Uint8Array, from: number): number {
    const block = this.#block;
    const end = this.#length;
    const view = new DataView(bytes.buffer);
    const blockView = new DataView(block.buffer);
    let at = from;
    let same = this.#same;
    if (this.#escape && same < end && SHORT[bytes[at] as number] === block[same]) {
      this.#escape = false;
      at++;
      same++;
    }
    while (!this.#escape && same < end && at < bytes.length) {
      const plain = plainLength(view, bytes.byteOffset + at, bytes.length - at, blockView, same, end - same);
      at += plain;
      same += plain;
      if (same === end || at === bytes.length) break;
      const byte = bytes[at] as number;
      if (byte === BACKSLASH) {
        if (at + 1 === bytes.length) this.#escape = true;
        else if (SHORT[bytes[at + 1] as number] !== block[same]) break;
        else {
          at++;
          same++;
        }
      } else if (byte !== block[same] || byte === QUOTE || byte < SPACE || (byte === LIKE_HALF && this.#isHalved()))
        break;
      else same++;
      at++;
    }
    this.#same = same;
    return at;
  }

  /** Whether there is half of a surrogate pair in the block. */
  #isHalved(): boolean {
    return HALF.test((this.#text ?? "").slice(this.#before, this.#units));
  }

  /** Takes up the next units of the text; false where there are none. */
  #nextBlock(text: string): boolean {
    if (this.#units === text.length) return false;
    let end = Math.min(this.#units + BLOCK, text.length);
    const last = text.charCodeAt(end - 1);
    // Halves that are cut apart would be none.
    if (last >= 0xd800 && last <= 0xdbff && end < text.length) end--;
    this.#length = encoder.encodeInto(text.slice(this.#units, end), this.#block).written;
    this.#same = 0;
    this.#before = this.#units;
    this.#units = end;
    return true;
  }

  /** Keeps what stands behind a text, up to the next one or the end of the line; gives the place behind it. */
  #keep(bytes: Uint8Array, from: number): number {
    const feed = bytes.indexOf(LF, from);
    const end = feed < 0 ? bytes.length : feed + 1;
    const found = this.#lastLine < 0 ? this.#find(asciiHead(bytes, from, end)) : undefined;
    if (found !== undefined) return this.#start(bytes, from, found);
    const kept = this.#kept;
    kept.append(bytes, from, end);
    const carriage = bytes.subarray(from, end).indexOf(CR);
    if (kept.length > MAX_KEPT || (carriage >= 0 && from + carriage !== feed - 1)) this.#state = "other";
    else if (feed >= 0 && this.#lastLine < 0) this.#lastLine = kept.length;
    else if (feed >= 0) this.#state = kept.length - this.#lastLine === (carriage < 0 ? 1 : 2) ? "over" : "other";
    return end;
  }

  /** Lets the framer read the event without the texts, and puts them into what comes of it. */
  #finish(sse: SseFramer, emit: EmitFrame): void {
    const texts = this.#leftOut.map(({ text }) => text);
    const random = (this.#word ||= crypto.getRandomValues(new Uint32Array(4)).join("-"));
    const words = texts.map((_, place) => `${random}:${place};`);
    const pieces = this.#pieces((_, place) => encoder.encode(words[place]));
    const shorter = this.#kept.length + this.#bytes - pieces.reduce((sum, { length }) => sum + length, 0);
    this.#clear();
    const take: EmitFrame = (frame) => {
      const whole: Frame = {
        ...frame,
        end: frame.end + shorter,
        // Put together when somebody asks for it.
        get data() {
          return words.reduce((data, word, place) => data.replace(word, () => spelling(texts[place]!)), frame.data);
        },
      };
      emit(whole, valueOf(frame.data, words, texts));
    };
    for (const piece of pieces) sse.push(piece, take);
    sse.pass(0, shorter);
  }

  /** What is kept of the event, and something in the place of each text. */
  #pieces(inPlace: (text: string, place: number) => Uint8Array): Uint8Array[] {
    const kept = this.#kept.view;
    let from = 0;
    const pieces = this.#leftOut.flatMap(({ at, text }, place) => {
      const before = kept.slice(from, at);
      from = at;
      return [before, inPlace(text, place)];
    });
    pieces.push(kept.slice(from));
    return pieces;
  }

  #clear(): void {
    this.#state = "none";
    this.#kept.clear();
    this.#leftOut.length = 0;
    this.#bytes = 0;
    this.#lastLine = -1;
    this.#text = undefined;
    this.#escape = false;
  }
}

/** How many bytes are the same in both, four at a time, each of which a JSON string holds as it is. */
function plainLength(a: DataView, from: number, room: number, b: DataView, start: number, length: number): number {
  const last = Math.min(room, length) - 4;
  let at = 0;
  for (; at <= last; at += 4) {
    const word = a.getInt32(from + at, true);
    if (word !== b.getInt32(start + at, true)) break;
    const quote = word ^ 0x22222222;
    const backslash = word ^ 0x5c5c5c5c;
    const half = word ^ 0xefefefef;
    const hit =
      ((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash) |
      ((half - 0x01010101) & ~half) |
      ((word - 0x20202020) & ~word);
    if ((hit & 0x80808080) !== 0) break;
  }
  return at;
}

/** The value of an event's data, texts in the places of words; undefined where it is no JSON. */
function valueOf(data: string, words: readonly string[], texts: readonly string[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return undefined;
  }
  // A list, for a value may be nested deeper than functions can.
  const open: unknown[] = [value];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each !== "object" || each === null) continue;
    for (const [name, inner] of Object.entries(each)) {
      const place = typeof inner === "string" ? words.indexOf(inner) : -1;
      if (place < 0) open.push(inner);
      else (each as Record<string, unknown>)[name] = texts[place];
    }
  }
  return value;
}

/** The inside of a JSON string that is this text, as nearly every serializer writes it. */
function spelling(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The ASCII that bytes begin with, as far as it is looked at. */
function asciiHead(bytes: Uint8Array, from: number, end: number): string {
  const limit = Math.min(end, from + MAX_HEAD);
  let at = from;
  while (at < limit && (bytes[at] as number) < 0x80) at++;
  return decoder.decode(bytes.subarray(from, at));
}
