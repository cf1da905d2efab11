// Templates of frames: what matches, what must not, and that a match says what JSON.parse would have said.

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { FrameTemplate, type Hole } from "./frame-template.ts";

const HOLES: readonly Hole[] = [
  { path: ["delta", "text"], use: "text" },
  { path: ["index"], use: "index" },
  { path: ["pad"], use: "skip" },
];
const frame = (text: string, index: number, pad: string): string =>
  `{"type":"x","index":${index},"delta":{"a":[1,{"text":"no"}],"text":${JSON.stringify(text)}},"pad":${JSON.stringify(pad)},"z":null}`;

function template(text: string): FrameTemplate {
  const made = FrameTemplate.from(text, HOLES);
  expect(made).toBeDefined();
  return made as FrameTemplate;
}

describe("a frame that differs only in its holes", () => {
  test("matches, and gives their values", () => {
    const made = template(frame("a", 0, "x"));
    expect(made.match(frame('he said: "no"\n\u00e9😀', 12, "yy"))).toBe(true);
    expect(made.values).toMatchObject({ text: 'he said: "no"\n\u00e9😀', index: 12 });
  });

  test("may be padded with white space behind it", () => {
    expect(template(frame("a", 0, "x")).match(`${frame("b", 1, "")}   `)).toBe(true);
  });

  property.prop([fc.string({ unit: "binary" }), fc.nat(), fc.string({ unit: "grapheme-ascii" })])(
    "says what JSON.parse says",
    (text, index, pad) => {
      const made = template(frame("first", 3, "p"));
      const next = frame(text, index, pad);
      const value = JSON.parse(next) as { index: number; delta: { text: string } };
      // A skipped value with an escape is left to the parser.
      if (!made.match(next)) expect(JSON.stringify(pad)).toContain("\\");
      else expect(made.values).toMatchObject({ text: value.delta.text, index: value.index });
    },
  );
});

describe("does not match", () => {
  const made = template(frame("a", 0, "x"));
  test.each([
    ["another constant", frame("a", 0, "x").replace('"type":"x"', '"type":"y"')],
    ["one character more behind it", `${frame("a", 0, "x")}x`],
    ["a frame that is cut", frame("a", 0, "x").slice(0, -1)],
    ["a string that does not end", frame("a", 0, "x").slice(0, 50)],
    ["a bare control character", frame("a", 0, "x").replace('"text":"a"', '"text":"a\n"')],
    ["an escape that is none", frame("a", 0, "x").replace('"text":"a"', '"text":"\\x"')],
    ["half an escape", frame("a", 0, "x").replace('"text":"a"', '"text":"\\u12"')],
    ["a fraction where a whole number stood", frame("a", 0, "x").replace('"index":0', '"index":0.5')],
    ["a negative number", frame("a", 0, "x").replace('"index":0', '"index":-1')],
    ["a number with a zero in front", frame("a", 0, "x").replace('"index":0', '"index":01')],
    ["a number of 16 digits", frame("a", 0, "x").replace('"index":0', '"index":9007199254740993')],
    ["an exponent", frame("a", 0, "x").replace('"index":0', '"index":1e5')],
    ["a string where a number stood", frame("a", 0, "x").replace('"index":0', '"index":"0"')],
    ["null where a string stood", frame("a", 0, "x").replace('"text":"a"', '"text":null')],
    ["other white space", frame("a", 0, "x").replace('"z":null', '"z": null')],
  ])("%s", (_, text) => expect(made.match(text)).toBe(false));
});

describe("no template is made", () => {
  test.each([
    ["where a path stands twice", '{"delta":{"text":"a","text":"b"},"index":0}'],
    ["where no fragment stands", '{"index":0}'],
    ["where the fragment is no string", '{"delta":{"text":1},"index":0}'],
    ["where the index is no whole number", '{"delta":{"text":"a"},"index":-1}'],
    ["of a long frame", frame("a".repeat(5000), 0, "x")],
  ])("%s", (_, text) => expect(FrameTemplate.from(text, HOLES)).toBeUndefined());
});
