// Frames of one call differ only in the fragment: they need not be parsed. Owns the template that is learned from one event
// that was parsed, and the match of bytes against it. When a template may be used at all is decided in fast-path.ts.
//
//     event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{…"partial_json":"abc"}   }\n\n
//     ^ constant                                                              ^ index                     ^ text  ^ blanks
//
// Why it is exact. A template is made from the bytes of one whole SSE event E whose only data line holds a text T that
// `JSON.parse` accepted. It is these bytes, field names and line ends included, cut at values that stand at known paths of T
// (the holes), each of them a string or a whole number, and at the spaces around the last brace. Bytes F match when they are
// the same bytes between the holes, and
//
// - in the place of a string, bytes from 0x20 on without a bare quote, each backslash of them beginning an escape of RFC 8259:
//   that is the inside of a JSON string, whatever else stands in it;
// - in the place of a number, a whole number as JSON writes it, of up to 15 digits;
// - in the place of the spaces, any number of spaces, which mean nothing there.
//
// No hole can hold a line end. So F is one event with the same lines as E, its data is valid JSON, and its value differs from
// that of T only at the paths of the holes, because objects and arrays are the same bytes with the same keys in the same
// order. A path that stands twice in T (equal keys) makes no template. So what the protocol would say of F is what it said of
// E, with the holes' values put in. The protocol describes only frames of which it says one fragment and nothing else.
//
// What is no UTF-8 becomes U+FFFD on both ways: a hole and the constants around it meet at ASCII, so each decodes by itself.

import { joined } from "../framing/bytes.ts";
import { characters, PLAIN } from "./ascii.ts";
import type { HoleTexts } from "./hole-texts.ts";
import { findHoles, type Hole, type HoleUse } from "./holes.ts";

/** Longest event in bytes that is made into a template, or matched: of a longer one, parsing costs little a byte. */
export const MAX_EVENT = 4096;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const ZERO = 0x30;

/** Bytes to match in, and whether a match failed only because they ended. */
export class EventBytes {
  bytes: Uint8Array = new Uint8Array(0);
  /** The buffer under the bytes, to compare eight at a time: byte `at` stands at `base + at`. */
  view: DataView = new DataView(new ArrayBuffer(0));
  base = 0;
  #buffer: ArrayBufferLike = this.bytes.buffer;
  /** Set by a match that ran out of bytes: had there been more, it might have succeeded. */
  cut = false;
  /** The number that was read last. */
  number = 0;

  /** Takes bytes up. */
  load(bytes: Uint8Array): void {
    const { buffer } = bytes;
    // A source that fills one buffer again and again costs no view for each chunk.
    if (this.#buffer !== buffer) this.view = new DataView((this.#buffer = buffer));
    this.bytes = bytes;
    this.base = bytes.byteOffset;
    this.cut = false;
  }
}

/** What a match found in the holes. Written anew by every match. */
export interface Match {
  /** Number of the fragment in the `HoleTexts`. */
  text: number;
  /** Where the item's name stands, as ASCII; both 0 where the template has no such hole. */
  item: number;
  itemEnd: number;
  /** -1 where the template has no such hole. */
  index: number;
  /** -1 where the template has no such hole. */
  sequence: number;
}

// What stands behind a piece. Numbers, because a switch over strings compares them one after another.
const TEXT = 0;
const ITEM = 1;
const SKIP = 2;
const INDEX = 3;
const SEQUENCE = 4;
const NUMBER = 5;
const BLANKS = 6;
const END = 7;

const USES: Readonly<Record<HoleUse, number>> = {
  text: TEXT,
  item: ITEM,
  skip: SKIP,
  index: INDEX,
  sequence: SEQUENCE,
};

/** Constant bytes, and what stands behind them. */
interface Piece {
  readonly bytes: Uint8Array;
  /**
   * The same bytes, eight in a double, the last one overlapping the one before; empty where they cannot be used. A list:
   * looking into a typed array costs more, for its buffer might have been given away.
   */
  readonly doubles: readonly number[];
  readonly hole: number;
}

/** See the file's head. */
export class FrameTemplate {
  readonly #pieces: readonly Piece[];
  /** Where the event's data begins, and how many bytes follow it. */
  readonly #head: number;
  readonly #tail: number;

  private constructor(pieces: readonly Piece[], head: number, tail: number) {
    this.#pieces = pieces;
    this.#head = head;
    this.#tail = tail;
  }

  /**
   * Makes a template.
   *
   * @param event The bytes of one whole SSE event, blank line included.
   * @param data Its data, which `JSON.parse` accepted.
   * @param holes The values that may differ. Those that do not stand in it are left out.
   * @returns Undefined where the event has other lines than one `data:` and, before it, one `event:`; where it is too long;
   *   and where `findHoles` finds nothing that could be used.
   */
  static from(event: Uint8Array, data: string, holes: readonly Hole[]): FrameTemplate | undefined {
    if (event.length > MAX_EVENT) return undefined;
    const [head, end] = dataRange(event);
    const encoder = new TextEncoder();
    const found = findHoles(data, holes);
    if (found === undefined || !isSame(event.subarray(head, end), encoder.encode(data))) return undefined;
    const pieces: Piece[] = [];
    // What stands between two holes, as bytes.
    let constant: Uint8Array = event.subarray(0, head);
    const cut = (hole: number): void => {
      pieces.push(pieceOf(constant, hole));
      constant = new Uint8Array(0);
    };
    let at = 0;
    for (const { start, end: behind, use, string } of found) {
      constant = joined(constant, encoder.encode(data.slice(at, start)));
      cut(use === "skip" && !string ? NUMBER : USES[use]);
      at = behind;
    }
    // Anthropic pads its frames with spaces before the last brace.
    const rest = withoutBlanks(data.slice(at));
    const inner = rest.endsWith("}") ? withoutBlanks(rest.slice(0, -1)) : rest;
    constant = joined(constant, encoder.encode(inner));
    if (inner.length + 1 < rest.length) cut(BLANKS);
    constant = joined(constant, encoder.encode(rest.slice(inner.length).trimStart()));
    if (at + rest.length < data.length) cut(BLANKS);
    constant = joined(constant, event.subarray(end));
    cut(END);
    return new FrameTemplate(pieces, head, event.length - end);
  }

  /**
   * Whether an event stands in the bytes that is the template with other values in its holes.
   *
   * @param source The bytes.
   * @param start Where the event would begin.
   * @param into Takes the holes' values.
   * @param texts Takes the holes' strings; has more of them afterwards also where the match fails.
   * @returns Where the event ends; -1 where it does not match.
   */
  match(source: EventBytes, start: number, into: Match, texts: HoleTexts): number {
    const { bytes } = source;
    const limit = Math.min(bytes.length, start + MAX_EVENT);
    const pieces = this.#pieces;
    let at = start;
    for (let each = 0; each < pieces.length; each++) {
      const piece = pieces[each] as Piece;
      if (!stands(piece, source, at, limit)) return -1;
      at += piece.bytes.length;
      switch (piece.hole) {
        case TEXT:
          into.text = texts.count;
          at = texts.take(bytes, at, limit);
          break;
        case ITEM:
          into.item = at;
          at = into.itemEnd = stringEnd(bytes, at, limit);
          break;
        case SKIP:
          at = stringEnd(bytes, at, limit);
          break;
        case INDEX:
          at = readNumber(source, at, limit);
          into.index = source.number;
          break;
        case SEQUENCE:
          at = readNumber(source, at, limit);
          into.sequence = source.number;
          break;
        case NUMBER:
          at = readNumber(source, at, limit);
          break;
        case BLANKS:
          while (at < limit && bytes[at] === SPACE) at++;
          break;
        default:
          return at;
      }
      if (at < 0) return -1;
      if (at === limit) {
        source.cut ||= limit === bytes.length;
        return -1;
      }
    }
    return -1;
  }

  /**
   * The same template for events of one call: with its index and the name of its item as constants.
   *
   * @param index The index; not looked at where the template has no such hole.
   * @param item The name, ASCII that needs no escape.
   */
  fixedTo(index: number, item: string): FrameTemplate {
    const encoder = new TextEncoder();
    const pieces: Piece[] = [];
    let constant: Uint8Array = new Uint8Array(0);
    for (const { bytes, hole } of this.#pieces) {
      constant = joined(constant, bytes);
      if (hole === ITEM) constant = joined(constant, encoder.encode(item));
      else if (hole === INDEX) constant = joined(constant, encoder.encode(String(index)));
      else {
        pieces.push(pieceOf(constant, hole));
        constant = new Uint8Array(0);
      }
    }
    return new FrameTemplate(pieces, this.#head, this.#tail);
  }

  /** The data in an event that matched. */
  dataIn(event: Uint8Array): Uint8Array {
    return event.subarray(this.#head, event.length - this.#tail);
  }
}

/** Where the data of an event stands that has one data line and perhaps a name before it; empty for other events. */
function dataRange(event: Uint8Array): readonly [number, number] {
  const line = characters(event, 0, 6) === "event:" ? event.indexOf(LF) + 1 : 0;
  if (characters(event, line, line + 5) !== "data:") return [0, 0];
  const head = line + 5 + (event[line + 5] === SPACE ? 1 : 0);
  const end = event.indexOf(event.indexOf(CR) < 0 ? LF : CR, head);
  return [head, end];
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** A text without the spaces behind it. */
function withoutBlanks(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === SPACE) end--;
  return text.slice(0, end);
}

function pieceOf(bytes: Uint8Array, hole: number): Piece {
  const doubles: number[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  // Doubles are equal exactly where their bits are, but for NaN and zero. No ASCII but DEL makes one of these.
  if (bytes.length >= 8 && !bytes.some((byte) => byte >= 0x7f))
    for (let at = 0; at < bytes.length; at += 8) doubles.push(view.getFloat64(Math.min(at, bytes.length - 8), true));
  return { bytes, doubles, hole };
}

/** Whether the constant bytes of a piece stand there. */
function stands({ bytes, doubles }: Piece, source: EventBytes, at: number, limit: number): boolean {
  const { length } = bytes;
  if (at + length > limit) {
    source.cut ||= limit === source.bytes.length && bytesStand(bytes, source.bytes, at, limit - at);
    return false;
  }
  const last = doubles.length - 1;
  if (last < 0) return bytesStand(bytes, source.bytes, at, length);
  const { view, base } = source;
  let place = base + at;
  const lastPlace = place + length - 8;
  for (let word = 0; word < last; word++, place += 8) if (view.getFloat64(place, true) !== doubles[word]) return false;
  return view.getFloat64(lastPlace, true) === doubles[last];
}

function bytesStand(constant: Uint8Array, bytes: Uint8Array, at: number, length: number): boolean {
  for (let place = 0; place < length; place++) if (bytes[at + place] !== constant[place]) return false;
  return true;
}

/** Where the closing quote of a string stands whose inside begins at `start`; -1 where it is none, or has more than ASCII. */
function stringEnd(bytes: Uint8Array, start: number, limit: number): number {
  let at = start;
  while (at < limit && PLAIN[bytes[at] as number] === 1) at++;
  return at === limit || bytes[at] === QUOTE ? at : -1;
}

/**
 * Reads a whole number of up to 15 digits; gives its end, -1 where there is none. 1.5 and 1e5 go on behind their digits: the
 * constant that follows does not match then.
 */
function readNumber(source: EventBytes, start: number, limit: number): number {
  const { bytes } = source;
  let at = start;
  let value = 0;
  for (; at < limit; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  source.number = value;
  const digits = at - start;
  const whole = digits > 0 && digits <= 15 && (digits === 1 || bytes[start] !== ZERO);
  return whole || at === limit ? at : -1;
}
