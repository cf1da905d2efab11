// Bodies of JSON that are read line by line, where nobody brought along what finds values by their brackets.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byLines, framesOf, shortOf } from "./framing.test-kit.ts";
import { createFramer } from "./index.ts";

const short = (wire: string): string[] => shortOf(wire, byLines);

test("its framing has a name from the first byte on", () => {
  const framer = createFramer(byLines);
  framer.push(new TextEncoder().encode(" {"), () => {});
  expect(framer.framing).toBe("ndjson");
});

describe("one value a line", () => {
  test("each line is a frame without a fault, less its line end", () => {
    expect(framesOf('{"a":1}\r\n\n {"b":"}{"}\n[DONE]', byLines)).toEqual(
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
    fc.assert(
      fc.property(fc.array(object, { minLength: 1 }), lineEnd, fc.boolean(), (values, end, ended) => {
        const wire = values.map((value) => JSON.stringify(value)).join(end) + (ended ? end : "");
        expect(framesOf(wire, byLines)).toEqual(framesOf(wire));
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
  const printed = [{ a: [1, { b: "}" }] }, { c: { d: null } }, []].map((value) => JSON.stringify(value, null, 2));

  test("are frames, when their last bracket has come", () => {
    expect(short(printed.join("\n"))).toEqual(printed);
    const framer = createFramer(byLines);
    const seen: string[] = [];
    framer.push(new TextEncoder().encode(`${printed[0]}\n`), ({ data }) => seen.push(data));
    expect(seen).toEqual(printed.slice(0, 1));
  });

  test("the first may begin with more than its bracket", () => {
    expect(short('{"error": {\n  "message": "x"\n}}\n{"b":2}\n')).toEqual([
      '{"error": {\n  "message": "x"\n}}',
      '{"b":2}',
    ]);
  });

  test("take in whatever stands between their brackets", () => {
    expect(short('{"a":1}\n{\n"b":\ndata: 2\n}\n{"c":3}\n')).toEqual(['{"a":1}', '{\n"b":\ndata: 2\n}', '{"c":3}']);
  });
});

test("an array is one frame, when it is whole", () => {
  for (const wire of ['[{"a":1},{"b":2}]', '[{"a":1}\n,\r\n{"b":2}\n]\n', "[\n1\n]"]) {
    const frames = framesOf(wire, byLines);
    expect(frames.map(({ data }): unknown => JSON.parse(data))).toEqual([JSON.parse(wire)]);
    expect(frames[0]?.terminated).toBe(true);
  }
  expect(short('[{"a":1},\n{"b":')).toEqual(['[{"a":1},\n{"b": …']);
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
  const limit = { ...byLines, maxFrameBytes: 16 };
  expect(shortOf('{"a":1}\n{"b":"123456789"}\n{"c":3}\n', limit)).toEqual([
    '{"a":1}',
    '{"b":"123456789" (frame-too-large) …',
    '{"c":3}',
  ]);
  expect(shortOf('{\n "b": "1234567",\n "c": 3\n}\n{"d":4}\n', limit)).toEqual([
    '{\n "b": "1234567 (frame-too-large) …',
    '{"d":4}',
  ]);
});
