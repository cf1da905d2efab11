// Events taken from the bytes beside those that are read: together they are what the framer alone makes of the body, wherever
// it is cut, and nothing is looked at more than a few times.

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Frame } from "./frame.ts";
import { type Skim, SkimmedSse } from "./skimmed-sse.ts";
import { SseFramer } from "./sse.ts";

const LIMIT = 1 << 20;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Whether a text is the beginning of such an event. */
function mayBegin(text: string): boolean {
  return 'data: {"n":'.startsWith(text) || /^data: \{"n":\d*(?:\}(?:\n|\r(?:\n\r?)?)?)?$/.test(text);
}

/** Takes events that say a number, and makes of each the frame that a framer would make. */
class Numbers implements Skim {
  wanted = true;
  taken = 0;
  cut = false;
  takes = 0;
  /** Bytes that were shown. */
  shown = 0;
  readonly frames: Frame[] = [];
  readonly offered: { readonly text: string; readonly start: number }[] = [];
  readonly #want: () => boolean;
  /** CR LF has been seen. */
  #crLf = false;

  constructor(want: () => boolean = () => true) {
    this.#want = want;
  }

  take(bytes: Uint8Array, from: number, offset: number, index: number): number {
    this.takes++;
    this.taken = 0;
    let at = from;
    for (;;) {
      const text = textOf(bytes.subarray(at));
      const data = (this.#crLf ? /^data: (\{"n":\d+\})(\r?\n)\2/ : /^data: (\{"n":\d+\})(\n)\2/).exec(text);
      this.shown += data?.[0].length ?? 16;
      this.cut = data === null && mayBegin(text);
      if (data === null || !this.#want()) return at;
      this.frames.push({
        data: data[1] ?? "",
        event: undefined,
        start: offset + at - from,
        end: offset + at - from + data[0].length,
        index: index + this.taken++,
        terminated: true,
        fault: undefined,
      });
      at += data[0].length;
    }
  }

  readonly restates = false;

  restated(): undefined {
    return undefined;
  }

  offer(event: Uint8Array | undefined, start: number): void {
    this.#crLf ||= event?.includes(13) === true;
    if (event !== undefined) this.offered.push({ text: textOf(event), start });
  }
}

function framesOf(framer: { push: SseFramer["push"]; end: SseFramer["end"] }, chunks: readonly Uint8Array[]): Frame[] {
  const frames: Frame[] = [];
  for (const chunk of chunks) framer.push(chunk, (frame) => frames.push(frame));
  framer.end((frame) => frames.push(frame));
  return frames;
}

function expectSame(chunks: readonly Uint8Array[], skim: Numbers): void {
  const alone = framesOf(new SseFramer(LIMIT, 3), chunks);
  const read = framesOf(new SkimmedSse(new SseFramer(LIMIT, 3), skim, LIMIT), chunks);
  expect([...read, ...skim.frames].toSorted((a, b) => a.index - b.index)).toEqual(alone);
}

const pieces = [
  'data: {"n":1}\n\n',
  'data: {"n":22}\n\n',
  'data: {"n":333}\r\n\r\n',
  'data: {"n":4}\n',
  "data: text é\n\n",
  "event: x\ndata: 5\n\n",
  ": comment\n\n",
  ": comment\n",
  "id: 6\n",
  "\n",
  "\r\n",
  "\r",
  '{"bare":7}\n',
  "stray words\n",
  "data: [DONE]\n\n",
  'data: {"n":',
];

const body = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((all) => all.join(""));
const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 });

function cut(text: string, sizes: readonly number[]): Uint8Array[] {
  const bytes = bytesOf(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

describe("what is taken and what is read is together what the framer alone makes", () => {
  property.prop([body, cuts], { numRuns: 400 })("of any body, cut anywhere", (text, sizes) => {
    expectSame(cut(text, sizes), new Numbers());
  });

  property.prop([body, cuts, fc.array(fc.boolean(), { minLength: 1 })])(
    "whoever takes it only now and then",
    (text, sizes, wants) => {
      let turn = 0;
      const skim = new Numbers(() => wants[turn % wants.length] === true);
      Object.defineProperty(skim, "wanted", { get: () => wants[++turn % wants.length] });
      expectSame(cut(text, sizes), skim);
    },
  );

  test("of one event in every two cuts", () => {
    const event = bytesOf('data: {"n":1}\r\n\r\ndata: {"n":2}\n\n');
    for (let first = 0; first <= event.length; first++)
      for (let second = first; second <= event.length; second++)
        expectSame([event.slice(0, first), event.slice(first, second), event.slice(second)], new Numbers());
  });

  test("of a chunk larger than is ever copied", () => {
    const text = pieces.slice(0, 3).join("").repeat(2000);
    const skim = new Numbers();
    expectSame(cut(`data: {"n":1}\n\n${text}data: {"n":${"9".repeat(30)}`, [5, 60_000, 7]), skim);
    expect(skim.frames.length).toBe(6000);
  });
});

test("events that are read alone are offered with their place, others are not", () => {
  const skim = new Numbers();
  framesOf(new SkimmedSse(new SseFramer(LIMIT, 100), skim, LIMIT), [
    bytesOf('data: {"n":1}\n\ndata: text\n\nda'),
    bytesOf("ta: more\n\ndata: whole\n\n"),
    bytesOf("data: {x"),
    bytesOf("}\n\n"),
  ]);
  expect(skim.offered).toEqual([
    { text: "data: text\n\n", start: 115 },
    { text: "data: more\n\n", start: 127 },
    { text: "data: whole\n\n", start: 139 },
  ]);
});

describe("cost", () => {
  const many = 'data: {"n":12345678}\n\n'.repeat(2000);

  test("a chunk of many events is asked about once", () => {
    const skim = new Numbers();
    framesOf(new SkimmedSse(new SseFramer(LIMIT, 0), skim, LIMIT), cut(many, [2200]));
    expect(skim.frames.length).toBe(2000);
    expect(skim.takes).toBeLessThan(25);
  });

  test("an event that comes byte by byte is looked at a few times and then read", () => {
    const skim = new Numbers();
    framesOf(new SkimmedSse(new SseFramer(LIMIT, 0), skim, LIMIT), cut(many, [1]));
    expect(skim.takes / 2000).toBeLessThan(8);
  });

  test("a beginning that goes on and on is not kept", () => {
    const skim = new Numbers();
    const frames = framesOf(
      new SkimmedSse(new SseFramer(LIMIT, 0), skim, LIMIT),
      cut(`data: {"n":${"1".repeat(20_000)}`, [1000]),
    );
    expect(frames.map(({ terminated }) => terminated)).toEqual([false]);
    expect(skim.takes).toBeLessThan(8);
  });
});
