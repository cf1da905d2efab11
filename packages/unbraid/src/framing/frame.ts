// What every framing speaks: frames, faults, the push interface, the size limit. Owns types and the small
// makers of these records. Knows no wire format, no vendor and no call; imports nothing above `bytes.ts`.

import { decodeHead } from "./bytes.ts";

/**
 * What a framer saw that its format does not allow. The frame that carries a fault is read all the same.
 *
 * - `bare-line`: an SSE line that should have begun with a field name did not, and was taken as data;
 * - `data-prefix`: a line of JSON lines, or beside a JSON document, was written as SSE: `data: {…}`;
 * - `stray-text`: text that belongs to no frame; `data` holds it;
 * - `after-array`: something followed the `]` that ends a streamed array;
 * - `not-a-stream`: the body holds no frame at all (an HTML page, a gateway's plain words); `data` holds its beginning;
 * - `frame-too-large`: the frame passed the size limit; `data` holds its first characters, the rest is skipped;
 * - `broken-frame`: a checksum or a length of a binary frame is wrong: what it said is not known;
 * - `cut-frame`: the body ended inside a binary frame.
 */
export type FrameFaultCode =
  | "bare-line"
  | "data-prefix"
  | "stray-text"
  | "after-array"
  | "not-a-stream"
  | "frame-too-large"
  | "broken-frame"
  | "cut-frame";

/** One irregularity of the framing. */
export interface FrameFault {
  /** Which one. */
  readonly code: FrameFaultCode;
  /** Plain words for a person. */
  readonly message: string;
}

/** A body without a frame. */
export const NOT_A_STREAM: FrameFault = {
  code: "not-a-stream",
  message: "the body holds no frame of any known framing",
};

/** Words between the frames. */
export const STRAY_TEXT: FrameFault = { code: "stray-text", message: "text that belongs to no frame" };

/** `data: {…}` where JSON was promised. */
export const DATA_PREFIX: FrameFault = { code: "data-prefix", message: "a line of JSON was written as an SSE field" };

/**
 * One message cut from the wire. Plain data; every framer makes all of these fields, in this order.
 *
 * Offsets count bytes of the body as it was pushed, byte order mark and blank lines included, and are exact for invalid
 * UTF-8 too. `body.subarray(start, end)` is the whole frame, and frames that have no fault never overlap.
 */
export interface Frame {
  /** The frame's text; of an SSE event its data lines joined with LF. Invalid UTF-8 has become U+FFFD. */
  readonly data: string;
  /** The `event:` field of an SSE event, the type of an AWS message; undefined where there was none, or an empty one. */
  readonly event: string | undefined;
  /** Byte offset of the frame's first byte: of an SSE event its first field line, of a JSON value its first byte. */
  readonly start: number;
  /**
   * Byte offset just after the frame's last byte. An SSE event's blank line is part of it; a JSON value has no
   * terminator, so white space, commas and line ends after it are not.
   */
  readonly end: number;
  /** 0-based number of the frame in its body. */
  readonly index: number;
  /** False where the body ended inside the frame, or the frame was given up at the size limit. */
  readonly terminated: boolean;
  /** The irregularity that was seen while this frame was read; undefined on a sound wire. */
  readonly fault: FrameFault | undefined;
}

/**
 * Takes each frame at the moment it is complete, with the value of its data where the framer knows it already. Must not
 * throw: what stands behind in the same chunk would be lost.
 */
export type EmitFrame = (frame: Frame, value?: unknown) => void;

/**
 * How a body is cut into frames.
 *
 * - `sse`: Server-Sent Events;
 * - `ndjson`: one JSON value a line;
 * - `json`: JSON documents, one after another, on as many lines as they like;
 * - `json-array`: one array whose elements are the frames;
 * - `text`: none of these; its lines are one frame with the fault `not-a-stream`;
 * - `aws-event-stream`: AWS's binary messages, with checksums. Not built in: see {@link ExtraFraming}.
 */
export type FramingName = "sse" | "ndjson" | "json" | "json-array" | "text" | "aws-event-stream";

/** Cuts the bytes of one body into frames. Holds the state of that one body. */
export interface Framer {
  /** Which framing reads the body; undefined while the first bytes have not told. JSON bodies may become `ndjson`. */
  readonly framing: FramingName | undefined;
  /**
   * Reads the next bytes. The array is not kept: the caller may use it again.
   *
   * @throws TypeError after `end`, or when `bytes` are no bytes. Nothing that stands in the bytes makes it throw.
   */
  push(bytes: Uint8Array, emit: EmitFrame): void;
  /** Says that the body is over: a frame that is still open is emitted with `terminated: false`. Later calls do nothing. */
  end(emit: EmitFrame): void;
}

/** Makes what reads a body from offset `offset` on; frames longer than `limit` bytes are skipped. */
export type MakeFramer = (limit: number, offset: number) => Framer;

/** A framing that is not built in. A protocol brings it along, so that only those who read that protocol load it. */
export interface ExtraFraming {
  /** The name. */
  readonly name: FramingName;
  /** Whether a body whose first byte this is comes in it. */
  begins(byte: number): boolean;
  /** Makes its framer. */
  readonly make: MakeFramer;
}

/** What a framer may be told. */
export interface FramingOptions {
  /** Reads the body in this framing, whatever its first bytes say. */
  readonly framing?: FramingName | undefined;
  /** Longest frame in bytes, a whole number above 0. Default 16 MiB; more than 256 MiB counts as 256 MiB. */
  readonly maxFrameBytes?: number | undefined;
  /** Framings to know beside those that are built in. */
  readonly extra?: readonly ExtraFraming[] | undefined;
  /** Makes what reads an SSE body from offset `offset` on in the place of what is built in, or undefined. */
  readonly sse?: ((limit: number, offset: number) => Framer | undefined) | undefined;
}

/** Longest frame that is read when the caller sets no limit: 16 MiB. */
export const DEFAULT_MAX_FRAME_BYTES: number = 16 * 1024 * 1024;

/** The largest limit that counts. A JavaScript string may hold 2^29 - 24 units (V8), so that no frame of this size can fail to become one. */
export const LARGEST_FRAME: number = 256 * 1024 * 1024;

/** UTF-16 units of an overlong frame that are shown. */
const EXCERPT_UNITS = 256;

/** Bytes that surely hold an excerpt and the field name before it: no unit takes more than three. */
export const EXCERPT_BYTES: number = 3 * EXCERPT_UNITS + 16;

/** The beginning of a text, no surrogate pair cut in two. */
export function excerpt(text: string, units: number = EXCERPT_UNITS): string {
  if (text.length <= units) return text;
  const last = text.charCodeAt(units - 1);
  return text.slice(0, (last & 0xfc00) === 0xd800 ? units - 1 : units);
}

/**
 * The text at the beginning of an overlong frame's bytes. None beyond the first `room` is shown: how many have come depends
 * on how the body was cut.
 */
export function beginningOf(bytes: Uint8Array, room: number): string {
  return decodeHead(bytes.subarray(0, Math.min(room, EXCERPT_BYTES)));
}

/**
 * The frame that stands for one that passed the limit. It ends where the limit was passed, so that it comes out the same
 * however the body is cut, and at once: of a frame that never ends, the caller must hear. `data` is an excerpt of it.
 */
export function overlongFrame(data: string, start: number, index: number, limit: number): Frame {
  return {
    data,
    event: undefined,
    start,
    end: start + limit,
    index,
    terminated: false,
    fault: {
      code: "frame-too-large",
      message: `the frame is longer than ${limit} bytes (maxFrameBytes), and was skipped`,
    },
  };
}
