// Events that say a text again: whatever of them is left out, and wherever the body is cut, the frames are those that the
// framer alone makes of the body, and their values those of `JSON.parse`.

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Frame } from "./frame.ts";
import type { Restated } from "./restated-event.ts";
import { type Skim, SkimmedSse } from "./skimmed-sse.ts";
import { SseFramer } from "./sse.ts";

const LIMIT = 1 << 20;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Takes no event, and knows texts by the id that stands before them. */
class Texts implements Skim {
  readonly wanted = true;
  readonly taken = 0;
  readonly cut = false;
  readonly restates = true;
  readonly #texts: Readonly<Record<string, string>>;

  constructor(texts: Readonly<Record<string, string>>) {
    this.#texts = texts;
  }

  take(_bytes: Uint8Array, from: number): number {
    return from;
  }

  restated(beginning: string): Restated | undefined {
    const found = /"id": ?"(\w+)".*?"arguments": ?"/.exec(beginning);
    const text = this.#texts[found?.[1] ?? ""];
    return found === null || text === undefined ? undefined : { at: found.index + found[0].length, text };
  }

  offer(): void {}
}

interface Read {
  readonly frames: unknown[];
  /** Frames of which a text was left out. */
  readonly known: number;
}

function read(
  body: Uint8Array,
  chunks: readonly Uint8Array[],
  texts: Record<string, string> | undefined,
  limit = LIMIT,
): Read {
  const sse = new SseFramer(limit, 0);
  const framer = texts === undefined ? sse : new SkimmedSse(sse, new Texts(texts), limit);
  const frames: unknown[] = [];
  let known = 0;
  const take = ({ data, event, start, end, index, terminated, fault }: Frame, value?: unknown): void => {
    if (value !== undefined) {
      known++;
      expect(value).toEqual(JSON.parse(data));
    }
    frames.push({ data, event, start, end, index, terminated, fault });
  };
  for (const chunk of chunks) framer.push(chunk, take);
  framer.end(take);
  expect(chunks.reduce((sum, { length }) => sum + length, 0)).toBe(body.length);
  return { frames, known };
}

function cutAt(body: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...places.toSorted((a, b) => a - b), body.length];
  return sorted.slice(1).map((end, at) => body.slice(sorted[at], end));
}

/** Reads a body whole, in pieces of a few sizes and cut in two at each place; gives how often a text was left out when whole. */
function expectSame(text: string, texts: Record<string, string>, limit = LIMIT): number {
  const body = bytesOf(text);
  const alone = read(body, [body], undefined, limit).frames;
  const whole = read(body, [body], texts, limit);
  expect(whole.frames).toEqual(alone);
  for (const size of [1, 2, 7, 64]) {
    const places = Array.from({ length: Math.floor((body.length - 1) / size) }, (_, at) => (at + 1) * size);
    expect(read(body, cutAt(body, places), texts, limit).frames).toEqual(alone);
  }
  for (let place = 1; place < body.length; place++)
    expect(read(body, cutAt(body, [place]), texts, limit).frames).toEqual(alone);
  return whole.known;
}

const event = (value: unknown, name = "done"): string => `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
const done = (id: string, text: string): string => event({ type: "done", id, arguments: text, sequence_number: 7 });
const TEXT = '{"path":"/ä/海🎉.ts","content":"a \\"b\\"\\n\\tc \\\\ d / e"}';

describe("a text that is said again", () => {
  test.each<readonly [string, string]>([
    ["ASCII", '{"a":"b c d"}'],
    ["escapes, and characters of one to four bytes", TEXT],
    ["nothing", ""],
    ["control characters with letters of their own", '{"a":"\b\f\n\r\t"}'],
    ["a text beyond a block", JSON.stringify({ a: "é🎉\\x ".repeat(900) })],
  ])("is left out: %s", (_name, text) => {
    const body = `${event({ n: 1 })}${done("x", text)}${event({ n: 2 })}`;
    const short = text.length < 200;
    if (short) expect(expectSame(body, { x: text })).toBe(1);
    else {
      const bytes = bytesOf(body);
      const alone = read(bytes, [bytes], undefined).frames;
      for (const places of [[], [3000], [3001], [3002, 3003], [7000, 9001]]) {
        const with_ = read(bytes, cutAt(bytes, places), { x: text });
        expect(with_.frames).toEqual(alone);
        expect(with_.known).toBe(1);
      }
    }
  });

  test.each<readonly [string, string]>([
    ["without a name before it", `data: ${JSON.stringify({ id: "x", arguments: TEXT })}\n\n`],
    ["without a space behind the colon", `data:${JSON.stringify({ id: "x", arguments: TEXT })}\n\n`],
    ["with CR LF", `event: done\r\ndata: ${JSON.stringify({ id: "x", arguments: TEXT })}\r\n\r\n`],
    ["as Python writes it", `data: {"id": "x", "arguments": ${JSON.stringify(TEXT)}, "n": 1}\n\n`],
    [
      "in an item of a list, beside others",
      event({
        output: [
          { id: "x", arguments: TEXT },
          { id: "y", arguments: "no" },
        ],
      }),
    ],
  ])("in an event %s", (_name, body) => {
    expect(expectSame(event({ n: 1 }) + body + event({ n: 2 }), { x: TEXT })).toBe(1);
  });

  test("several in one event", () => {
    const output = [
      { id: "x", arguments: TEXT },
      { id: "y", arguments: '{"b":1}' },
      { id: "z", arguments: "unknown" },
    ];
    expect(expectSame(event({ response: { output } }), { x: TEXT, y: '{"b":1}' })).toBe(1);
  });

  test.each<readonly [string, string]>([
    ["another text", done("x", `${TEXT} `)],
    ["a shorter one", done("x", TEXT.slice(0, -1))],
    ["another character in the middle", done("x", TEXT.replace("海", "河"))],
    [
      "escapes where none are needed",
      `data: {"id":"x","arguments":${JSON.stringify(TEXT).replace("海", "\\u6d77")}}\n\n`,
    ],
    ["a solidus that is escaped", `data: {"id":"x","arguments":${JSON.stringify(TEXT).replace("/", "\\/")}}\n\n`],
    ["a raw line feed, which no JSON string holds", `data: {"id":"x","arguments":"{\\"path\\":\n"}\n\n`],
    ["an event on two lines", `data: {"id":"x","arguments":${JSON.stringify(TEXT)},\ndata: "n":1}\n\n`],
    ["a line behind it", `data: {"id":"x","arguments":${JSON.stringify(TEXT)}}\nid: 4\n\n`],
    ["no JSON behind it", `data: {"id":"x","arguments":${JSON.stringify(TEXT)} oops\n\n`],
    ["a lone CR behind it", `data: {"id":"x","arguments":${JSON.stringify(TEXT)}\r}\n\n`],
    ["a body that ends in the text", done("x", TEXT).slice(0, 60)],
    ["a body that ends behind it", done("x", TEXT).slice(0, -5)],
    ["a body that ends before the blank line", done("x", TEXT).slice(0, -1)],
  ])("is read as ever where there is %s", (_name, body) => {
    expectSame(event({ n: 1 }) + body, { x: TEXT });
    expectSame(event({ n: 1 }) + body + event({ n: 2 }), { x: TEXT });
  });

  test("is read as ever where it holds half of a surrogate pair, which U+FFFD on the wire is not", () => {
    const half = '{"a":"\ud83d"}';
    expect(expectSame(done("x", half), { x: half })).toBe(0);
    expect(expectSame(done("x", half.replace("\ud83d", "\ufffd")), { x: half })).toBe(0);
    const replaced = '{"a":"\ufffd"}';
    expect(expectSame(done("x", replaced), { x: replaced })).toBe(1);
  });

  test("bytes that are no UTF-8 are not the text", () => {
    const text = '{"a":"\ufffd"}';
    const body = bytesOf(done("x", text));
    const at = body.indexOf(0xef);
    const broken = Uint8Array.of(...body.subarray(0, at), 0xff, ...body.subarray(at + 3));
    expect(read(broken, [broken], { x: text }).frames).toEqual(read(broken, [broken], undefined).frames);
  });

  test("an event that is too long is found too long at the same byte", () => {
    for (const limit of [40, 90, 100, 110, 120, 130]) expectSame(done("x", TEXT) + event({ n: 2 }), { x: TEXT }, limit);
  });

  test("keys that are special to objects", () => {
    const body = `data: {"id":"x","__proto__":{"arguments":"no"},"a":{"__proto__":"b","arguments":${JSON.stringify(TEXT)}}}\n\n`;
    expectSame(body, { x: TEXT });
    expectSame(`data: {"id":"x","n":{"arguments":${JSON.stringify(TEXT)}},"__proto__":[1]}\n\n`, { x: TEXT });
  });
});

property.prop([
  fc.string({
    unit: fc.constantFrom("a", '"', "\\", "\n", "é", "海", "🎉", "\ud83d", "\ufffd", "\u0001", "/"),
    maxLength: 40,
  }),
  fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "é"), maxLength: 4 }),
  fc.array(fc.nat(), { maxLength: 6 }),
  fc.boolean(),
])("any text, said again or nearly, cut anywhere", (text, more, places, same) => {
  const body = bytesOf(done("x", same ? text : text + more) + event({ n: 2 }));
  const chunks = cutAt(
    body,
    places.map((place) => place % body.length),
  );
  expect(read(body, chunks, { x: text }).frames).toEqual(read(body, chunks, undefined).frames);
});
