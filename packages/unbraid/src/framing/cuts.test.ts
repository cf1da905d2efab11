import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyBody, bytesOf, everyByte, framesOf, jsonBody, longBody, sseBody } from "./framing.test-kit.ts";
import { createFramer, type Frame, type FramingName } from "./index.ts";

const framing = fc.constantFrom<(FramingName | undefined)[]>(undefined, undefined, "sse", "json", "text");
const smallLimit = fc.constantFrom(undefined, undefined, undefined, 1, 2, 5, 12, 30);

describe("the same frames however the bytes are cut", () => {
  test("one byte at a time", () => {
    fc.assert(
      fc.property(anyBody, framing, smallLimit, (wire, name, maxFrameBytes) => {
        const options = { framing: name, maxFrameBytes };
        expect(framesOf(wire, options, everyByte(wire))).toEqual(framesOf(wire, options));
      }),
      { numRuns: 10_000 },
    );
  });

  test("in two, at every place", () => {
    fc.assert(
      fc.property(anyBody, framing, smallLimit, (wire, name, maxFrameBytes) => {
        const options = { framing: name, maxFrameBytes };
        const whole = framesOf(wire, options);
        for (const cut of everyByte(wire)) expect(framesOf(wire, options, [cut])).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  test("at random places", () => {
    fc.assert(
      fc.property(anyBody, framing, smallLimit, fc.array(fc.nat(60)), (wire, name, maxFrameBytes, places) => {
        const options = { framing: name, maxFrameBytes };
        const cuts = places.filter((place) => place < wire.length);
        expect(framesOf(wire, options, cuts)).toEqual(framesOf(wire, options));
      }),
      { numRuns: 5000 },
    );
  });

  test("bodies of many chunks", () => {
    const limit = fc.constantFrom(undefined, 100, 5000, 9000, 20_000);
    fc.assert(
      fc.property(longBody, framing, limit, fc.array(fc.nat(45_000)), (wire, name, maxFrameBytes, places) => {
        const options = { framing: name, maxFrameBytes };
        const whole = framesOf(wire, options);
        expect(
          framesOf(
            wire,
            options,
            places.filter((place) => place < wire.length),
          ),
        ).toEqual(whole);
        const packets = everyByte(wire).filter((place) => place % 1460 === 0);
        expect(framesOf(wire, options, packets)).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });
});

describe("offsets", () => {
  // What was read between two frames and belongs to neither may lie inside an event, so faults are left aside.
  const sound = (frames: readonly Frame[]): Frame[] => frames.filter((frame) => frame.fault === undefined);

  test("the bytes from start to end are the event", () => {
    fc.assert(
      fc.property(sseBody, (wire) => {
        for (const { data, event, start, end } of sound(framesOf(wire, { framing: "sse" }))) {
          const again = sound(framesOf(wire.subarray(start, end), { framing: "sse" }));
          expect(again.map((frame) => [frame.data, frame.event])).toEqual([[data, event]]);
        }
      }),
      { numRuns: 5000 },
    );
  });

  test("the bytes from start to end are the JSON value", () => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const solid = (text: string): string => text.replaceAll(/\s/g, "");
    fc.assert(
      fc.property(jsonBody, (wire) => {
        for (const { data, start, end } of sound(framesOf(wire, { framing: "json" }))) {
          expect(solid(decoder.decode(wire.subarray(start, end)))).toBe(solid(data));
        }
      }),
      { numRuns: 5000 },
    );
  });

  test("frames follow one another and are counted", () => {
    fc.assert(
      fc.property(anyBody, framing, smallLimit, (wire, name, maxFrameBytes) => {
        const frames = framesOf(wire, { framing: name, maxFrameBytes });
        expect(frames.map((frame) => frame.index)).toEqual(frames.map((_, i) => i));
        let before = 0;
        for (const { start, end } of sound(frames)) {
          expect(start).toBeGreaterThanOrEqual(before);
          expect(end).toBeGreaterThan(start);
          before = end;
        }
        expect(before).toBeLessThanOrEqual(wire.length);
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    ["ASCII", bytesOf("data: a\n\n", "data: b\n\n"), [9, 18]],
    ["after a byte order mark", bytesOf("\uFEFFdata: a\n\n", "data: b\n\n"), [12, 21]],
    ["two to four bytes a character", bytesOf("data: é\n\n", "data: 天\n\n", "data: \u{1f600}\n\n"), [10, 21, 33]],
    ["no UTF-8", bytesOf("data: ", 0xff, 0xe5, 0xa4, "\n\n", "data: b\n\n"), [11, 20]],
    ["CR LF", bytesOf("data: é\r\n\r\n", "data: b\r\n\r\n"), [12, 23]],
    ["CR", bytesOf("data: é\r\r", "data: b\r\r"), [10, 19]],
  ])("end just after the blank line: %s", (_, wire, ends) => {
    expect(framesOf(wire).map((frame) => frame.end)).toEqual(ends);
    expect(framesOf(wire, {}, everyByte(wire)).map((frame) => frame.end)).toEqual(ends);
  });
});

describe("no frame waits longer than it must", () => {
  test.each([
    ["LF", "data: a\n\n"],
    ["CR LF", "data: a\r\n\r\n"],
    ["CR", "data: a\r\r"],
    ["CR between CR LF, which the next byte tells from one more", "data: a\r\n\rd"],
    ["a document", '{"a":\n1}'],
    ["the first line of several", '{"a":1}'],
    ["a bare line", 'data: a\n\n{"a":1}\n'],
    ["an array", '[{"a":1}'],
  ])("%s", (_, text) => {
    const framer = createFramer();
    const frames: Frame[] = [];
    const wire = bytesOf(text);
    framer.push(wire.subarray(0, -1), (frame) => frames.push(frame));
    const before = frames.length;
    framer.push(wire.subarray(-1), (frame) => frames.push(frame));
    expect(frames).toHaveLength(before + 1);
  });
});
