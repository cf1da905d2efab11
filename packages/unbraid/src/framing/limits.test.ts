import { describe, expect, test, vi } from "vitest";
import { ByteBuffer } from "./bytes.ts";
import { bytesOf, framesOf, shortOf } from "./framing.test-kit.ts";
import { createFramer, type Frame } from "./index.ts";
import { Outline } from "./outline.ts";

describe("a frame that is too long", () => {
  const limit = { maxFrameBytes: 16 };

  test("is given up one byte after the limit, and the next one is read", () => {
    expect(shortOf("data: 0123456789\n\ndata: b\n\n", limit)).toEqual(["0123456789", "b"]);
    expect(shortOf("data: 0123456789a\n\ndata: b\n\n", limit)).toEqual(["0123456789 (frame-too-large) …", "b"]);
    expect(shortOf('{"a":1}\n{"b":"12345678"}\n{"c":3}\n', limit)).toEqual(['{"a":1}', '{"b":"12345678"}', '{"c":3}']);
    expect(shortOf('{"a":1}\n{"b":"123456789"}\n{"c":3}\n', limit)).toEqual([
      '{"a":1}',
      '{"b":"123456789" (frame-too-large) …',
      '{"c":3}',
    ]);
    expect(shortOf('{\n"b":"12345678"}[DONE]', limit)).toEqual(['{\n"b":"12345678" (frame-too-large) …', "[DONE]"]);
    expect(shortOf('[{"b":"12345678"},{"b":"123456789"},{"c":3}]', limit)).toEqual([
      '{"b":"12345678"}',
      '{"b":"123456789" (frame-too-large) …',
      '{"c":3}',
    ]);
  });

  test("says where it began, what it began with and what the limit is", () => {
    expect(framesOf("data: a\n\nevent: x\ndata: 0123456789\n\n", { maxFrameBytes: 20 })[1]).toEqual({
      data: "01234",
      event: undefined,
      start: 9,
      end: 29,
      index: 1,
      terminated: false,
      fault: { code: "frame-too-large", message: "the frame is longer than 20 bytes (maxFrameBytes), and was skipped" },
    });
  });

  test("counts all lines of an event, and skips to its blank line", () => {
    expect(shortOf("event: x\ndata: 1\ndata: 2\ndata: 3\n\ndata: b\n\n", { maxFrameBytes: 24 })).toEqual([
      "1\n2\n (frame-too-large) …",
      "b",
    ]);
    expect(shortOf("data: 1\n: 234567890123456789\ndata: 3\n\ndata: b\n\n", limit)).toEqual([
      "1\n: 234567 (frame-too-large) …",
      "b",
    ]);
  });

  test("may be a comment, words, or a document between lines", () => {
    expect(shortOf(": a long comment of words\n\ndata: b\n\n", limit)).toEqual([
      ": a long comment (frame-too-large) …",
      "b",
    ]);
    expect(shortOf("data: a\n\nwords, and more words\n\ndata: b\n\n", limit)).toEqual([
      "a",
      "words, and more  (frame-too-large) …",
      "b",
    ]);
    expect(shortOf('{"a":1}\n{\n"b":"c",\n"d":"}"\n}\n{"e":2}\n', limit)).toEqual([
      '{"a":1}',
      '{\n"b":"c",\n"d":" (frame-too-large) …',
      '{"e":2}',
    ]);
    expect(shortOf("{\n}\nwords, and more words\n[DONE]", limit)).toEqual([
      "{\n}",
      "words, and more  (frame-too-large) …",
      "[DONE]",
    ]);
  });

  test("is reported while it is still coming, not when it ends", () => {
    for (const begins of ["data: ", '{"a":"', '{\n"a":"', '[{"a":"']) {
      const framer = createFramer(limit);
      const frames: Frame[] = [];
      framer.push(bytesOf(begins, "x".repeat(100)), (frame) => frames.push(frame));
      expect(frames.map((frame) => frame.fault?.code)).toEqual(["frame-too-large"]);
    }
  });

  test("is shown by 256 units, and no half character", () => {
    const shown = (text: string, maxFrameBytes = 10_000): string | undefined =>
      framesOf(`data: ${text}\n\n`, { maxFrameBytes })[0]?.data;
    expect(shown("x".repeat(20_000))).toBe("x".repeat(256));
    expect(shown("天".repeat(20_000))).toBe("天".repeat(256));
    expect(shown("\u{1f600}".repeat(20_000))).toBe("\u{1f600}".repeat(128));
    expect(shown(`x${"\u{1f600}".repeat(20_000)}`)).toBe(`x${"\u{1f600}".repeat(127)}`);
    expect(shown("天".repeat(20), 10)).toBe("天");
  });

  test("of one byte is possible", () => {
    expect(shortOf('[1,22,3,"a"]', { maxFrameBytes: 1 })).toEqual([
      "1",
      "2 (frame-too-large) …",
      "3",
      '" (frame-too-large) …',
    ]);
  });
});

describe("memory", () => {
  const unit = '"0123456789",';
  test.each<[string, string, string]>([
    ["a line of SSE", "data: ", unit],
    ["an event of many lines", "event: x\n", `data: ${unit}\n`],
    ["an event that only comments follow", "event: x\n", ":\n"],
    ["a comment", ": ", unit],
    ["words", "data: a\n\nx ", unit],
    ["words on many lines", "data: a\n\nx y\n", "x y\n"],
    ["a JSON line", '{"a":1}\n{"b":[', unit],
    ["a document between JSON lines", '{"a":1}\n{\n', `${unit}\n`],
    ["a document", '{\n"a":[', unit],
    ["an element", "[[", unit],
    ["words in an array", "[x", unit],
    ["a page", "<", unit],
    ["blanks", "", " \n"],
  ])("stays within the limit and a chunk: %s without end", (_, begins, goesOn) => {
    const limit = 100_000;
    const chunk = bytesOf(goesOn.repeat(Math.floor(10_000 / goesOn.length)));
    const append = vi.spyOn(ByteBuffer.prototype, "append");
    const buffers = new Set<ByteBuffer>();
    const framer = createFramer({ maxFrameBytes: limit });
    const frames: Frame[] = [];
    framer.push(bytesOf(begins), (frame) => frames.push(frame));
    for (let i = 0; i < 100; i++) {
      framer.push(chunk, (frame) => frames.push(frame));
      for (const buffer of append.mock.contexts) buffers.add(buffer as ByteBuffer);
      append.mockClear();
      for (const buffer of buffers) expect(buffer.length).toBeLessThanOrEqual(limit + chunk.length);
    }
    framer.end((frame) => frames.push(frame));
    append.mockRestore();
    const kept = Math.max(0, ...frames.map((frame) => frame.data.length));
    expect(kept).toBeLessThanOrEqual(limit);
  });
});

/** Counts the bytes that go through the engine's calls and our one loop while a body is read. */
function work(wire: Uint8Array, chunk: number): number {
  let bytes = 0;
  const array = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const count = (from: number, to: number): void => {
    bytes += Math.max(0, to - from);
  };
  const spies = [
    vi.spyOn(array, "indexOf"),
    vi.spyOn(array, "lastIndexOf"),
    vi.spyOn(array, "set"),
    vi.spyOn(TextDecoder.prototype, "decode"),
    vi.spyOn(Outline.prototype, "read"),
  ] as const;
  const [indexOf, lastIndexOf, set, decode, read] = spies;
  const tally = (): void => {
    indexOf.mock.contexts.forEach((context, i) => {
      const [, from = 0] = indexOf.mock.calls[i] ?? [];
      const found = indexOf.mock.results[i]?.value as number;
      count(from, found < 0 ? (context as Uint8Array).length : found + 1);
    });
    lastIndexOf.mock.contexts.forEach((context, i) => {
      const last = lastIndexOf.mock.calls[i]?.[1] ?? (context as Uint8Array).length - 1;
      count(lastIndexOf.mock.results[i]?.value as number, last + 1);
    });
    for (const [source] of set.mock.calls) count(0, source.length);
    for (const [source] of decode.mock.calls) count(0, (source as Uint8Array).length);
    read.mock.calls.forEach(([, from, to], i) => {
      const end = read.mock.results[i]?.value as number;
      count(from, end < 0 ? to : end);
    });
    for (const spy of spies) spy.mockClear();
  };
  const framer = createFramer();
  for (let from = 0; from < wire.length; from += chunk) {
    framer.push(wire.subarray(from, from + chunk), () => {});
    if (from % (chunk * 256) === 0) tally();
  }
  framer.end(() => {});
  tally();
  for (const spy of spies) spy.mockRestore();
  return bytes;
}

describe("work grows with the bytes, whatever the chunks", () => {
  const value = `{"a":"${"x".repeat(180)}é"}`;
  const bodies: [string, (bytes: number) => string][] = [
    ["SSE", (bytes) => `data: ${value}\n\n`.repeat(bytes / 200)],
    ["SSE with CR LF", (bytes) => `event: x\r\ndata: ${value}\r\n\r\n`.repeat(bytes / 210)],
    ["SSE with CR", (bytes) => `data: ${value}\r\r`.repeat(bytes / 200)],
    ["one event", (bytes) => `data: "${"x".repeat(bytes)}"\n\n`],
    ["one event of short lines", (bytes) => `${"data: 1\n".repeat(bytes / 8)}\n`],
    ["a document without data:", (bytes) => `data: [\n${"1,\n".repeat(bytes / 3)}]\n\n`],
    ["words", (bytes) => "some words\n".repeat(bytes / 11)],
    ["JSON lines", (bytes) => `${value}\n`.repeat(bytes / 200)],
    ["one JSON line", (bytes) => `{}\n{"a":"${"x".repeat(bytes)}"}`],
    ["a document between JSON lines", (bytes) => `{}\n{\n${"[],\n".repeat(bytes / 4)}}\n`],
    ["documents", (bytes) => `{\n}${value.repeat(bytes / 200)}`],
    ["one document", (bytes) => `{"a":\n"${"x".repeat(bytes)}"}`],
    ["a streamed array", (bytes) => `[${Array.from({ length: bytes / 200 }, () => value).join(",\r\n")}]`],
    ["a page", (bytes) => `<${"p".repeat(bytes)}`],
  ];

  test.each(bodies)("%s", (_, make) => {
    for (const chunk of [1, 7, 1460, 65_536, 1e9]) {
      const size = chunk < 100 ? 20_000 : 100_000;
      const wire = bytesOf(make(size));
      // A byte is looked for as LF and as CR, copied twice at most where the buffer grows, decoded, and followed once.
      expect(work(wire, chunk)).toBeLessThanOrEqual(9 * wire.length + 2000);
    }
  });
});
