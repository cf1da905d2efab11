// AWS's binary framing against AWS's own codec: the same messages out of the same bytes, however these are cut, and
// nothing out of bytes that were changed.

import { EventStreamCodec } from "@smithy/eventstream-codec";
import * as fc from "fast-check";
import { crc32 as zlibCrc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { awsEventStream, crc32 } from "./aws-event-stream.ts";
import { bytesOf, everyByte, framesOf } from "./framing.test-kit.ts";
import { createFramer, type Frame } from "./index.ts";

const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes),
  (text) => new TextEncoder().encode(text),
);

type Headers = Parameters<typeof codec.encode>[0]["headers"];

/** A message as AWS's codec writes it. */
function message(headers: Headers | Readonly<Record<string, string>>, payload: string): Uint8Array {
  const typed = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === "string" ? { type: "string", value } : value,
  ]);
  return codec.encode({ headers: Object.fromEntries(typed) as Headers, body: bytesOf(payload) });
}

const event = (type: string, payload: string): Uint8Array =>
  message({ ":event-type": type, ":content-type": "application/json", ":message-type": "event" }, payload);

const extra = [awsEventStream];

function read(wire: Uint8Array, cuts: readonly number[] = [], maxFrameBytes?: number): Frame[] {
  return framesOf(wire, { extra, maxFrameBytes }, cuts);
}

function short(frames: readonly Frame[]): string[] {
  return frames.map(({ data, event: type, fault, terminated }) =>
    [
      type === undefined ? "" : `${type}: `,
      data,
      fault === undefined ? "" : ` (${fault.code})`,
      terminated ? "" : " …",
    ].join(""),
  );
}

/** Headers of every type that the format has. */
const anyHeader: fc.Arbitrary<Headers[string]> = fc.oneof(
  fc.boolean().map((value) => ({ type: "boolean" as const, value })),
  fc.integer({ min: -128, max: 127 }).map((value) => ({ type: "byte" as const, value })),
  fc.integer({ min: -32_768, max: 32_767 }).map((value) => ({ type: "short" as const, value })),
  fc.integer().map((value) => ({ type: "integer" as const, value })),
  fc.uint8Array({ maxLength: 300 }).map((value) => ({ type: "binary" as const, value })),
  fc.string({ maxLength: 300, unit: "grapheme" }).map((value) => ({ type: "string" as const, value })),
  fc.date({ noInvalidDate: true }).map((value) => ({ type: "timestamp" as const, value })),
  fc.uuid().map((value) => ({ type: "uuid" as const, value })),
);
const anyMessage = fc.record({
  type: fc.stringMatching(/^[a-zA-Z]{1,20}$/),
  others: fc.dictionary(fc.stringMatching(/^[a-z-]{1,12}$/), anyHeader, { maxKeys: 6, noNullPrototype: true }),
  payload: fc.json({ maxDepth: 3 }),
});

describe("the same messages as AWS's codec", () => {
  test("with headers of all types, cut anywhere", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(600)), (messages, places) => {
        const encoded = messages.map(({ type, others, payload }) =>
          message({ ...others, ":event-type": { type: "string", value: type } }, payload),
        );
        const wire = bytesOf(...encoded);
        const frames = read(wire);
        expect(frames.map((frame) => [frame.event, frame.data])).toEqual(
          encoded.map((bytes) => {
            const { headers, body } = codec.decode(bytes);
            return [headers[":event-type"]?.value, new TextDecoder().decode(body)];
          }),
        );
        expect(frames.map(({ start, end }) => wire.subarray(start, end))).toEqual(encoded);
        expect(
          read(
            wire,
            places.filter((place) => place < wire.length),
          ),
        ).toEqual(frames);
        expect(read(wire, everyByte(wire))).toEqual(frames);
      }),
      { numRuns: 300 },
    );
  });

  test("crc32 is that of zlib", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(crc32(bytes, bytes.length)).toBe(zlibCrc32(bytes));
      }),
    );
    expect(crc32(bytesOf("123456789"), 9)).toBe(0xcb_f4_39_26);
  });

  test("exceptions and errors of the stream have their type for an event", () => {
    const exception = { ":exception-type": "throttlingException", ":message-type": "exception" };
    const error = { ":message-type": "error", ":error-code": "Internal", ":error-message": "It broke." };
    expect(short(read(bytesOf(message(exception, '{"message":"wait"}'), message(error, ""))))).toEqual([
      'throttlingException: {"message":"wait"}',
      'error: {"code":"Internal","message":"It broke."}',
    ]);
  });

  test("a message without a payload says no more than its type, one without headers has none", () => {
    expect(short(read(bytesOf(event("messageStop", ""), message({}, "{}"))))).toEqual(["messageStop: {}", "{}"]);
  });
});

describe("damage", () => {
  const wire = bytesOf(event("a", '{"n":1}'), event("b", '{"n":2}'), event("c", '{"n":3}'));
  const lengths = [event("a", '{"n":1}').length, event("b", '{"n":2}').length];
  const [first = 0, second = 0] = lengths;

  test.each(everyByte(wire.subarray(first, first + second)))(
    "a changed bit in byte %i of the second message is seen",
    (at) => {
      for (const bit of [1, 0x80]) {
        const damaged = Uint8Array.from(wire);
        damaged[first + at]! ^= bit;
        const frames = read(damaged);
        expect(short(frames.slice(0, 2))).toEqual(['a: {"n":1}', " (broken-frame) …"]);
        expect(() => codec.decode(damaged.subarray(first, first + second))).toThrow(/./);
        // Where the lengths are sound, the next message is found; else no more is read.
        expect(short(frames.slice(2))).toEqual(at < 12 ? [] : ['c: {"n":3}']);
        expect(read(damaged, everyByte(damaged))).toEqual(frames);
      }
    },
  );

  test("lengths that contradict each other, though their checksum is right", () => {
    const prelude = (total: number, headers: number): Uint8Array => {
      const bytes = new Uint8Array(32);
      const view = new DataView(bytes.buffer);
      view.setUint32(0, total);
      view.setUint32(4, headers);
      view.setUint32(8, zlibCrc32(bytes.subarray(0, 8)));
      return bytes;
    };
    for (const bytes of [prelude(15, 0), prelude(0, 0), prelude(32, 17), prelude(32, 0xffff_ffff)]) {
      expect(short(read(bytes))).toEqual([" (broken-frame) …"]);
    }
  });

  test.each([
    ["a name that is longer", [200, 0x61]],
    ["a name without a type", [1, 0x61]],
    ["a value without a length", [1, 0x61, 7, 0]],
    ["a value that is longer", [1, 0x61, 7, 0, 9, 0x62]],
    ["an unknown type", [1, 0x61, 10, 0]],
    ["a type of no sense", [1, 0x61, 255]],
  ])("headers with %s than their length allows", (_, headers) => {
    const bytes = new Uint8Array(16 + headers.length);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, bytes.length);
    view.setUint32(4, headers.length);
    view.setUint32(8, zlibCrc32(bytes.subarray(0, 8)));
    bytes.set(headers, 12);
    view.setUint32(12 + headers.length, zlibCrc32(bytes.subarray(0, 12 + headers.length)));
    expect(short(read(bytesOf(bytes, event("a", "{}"))))).toEqual([" (broken-frame) …", "a: {}"]);
  });

  test("a body that ends inside a message, wherever", () => {
    for (let length = 1; length < first; length++) {
      expect(short(read(wire.subarray(0, length))), `${length} bytes`).toEqual([" (cut-frame) …"]);
      expect(short(read(wire.subarray(0, first + length)))).toEqual(['a: {"n":1}', " (cut-frame) …"]);
    }
    expect(short(read(wire.subarray(0, first)))).toEqual(['a: {"n":1}']);
  });

  test("bytes of any kind throw nothing, and come out the same however they are cut", () => {
    const anything = fc.array(fc.oneof(fc.uint8Array({ maxLength: 30 }), fc.constant(event("a", "{}"))), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(anything, (parts) => {
        const bytes = bytesOf(0, ...parts);
        expect(read(bytes, everyByte(bytes))).toEqual(read(bytes));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the size limit", () => {
  const long = event("b", JSON.stringify("x".repeat(1000)));
  const wire = bytesOf(event("a", "{}"), long, event("c", "{}"));

  test("a message that says that it is longer is refused before it has come, and skipped", () => {
    const frames = read(wire, [], 500);
    expect(short(frames)).toEqual(["a: {}", " (frame-too-large) …", "c: {}"]);
    expect(read(wire, everyByte(wire), 500)).toEqual(frames);
    const framer = createFramer({ extra, maxFrameBytes: 500 });
    const early: Frame[] = [];
    framer.push(wire.subarray(0, event("a", "{}").length + 12), (frame) => early.push(frame));
    expect(early).toEqual(frames.slice(0, 2));
  });

  test("a length of 4 GiB takes no memory", () => {
    const prelude = new Uint8Array(12);
    const view = new DataView(prelude.buffer);
    view.setUint32(0, 0x00ff_ffff);
    view.setUint32(8, zlibCrc32(prelude.subarray(0, 8)));
    const before = process.memoryUsage().arrayBuffers;
    expect(short(read(prelude))).toEqual([" (cut-frame) …"]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  });

  test("a message just as long as the limit is read", () => {
    expect(short(read(long, [], long.length))).toHaveLength(1);
    expect(read(long, [], long.length)[0]?.terminated).toBe(true);
    expect(short(read(long, [], long.length - 1))).toEqual([" (frame-too-large) …"]);
  });
});

describe("how it is found", () => {
  test("by its first byte, which no text has, and only where a protocol brought it along", () => {
    expect(createFramer().framing).toBeUndefined();
    const framer = createFramer({ extra });
    framer.push(event("a", "{}").subarray(0, 1), () => {});
    expect(framer.framing).toBe("aws-event-stream");
    expect(framesOf(event("a", "{}")).some((frame) => frame.event === "a")).toBe(false);
  });

  test("by its name; it is unknown where no protocol brought it along", () => {
    expect(framesOf(event("a", "{}"), { extra, framing: "aws-event-stream" })).toHaveLength(1);
    expect(() => createFramer({ framing: "aws-event-stream" })).toThrow(TypeError);
  });

  test("other bodies are read as ever", () => {
    expect(framesOf('data: {"a":1}\n\n', { extra }).map((frame) => frame.data)).toEqual(['{"a":1}']);
    expect(framesOf('\uFEFF{"a":1}\n', { extra }).map((frame) => frame.data)).toEqual(['{"a":1}']);
  });
});
