// Cuts bytes into lines that end in LF, CR or CRLF, however the bytes arrive, and knows where each stands in the body.
// Owns line ends, text decoding and the unfinished line. May not know what a line means.
//
// Two things make this quick. Line ends are sought in bytes only to find the last one of a chunk; everything before it
// is decoded in one go (bytes 0x0A and 0x0D never stand inside a UTF-8 sequence, so the text has the same lines), and
// the text is searched with `indexOf`, which engines do with vector instructions. And a text as long as its bytes has
// one unit a byte, so that offsets cost nothing where all is ASCII.

import { ByteBuffer, CR, decodeUtf8, LF } from "./bytes.ts";
import type { EmitFrame } from "./frame.ts";

/** Longest stretch that is decoded at once: larger strings cost more a byte, and one non-ASCII character widens them all. */
const SLAB = 8 * 1024;
/** Up to this many bytes, copying a chunk behind the unfinished line costs less than decoding the two apart. */
const JOINED = 4 * 1024;
/** What is left of a skipped line. Line formats of this folder read it as a comment. */
const COLON: Uint8Array = /* @__PURE__ */ new Uint8Array([0x3a]);

/** Reads lines. */
export interface LineReader {
  /** Reads all lines of the run, by calling its `next` until that says false. */
  readLines(run: LineRun, emit: EmitFrame): void;
  /**
   * Says whether the unfinished line, of which the bytes from body offset `start` to `stop` have come, is too long to be
   * kept. Its rest is then skipped; what stays of it is a line that holds a colon.
   */
  refuseLine(start: number, stop: number, emit: EmitFrame): boolean;
}

/** A run of complete lines, read one at a time. */
export class LineRun {
  /** The run's text. Read it between `at` and `end`. */
  text = "";
  /** Index in `text` of the line's first unit. */
  at = 0;
  /** Index in `text` just after the line's last unit; its line end stands there. */
  end = 0;
  /** Body offset of the line's first byte. */
  start = 0;
  /** Body offset just after the line's last byte. */
  stop = 0;
  /** Body offset just after the line's end. */
  after = 0;
  /**
   * Whether the body ends its lines with CR alone, as its first CR tells. Such a line ends at once; in any other body a
   * CR must wait for the next byte, which may be the LF that belongs to it.
   */
  crOnly: boolean | undefined = undefined;

  #bytes: Uint8Array = COLON;
  #offset = 0;
  /** Whether the text has one unit a byte. */
  #narrow = true;
  /** Index in `text`, and body offset, of the next line. */
  #next = 0;
  #nextStart = 0;
  /** Where the next CR and the next LF stand, -1 where there is none. Kept only in a text that has a CR. */
  #cr = -1;
  #lf = -1;

  /** Body offset of the run's first byte. */
  get offset(): number {
    return this.#offset;
  }

  /** Body offset just after the run's last byte. */
  get limit(): number {
    return this.#offset + this.#bytes.length;
  }

  /** Index in `text` of the next line. */
  get position(): number {
    return this.#next;
  }

  /** Whether each unit of the text is one byte and each line ends in LF: then body offset = `offset` + index. */
  get plain(): boolean {
    return this.#narrow && this.#cr < 0;
  }

  /** The line's bytes; stale when the next run is loaded. */
  get lineBytes(): Uint8Array {
    return this.#bytes.subarray(this.start - this.#offset, this.stop - this.#offset);
  }

  /** Takes up the lines of `bytes`, which stand at `offset` in the body. The last line may lack its end. */
  load(bytes: Uint8Array, offset: number): void {
    const text = decodeUtf8(bytes);
    this.text = text;
    this.#bytes = bytes;
    this.#offset = offset;
    this.#narrow = text.length === bytes.length;
    this.#next = 0;
    this.#nextStart = offset;
    this.#cr = text.indexOf("\r");
    if (this.#cr < 0) return;
    this.crOnly ??= text.charCodeAt(this.#cr + 1) !== LF;
    this.#lf = text.indexOf("\n");
  }

  /** Lets go of the text, which may be that of a long line. */
  forget(): void {
    this.text = "";
    this.#next = 0;
  }

  /** Goes to the next line; false when there is none. */
  next(): boolean {
    const { text } = this;
    const at = this.#next;
    if (at >= text.length) return false;
    const end = this.#cr < 0 ? text.indexOf("\n", at) : this.#nextEnd(at);
    this.at = at;
    this.start = this.#nextStart;
    if (end < 0) {
      this.#reach(text.length, this.limit, 0);
    } else {
      this.#reach(end, this.#narrow ? this.#offset + end : this.#stopOf(at, end), 1);
      if (this.#cr >= 0 && text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF) this.#joinLf();
    }
    return true;
  }

  /** Makes the line at index `at` the next one. For plain runs only. */
  seek(at: number): void {
    this.#next = at;
    this.#nextStart = this.#offset + at;
  }

  #reach(end: number, stop: number, width: number): void {
    this.end = end;
    this.stop = stop;
    this.after = stop + width;
    this.#next = end + width;
    this.#nextStart = stop + width;
  }

  /**
   * CR LF is one line end. In a body of lone CRs the LF counts to no line: there the line was over, and perhaps its
   * event read, before the LF could be seen.
   */
  #joinLf(): void {
    this.#next++;
    this.#nextStart++;
    if (this.crOnly !== true) this.after++;
  }

  /** Index of the line end at or after `at`. Each search goes on where the last one found something: one pass in all. */
  #nextEnd(at: number): number {
    if (this.#cr >= 0 && this.#cr < at) this.#cr = this.text.indexOf("\r", at);
    if (this.#lf >= 0 && this.#lf < at) this.#lf = this.text.indexOf("\n", at);
    if (this.#cr < 0 || this.#lf < 0) return Math.max(this.#cr, this.#lf);
    return Math.min(this.#cr, this.#lf);
  }

  /** Body offset of a line end, in a text whose units and bytes differ: a line holds no byte of its own end. */
  #stopOf(at: number, end: number): number {
    if (at === end) return this.#nextStart;
    return this.#offset + this.#bytes.indexOf(this.text.charCodeAt(end), this.#nextStart - this.#offset);
  }
}

/** Cuts a body into lines; keeps the unfinished one. */
export class Lines {
  readonly #run = new LineRun();
  /** The unfinished line. Ends with CR only where a LF may still belong to it. */
  readonly #carry = new ByteBuffer();
  /** Body offset of the first byte that has not been taken. */
  #offset: number;
  /** The line being read is thrown away. */
  #skipping = false;
  /** The last byte was a lone CR that ended its line: a LF that follows belongs to it. */
  #afterCr = false;

  /** Starts at body offset `offset`. */
  constructor(offset: number) {
    this.#offset = offset;
  }

  /** Body offset just after the bytes taken so far. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Whether no line is open, and a line's bytes are the same wherever it stands: no LF that came next would belong to a CR
   * before it, and the lines do not end in lone CRs, where a LF behind one belongs to no line.
   */
  get idle(): boolean {
    return this.#carry.length === 0 && !this.#skipping && !this.#afterCr && this.#run.crOnly !== true;
  }

  /** Passes over whole lines that somebody else has read. Only while it is idle. */
  pass(bytes: number): void {
    this.#offset += bytes;
  }

  /** The unfinished line; stale when the next bytes are taken. */
  get unfinished(): Uint8Array {
    return this.#carry.view;
  }

  /** Takes the next bytes and lets `reader` read the lines that they complete. */
  push(bytes: Uint8Array, reader: LineReader, emit: EmitFrame): void {
    if (bytes.length <= SLAB) {
      this.#take(bytes, reader, emit);
      return;
    }
    for (let from = 0; from < bytes.length; from += SLAB) this.#take(bytes.subarray(from, from + SLAB), reader, emit);
  }

  /** Lets `reader` read the last line, which has no end. */
  end(reader: LineReader, emit: EmitFrame): void {
    if (this.#carry.length > 0) this.#flush(reader, emit);
  }

  #take(bytes: Uint8Array, reader: LineReader, emit: EmitFrame): void {
    if (bytes.length === 0) return;
    const from = this.#begin(bytes, reader, emit);
    const cut = this.#lastLineEnd(bytes, from);
    if (cut > from) {
      let rest = from;
      if (this.#carry.length > 0) {
        rest = cut - from <= JOINED ? cut : firstLineEnd(bytes, from);
        this.#carry.append(bytes, from, rest);
        this.#offset += rest;
        this.#flush(reader, emit);
        this.#offset -= rest;
      }
      if (rest < cut) {
        this.#run.load(rest === 0 && cut === bytes.length ? bytes : bytes.subarray(rest, cut), this.#offset + rest);
        reader.readLines(this.#run, emit);
      }
      this.#afterCr = cut === bytes.length && this.#run.crOnly === true && bytes[cut - 1] === CR;
    }
    this.#offset += bytes.length;
    if (cut < bytes.length) this.#keep(bytes, cut, reader, emit);
  }

  /** Finishes what the bytes before had left open; gives the index of the first byte that is not used up by it. */
  #begin(bytes: Uint8Array, reader: LineReader, emit: EmitFrame): number {
    let from = 0;
    if (this.#carry.last === CR) {
      if (bytes[0] === LF) this.#carry.append(bytes, 0, ++from);
      this.#offset += from;
      this.#flush(reader, emit);
      this.#offset -= from;
    } else if (this.#afterCr && bytes[0] === LF) {
      from = 1;
    }
    this.#afterCr = false;
    if (!this.#skipping) return from;
    const end = firstBreak(bytes, from);
    if (end < 0) return bytes.length;
    this.#skipping = false;
    this.#carry.append(COLON, 0, 1);
    return end;
  }

  /** Reads the lines that `#carry` holds; `#offset` stands just after them. */
  #flush(reader: LineReader, emit: EmitFrame): void {
    this.#run.load(this.#carry.view, this.#offset - this.#carry.length);
    reader.readLines(this.#run, emit);
    this.#run.forget();
    this.#carry.clear();
  }

  /** Keeps the unfinished line, unless the reader finds it too long. A CR that waits for its LF is no part of it. */
  #keep(bytes: Uint8Array, cut: number, reader: LineReader, emit: EmitFrame): void {
    const carry = this.#carry;
    carry.append(bytes, cut, bytes.length);
    const waits = carry.last === CR;
    const start = this.#offset - carry.length;
    const stop = waits ? this.#offset - 1 : this.#offset;
    if (start === stop || !reader.refuseLine(start, stop, emit)) return;
    carry.clear();
    this.#skipping = !waits;
    if (!waits) return;
    carry.append(COLON, 0, 1);
    carry.append(bytes, bytes.length - 1, bytes.length);
  }

  /** Index just after the last line end in `bytes[from..]`, or `from` where there is none. */
  #lastLineEnd(bytes: Uint8Array, from: number): number {
    const run = this.#run;
    // Engines seek forwards many bytes at a time, and backwards one by one: most of a long line has no end.
    const tail = bytes.indexOf(LF, from) < 0 ? from : bytes.lastIndexOf(LF) + 1;
    const cr = bytes.indexOf(CR, tail);
    if (cr < 0) return tail;
    if (run.crOnly === undefined) {
      const first = bytes.indexOf(CR, from);
      if (first < bytes.length - 1) run.crOnly = bytes[first + 1] !== LF;
    }
    const last = bytes.lastIndexOf(CR);
    if (last < bytes.length - 1 || run.crOnly === true) return last + 1;
    // "data: x\r"  whether a LF belongs to this CR, the next byte will tell
    //         ^^
    return cr < last ? bytes.lastIndexOf(CR, last - 1) + 1 : tail;
  }
}

/** Index of the first LF or CR at or after `from`; -1 where there is none. */
function firstBreak(bytes: Uint8Array, from: number): number {
  const lf = bytes.indexOf(LF, from);
  const cr = (lf < 0 ? bytes : bytes.subarray(0, lf)).indexOf(CR, from);
  return cr < 0 ? lf : cr;
}

/** Index just after the first line end at or after `from`; there is one. */
function firstLineEnd(bytes: Uint8Array, from: number): number {
  const end = firstBreak(bytes, from);
  return bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1;
}
