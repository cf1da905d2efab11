// JSON documents one after another, on as many lines as they like, and the elements of one streamed array, found by
// their brackets as the bytes come. Owns where a value begins and ends and the words between values. Parses nothing.
//
//     [{"candidates":[…]}\r\n,\r\n{"candidates":[…]}]        {"choices":[…]}\n[DONE]\n
//      ^                 ^        ^                 ^        ^              ^ ^

import { ByteBuffer, CR, LF, SPACE, decodeHead, decodeUtf8 } from "./bytes.ts";
import { DATA_PREFIX, EXCERPT_BYTES, overlongFrame } from "./frame.ts";
import type { EmitFrame, FrameFault } from "./frame.ts";
import { Outline, holdsWholeValue } from "./outline.ts";
import { fieldValue } from "./sse-lines.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;

const STRAY_TEXT: FrameFault = { code: "stray-text", message: "text that is no JSON value" };
const AFTER_ARRAY: FrameFault = { code: "after-array", message: "something follows the end of the array" };

/**
 * Where the framer stands.
 *
 * - `between`: before a value, in the array or outside;
 * - `bracket`: just after a `[` outside the array, which opens it, unless it is that of `[DONE]`;
 * - `value`: inside an object, a string, or an array that is no streamed one;
 * - `scalar`: inside a number, `true`, `false` or `null` of the array;
 * - `words`: inside a line that is no value, such as a gateway's page after a server broke off.
 */
type State = "between" | "bracket" | "value" | "scalar" | "words";

/** Cuts a body into JSON values. */
export class JsonValues {
  readonly #limit: number;
  readonly #outline = new Outline();
  /** The open frame's bytes from earlier chunks. */
  readonly #carry = new ByteBuffer();
  #state: State = "between";
  /** Body offset of the current chunk. */
  #offset: number;
  /** Body offset of the open frame; -1: none is open, and `#carry` is empty. */
  #start = -1;
  /** The open frame has passed the limit and been emitted: its end is sought, nothing of it kept. */
  #dropped = false;
  #array: "none" | "open" | "over" = "none";
  /** The body so far is one object on one line. */
  #oneLine = false;
  #linesFollow = false;
  #count = 0;

  /** Reads a body from offset `offset` on; frames longer than `limit` bytes are skipped. */
  constructor(limit: number, offset: number) {
    this.#limit = limit;
    this.#offset = offset;
  }

  /** Frames emitted so far. */
  get count(): number {
    return this.#count;
  }

  /** Body offset just after the bytes that were read. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether the body's top level is an array whose elements are the frames. */
  get isArray(): boolean {
    return this.#array !== "none";
  }

  /** The first line was a whole object: one a line is to be expected, and this framer has stopped at the line's end. */
  get linesFollow(): boolean {
    return this.#linesFollow;
  }

  /** Reads the next bytes. Gives the index of the first one that it leaves unread, since {@link linesFollow}. */
  push(bytes: Uint8Array, emit: EmitFrame): number {
    let at = 0;
    while (at < bytes.length && !this.#linesFollow) at = this.#step(bytes, at, emit);
    if (this.#start >= 0) this.#keep(bytes, emit);
    this.#offset += at;
    return at;
  }

  end(emit: EmitFrame): void {
    // A lone "[" is an array of which nothing came.
    if (this.#start >= 0 && this.#state !== "bracket") this.#finish(NO_BYTES, 0, false, emit);
  }

  #step(bytes: Uint8Array, at: number, emit: EmitFrame): number {
    if (this.#state === "between") return this.#between(bytes, at);
    if (this.#state === "bracket") return this.#afterBracket(bytes, at);
    let end = at;
    if (this.#state === "value") {
      end = this.#outline.read(bytes, at, bytes.length);
      if (end < 0) return bytes.length;
    } else {
      const ends = this.#state === "scalar" ? endsScalar : endsLine;
      while (end < bytes.length && !ends(bytes[end]!)) end++;
      if (end === bytes.length) return end;
    }
    this.#finish(bytes, end, true, emit);
    return end;
  }

  #between(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte <= SPACE) {
        if (!this.#oneLine || !endsLine(byte)) continue;
        this.#linesFollow = true;
        return at;
      }
      if (this.#array === "open") {
        if (byte === COMMA) continue;
        if (byte === CLOSE_ARRAY) {
          this.#array = "over";
          continue;
        }
      }
      this.#begin(byte, this.#offset + at);
      return this.#state === "bracket" ? at + 1 : at;
    }
    return bytes.length;
  }

  #begin(byte: number, start: number): void {
    this.#start = start;
    this.#oneLine = false;
    const inArray = this.#array === "open";
    if (byte === OPEN_OBJECT || byte === QUOTE || (byte === OPEN_ARRAY && inArray)) {
      this.#outline.reset();
      this.#state = "value";
    } else if (byte === OPEN_ARRAY) this.#state = "bracket";
    else this.#state = inArray && beginsScalar(byte) ? "scalar" : "words";
  }

  /** No JSON value begins as the word in `[DONE]` does. */
  #afterBracket(bytes: Uint8Array, at: number): number {
    if (bytes[at] === 0x44) {
      this.#state = "words";
      return at;
    }
    this.#array = "open";
    this.#close();
    return at;
  }

  #close(): void {
    this.#start = -1;
    this.#dropped = false;
    this.#carry.clear();
    this.#state = "between";
  }

  /** The open frame ends before `bytes[end]`. */
  #finish(bytes: Uint8Array, end: number, terminated: boolean, emit: EmitFrame): void {
    const start = this.#start;
    const stop = this.#offset + end;
    if (!this.#dropped && stop - start > this.#limit) this.#giveUp(bytes, end, emit);
    if (!this.#dropped) {
      const data = this.#text(bytes, end);
      const line = this.#state === "words" ? strayLine(data) : { data, fault: undefined };
      if (line !== undefined) {
        const fault = this.#array === "over" ? AFTER_ARRAY : line.fault;
        const whole = terminated || holdsWholeValue(line.data);
        const index = this.#count++;
        emit({ data: line.data, event: undefined, start, end: stop, index, terminated: whole, fault });
        this.#oneLine = index === 0 && this.#state === "value" && !this.isArray && !/[\n\r]/.test(data);
      }
    }
    this.#close();
  }

  /** The open frame's text up to `bytes[end]`. */
  #text(bytes: Uint8Array, end: number): string {
    const carry = this.#carry;
    if (carry.length === 0) return decodeUtf8(bytes.subarray(this.#start - this.#offset, end));
    carry.append(bytes, 0, end);
    return decodeUtf8(carry.view);
  }

  /** Keeps what the chunk holds of the open frame. */
  #keep(bytes: Uint8Array, emit: EmitFrame): void {
    if (this.#dropped) return;
    if (this.#offset + bytes.length - this.#start > this.#limit) this.#giveUp(bytes, bytes.length, emit);
    else this.#carry.append(bytes, Math.max(0, this.#start - this.#offset), bytes.length);
  }

  /** Emits the open frame's beginning. No byte beyond the limit is shown: how many have come depends on the cut. */
  #giveUp(bytes: Uint8Array, end: number, emit: EmitFrame): void {
    const carry = this.#carry;
    const from = Math.max(0, this.#start - this.#offset);
    carry.append(bytes, from, Math.min(end, from + EXCERPT_BYTES));
    const head = decodeHead(carry.view.subarray(0, Math.min(this.#limit, EXCERPT_BYTES)));
    emit(overlongFrame(head, this.#start, this.#count++, this.#limit));
    this.#dropped = true;
    carry.clear();
  }
}

/** What a line between values says. */
interface StrayLine {
  readonly data: string;
  readonly fault: FrameFault | undefined;
}

/**
 * Reads a line that is no value: takes `data:` off, and gives undefined for what SSE only frames with (comments, other
 * fields, blank lines).
 *
 *     {"choices":[…]}
 *     data: [DONE]
 *           ^
 */
function strayLine(line: string): StrayLine | undefined {
  const text = line.trim();
  if (text === "" || /^(?::|(?:event|id|retry):)/.test(text)) return undefined;
  const value = fieldValue(text, 0, text.length, "data");
  if (value === text.length) return undefined;
  if (value >= 0) return { data: text.slice(value), fault: DATA_PREFIX };
  return { data: text, fault: text === "[DONE]" ? undefined : STRAY_TEXT };
}

const NO_BYTES: Uint8Array = /* @__PURE__ */ new Uint8Array(0);

/** A digit, a minus, or the first letter of `true`, `false`, `null`. */
function beginsScalar(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x74 || byte === 0x66 || byte === 0x6e;
}

function endsLine(byte: number): boolean {
  return byte === LF || byte === CR;
}

function endsScalar(byte: number): boolean {
  return byte <= SPACE || byte === COMMA || byte === CLOSE_ARRAY;
}
