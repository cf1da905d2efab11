// Strings out of bytes: what JSON.parse makes of them, many at a time, whatever stands in their neighbours.

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { HoleTexts } from "./hole-texts.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** How one character may be written in a JSON string. */
function written(character: string, way: number): string {
  const plain = JSON.stringify(character).slice(1, -1);
  if (way % 3 !== 0) return plain;
  return Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16).padStart(4, "0");
    return `\\u${way % 2 === 0 ? unit : unit.toUpperCase()}`;
  }).join("");
}

const quoted = fc
  .array(fc.tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 1 }), fc.nat(5)), { maxLength: 60 })
  .map((pieces) => pieces.map(([character, way]) => written(character, way)).join(""));

property.prop([fc.array(quoted, { maxLength: 40 })])("they are what JSON.parse makes of each", (inside) => {
  const texts = new HoleTexts(4096);
  for (const each of inside) {
    const bytes = bytesOf(`${each}"`);
    expect(texts.take(bytes, 0, bytes.length)).toBe(bytes.length - 1);
  }
  texts.decode();
  inside.forEach((each, at) => expect(texts.at(at)).toBe(JSON.parse(`"${each}"`)));
});

property.prop([fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })])(
  "of any bytes: the same text, or not taken where they are no JSON string or half a pair",
  (all) => {
    const texts = new HoleTexts(4096);
    const expected: string[] = [];
    for (const each of all) {
      const bytes = Uint8Array.of(...each, 0x22);
      const { count } = texts;
      const end = texts.take(bytes, 0, bytes.length);
      if (end < 0) texts.truncate(count);
      else if (end < bytes.length)
        expected.push(
          JSON.parse(`"${new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end))}"`) as string,
        );
      expect(texts.count).toBe(expected.length);
    }
    texts.decode();
    expected.forEach((text, at) => expect(texts.at(at)).toBe(text));
  },
);

describe("a string", () => {
  const take = (inside: string): number => {
    const bytes = bytesOf(inside);
    return new HoleTexts(64).take(bytes, 0, bytes.length);
  };

  test.each([
    '\\q"',
    '\\u00g0"',
    '\u0000"',
    'a\n"',
    '\\ud800"""""""""',
    '\\udfff"',
    '\\ud800\\ud800"',
    '\\ud83d"}\n\n',
    '\\ud83d"',
  ])("%j is not taken", (inside) => expect(take(inside)).toBe(-1));

  test.each(["", "abc", "\\", "\\u12", "\\ud83d\\ude0"])("%j does not end", (inside) =>
    expect(take(inside)).toBe(bytesOf(inside).length),
  );
});

test("half a character in one and half in the next are none", () => {
  const texts = new HoleTexts(64);
  for (const each of [[0x61, 0xc3], [0xa9, 0x62], [0xe6, 0xb5], [0xb7]]) texts.take(Uint8Array.of(...each, 0x22), 0, 3);
  texts.decode();
  expect([0, 1, 2, 3].map((at) => texts.at(at))).toEqual(["a\ufffd", "\ufffdb", "\ufffd", "\ufffd"]);
});

test("the last ones can be forgotten", () => {
  const texts = new HoleTexts(64);
  for (const each of ['é"', 'b"', 'ç"']) texts.take(bytesOf(each), 0, 9);
  texts.truncate(1);
  texts.take(bytesOf('d"'), 0, 9);
  texts.decode();
  expect([texts.count, texts.at(0), texts.at(1)]).toEqual([2, "é", "d"]);
});

test("it is full in time for the longest event that may follow", () => {
  const texts = new HoleTexts(4096);
  const bytes = bytesOf(`${"x".repeat(4095)}"`);
  let taken = 0;
  while (!texts.full) {
    expect(texts.take(bytes, 0, bytes.length)).toBe(4095);
    taken++;
  }
  texts.decode();
  for (let at = 0; at < taken; at++) expect(texts.at(at)).toBe("x".repeat(4095));
});
