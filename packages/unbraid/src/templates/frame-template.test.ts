// Templates of frames: what matches, what must not, and that a match says what JSON.parse would have said.

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { EventBytes, FrameTemplate, type Match } from "./frame-template.ts";
import { HoleTexts } from "./hole-texts.ts";
import type { Hole } from "./holes.ts";

const HOLES: readonly Hole[] = [
  { path: ["delta", "text"], use: "text" },
  { path: ["index"], use: "index" },
  { path: ["item"], use: "item" },
  { path: ["number"], use: "sequence" },
  { path: ["pad"], use: "skip" },
  { path: ["created"], use: "skip" },
];

const json = (text: string, index: number, pad: string): string =>
  `{"type":"x","index":${index},"delta":{"a":[1,{"text":"no"}],"text":${JSON.stringify(text)}},"pad":${JSON.stringify(pad)},"z":null}`;
const eventOf = (data: string): string => `event: x\ndata: ${data}\n\n`;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Found {
  readonly end: number;
  readonly text: string;
  readonly item: string;
  readonly index: number;
  readonly sequence: number;
  readonly cut: boolean;
}

/** Matches one event; `end` is -1 where it does not match. */
function match(template: FrameTemplate, event: string | Uint8Array, start = 0): Found {
  const bytes = typeof event === "string" ? bytesOf(event) : event;
  const source = new EventBytes();
  source.load(bytes);
  const texts = new HoleTexts(4096);
  const found: Match = { text: 0, item: 0, itemEnd: 0, index: -1, sequence: Number.NaN };
  const end = template.match(source, start, found, texts);
  texts.decode();
  const item = new TextDecoder().decode(bytes.subarray(found.item, found.itemEnd));
  return { ...found, end, text: end < 0 ? "" : texts.at(found.text), item, cut: source.cut };
}

function make(data: string, wrap: (data: string) => string = eventOf): FrameTemplate {
  const template = FrameTemplate.from(bytesOf(wrap(data)), data, HOLES);
  expect(template).toBeDefined();
  return template as FrameTemplate;
}

describe("a frame that differs only in its holes", () => {
  test("matches, and gives their values", () => {
    const event = eventOf(json('he said: "no"\n\u00e9😀\\', 12, "yy"));
    expect(match(make(json("a", 0, "x")), event)).toMatchObject({
      end: bytesOf(event).length,
      text: 'he said: "no"\n\u00e9😀\\',
      index: 12,
    });
  });

  test("matches wherever it stands, and what follows it is not looked at", () => {
    const event = eventOf(json("é", 7, "x"));
    expect(match(make(json("a", 0, "x")), `....${event}data: `, 4)).toMatchObject({ text: "é", index: 7 });
  });

  test("may have every kind of hole, in any order", () => {
    const data = (item: string, number: number, created: string): string =>
      `{"created":${created},"item":"${item}","number":${number},"delta":{"text":"t${number}"}}`;
    expect(match(make(data("fc_1", 1, "1795000000")), eventOf(data("fc_22", 999999999999999, "5")))).toMatchObject({
      text: "t999999999999999",
      item: "fc_22",
      sequence: 999999999999999,
      index: -1,
    });
  });

  test("may be padded with spaces before its last brace and behind it, as the one that was learned", () => {
    const template = make('{"delta":{"text":"a"}  }    ');
    for (const pad of ["", " ", " ".repeat(90)])
      for (const behind of ["", "  "])
        expect(match(template, eventOf(`{"delta":{"text":"b"}${pad}}${behind}`))).toMatchObject({ text: "b" });
    expect(match(template, eventOf('{"delta":{"text":"b"} ,}')).end).toBe(-1);
    expect(match(make('{"delta":{"text":"a"}}'), eventOf('{"delta":{"text":"b"} }')).end).toBe(-1);
  });

  test.each([
    ["CR LF", (data: string) => `event: x\r\ndata: ${data}\r\n\r\n`],
    ["no name and no space", (data: string) => `data:${data}\n\n`],
    ["other fields behind", (data: string) => `data: ${data}\nid: 4\n: comment\n\n`],
  ])("may have lines of another kind: %s", (_, wrap) => {
    const template = make(json("a", 0, "x"), wrap);
    const event = wrap(json("b", 1, "y"));
    expect(match(template, event)).toMatchObject({ end: bytesOf(event).length, text: "b", index: 1 });
    expect(match(template, eventOf(json("b", 1, "y"))).end).toBe(-1);
  });

  property.prop([fc.string({ unit: "binary" }), fc.nat(), fc.string({ unit: "grapheme-ascii" })])(
    "says what JSON.parse says",
    (text, index, pad) => {
      const next = json(text, index, pad);
      const value = JSON.parse(next) as { index: number; delta: { text: string } };
      const found = match(make(json("first", 3, "p")), eventOf(next));
      // A skipped value with an escape, and half a surrogate pair, are left to the parser.
      if (found.end < 0) expect(next).toMatch(/\\u[d]|"pad":"[^"]*\\/);
      else expect(found).toMatchObject({ text: value.delta.text, index: value.index });
    },
  );

  test("what is no UTF-8 becomes the replacement character, as a decoder makes it", () => {
    const data = json("a§b", 0, "x");
    const event = bytesOf(eventOf(data));
    const at = event.indexOf(0xc2);
    for (const broken of [
      [0xff, 0x41],
      [0xe6, 0xb5],
      [0xc2, 0x20],
      [0xf0, 0x80],
    ]) {
      event.set(broken, at);
      const text = (JSON.parse(new TextDecoder().decode(event).slice(15, -2)) as { delta: { text: string } }).delta
        .text;
      expect(match(make(json("a", 0, "x")), event)).toMatchObject({ text });
    }
  });
});

describe("does not match", () => {
  const template = make(json("a", 0, "x"));
  const good = json("a", 0, "x");
  test.each([
    ["another constant", good.replace('"type":"x"', '"type":"y"')],
    ["one character more behind it", `${good}x`],
    ["a string that does not end", good.slice(0, 50)],
    ["a bare control character", good.replace('"text":"a"', '"text":"a\t"')],
    ["a line end in a string", good.replace('"text":"a"', '"text":"a\n"')],
    ["an escape that is none", good.replace('"text":"a"', '"text":"\\x"')],
    ["an escape of a bare control character", good.replace('"text":"a"', '"text":"\\\n"')],
    ["half an escape", good.replace('"text":"a"', '"text":"\\u12"')],
    ["an escape with a bad digit", good.replace('"text":"a"', '"text":"\\u12g4"')],
    ["the second half of a pair alone", good.replace('"text":"a"', '"text":"\\udc00"')],
    ["the first half of a pair alone", good.replace('"text":"a"', '"text":"\\ud83dxxxxxx"')],
    ["two first halves", good.replace('"text":"a"', '"text":"\\ud83d\\ud83d"')],
    ["a fraction where a whole number stood", good.replace('"index":0', '"index":0.5')],
    ["a negative number", good.replace('"index":0', '"index":-1')],
    ["a number with a zero in front", good.replace('"index":0', '"index":01')],
    ["a number of 16 digits", good.replace('"index":0', '"index":9007199254740993')],
    ["an exponent", good.replace('"index":0', '"index":1e5')],
    ["a string where a number stood", good.replace('"index":0', '"index":"0"')],
    ["null where a string stood", good.replace('"text":"a"', '"text":null')],
    ["a skipped string with an escape", good.replace('"pad":"x"', '"pad":"\\n"')],
    ["other white space", good.replace('"z":null', '"z": null')],
    ["an event longer than is looked at", json("a".repeat(5000), 0, "x")],
  ])("%s", (_, data) => {
    expect(match(template, eventOf(data))).toMatchObject({ end: -1, cut: false });
  });

  test("an event of another name, or another kind of line", () => {
    expect(match(template, `event: y\ndata: ${good}\n\n`).end).toBe(-1);
    expect(match(template, `event: x\ndata: ${good}\n \n`).end).toBe(-1);
    expect(match(template, `event: x\ndata: ${good}\ndata: ${good}\n\n`).end).toBe(-1);
  });

  test("an event that is cut anywhere, and says that it may be one", () => {
    const event = bytesOf(eventOf(json('a\\"\u00e9\u0001😀', 12, "yy").replace("é", "\\u00e9")));
    expect(match(template, event).end).toBe(event.length);
    for (let end = 0; end < event.length; end++)
      expect(match(template, event.subarray(0, end))).toMatchObject({ end: -1, cut: true });
  });

  test("constant bytes outside of ASCII that differ in one bit", () => {
    const data = '{"model":"modèle-à-ñ","delta":{"text":"a"}}';
    const event = bytesOf(eventOf(data));
    const own = make(data);
    expect(match(own, event).text).toBe("a");
    for (let at = 0; at < event.length; at++) {
      const other = event.slice();
      other[at] = (event[at] ?? 0) ^ 0x80;
      const found = match(own, other);
      // In the hole another byte stands, which is no UTF-8.
      if (found.end >= 0) expect(found.text).toBe("\ufffd");
      else expect(found.text).toBe("");
    }
  });
});

describe("no template is made", () => {
  const from = (event: string, data: string): FrameTemplate | undefined =>
    FrameTemplate.from(bytesOf(event), data, HOLES);

  test.each([
    ["where a path stands twice", '{"delta":{"text":"a","text":"b"},"index":0}'],
    ["where no fragment stands", '{"index":0}'],
    ["where the fragment is no string", '{"delta":{"text":1},"index":0}'],
    ["where the index is no whole number", '{"delta":{"text":"a"},"index":-1}'],
    ["where the item is no string", '{"delta":{"text":"a"},"item":null}'],
    ["of a long frame", json("a".repeat(5000), 0, "x")],
  ])("%s", (_, data) => expect(from(eventOf(data), data)).toBeUndefined());

  test("of an event with other lines before its data, with several data lines, or with other data", () => {
    const data = '{"delta":{"text":"a"},\n"b":1}';
    expect(from(`id: 1\nevent: x\ndata: ${json("a", 0, "x")}\n\n`, json("a", 0, "x"))).toBeUndefined();
    expect(from(`data: ${data.replace("\n", "\ndata: ")}\n\n`, data)).toBeUndefined();
    expect(from(eventOf(json("a", 0, "x")), json("b", 0, "x"))).toBeUndefined();
  });
});
