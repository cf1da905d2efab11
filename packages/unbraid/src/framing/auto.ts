// Which framing a body has, told from its first bytes, and the framer that everybody uses. Owns detection, the byte
// order mark, and the rules of use (no push after end). May not know a vendor.
//
// The framer of SSE reads every body of lines, and alone makes a small bundle. What else is to be read finely (arrays as
// they come, binary messages) is brought along by whoever wants it.

import { BOM, joined, SPACE } from "./bytes.ts";
import { DEFAULT_MAX_FRAME_BYTES, LARGEST_FRAME } from "./frame.ts";
import type { EmitFrame, Framer, FramingName, FramingOptions } from "./frame.ts";
import { jsonBodies } from "./json.ts";
import { SseFramer } from "./sse.ts";

/**
 * Tells from the first bytes of a body how it is framed. A byte order mark and blank bytes before the first other one
 * say nothing; that one decides: `{` is JSON, `[` an array, `<` a page; everything else is read as SSE, where a body without
 * any event comes out as `not-a-stream`.
 *
 * A body that begins with `{` is `json` here; whether it is `ndjson` its first line tells. So do the bytes behind `[`, where
 * it is only that of `[DONE]`.
 *
 * @param head - the first bytes, as many as have come
 * @returns the framing, or undefined when more bytes are needed
 *
 * @example
 * detectFraming(new TextEncoder().encode(": keep-alive\n\n")); // "sse"
 * detectFraming(new TextEncoder().encode("\r\n")); // undefined
 */
export function detectFraming(head: Uint8Array): FramingName | undefined {
  return framingOf(head[firstByte(head, true)]);
}

/** The framing of a body whose first byte that says something is this one. */
function framingOf(byte: number | undefined): FramingName | undefined {
  switch (byte) {
    case undefined:
      return undefined;
    case 0x7b: // "{"
      return "json";
    case 0x5b: // "["
      return "json-array";
    case 0x3c: // "<"
      return "text";
    default:
      return "sse";
  }
}

/**
 * Index of the first byte that says something, `head.length` where there is none yet; -1 where the beginning of the body
 * (`atStart`) may be that of a byte order mark.
 */
function firstByte(head: Uint8Array, atStart: boolean): number {
  let at = 0;
  if (atStart && head[0] === BOM[0]) {
    if (head.length < BOM.length) return -1;
    if (BOM.every((byte, i) => head[i] === byte)) at = BOM.length;
  }
  while (at < head.length && head[at]! <= SPACE) at++;
  return at;
}

/** Framings whose names are known without being brought along. */
const TEXTUAL: readonly FramingName[] = ["sse", "ndjson", "json", "json-array", "text"];

/**
 * Finds the framing from the first bytes, unless it is told, and reads the body in it. No rules of use are kept: for the readers,
 * who keep them.
 */
export class AutoFramer implements Framer {
  readonly #options: FramingOptions;
  readonly #limit: number;
  #framer: Framer | undefined = undefined;
  /** What may be the first bytes of a byte order mark. */
  #head: Uint8Array = new Uint8Array(0);
  /** Blank bytes so far. */
  #offset = 0;

  /** @throws TypeError where there is no such framing. */
  constructor(options: FramingOptions) {
    const { framing, extra = [] } = options;
    const known = [...TEXTUAL, ...extra.map(({ name }) => name)];
    if (framing !== undefined && !known.includes(framing)) {
      throw new TypeError(`unknown framing "${framing}"; known are ${known.join(", ")}`);
    }
    this.#options = options;
    this.#limit = Math.min(options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES, LARGEST_FRAME);
  }

  get framing(): FramingName | undefined {
    return this.#framer?.framing ?? this.#options.framing;
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    if (this.#framer === undefined) this.#begin(bytes, emit);
    else this.#framer.push(bytes, emit);
  }

  end(emit: EmitFrame): void {
    if (this.#head.length > 0) this.#start("sse", this.#head, emit);
    this.#framer?.end(emit);
  }

  #begin(bytes: Uint8Array, emit: EmitFrame): void {
    const head = joined(this.#head, bytes);
    const [first] = head;
    if (first === undefined) return;
    const atStart = this.#offset === 0;
    const { framing: forced, extra = [] } = this.#options;
    const own = extra.find((each) => (forced === undefined ? each.begins(first) : each.name === forced));
    if (atStart && own !== undefined) {
      this.#framer = own.make(this.#limit, 0);
      this.#framer.push(head, emit);
      return;
    }
    const at = firstByte(head, atStart);
    const framing = framingOf(head[at]);
    this.#head = new Uint8Array(at < 0 ? head : []);
    this.#offset += Math.max(0, at);
    if (framing !== undefined) this.#start(framing, head.subarray(at), emit);
  }

  #start(found: FramingName, bytes: Uint8Array, emit: EmitFrame): void {
    const { framing = found, sse, jsonBodies: ndjson = jsonBodies } = this.#options;
    const lines = framing === "sse" || framing === "text" ? framing : "ndjson";
    const make = { sse, ndjson, text: undefined }[lines];
    this.#framer = make?.(this.#limit, this.#offset) ?? new SseFramer(this.#limit, this.#offset, lines);
    this.#framer.push(bytes, emit);
  }
}

/** Keeps the rules of use. */
class CheckedFramer extends AutoFramer {
  #ended = false;

  constructor(options: FramingOptions) {
    const { maxFrameBytes = DEFAULT_MAX_FRAME_BYTES } = options;
    if (!Number.isSafeInteger(maxFrameBytes) || maxFrameBytes < 1) {
      throw new TypeError(`maxFrameBytes must be a whole number above 0, not ${String(maxFrameBytes)}`);
    }
    super(options);
  }

  override push(bytes: Uint8Array, emit: EmitFrame): void {
    if (this.#ended) throw new TypeError("push after end: the body is over; a new body needs a new framer");
    if (!ArrayBuffer.isView(bytes)) throw new TypeError(`push takes a Uint8Array, not ${typeof bytes}`);
    super.push(bytes, emit);
  }

  override end(emit: EmitFrame): void {
    if (!this.#ended) super.end(emit);
    this.#ended = true;
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
  return new CheckedFramer(options);
}
