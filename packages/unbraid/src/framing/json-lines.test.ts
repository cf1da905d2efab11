// What stands on the lines behind a first one that is a whole object.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, framesOf, shortOf } from "./framing.test-kit.ts";
import { createFramer, type FramingOptions } from "./index.ts";

const FIRST = "{}\n";
const short = (wire: string, options?: FramingOptions): string[] => shortOf(FIRST + wire, options).slice(1);

test("its framing has a name from the end of the first line on", () => {
  const framer = createFramer({ framing: "ndjson" });
  const framings = [" ", "{", "}", "\n"].map((piece) => {
    framer.push(bytesOf(piece), () => {});
    return framer.framing;
  });
  expect(framings).toEqual(["ndjson", "json", "json", "ndjson"]);
});

describe("one value a line", () => {
  test("each line is a frame without a fault, less its line end", () => {
    expect(framesOf('{"a":1}\r\n\n {"b":"}{"}\n[DONE]')).toEqual(
      [
        { data: '{"a":1}', start: 0, end: 7 },
        { data: '{"b":"}{"}', start: 10, end: 21 },
        { data: "[DONE]", start: 22, end: 28 },
      ].map((frame, index) => ({ ...frame, event: undefined, index, terminated: true, fault: undefined })),
    );
  });

  test("any objects give the frames that reading by brackets gives", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    const lineEnd = fc.constantFrom("\n", "\r\n", "\n\n");
    const frames = (wire: string): unknown[] =>
      framesOf(wire)
        .slice(1)
        .map(({ data, terminated, fault }) => [data, terminated, fault]);
    fc.assert(
      fc.property(fc.array(object, { minLength: 1 }), lineEnd, fc.boolean(), (values, end, ended) => {
        const wire = values.map((value) => JSON.stringify(value)).join(end) + (ended ? end : "");
        expect(frames(FIRST + wire)).toEqual(frames(`{\n}\n${wire}`));
      }),
    );
  });

  test("a line that was cut costs no other line, even where it ends with a bracket", () => {
    expect(short('{"a":1}\n{"b":{"c":"x\n{"d":{\n{"e":1}\n')).toEqual(['{"a":1}', '{"b":{"c":"x', '{"d":{', '{"e":1}']);
    expect(short('{"a":1}\n{"b":')).toEqual(['{"a":1}', '{"b": …']);
  });

  test("several values in a line are one frame, for the reader to take apart", () => {
    expect(short('{"a":1}{"b":2}\n{"c":3}, {"d":4}\n')).toEqual(['{"a":1}{"b":2}', '{"c":3}, {"d":4}']);
  });
});

describe("printed documents", () => {
  const printed = [{ a: [1, { b: "}" }] }, { c: { d: null } }, [{}]].map((value) => JSON.stringify(value, null, 2));

  test("are frames, when their last bracket has come", () => {
    expect(short(printed.join("\n"))).toEqual(printed);
    const framer = createFramer();
    const seen: string[] = [];
    framer.push(bytesOf(`${FIRST}${printed[0]}\n`), ({ data }) => seen.push(data));
    expect(seen).toEqual(["{}", printed[0]]);
  });

  test("take in whatever stands between their brackets", () => {
    expect(short('{"a":1}\n{\n"b":\ndata: 2\n}\n{"c":3}\n')).toEqual(['{"a":1}', '{\n"b":\ndata: 2\n}', '{"c":3}']);
  });
});

test("an array is one frame, when it is whole", () => {
  for (const wire of ['[{"a":1},{"b":2}]', "[\n1\n]"]) expect(short(wire)).toEqual([wire]);
  expect(short('[\n{"a":1},\n{"b":')).toEqual(['[\n{"a":1},\n{"b": …']);
});

test("events and words between the lines have a fault", () => {
  expect(short('{"a":1}\nevent: x\ndata: {"b":2}\ndata: [DONE]\nwords\n: ping\n{"c":3}\n')).toEqual([
    '{"a":1}',
    'x: {"b":2} (data-prefix)',
    "[DONE] (data-prefix)",
    "words (stray-text)",
    '{"c":3}',
  ]);
});

test("behind a line that is too long the next one is read, and the rest of a document is not", () => {
  const limit = { maxFrameBytes: 16 };
  expect(short('{"a":1}\n{"b":"123456789"}\n{"c":3}\n', limit)).toEqual([
    '{"a":1}',
    '{"b":"123456789" (frame-too-large) …',
    '{"c":3}',
  ]);
  expect(short('{\n "b": "1234567",\n "c": 3\n}\n{"d":4}\n', limit)).toEqual([
    '{\n "b": "1234567 (frame-too-large) …',
    '{"d":4}',
  ]);
});
