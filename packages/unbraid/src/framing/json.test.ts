import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, dataOf, framesOf, shortOf } from "./framing.test-kit.ts";
import { createFramer } from "./index.ts";

const json = fc.jsonValue({ maxDepth: 3 });
const object = fc.dictionary(fc.string(), json, { maxKeys: 4 });
const blank = fc.constantFrom("", " ", "\n", "\r\n", "\t", "\n\n  ");
const indent = fc.constantFrom(undefined, 2, "\t");

describe("one value a line", () => {
  test("each line that is not blank is a frame", () => {
    const frames = framesOf('{"a":1}\n\n{"b":"}{"}\r\n  \n[1,2]\n');
    expect(frames.map(({ data, start, end }) => [data, start, end])).toEqual([
      ['{"a":1}', 0, 7],
      ['{"b":"}{"}', 9, 19],
      ["[1,2]", 24, 29],
    ]);
    expect(frames.every((frame) => frame.terminated && frame.fault === undefined)).toBe(true);
  });

  test("any objects, with any blanks between the lines", () => {
    fc.assert(
      fc.property(fc.array(object, { minLength: 1 }), fc.constantFrom("\n", "\r\n", "\n\n"), (values, end) => {
        const lines = values.map((value) => JSON.stringify(value));
        expect(dataOf(lines.join(end))).toEqual(lines);
        expect(dataOf(lines.join(end) + end)).toEqual(lines);
      }),
    );
  });

  test("a line that was cut costs no other line", () => {
    expect(shortOf('{"a":1}\n{"b":{"c":"x\n{"d":1}\n')).toEqual(['{"a":1}', '{"b":{"c":"x', '{"d":1}']);
  });

  test("the last line is cut off, unless it holds a whole value", () => {
    expect(shortOf('{"a":1}\n{"b":2}')).toEqual(['{"a":1}', '{"b":2}']);
    expect(shortOf('{"a":1}\n{"b":')).toEqual(['{"a":1}', '{"b": …']);
    expect(shortOf('{"a":1}\n[DONE]')).toEqual(['{"a":1}', "[DONE]"]);
    expect(shortOf('{"a":1}\n[DON')).toEqual(['{"a":1}', "[DON …"]);
  });

  test("lines of SSE lose their data:, and wait for no blank line", () => {
    expect(
      shortOf('{"a":1}\ndata: {"b":2}\ndata:{"c":3}\n\nid: 1\n: ping\nevent: x\ndata: {"d":4}\ndata: [DONE]\n'),
    ).toEqual([
      '{"a":1}',
      '{"b":2} (data-prefix)',
      '{"c":3} (data-prefix)',
      'x: {"d":4} (data-prefix)',
      "[DONE] (data-prefix)",
    ]);
  });

  test("a pretty-printed document between the lines is one frame", () => {
    const pretty = JSON.stringify({ error: { message: "}", codes: [1, 2] } }, null, 2);
    expect(shortOf(`{"a":1}\n${pretty}\n{"b":2}\n`)).toEqual(['{"a":1}', pretty, '{"b":2}']);
    expect(shortOf(`{"a":1}\n${pretty.slice(0, -2)}`)).toEqual(['{"a":1}', `${pretty.slice(0, -2)} …`]);
  });

  test("words are frames with a fault", () => {
    expect(shortOf('{"a":1}\nInternal Server Error\n')).toEqual(['{"a":1}', "Internal Server Error (stray-text)"]);
  });
});

describe("documents", () => {
  test("one after another, with blanks between or none, on any number of lines", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(object, indent, blank)), (parts) => {
        // The first goes over two lines: after a first line that is whole, lines would be frames.
        const documents = ["{\n}", ...parts.map(([value, space]) => JSON.stringify(value, null, space))];
        expect(dataOf(documents.map((text, i) => text + (parts[i]?.[2] ?? "")).join(""))).toEqual(documents);
      }),
    );
    expect(shortOf('{"a":1}{"b":2} {\n"c":3}\n{"d":"}"}')).toEqual(['{"a":1}', '{"b":2}', '{\n"c":3}', '{"d":"}"}']);
  });

  test("a value that ends without a line end is a whole frame", () => {
    expect(framesOf('\n {"a":\n1}').map(({ start, end, terminated }) => [start, end, terminated])).toEqual([
      [2, 10, true],
    ]);
    expect(shortOf('{"a":1}')).toEqual(['{"a":1}']);
    expect(shortOf('{"a":\n{"b":1}')).toEqual(['{"a":\n{"b":1} …']);
  });

  test("words between are frames, with a fault unless they are [DONE]", () => {
    expect(shortOf('{"a":\n1}\n[DONE]\n')).toEqual(['{"a":\n1}', "[DONE]"]);
    expect(shortOf('{"a":1}[DONE]')).toEqual(['{"a":1}', "[DONE]"]);
    expect(shortOf('{"a":\n1}\ndata: [DONE]\n\n: x\n')).toEqual(['{"a":\n1}', "[DONE] (data-prefix)"]);
    expect(shortOf("{\n}\nupstream error\n{\n}")).toEqual(["{\n}", "upstream error (stray-text)", "{\n}"]);
    expect(shortOf('{\n}}\n"a"\n1')).toEqual(["{\n}", "} (stray-text)", '"a"', "1 (stray-text) …"]);
  });
});

describe("a streamed array", () => {
  test("each element is a frame", () => {
    const wire = '[{"a":"],[}{\\\\"}\r\n,\r\n{"b":[1,[2]]} , "x,]\\"y",[3],-4.5e2,true,null]';
    const frames = framesOf(wire);
    expect(frames.map((frame) => frame.data)).toEqual([
      '{"a":"],[}{\\\\"}',
      '{"b":[1,[2]]}',
      '"x,]\\"y"',
      "[3]",
      "-4.5e2",
      "true",
      "null",
    ]);
    for (const { data, start, end } of frames) expect(wire.slice(start, end)).toBe(data);
  });

  test("elements of any kind, printed in any way", () => {
    fc.assert(
      fc.property(fc.array(json), indent, (values, space) => {
        const frames = framesOf(JSON.stringify(values, null, space));
        expect(frames.map((frame): unknown => JSON.parse(frame.data))).toEqual(JSON.parse(JSON.stringify(values)));
        expect(frames.every((frame) => frame.fault === undefined && frame.terminated)).toBe(true);
      }),
    );
  });

  test("an element is emitted when it is complete, without the comma or the bracket after it", () => {
    const framer = createFramer();
    const seen: string[] = [];
    framer.push(bytesOf('[{"a":1}'), (frame) => seen.push(frame.data));
    expect(seen).toEqual(['{"a":1}']);
    framer.push(bytesOf(',\r\n{"b":'), (frame) => seen.push(frame.data));
    framer.push(bytesOf("2}"), (frame) => seen.push(frame.data));
    expect(seen).toEqual(['{"a":1}', '{"b":2}']);
    expect(framer.framing).toBe("json-array");
  });

  test("the body's end cuts off an element", () => {
    expect(shortOf('[{"a":1},{"b":"x')).toEqual(['{"a":1}', '{"b":"x …']);
    expect(shortOf('[{"a":1},12')).toEqual(['{"a":1}', "12 …"]);
    expect(shortOf('[{"a":1},')).toEqual(['{"a":1}']);
    expect(shortOf("[")).toEqual([]);
    expect(shortOf("[]")).toEqual([]);
  });

  test("commas may lack or be too many", () => {
    expect(shortOf('[{"a":1}\n{"b":2},,{"c":3},]')).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  });

  test("what follows the array, or breaks into it, has a fault", () => {
    expect(shortOf('[{"a":1}]\n{"b":2}\nwords\n')).toEqual(['{"a":1}', '{"b":2} (after-array)', "words (after-array)"]);
    expect(shortOf('[{"a":1}\n,\n<html>\n502, sorry\n</html>')).toEqual([
      '{"a":1}',
      "<html> (stray-text)",
      "502",
      "sorry (stray-text)",
      "</html> (stray-text) …",
    ]);
  });
});
