// Which framing a body has, told from its first bytes, and the framer that everybody uses. Owns detection, the byte
// order mark, and the rules of use (no push after end). May not know a vendor.
//
// The framer of SSE reads every body of lines, and alone makes a small bundle. What else is to be read finely (arrays as
// they come, binary messages) is brought along by whoever wants it.

import { BOM, SPACE } from "./bytes.ts";
import { DEFAULT_MAX_FRAME_BYTES, LARGEST_FRAME } from "./frame.ts";
import type { EmitFrame, Framer, FramingName, FramingOptions } from "./frame.ts";
import { JsonFramer } from "./json.ts";
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
  const beginning = { offset: 0, mark: 0 };
  const byte = head[passOver(head, beginning)];
  return byte === undefined ? undefined : framingOf(beginning, byte);
}

/** The bytes of a body that were passed over. */
interface Beginning {
  /** How many they are. */
  offset: number;
  /** How many of them, the very first, are those of the byte order mark. */
  mark: number;
}

/** Goes on with the beginning; gives the index of the first byte that says something, the length where there is none. */
function passOver(bytes: Uint8Array, beginning: Beginning): number {
  let at = 0;
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (beginning.mark === beginning.offset && byte === BOM[beginning.mark]) beginning.mark++;
    else if (byte > SPACE || cutMark(beginning) > 0) break;
    beginning.offset++;
  }
  return at;
}

/** How many bytes were passed over for those of a mark, without the last of it. Behind them anything shows that it is none. */
function cutMark({ mark }: Beginning): number {
  return mark % BOM.length;
}

/** The framing of a body whose first byte that says something is this one. */
function framingOf(beginning: Beginning, byte: number): FramingName {
  return (cutMark(beginning) === 0 && BY_FIRST_BYTE[byte]) || "sse";
}

const BY_FIRST_BYTE: Readonly<Record<number, FramingName>> = {
  0x7b: "json", // "{"
  0x5b: "json-array", // "["
  0x3c: "text", // "<"
};

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
  readonly #beginning: Beginning = { offset: 0, mark: 0 };

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
    if (this.#framer === undefined && cutMark(this.#beginning) > 0) this.#start(new Uint8Array(0), emit);
    this.#framer?.end(emit);
  }

  #begin(bytes: Uint8Array, emit: EmitFrame): void {
    const [first] = bytes;
    if (first === undefined) return;
    const { framing, extra = [] } = this.#options;
    const own = extra.find((each) => (framing === undefined ? each.begins(first) : each.name === framing));
    if (this.#beginning.offset === 0 && own !== undefined) {
      this.#framer = own.make(this.#limit, 0);
      this.#framer.push(bytes, emit);
      return;
    }
    const at = passOver(bytes, this.#beginning);
    if (at < bytes.length) this.#start(bytes.subarray(at), emit);
  }

  /** Reads the body from the first bytes on that say something. Those of a mark that was none are words. */
  #start(bytes: Uint8Array, emit: EmitFrame): void {
    const limit = this.#limit;
    const cut = cutMark(this.#beginning);
    const offset = this.#beginning.offset - cut;
    const { framing = framingOf(this.#beginning, bytes[0] ?? 0), sse } = this.#options;
    const framer =
      framing === "text"
        ? new SseFramer(limit, offset, framing)
        : framing === "sse"
          ? (sse?.(limit, offset) ?? new SseFramer(limit, offset))
          : new JsonFramer(limit, offset);
    this.#framer = framer;
    if (cut > 0) framer.push(BOM.subarray(0, cut), emit);
    framer.push(bytes, emit);
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
