// AWS's binary event stream (`application/vnd.amazon.eventstream`): messages with a length, headers and two checksums.
// Owns the cutting of messages however the bytes arrive, the checksums and the headers. Knows no service; reached only
// through the protocols that need it, so that others do not carry it.
//
//     total length  headers length  CRC of these 8  headers      payload  CRC of all before
//     4 bytes       4 bytes         4 bytes         :event-type  {…}      4 bytes
//
// https://smithy.io/2.0/aws/amazon-eventstream.html

import { ByteBuffer, decodeUtf8 } from "./bytes.ts";
import { overlongFrame } from "./frame.ts";
import type { EmitFrame, ExtraFraming, Frame, FrameFault, Framer } from "./frame.ts";

const PRELUDE = 12;
const CHECKSUM = 4;
/** A message without headers and payload. */
const SMALLEST = PRELUDE + CHECKSUM;
/** Types of the header values that bring their length along. Only text names anything; all others are skipped. */
const BYTES = 6;
const TEXT = 7;
/** Lengths of the header values that have a fixed one, by type: true, false, byte, short, int, long, -, -, time, UUID. */
const FIXED: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

const CUT: FrameFault = { code: "cut-frame", message: "the body ended inside a binary message" };

/** Cuts a body into AWS messages. A frame's data is the message's payload, its event the message's type. */
class AwsEventStreamFramer implements Framer {
  readonly framing = "aws-event-stream";
  readonly #limit: number;
  readonly #held = new ByteBuffer();
  /** Body offset of the open message. */
  #start: number;
  #count = 0;
  /** Length of the open message; 0 while its prelude has not come. */
  #total = 0;
  /** Bytes of an overlong message that still have to be skipped. */
  #skip = 0;
  /** A prelude was wrong: where the next message begins is not known any more. */
  #lost = false;

  /** Reads a body from offset `offset` on; messages longer than `limit` bytes are skipped. */
  constructor(limit: number, offset: number) {
    this.#limit = limit;
    this.#start = offset;
  }

  push(bytes: Uint8Array, emit: EmitFrame): void {
    let at = 0;
    while (at < bytes.length && !this.#lost) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, bytes.length - at);
        this.#skip -= skipped;
        this.#start += skipped;
        at += skipped;
        continue;
      }
      const wanted = (this.#total === 0 ? PRELUDE : this.#total) - this.#held.length;
      const to = Math.min(bytes.length, at + wanted);
      this.#held.append(bytes, at, to);
      at = to;
      if (this.#total === 0) this.#readPrelude(emit);
      else if (this.#held.length === this.#total) this.#readMessage(emit);
    }
  }

  end(emit: EmitFrame): void {
    if (this.#held.length === 0) return;
    this.#emit(emit, { terminated: false, fault: CUT, length: this.#held.length });
  }

  #readPrelude(emit: EmitFrame): void {
    if (this.#held.length < PRELUDE) return;
    const view = viewOf(this.#held.view);
    const total = view.getUint32(0);
    const broken = preludeFault(view, total, this.#held.view);
    if (broken !== undefined) {
      this.#lost = true;
      return this.#emit(emit, { terminated: false, fault: broken, length: PRELUDE });
    }
    if (total > this.#limit) {
      // Its length is known, so that it is refused before it has come.
      emit({ ...overlongFrame("", this.#start, this.#count++, this.#limit), end: this.#start + PRELUDE });
      this.#skip = total - PRELUDE;
      this.#start += PRELUDE;
      this.#held.clear();
      return;
    }
    this.#total = total;
  }

  #readMessage(emit: EmitFrame): void {
    const bytes = this.#held.view;
    const total = this.#total;
    const view = viewOf(bytes);
    const headersEnd = PRELUDE + view.getUint32(4);
    const headers =
      crc32(bytes, total - CHECKSUM) === view.getUint32(total - CHECKSUM)
        ? readHeaders(bytes.subarray(PRELUDE, headersEnd))
        : "the message's checksum is wrong";
    if (typeof headers === "string")
      return this.#emit(emit, { terminated: false, fault: faultOf(headers), length: total });
    const payload = decodeUtf8(bytes.subarray(headersEnd, total - CHECKSUM));
    this.#emit(emit, { ...meaning(headers, payload), terminated: true, fault: undefined, length: total });
  }

  #emit(
    emit: EmitFrame,
    said: Pick<Frame, "terminated" | "fault"> & { data?: string; event?: string | undefined; length: number },
  ): void {
    const start = this.#start;
    const { data = "", event, length, terminated, fault } = said;
    this.#held.clear();
    this.#total = 0;
    this.#start = start + length;
    emit({ data, event, start, end: start + length, index: this.#count++, terminated, fault });
  }
}

function faultOf(message: string): FrameFault {
  return { code: "broken-frame", message };
}

function preludeFault(view: DataView, total: number, bytes: Uint8Array): FrameFault | undefined {
  if (crc32(bytes, 8) !== view.getUint32(8)) return faultOf("the checksum of a message's lengths is wrong");
  if (total < SMALLEST || view.getUint32(4) > total - SMALLEST)
    return faultOf("a message's lengths contradict each other");
  return undefined;
}

/**
 * What a message says. `event` messages have their type in `:event-type`, exceptions in `:exception-type`; an error of the
 * stream itself has no payload, and says what it is in two headers.
 */
function meaning(headers: ReadonlyMap<string, string>, payload: string): { data: string; event: string | undefined } {
  if (headers.get(":message-type") === "error") {
    const error = { code: headers.get(":error-code"), message: headers.get(":error-message") };
    return { data: payload === "" ? JSON.stringify(error) : payload, event: "error" };
  }
  const event = headers.get(":exception-type") ?? headers.get(":event-type");
  // A message may have no payload at all: nothing more than its type is said then.
  return { data: payload === "" ? "{}" : payload, event };
}

/** The headers that are text, by name; a message in plain words where they do not fit into their length. */
function readHeaders(bytes: Uint8Array): Map<string, string> | string {
  const outside = "a message's headers are longer than their length says";
  const headers = new Map<string, string>();
  const view = viewOf(bytes);
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    if (type === undefined) return outside;
    let value = nameEnd + 1;
    let length = FIXED[type];
    if (length === undefined) {
      if (type !== BYTES && type !== TEXT) return `a message's header has the unknown type ${type}`;
      if (value + 2 > bytes.length) return outside;
      length = view.getUint16(value);
      value += 2;
    }
    if (value + length > bytes.length) return outside;
    const name = decodeUtf8(bytes.subarray(at + 1, nameEnd));
    if (type === TEXT) headers.set(name, decodeUtf8(bytes.subarray(value, value + length)));
    at = value + length;
  }
  return headers;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

let table: Uint32Array | undefined;

/**
 * CRC-32 (the one of zip and Ethernet) of the first `length` bytes, as an unsigned number.
 *
 * @example
 * crc32(new TextEncoder().encode("123456789"), 9).toString(16); // "cbf43926"
 */
export function crc32(bytes: Uint8Array, length: number): number {
  table ??= makeTable();
  let crc = -1;
  for (let i = 0; i < length; i++) crc = (table[(crc ^ bytes[i]!) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTable(): Uint32Array {
  return new Uint32Array(256).map((_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
}

/**
 * AWS's binary event stream. No text begins with the byte 0, and every message does: it is the highest of a length that
 * stays below 16 MiB.
 */
export const awsEventStream: ExtraFraming = {
  name: "aws-event-stream",
  begins: (byte) => byte === 0,
  make: (limit, offset) => new AwsEventStreamFramer(limit, offset),
};
