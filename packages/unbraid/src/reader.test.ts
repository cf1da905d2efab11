// The push form: what may be pushed, when, and what comes of it. The wires themselves are tested in protocols/.

import { describe, expect, test, vi } from "vitest";
import { createReader } from "./any-wire.ts";
import type { StreamEvent } from "./events.ts";
import { brokenInvariants } from "./invariants.test-kit.ts";
import { liveValues } from "./parts/index.ts";
import { openaiChat } from "./protocols/openai-chat.ts";
import { collected } from "./protocols/reading.test-kit.ts";
import type { Reader, ReaderOptions } from "./reader.ts";
import { TolerantReader } from "./tolerant-reader.ts";

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "c1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const entry = (args: string, header = {}): object =>
  chunk({
    tool_calls: [{ index: 0, ...header, function: { ...("id" in header ? { name: "f" } : {}), arguments: args } }],
  });
const chunks = [
  entry("", { id: "a" }),
  entry('{"city":"M\u00e4ntt\u00e4 '),
  entry("\u{1f3ad}"),
  entry('"}'),
  chunk({}, "tool_calls"),
];
const body = `${chunks.map(data).join("")}data: [DONE]\n\n`;
const bytes = new TextEncoder().encode(body);

function all(reader: Reader, pieces: Iterable<Uint8Array | string | object>): StreamEvent[] {
  const events: StreamEvent[] = [];
  for (const piece of pieces) events.push(...reader.push(piece));
  events.push(...reader.end());
  return events;
}
const chat = (options?: ReaderOptions): Reader => new TolerantReader(openaiChat, options);
const right = all(chat(), [bytes]);

describe("push takes", () => {
  test("bytes, and views of bytes", () => {
    const wide = new Uint8Array(bytes.length + 20);
    wide.set(bytes, 7);
    expect(all(chat(), [wide.subarray(7, 7 + bytes.length)])).toEqual(right);
    expect(all(chat(), [new DataView(wide.buffer, 7, bytes.length)])).toEqual(right);
    expect(all(chat(), [Buffer.from(bytes)])).toEqual(right);
    expect(collected(right).calls).toMatchObject([{ id: "a", argumentsText: '{"city":"M\u00e4ntt\u00e4 \u{1f3ad}"}' }]);
  });

  test("a buffer of bytes", () => {
    expect(all(chat(), [bytes.slice().buffer])).toEqual(right);
  });

  test("text, cut anywhere, inside a surrogate pair too", () => {
    expect(all(chat(), [body])).toEqual(right);
    expect(all(chat(), body.split(""))).toEqual(right);
  });

  test("text and bytes in turns", () => {
    const half = body.length >> 1;
    expect(all(chat(), [body.slice(0, half), new TextEncoder().encode(body.slice(half))])).toEqual(right);
  });

  test("half a surrogate pair at the end, as what it is", () => {
    expect(() => all(chat(), [body, "\ud83d"])).not.toThrow();
    expect(() => all(chat(), ["\ud83d"])).not.toThrow();
  });

  test("the objects that an SDK made of the frames", () => {
    const events = all(chat(), chunks);
    expect(brokenInvariants(events, undefined)).toEqual([]);
    expect(collected(events)).toMatchObject({ finish: "tool_calls", calls: collected(right).calls });
    expect(events[0]?.at).toEqual({ frame: 0, start: -1, end: -1 });
  });

  test("empty pieces", () => {
    expect(all(chat(), ["", new Uint8Array(0), bytes, "", new Uint8Array(0)])).toEqual(right);
  });

  test("bytes that their owner overwrites afterwards", () => {
    const reader = chat();
    const events: StreamEvent[] = [];
    for (let at = 0; at < bytes.length; at += 5) {
      const piece = bytes.slice(at, at + 5);
      events.push(...reader.push(piece));
      piece.fill(0x20);
    }
    events.push(...reader.end());
    expect(events).toEqual(right);
  });

  test("objects that their owner changes afterwards, where only text was read of them", () => {
    const mine = structuredClone(chunks) as { choices: { delta: object }[] }[];
    const reader = chat();
    const events: StreamEvent[] = [];
    for (const each of mine) {
      events.push(...reader.push(each));
      for (const choice of each.choices) choice.delta = {};
    }
    events.push(...reader.end());
    expect(collected(events).calls).toEqual(collected(all(chat(), chunks)).calls);
  });
});

describe("the end", () => {
  test("comes once: end() again gives nothing, push() after it is a mistake", () => {
    const reader = chat();
    reader.push(bytes);
    reader.end();
    expect(reader.end()).toEqual([]);
    expect(() => reader.push(body)).toThrow(TypeError);
  });

  test("what is pushed after the terminal signal is passed over", () => {
    const reader = chat();
    const events = [...reader.push(bytes)];
    expect(reader.over).toBe(true);
    expect(reader.push(bytes)).toEqual([]);
    expect(reader.push({ choices: [] })).toEqual([]);
    expect([...events, ...reader.end()]).toEqual(right);
  });

  test("of nothing at all is an interrupted response", () => {
    expect(all(chat(), [])).toMatchObject([
      { type: "notice", code: "unterminated-stream" },
      { type: "finish", reason: null, raw: null },
    ]);
    expect(all(createReader(), [])).toMatchObject([
      { type: "notice", code: "unterminated-stream" },
      { type: "finish", reason: null },
    ]);
  });

  test("comes with an error when the source fails, and what was read is kept", () => {
    const reader = chat();
    const events = [...reader.push(data(chunks[0] ?? {})), ...reader.fail(new Error("socket hang up"))];
    expect(collected(events)).toMatchObject({
      finish: "error",
      error: { code: "source", message: "socket hang up" },
      calls: [{ id: "a", status: "truncated" }],
    });
    expect(brokenInvariants(events, 1000)).toEqual([]);
    expect(reader.end()).toEqual([]);
    for (const thrown of ["words", undefined, null, 5, { a: 1 }]) expect(() => chat().fail(thrown)).not.toThrow();
  });

  test("is said once, where the response ends in what stands in the buffers as the source fails", () => {
    const reader = createReader({ protocol: "ollama" });
    const last = '{"model":"m","message":{"content":"Hi"},"done":true,"done_reason":"stop"}';
    const events = [
      ...reader.push(`{"model":"m","message":{},"done":false}\n${last}`),
      ...reader.fail(new Error("HTTP status 500"), "http"),
    ];
    expect(brokenInvariants(events, 1000)).toEqual([]);
    expect(collected(events)).toMatchObject({ finish: "stop", error: null });
  });

  test("comes when the reading is given up", () => {
    const reader = chat();
    const events = [...reader.push(data(chunks[0] ?? {})), ...reader.cancel()];
    expect(collected(events)).toMatchObject({
      finish: "cancelled",
      error: null,
      calls: [{ id: "a", status: "truncated" }],
    });
    expect(reader.cancel()).toEqual([]);
  });

  test("is told before it comes", () => {
    const reader = chat();
    expect([reader.finishing, reader.over, reader.errored]).toEqual([false, false, false]);
    reader.push(chunks.map(data).join(""));
    expect([reader.finishing, reader.over, reader.errored]).toEqual([true, false, false]);
    reader.push("data: [DONE]\n\n");
    expect([reader.finishing, reader.over, reader.errored]).toEqual([true, true, false]);
  });

  test("an error is told", () => {
    const reader = chat();
    reader.push(data({ error: { message: "x" } }));
    expect(reader.errored).toBe(true);
  });
});

describe("[DONE]", () => {
  const done = (text: string): unknown =>
    collected(all(chat(), [chunks.map(data).join("") + text + data(entry("{}", { id: "late" }))])).calls.length;

  test.each([
    "data: [DONE]\n\n",
    "data:[DONE]\n\n",
    "data:  [DONE]\n\n",
    "data: [DONE] \n\n",
    "event: done\ndata: [DONE]\n\n",
    "data: [DONE]\r\n\r\n",
  ])("%j ends the response", (text) => {
    expect(done(text)).toBe(1);
  });

  test("glued to a frame, too", () => {
    const glued = `${chunks.slice(0, -1).map(data).join("")}data: ${JSON.stringify(chunks.at(-1))}[DONE]\n\n`;
    expect(collected(all(chat(), [glued]))).toMatchObject({
      finish: "tool_calls",
      calls: [{ id: "a", status: "complete" }],
    });
  });
});

describe("frames that are no JSON", () => {
  test("between sound ones are passed over, with a notice", () => {
    const answer = collected(
      all(chat(), [
        `${data(chunks[0] ?? {})}data: upstream hiccup\n\n${chunks.slice(1).map(data).join("")}data: [DONE]\n\n`,
      ]),
    );
    expect(answer).toMatchObject({ finish: "tool_calls", error: null, calls: [{ status: "complete" }] });
    expect(answer.dropped).toMatchObject([{ reason: "unparseable-frame", argumentsText: "upstream hiccup" }]);
  });

  test("that end the body where no terminal signal came are its error", () => {
    expect(collected(all(chat(), [`${data(chunks[0] ?? {})}data: upstream died\n\n`]))).toMatchObject({
      finish: "error",
      error: { code: "non-json-frame" },
      calls: [{ status: "truncated" }],
    });
  });

  test("after the finish word change nothing", () => {
    expect(collected(all(chat(), [`${chunks.map(data).join("")}data: bye\n\n`]))).toMatchObject({
      finish: "tool_calls",
      error: null,
    });
  });

  test("under an error event are an error, whatever follows", () => {
    for (const rest of ["", "data: [DONE]\n\n", `${data(chunk({}, "tool_calls"))}data: [DONE]\n\n`]) {
      expect(
        collected(
          all(chat(), [`${chunks.slice(0, -1).map(data).join("")}event: error\ndata: upstream died\n\n${rest}`]),
        ),
      ).toMatchObject({ finish: "error", calls: [{ status: "truncated" }] });
    }
  });

  test("a page of HTML is no stream", () => {
    for (const page of [
      "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
      "<html>\n<head>\n\n<title>504</title></head></html>\n",
      "upstream connect error or disconnect/reset before headers",
    ]) {
      const answer = collected(all(createReader(), [page]));
      expect(answer).toMatchObject({ finish: "error", calls: [] });
      expect(answer.error).not.toBeNull();
    }
  });
});

describe("positions", () => {
  test("name the frame and its bytes", () => {
    const start = right.find((event) => event.type === "call.start");
    const close = right.find((event) => event.type === "call.close");
    const first = data(chunks[0] ?? {}).length;
    expect(start?.at).toEqual({
      frame: 1,
      start: first,
      end: first + new TextEncoder().encode(data(chunks[1] ?? {})).length,
    });
    expect(close?.at.end).toBe(bytes.length);
  });

  test("have a time where there is a clock", () => {
    let now = 0;
    const reader = new TolerantReader(openaiChat, { clock: () => (now += 5) });
    const events = chunks.flatMap((each) => [...reader.push(data(each))]);
    expect(events.map((event) => event.at.time).filter((time) => time === undefined)).toEqual([]);
    expect(new Set(events.map((event) => event.at.time)).size).toBeGreaterThan(2);
  });

  test("stay in order while the wire is not known yet", () => {
    const odd = `data: {"hello":1}\n\n: x\n\ndata: words\n\n${body}`;
    const events = all(createReader(), [odd]);
    expect(brokenInvariants(events, odd.length + 100)).toEqual([]);
    expect(collected(events).calls).toMatchObject([{ id: "a" }]);
  });
});

test.each([
  ['{"id":"c1","choi\u0001ces":[{"index":0}]}', { status: "truncated", arguments: null }],
  ["upstream is slow", { status: "complete", arguments: {} }],
])("a call without text, where a frame %j could not be read", (bad, call) => {
  const events = all(chat(), [data(entry("", { id: "a" })), `data: ${bad}\n\n`, data(chunk({}, "tool_calls"))]);
  expect(events.find((event) => event.type === "call.close")?.call).toMatchObject({ name: "f", ...call });
});

test("a page with a line beyond the limit is a page, whatever stands in it", () => {
  const reader = new TolerantReader(openaiChat, { limits: { maxFrameBytes: 300 } });
  const events = all(reader, [`<html>\n${data(chunks[0] as object)}${"x".repeat(301)}\n`]);
  expect(events.map((event) => (event.type === "notice" ? event.code : event.type))).toEqual([
    "not-a-stream",
    "error",
    "finish",
  ]);
});

describe("a line of JSON behind the rest of one that was cut", () => {
  const lines = (...middle: string[]): string =>
    [...chunks.slice(0, 1), ...chunks.slice(3)]
      .map((each) => JSON.stringify(each))
      .toSpliced(1, 0, ...middle)
      .join("\n");
  const argumentsIn = (text: string): unknown =>
    all(chat(), [text]).find((event) => event.type === "call.close")?.call.argumentsText;

  test("is read", () => {
    const fragment = JSON.stringify(entry('{"a":"'));
    expect(argumentsIn(lines(fragment))).toBe('{"a":""}');
    for (const cut of ["null}]}", "\ufffd", "words "]) expect(argumentsIn(lines(`${cut}${fragment}`))).toBe('{"a":""}');
  });

  test("and what the rest itself holds is no message", () => {
    expect(argumentsIn(lines(`"x":${JSON.stringify(entry('{"a":"'))}}`))).toBe('"}');
  });
});

describe("a wire that is not named", () => {
  test("is found", () => {
    const reader = createReader();
    expect(reader.protocol).toBeUndefined();
    reader.push(bytes);
    expect(reader.protocol).toBe("openai-chat");
  });

  test("whose name is wrong is a mistake", () => {
    expect(() => createReader({ protocol: "openai" as "openai-chat" })).toThrow(TypeError);
    expect(() => createReader({ protocol: "toString" as "openai-chat" })).toThrow(TypeError);
  });

  test("push takes no numbers, and not nothing", () => {
    for (const wrong of [undefined, 5, true, () => body])
      expect(() => chat().push(wrong as object)).toThrow(new TypeError("push() takes bytes, text or an object"));
  });

  test("is read from the first frame on, though it was found later", () => {
    const answer = collected(all(createReader(), [`data: {"error":null}\n\n${body}`]));
    expect(answer.calls).toMatchObject([{ id: "a", status: "complete" }]);
  });
});

describe("follow and partial", () => {
  const live = (): Reader => new TolerantReader(openaiChat, { liveValues });

  test("the text of a string as it grows", () => {
    const reader = live();
    const seen: [string, boolean, string][] = [];
    reader.follow("f", "$.city", (text, { done, call }) => seen.push([text, done, call.id]));
    all(reader, [bytes]);
    expect(seen.map(([text]) => text).join("")).toBe("M\u00e4ntt\u00e4 \u{1f3ad}");
    expect(seen.at(-1)).toMatchObject([expect.any(String), true, "a"]);
    expect(seen.length).toBeGreaterThan(1);
  });

  test("not of other tools", () => {
    const reader = live();
    const listener = vi.fn<() => void>();
    reader.follow("g", "$.city", listener);
    all(reader, [bytes]);
    expect(listener).not.toHaveBeenCalled();
  });

  test("without live values are a mistake, and the words say what is missing", () => {
    for (const ask of [() => chat().partial("call-0"), () => chat().follow("f", "$.city", () => {})])
      expect(ask).toThrow(
        new TypeError('This reader has no live values: make it with { liveValues } of "unbraid/parts".'),
      );
  });

  test("a path that cannot be read is a mistake", () => {
    expect(() => live().follow("f", "city", () => {})).toThrow(TypeError);
  });

  test("the value so far, whenever it is asked for", () => {
    const reader = live();
    reader.push(chunks.slice(0, 2).map(data).join(""));
    expect(reader.partial("call-0")).toEqual({ city: "M\u00e4ntt\u00e4 " });
    reader.push(data(chunks[2] ?? {}));
    expect(reader.partial("call-0")).toEqual({ city: "M\u00e4ntt\u00e4 \u{1f3ad}" });
    expect(reader.partial("nobody")).toBeUndefined();
  });

  test("after a placeholder, after a replaced text, and for what was held back", () => {
    const placeholder = live();
    placeholder.push(data(entry("{}", { id: "a" })) + data(entry('{"city":')) + data(entry('"Oslo"')));
    expect(placeholder.partial("call-0")).toEqual({ city: "Oslo" });
    const reader = live();
    const seen: string[] = [];
    reader.follow("f", "$.city", (text) => seen.push(text));
    all(reader, [data(entry("{}", { id: "a" })), data(entry('{"city":"Oslo"}')), data(chunk({}, "tool_calls"))]);
    expect(seen.join("")).toBe("Oslo");
  });

  test("a listener that throws is the caller's fault, and does not break the reader", () => {
    const reader = live();
    reader.follow("f", "$.city", () => {
      throw new Error("mine");
    });
    expect(() => all(reader, [bytes])).toThrow("mine");
  });
});
