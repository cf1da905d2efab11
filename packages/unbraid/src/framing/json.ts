// A body of JSON: documents one after another, on as many lines as they like, or the elements of one streamed array, found
// by their brackets as the bytes come; or one value a line. Owns where a value begins and ends, the words between values,
// and the choice between the two ways to read, which the first line decides. Parses nothing.
//
//     [{"candidates":[…]}\r\n,\r\n{"candidates":[…]}]        {"choices":[…]}\n[DONE]\n
//      ^                 ^        ^                 ^        ^              ^ ^
//     {"done":false}\n        a whole object, then the line ends: JSON lines
//                   ^

import { ByteBuffer, CR, LF, SPACE, decodeUtf8 } from "./bytes.ts";
import { DATA_PREFIX, EXCERPT_BYTES, STRAY_TEXT, beginningOf, excerpt, overlongFrame } from "./frame.ts";
import type { EmitFrame, FrameFault, Framer, FramingName } from "./frame.ts";
import { Outline, holdsWholeValue } from "./outline.ts";
import { SseFramer } from "./sse.ts";
import { fieldValue } from "./sse-lines.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;

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

/**
 * Cuts a body of JSON into its values. Lines are preferred where they are the rule, since after one that was cut short
 * the next begins anew; the bracket that it lacks would take the rest of the body with it.
 */
export class JsonFramer implements Framer {
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
  #count = 0;
  /** Reads what is behind that line. */
  #lines: SseFramer | undefined;

  /** Reads a body from offset `offset` on; frames longer than `limit` bytes are skipped. */
  constructor(limit: number, offset: number) {
    this.#limit = limit;
    this.#offset = offset;
  }

  get framing(): FramingName {
    if (this.#lines !== undefined) return "ndjson";
    return this.#array === "none" ? "json" : "json-array";
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    if (this.#lines !== undefined) return this.#lines.push(bytes, emit);
    let at = 0;
    while (at < bytes.length) at = this.#step(bytes, at, emit);
    if (this.#start >= 0 && this.#fits(bytes, bytes.length, emit))
      this.#carry.append(bytes, Math.max(0, this.#start - this.#offset), bytes.length);
    this.#offset += bytes.length;
  }

  end(emit: EmitFrame): void {
    // A lone "[" is an array of which nothing came.
    if (this.#start >= 0 && this.#state !== "bracket") this.#finish(new Uint8Array(0), 0, false, emit);
    this.#lines?.end(emit);
  }

  /** Reads on from `bytes[at]`; gives the index of the next byte to read. */
  #step(bytes: Uint8Array, at: number, emit: EmitFrame): number {
    if (this.#state === "between") return this.#between(bytes, at, emit);
    if (this.#state === "bracket") {
      // No JSON value begins as the word in `[DONE]` does.
      if (bytes[at] === 0x44) this.#state = "words";
      else {
        this.#array = "open";
        this.#close();
      }
      return at;
    }
    const end = this.#frameEnd(bytes, at);
    if (end < 0) return bytes.length;
    this.#finish(bytes, end, true, emit);
    return end;
  }

  /** Where the open frame ends, which goes on at `bytes[at]`; -1 where it goes on behind the chunk. */
  #frameEnd(bytes: Uint8Array, at: number): number {
    if (this.#state === "value") return this.#outline.read(bytes, at, bytes.length);
    const ends = this.#state === "scalar" ? endsScalar : endsLine;
    for (let end = at; end < bytes.length; end++) if (ends(bytes[end]!)) return end;
    return -1;
  }

  #between(bytes: Uint8Array, at: number, emit: EmitFrame): number {
    const byte = bytes[at]!;
    const inArray = this.#array === "open";
    if (byte <= SPACE) {
      if (!this.#oneLine || !endsLine(byte)) return at + 1;
      this.#lines = new SseFramer(this.#limit, this.#offset + at, "ndjson", this.#count);
      this.#lines.push(bytes.subarray(at), emit);
      return bytes.length;
    }
    if (inArray && byte === CLOSE_ARRAY) this.#array = "over";
    if (inArray && (byte === CLOSE_ARRAY || byte === COMMA)) return at + 1;
    this.#start = this.#offset + at;
    this.#oneLine = false;
    this.#state = begun(byte, inArray);
    return this.#state === "bracket" ? at + 1 : at;
  }

  #close(): void {
    this.#start = -1;
    this.#dropped = false;
    this.#carry.clear();
    this.#state = "between";
  }

  /** The open frame ends before `bytes[end]`. */
  #finish(bytes: Uint8Array, end: number, terminated: boolean, emit: EmitFrame): void {
    if (this.#fits(bytes, end, emit)) {
      const text = this.#text(bytes, end);
      const line = this.#state === "words" ? strayLine(text) : { data: text, fault: undefined };
      if (line !== undefined) {
        const { data } = line;
        const index = this.#count++;
        emit({
          data,
          event: undefined,
          start: this.#start,
          end: this.#offset + end,
          index,
          terminated: terminated || holdsWholeValue(data),
          fault: this.#array === "over" ? AFTER_ARRAY : line.fault,
        });
        this.#oneLine = index === 0 && this.#state === "value" && this.#array === "none" && !/[\n\r]/.test(text);
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

  /** Whether the open frame, which the chunk holds up to `bytes[end]`, is within the limit. */
  #fits(bytes: Uint8Array, end: number, emit: EmitFrame): boolean {
    if (!this.#dropped && this.#offset + end - this.#start > this.#limit) this.#giveUp(bytes, end, emit);
    return !this.#dropped;
  }

  /** Emits the open frame's beginning. */
  #giveUp(bytes: Uint8Array, end: number, emit: EmitFrame): void {
    const carry = this.#carry;
    const from = Math.max(0, this.#start - this.#offset);
    carry.append(bytes, from, Math.min(end, from + EXCERPT_BYTES));
    emit(overlongFrame(excerpt(beginningOf(carry.view, this.#limit)), this.#start, this.#count++, this.#limit));
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
  const data = fieldValue(text, "data") ?? text;
  if (data === "" || /^(?:event|id|retry)?:/.test(text)) return undefined;
  if (data !== text) return { data, fault: DATA_PREFIX };
  return { data, fault: data === "[DONE]" ? undefined : STRAY_TEXT };
}

/** Where the framer stands before this first byte of a frame, or behind it if that is a bracket. */
function begun(byte: number, inArray: boolean): State {
  if (byte === OPEN_ARRAY && !inArray) return "bracket";
  if (byte === OPEN_OBJECT || byte === QUOTE || byte === OPEN_ARRAY) return "value";
  return inArray && /[-\dtfn]/.test(String.fromCharCode(byte)) ? "scalar" : "words";
}

function endsLine(byte: number): boolean {
  return byte === LF || byte === CR;
}

function endsScalar(byte: number): boolean {
  return byte <= SPACE || byte === COMMA || byte === CLOSE_ARRAY;
}
