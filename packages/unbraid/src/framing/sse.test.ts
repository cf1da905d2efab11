import { describe, expect, test } from "vitest";
import { bytesOf, dataOf, framesOf, shortOf } from "./framing.test-kit.ts";

describe("the standard", () => {
  test("LF, CR and CR LF end a line", () => {
    expect(dataOf("data: a\n\ndata: b\r\rdata: c\r\n\r\n")).toEqual(["a", "b", "c"]);
    expect(dataOf("data: a\r\ndata: b\rdata: c\n\r\n")).toEqual(["a\nb\nc"]);
    expect(dataOf("data: a\r\n\rdata: b\r\n\n")).toEqual(["a", "b"]);
  });

  test("a byte order mark is skipped at the beginning, is text in a value, and is noted elsewhere", () => {
    expect(shortOf("\uFEFFdata: a\n\ndata: \uFEFFb\n\n\uFEFFdata: c\n\n")).toEqual(["a", "\uFEFFb", "c (bare-line)"]);
    expect(shortOf("\uFEFF\uFEFFdata: a\n\ndata: b\n\n")).toEqual(["a (bare-line)", "b"]);
  });

  test("data lines are joined with LF, and lose one space at most", () => {
    expect(dataOf("data: a\ndata:b\ndata:  c\ndata:\ndata\n\n")).toEqual(["a\nb\n c\n\n"]);
  });

  test("an event without data is not emitted, one with empty data is", () => {
    expect(dataOf("event: a\nid: 1\nretry: 5\n\ndata\n\ndata:\n\n")).toEqual(["", ""]);
  });

  test("the event field names one event, and the last one counts", () => {
    expect(shortOf("event: a\ndata: 1\n\ndata: 2\n\nevent: b\nevent: c\ndata: 3\nevent\n\n")).toEqual([
      "a: 1",
      "2",
      "3",
    ]);
    expect(shortOf("data: 1\nevent:d\n\n")).toEqual(["d: 1"]);
  });

  test("comments, unknown fields and fields with other letters are ignored", () => {
    expect(shortOf(": hi\n:\ndata: a\n: between\nfoo: bar\nDATA: b\ndatax: c\nevents: d\n\n")).toEqual(["a"]);
  });

  test("a frame begins at its first field line and holds its blank line", () => {
    const [frame] = framesOf("\n: hi\n\nid: 7\ndata: a\n: in\n\n\n");
    expect(frame).toEqual({
      data: "a",
      event: undefined,
      start: 7,
      end: 27,
      index: 0,
      terminated: true,
      fault: undefined,
    });
  });

  test("invalid UTF-8 becomes U+FFFD", () => {
    expect(dataOf(bytesOf("data: a", 0xff, "b", 0xe5, 0xa4, "\n\ndata: c", 0xf0, 0x9f, "\n\n"))).toEqual([
      "a\uFFFDb\uFFFD",
      "c\uFFFD",
    ]);
  });

  test("a body of nothing but blanks and comments has no frames", () => {
    for (const wire of ["", "\n\n", ": a\n\n", "\uFEFF", " \r\n\t", ":", "event: ping\n\n", "id: 1\nretry: 2\n"]) {
      expect(framesOf(wire)).toEqual([]);
    }
  });
});

describe("the end of the body", () => {
  test("cuts off an event, which is emitted", () => {
    expect(shortOf('event: x\ndata: {"a":1}\n')).toEqual(['x: {"a":1} …']);
    expect(shortOf('data: {"a":1}')).toEqual(['{"a":1} …']);
    expect(shortOf("data: a\n\ndata: [DO")).toEqual(["a", "[DO …"]);
    expect(shortOf("data: a\r")).toEqual(["a …"]);
    expect(shortOf("data: a\n\r")).toEqual(["a"]);
    expect(shortOf("data")).toEqual([" …"]);
  });

  test("is the end of the frame", () => {
    expect(framesOf("data: a\n\ndata: é").map(({ start, end }) => [start, end])).toEqual([
      [0, 9],
      [9, 17],
    ]);
  });

  test("inside a character gives one U+FFFD", () => {
    expect(dataOf(bytesOf("data: a", 0xe5, 0xa4))).toEqual(["a\uFFFD"]);
  });

  test("cuts off a field name, which says nothing", () => {
    expect(shortOf("data: a\n\ndat")).toEqual(["a"]);
    expect(shortOf("data: a\n\neven")).toEqual(["a"]);
  });
});

describe("lines that name no field", () => {
  test("a message is a frame of its own, at once", () => {
    expect(shortOf('data: a\n\n{"error":"x"}\n[DONE]\ndata: b\n\n')).toEqual([
      "a",
      '{"error":"x"} (bare-line)',
      "[DONE] (bare-line)",
      "b",
    ]);
  });

  test("a message ends the event before it, and takes an event field that stands alone", () => {
    expect(shortOf('data: {"a":1}\n{"b":2}\n\nevent: error\n{"c":3}\ndata: d\n\n')).toEqual([
      '{"a":1}',
      '{"b":2} (bare-line)',
      'error: {"c":3} (bare-line)',
      "d",
    ]);
  });

  test("a document over many lines is one frame, with data: before its first line and without", () => {
    const pretty = JSON.stringify({ a: [1, { b: "}" }], c: null }, null, 2);
    expect(shortOf(`: x\ndata: ${pretty}\n\ndata: next\n\n`)).toEqual([`${pretty} (bare-line)`, "next"]);
    expect(shortOf(`: x\n${pretty}\ndata: next\n\n`)).toEqual([`${pretty} (bare-line)`, "next"]);
  });

  test("go on with a document only where it is open, and can go on so", () => {
    expect(shortOf('data: {"a":\nfoo: bar\ndata: 1}\n\n')).toEqual(['{"a":\n1}']);
    expect(shortOf('data: {"a":1}\n"b"\n\n')).toEqual(['"b" (stray-text)', '{"a":1}']);
    expect(shortOf('data: {"a":1}\n"b"\ndata: c\n"d"\n\n')).toEqual(['"b"\n"d" (stray-text)', '{"a":1}\nc']);
    expect(shortOf('data: words\n"b"\n\n')).toEqual(['"b" (stray-text)', "words"]);
  });

  test("a document that is not whole ends at the next field or blank line", () => {
    expect(shortOf(': x\n{"a":\ndata: b\n\n')).toEqual(['{"a": (bare-line)', "b"]);
    expect(shortOf(': x\n{"a":\n\ndata: b\n\n')).toEqual(['{"a": (bare-line)', "b"]);
    expect(shortOf(': x\n{"a":')).toEqual(['{"a": (bare-line) …']);
  });

  test("an indented field is the field", () => {
    expect(shortOf("data: a\n\n data: b\n\n\tevent: c\n  data: d\n\n  : no\n\n")).toEqual([
      "a",
      "b (bare-line)",
      "c: d (bare-line)",
    ]);
  });

  test("words are a frame of their own, before the next event or at the end", () => {
    expect(shortOf("data: a\n\nupstream error\n503 gone\n\ndata: b\n\n")).toEqual([
      "a",
      "upstream error\n503 gone (stray-text)",
      "b",
    ]);
    expect(shortOf("data: a\n\n<html>\n<h1>504</h1>\n</html>")).toEqual([
      "a",
      "<html>\n<h1>504</h1>\n</html> (stray-text)",
    ]);
  });

  test("a field that we do not know says nothing, nor does a chunk size", () => {
    expect(shortOf("1f4\r\ndata: a\r\n\r\n\r\n0\r\n\r\n")).toEqual(["a"]);
    expect(shortOf("x-request-id: 7\n\ndata: a\n\nfoo\nbar: baz\n")).toEqual(["a"]);
  });
});

describe("a body that is no stream", () => {
  test.each([
    "upstream connect error or disconnect/reset before headers",
    "Unauthorized",
    "error: model not found",
    "\n\nBad gateway\n\n",
    "event: nothing\n\nService Unavailable\n",
  ])("plain words: %j", (wire) => {
    const frames = framesOf(wire);
    expect(frames).toHaveLength(1);
    expect(frames[0]?.fault?.code).toBe("not-a-stream");
    expect(wire).toContain(frames[0]?.data);
  });

  test("shows 64 Ki units of words, and no half character", () => {
    const [frame] = framesOf(`:\n${"é".repeat(100_000)}`);
    expect(frame?.data).toBe("é".repeat(64 * 1024));
    const [odd] = framesOf(`:\nx${"\u{1f600}".repeat(50_000)}`);
    expect(odd?.data).toBe(`x${"\u{1f600}".repeat(32 * 1024 - 1)}`);
    const [lines] = framesOf(`:\n${"two words\n".repeat(10_000)}`);
    expect(lines?.data).toBe("two words\n".repeat(7000).slice(0, 64 * 1024));
  });
});
