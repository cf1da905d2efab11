// Cuts bytes into lines that end in LF, CR or CRLF, however the bytes arrive, and knows where each stands in the body.
// Owns line ends, text decoding and the unfinished line. May not know what a line means.
//
// Two things make this quick. Line ends are sought in bytes only to find the last one of a chunk; everything before it
// is decoded in one go (byte 0x0A never stands inside a UTF-8 sequence, so the text has the same lines), and the text is
// searched with `indexOf`, which engines do with vector instructions. And a text as long as its bytes has one unit a
// byte, so that offsets cost nothing where all is ASCII.
//
// A CR at the end of a chunk waits for the next byte, unless a CR stands before it: then it ends an empty line whatever comes,
// and an LF behind it ends one more, which means no more than one does. So the event of a body of lone CRs comes at once.

import { ByteBuffer, CR, decodeUtf8, LF } from "./bytes.ts";

/** Longest stretch that is decoded at once: larger strings cost more a byte, and one non-ASCII character widens them all. */
const SLAB = 8 * 1024;
/** What is left of a skipped line. Line formats of this folder read it as a comment. */
const COLON: Uint8Array = /* @__PURE__ */ new Uint8Array([0x3a]);

/** Reads lines. */
export interface LineReader {
  /** Reads all lines of the run, by calling `next` of `lines` until that says false. */
  readLines(lines: Lines): void;
  /**
   * Says whether the unfinished line, of which the bytes from body offset `start` to `stop` have come, is too long to be
   * kept. Its rest is then skipped; what stays of it is a line that holds a colon.
   */
  refuseLine(start: number, stop: number): boolean;
}

/** Cuts a body into lines. Gives a run of complete ones at a time, to be read one after another; keeps the unfinished one. */
export class Lines {
  /** The run's text. Read it between `at` and `end`. */
  text = "";
  /** Index in `text` of the line's first unit. */
  at = 0;
  /** Index in `text` just after the line's last unit; its line end stands there. */
  end = 0;
  /** Index in `text` of the next line. */
  position = 0;
  /** Body offset of the line's first byte. */
  start = 0;
  /** Body offset just after the line's last byte. */
  stop = 0;
  /** Body offset just after the line's end. */
  after = 0;
  /** Body offset of the run's first byte. */
  base = 0;
  /** Whether each unit of the text is one byte and each line ends in LF: then body offset = `base` + index. */
  plain = true;

  readonly #reader: LineReader;
  /** The run's bytes, and whether the text has one unit for each. */
  #bytes: Uint8Array = COLON;
  #narrow = true;
  /** The unfinished line. A CR at its end waits for the next byte, which may be the LF that belongs to it. */
  readonly #carry = new ByteBuffer();
  /** Body offset of the first byte that has not been taken. */
  #offset: number;
  /** The line being read is thrown away, and the carry holds a colon in its place. */
  #skipping = false;

  /** Starts at body offset `offset`; `reader` reads the lines as they are complete. */
  constructor(reader: LineReader, offset: number) {
    this.#reader = reader;
    this.#offset = offset;
  }

  /** Body offset just after the bytes taken so far. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether no line is open, and no CR waits for its LF. */
  get idle(): boolean {
    return this.#carry.length === 0;
  }

  /** The line's bytes; stale when the next run is loaded. */
  get lineBytes(): Uint8Array {
    return this.#bytes.subarray(this.start - this.base, this.stop - this.base);
  }

  /** The unfinished line; stale when the next bytes are taken. */
  get unfinished(): Uint8Array {
    return this.#carry.view;
  }

  /** Passes over whole lines that somebody else has read. Only while it is idle. */
  pass(bytes: number): void {
    this.#offset += bytes;
  }

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += SLAB)
      this.#take(bytes.length <= SLAB ? bytes : bytes.subarray(from, from + SLAB));
  }

  /** The body is over: the last line may have no end. */
  finish(): void {
    if (this.#carry.length > 0) this.#flush();
  }

  /** Goes to the next line of the run; false when there is none. */
  next(): boolean {
    const { text, base } = this;
    const at = this.position;
    if (at >= text.length) return false;
    this.at = at;
    this.start = this.after;
    const end = text.indexOf("\n", at);
    if (end < 0) {
      this.end = this.position = text.length;
      this.stop = this.after = base + this.#bytes.length;
      return true;
    }
    const cr = end > at && text.charCodeAt(end - 1) === CR ? 1 : 0;
    const lineFeed = base + (this.#narrow ? end : this.#bytes.indexOf(LF, this.start - base));
    this.end = end - cr;
    this.stop = lineFeed - cr;
    this.position = end + 1;
    this.after = lineFeed + 1;
    return true;
  }

  /** Makes the line at index `at` the next one. For plain runs only, and for the first line of any. */
  seek(at: number): void {
    this.position = at;
    this.after = this.base + at;
  }

  #take(bytes: Uint8Array): void {
    const carry = this.#carry;
    const { last } = carry;
    /** The CR that waited ends its line alone. */
    const ended = last === CR && bytes[0] !== LF;
    const cut = lastLineEnd(bytes, last);
    const before = this.#offset;
    this.#offset += cut;
    if (ended || (cut > 0 && carry.length > 0)) {
      // To copy a slab behind the unfinished line costs less than to decode the two apart.
      carry.append(bytes, this.#skipping && !ended ? bytes.findIndex(endsLine) : 0, cut);
      this.#flush();
    } else if (cut > 0) {
      this.#read(cut === bytes.length ? bytes : bytes.subarray(0, cut));
    }
    this.#offset = before + bytes.length;
    if (cut < bytes.length) this.#keep(bytes, cut);
  }

  /** Lets the lines of `bytes` be read, which `#offset` stands just behind. The last one may lack its end. */
  #read(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.text = decodeUtf8(bytes);
    let cr = this.text.indexOf("\r");
    this.#narrow = this.text.length === bytes.length;
    this.plain = this.#narrow && cr < 0;
    this.base = this.#offset - bytes.length;
    this.seek(0);
    while (cr >= 0 && this.text.charCodeAt(cr + 1) === LF) cr = this.text.indexOf("\r", cr + 1);
    if (cr >= 0) {
      this.#bytes = withLineFeeds(bytes);
      this.text = decodeUtf8(this.#bytes);
    }
    this.#reader.readLines(this);
  }

  /** Lets the lines that `#carry` holds be read; `#offset` stands just behind them. */
  #flush(): void {
    this.#skipping = false;
    this.#read(this.#carry.view);
    // It may be that of a long line.
    this.text = "";
    this.#carry.clear();
  }

  /** Keeps the unfinished line, unless the reader finds it too long. A CR that waits for its LF is no part of it. */
  #keep(bytes: Uint8Array, cut: number): void {
    const carry = this.#carry;
    const waiting = bytes[bytes.length - 1] === CR ? 1 : 0;
    if (!this.#skipping) {
      carry.append(bytes, cut, bytes.length);
      const start = this.#offset - carry.length;
      const stop = this.#offset - waiting;
      if (start === stop || !this.#reader.refuseLine(start, stop)) return;
      carry.clear();
      carry.append(COLON, 0, 1);
      this.#skipping = true;
    }
    carry.append(bytes, bytes.length - waiting, bytes.length);
  }
}

/** Index just after the last line end that is known for one; 0 where there is none. `before` stands before the bytes. */
function lastLineEnd(bytes: Uint8Array, before: number | undefined): number {
  if (bytes.at(-1) === CR && (bytes.at(-2) ?? before) === CR) return bytes.length;
  // Engines seek forwards many bytes at a time, and backwards one by one: most of a long line has no end.
  const end = bytes.indexOf(LF) < 0 ? 0 : bytes.lastIndexOf(LF) + 1;
  const cr = bytes.indexOf(CR, end);
  return cr < 0 || cr === bytes.length - 1 ? end : bytes.lastIndexOf(CR, bytes.length - 2) + 1;
}

function endsLine(byte: number): boolean {
  return byte === LF || byte === CR;
}

/** A copy of whole lines, those that end in CR alone ending in LF. */
function withLineFeeds(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => (byte === CR && (bytes[i + 1] !== LF || bytes[i - 1] === CR) ? LF : byte));
}
