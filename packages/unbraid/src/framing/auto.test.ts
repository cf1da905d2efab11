import { describe, expect, test } from "vitest";
import { bytesOf, dataOf, everyByte, framesOf, shortOf } from "./framing.test-kit.ts";
import { createFramer, DEFAULT_MAX_FRAME_BYTES, detectFraming, type FramingName } from "./index.ts";

const nothing = (): void => {};

describe("the framing, from the first bytes", () => {
  test.each<[string, FramingName]>([
    ["data: x", "sse"],
    ["d", "sse"],
    ["event: x", "sse"],
    ["id: 1", "sse"],
    ["retry: 1", "sse"],
    [": comment", "sse"],
    ["\n\n\r\r\n:", "sse"],
    ["\uFEFFdata: x", "sse"],
    [" data: x", "sse"],
    ["upstream connect error", "sse"],
    ["\uFEFF \r\n\t{", "json"],
    ['{"a":1}', "json"],
    ["[{", "json-array"],
    ["[ ", "json-array"],
    ["[]", "json-array"],
    ["\n[1", "json-array"],
    ["<!doctype html>", "text"],
    ["\n  <", "text"],
  ])("%j is %s", (head, framing) => {
    const wire = bytesOf(head);
    expect(detectFraming(wire)).toBe(framing);
    for (const cuts of [[], everyByte(wire)]) {
      const framer = createFramer();
      for (const [i, from] of [0, ...cuts].entries()) framer.push(wire.subarray(from, cuts[i] ?? wire.length), nothing);
      expect(framer.framing).toBe(framing);
    }
  });

  test.each([[""], ["\n \r\t"], ["\uFEFF"], ["\uFEFF\n"]])("%j does not tell yet", (head) => {
    expect(detectFraming(bytesOf(head))).toBeUndefined();
    const framer = createFramer();
    framer.push(bytesOf(head), nothing);
    expect(framer.framing).toBeUndefined();
  });

  test("behind [ the framing is known, but not whether an array follows", () => {
    expect(detectFraming(bytesOf("["))).toBe("json-array");
    const framer = createFramer();
    framer.push(bytesOf("["), nothing);
    expect(framer.framing).toBe("json");
    expect(shortOf("[DONE]")).toEqual(["[DONE]"]);
  });

  test("half a byte order mark may be something else", () => {
    expect(detectFraming(bytesOf(0xef, 0xbb))).toBeUndefined();
    expect(detectFraming(bytesOf(0xef, 0xbb, "{"))).toBe("sse");
    expect(detectFraming(bytesOf(0xef, "{"))).toBe("sse");
    expect(shortOf(bytesOf(0xef, 0xbb))).toEqual(["\uFFFD (not-a-stream)"]);
  });

  test("JSON bodies turn out to be lines, or not", () => {
    const framer = createFramer();
    framer.push(bytesOf('{"a":1}'), nothing);
    expect(framer.framing).toBe("json");
    framer.push(bytesOf("\n"), nothing);
    expect(framer.framing).toBe("ndjson");
  });

  test("a framing can be forced, and reads bodies of the other kind all the same", () => {
    expect(createFramer({ framing: "sse" }).framing).toBe("sse");
    expect(shortOf('{"a":1}\n{\n"b":2\n}\n', { framing: "sse" })).toEqual([
      '{"a":1} (bare-line)',
      '{\n"b":2\n} (bare-line)',
    ]);
    expect(shortOf('data: {"a":1}\n\nevent: x\ndata: [DONE]\n\n', { framing: "ndjson" })).toEqual([
      '{"a":1} (data-prefix)',
      "[DONE] (data-prefix)",
    ]);
    expect(shortOf("data: x\n\n", { framing: "text" })).toEqual(["data: x (not-a-stream)"]);
  });
});

describe("a page", () => {
  test("is one frame, when it is over", () => {
    const wire = "\n<html>\n<h1>502 Bad Gateway</h1>\n</html>\n";
    expect(framesOf(wire)).toEqual([
      {
        data: wire.trim(),
        event: undefined,
        start: 1,
        end: wire.length,
        index: 0,
        terminated: true,
        fault: { code: "not-a-stream", message: "the body holds no frame of any known framing" },
      },
    ]);
  });

  test("is shown up to 64 Ki units, whatever its lines look like", () => {
    const [frame] = framesOf(`<${"é".repeat(100_000)}`);
    expect(frame?.data).toBe(`<${"é".repeat(64 * 1024 - 1)}`);
    expect(frame?.end).toBe(200_001);
    const page = '<script>\nlet x =\n  {"a":1}\ndata: y\n[DONE]\n</script>';
    expect(dataOf(page)).toEqual([page]);
  });
});

describe("rules of use", () => {
  test("push after end throws, end again does nothing", () => {
    const framer = createFramer();
    const seen: string[] = [];
    framer.push(bytesOf("data: a"), nothing);
    framer.end((frame) => seen.push(frame.data));
    framer.end((frame) => seen.push(frame.data));
    expect(seen).toEqual(["a"]);
    expect(() => framer.push(bytesOf("x"), nothing)).toThrow(
      new TypeError("push after end: the body is over; a new body needs a new framer"),
    );
  });

  test("what is no bytes is refused", () => {
    // @ts-expect-error a string is what callers without types may pass
    expect(() => createFramer().push("data: a\n\n", nothing)).toThrow(TypeError);
  });

  test("options that make no sense are refused", () => {
    // @ts-expect-error no such framing
    expect(() => createFramer({ framing: "xml" })).toThrow('unknown framing "xml"; known are sse, ndjson,');
    // @ts-expect-error nor is this one, though every object has it
    expect(() => createFramer({ framing: "toString" })).toThrow(TypeError);
    for (const maxFrameBytes of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => createFramer({ maxFrameBytes })).toThrow("maxFrameBytes must be a whole number above 0");
    }
    expect(DEFAULT_MAX_FRAME_BYTES).toBe(16 * 1024 * 1024);
    createFramer({ maxFrameBytes: Number.MAX_SAFE_INTEGER });
  });

  test("no chunk, and a chunk of nothing, are no body", () => {
    const framer = createFramer();
    framer.push(new Uint8Array(0), nothing);
    framer.end(() => expect.unreachable());
    expect(framer.framing).toBeUndefined();
  });

  test("frames are plain data", () => {
    const [frame] = framesOf('event: x\ndata: {"a":1}\n\n');
    expect(JSON.parse(JSON.stringify(frame))).toEqual({
      data: '{"a":1}',
      event: "x",
      start: 0,
      end: 24,
      index: 0,
      terminated: true,
    });
  });
});
