// Which framing a body has, told from its first bytes, and the framer that everybody uses. Owns detection, the byte
// order mark, and the rules of use (no push after end). May not know a vendor.

import { BOM, joined, SPACE } from "./bytes.ts";
import { frameLimit } from "./frame.ts";
import type { EmitFrame, ExtraFraming, Framer, FramingName, FramingOptions, Skim } from "./frame.ts";
import { JsonFramer } from "./json.ts";
import { MAX_KEPT, SkimmedSse } from "./skimmed-sse.ts";
import { SseFramer } from "./sse.ts";
import { TextFramer } from "./text.ts";

/**
 * Tells from the first bytes of a body how it is framed. A byte order mark and blank bytes before the first other one
 * say nothing; that one, and after `[` the next, decide: `{` is JSON, `[` an array unless it begins `[DONE]`, `<` a page;
 * everything else is read as SSE, where a body without any event comes out as `not-a-stream`.
 *
 * A body that begins with `{` is `json` here; whether it is `ndjson` its first line tells.
 *
 * @param head - the first bytes, as many as have come
 * @returns the framing, or undefined when more bytes are needed
 *
 * @example
 * detectFraming(new TextEncoder().encode(": keep-alive\n\n")); // "sse"
 * detectFraming(new TextEncoder().encode("\r\n")); // undefined
 */
export function detectFraming(head: Uint8Array): FramingName | undefined {
  return framingAt(head, firstByte(head, true));
}

/** The framing of a body whose first byte that says something is `head[at]`. */
function framingAt(head: Uint8Array, at: number): FramingName | undefined {
  switch (head[at]) {
    case undefined:
      return undefined;
    case 0x7b: // "{"
      return "json";
    case 0x3c: // "<"
      return "text";
    case 0x5b: // "[", and "D": no JSON value begins so, but a bare "[DONE]" does
      if (at + 1 === head.length) return undefined;
      return head[at + 1] === 0x44 ? "sse" : "json-array";
    default:
      return "sse";
  }
}

/**
 * Index of the first byte that says something, `head.length` where there is none yet; -1 where all that has come is the
 * beginning of a byte order mark.
 */
function firstByte(head: Uint8Array, atStart: boolean): number {
  let at = 0;
  if (atStart) {
    while (at < BOM.length && head[at] === BOM[at]) at++;
    if (at > 0 && at < BOM.length) {
      if (at === head.length) return -1;
      at = 0;
    }
  }
  while (at < head.length && head[at]! <= SPACE) at++;
  return at;
}

/** What reads each framing, from a body offset on. JSON finds out by itself which of its three it is. */
const framers: Readonly<Partial<Record<FramingName, (limit: number, offset: number, skim?: Skim) => Framer>>> = {
  // With a limit so low, whether an event passes it is for the framer alone to say.
  sse: (limit, offset, skim) => {
    const framer = new SseFramer(limit, offset);
    return skim === undefined || limit < MAX_KEPT ? framer : new SkimmedSse(framer, skim, limit);
  },
  ndjson: (limit, offset) => new JsonFramer(limit, offset),
  json: (limit, offset) => new JsonFramer(limit, offset),
  "json-array": (limit, offset) => new JsonFramer(limit, offset),
  text: (_, offset) => new TextFramer(offset),
};

/** Finds the framing from the first bytes, unless it is told, and reads the body in it. */
class AutoFramer implements Framer {
  readonly #forced: FramingName | undefined;
  readonly #extra: readonly ExtraFraming[];
  readonly #limit: number;
  readonly #skim: Skim | undefined;
  #framer: Framer | undefined = undefined;
  /** First bytes that do not decide yet: a part of a byte order mark, or `[`. Blanks before them are dropped. */
  #head: Uint8Array = new Uint8Array(0);
  /** Body offset of `#head`. */
  #offset = 0;
  #ended = false;

  constructor(options: FramingOptions) {
    const { framing } = options;
    this.#extra = options.extra ?? [];
    this.#skim = options.skim;
    const known = [...Object.keys(framers), ...this.#extra.map((extra) => extra.name)];
    if (framing !== undefined && !known.includes(framing)) {
      throw new TypeError(`unknown framing "${framing}"; known are ${known.join(", ")}`);
    }
    this.#forced = framing;
    this.#limit = frameLimit(options.maxFrameBytes);
  }

  get framing(): FramingName | undefined {
    return this.#framer?.framing ?? this.#forced;
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    if (this.#ended) throw new TypeError("push after end: the body is over; a new body needs a new framer");
    if (!ArrayBuffer.isView(bytes)) throw new TypeError(`push takes a Uint8Array, not ${typeof bytes}`);
    if (this.#framer === undefined) this.#begin(bytes, emit);
    else this.#framer.push(bytes, emit);
  }

  end(emit: EmitFrame): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#framer === undefined && this.#head.length > 0) {
      this.#start(this.#head[0] === BOM[0] ? "sse" : "json-array", this.#head, this.#offset, emit);
    }
    this.#framer?.end(emit);
  }

  #begin(bytes: Uint8Array, emit: EmitFrame): void {
    const head = joined(this.#head, bytes);
    const extra = this.#offset === 0 ? this.#extraOf(head[0]) : undefined;
    if (extra !== undefined) {
      this.#framer = extra.make(this.#limit, 0);
      this.#framer.push(head, emit);
      return;
    }
    const at = firstByte(head, this.#offset === 0);
    const framing = framingAt(head, at);
    if (framing === undefined) {
      this.#head = head.slice(Math.max(0, at));
      this.#offset += Math.max(0, at);
    } else {
      this.#start(framing, head.subarray(at), this.#offset + at, emit);
    }
  }

  /** The framing beside the built-in ones that was asked for, or whose bodies begin with this byte. */
  #extraOf(byte: number | undefined): ExtraFraming | undefined {
    if (byte === undefined) return undefined;
    return this.#extra.find((extra) => (this.#forced === undefined ? extra.begins(byte) : extra.name === this.#forced));
  }

  #start(found: FramingName, bytes: Uint8Array, offset: number, emit: EmitFrame): void {
    this.#framer = framers[this.#forced ?? found]?.(this.#limit, offset, this.#skim);
    this.#framer?.push(bytes, emit);
  }
}

/**
 * Makes a framer for one body. It finds the framing from the first bytes, and gives the same frames with the same
 * offsets however the bytes are cut: whole, one at a time, inside a character, inside CR LF.
 *
 * @param options - a framing to read the body in, whatever its first bytes say; the size limit of a frame
 * @throws TypeError where there is no such framing, or the limit is no whole number above 0
 *
 * @example
 * const framer = createFramer();
 * const frames: Frame[] = [];
 * framer.push(new TextEncoder().encode('data: {"a":1}\n\ndata: [DONE]\n\n'), (frame) => frames.push(frame));
 * framer.end((frame) => frames.push(frame));
 * frames.map((frame) => [frame.data, frame.start, frame.end]); // [['{"a":1}', 0, 15], ["[DONE]", 15, 29]]
 */
export function createFramer(options: FramingOptions = {}): Framer {
  return new AutoFramer(options);
}
