// A call's text: all of it at any time, whatever its pieces and however it is kept, and little memory while it comes.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { HeldText } from "./held-text.ts";

/** Units up to which a text is not packed here. */
const SHORT = 16_000;
/** Long enough for two of them to be packed. */
const LONG = ["x".repeat(9000), "海と空".repeat(3000), "😀é".repeat(3500), "\ufeff\ufffd".repeat(5000)];
/** Halves of surrogate pairs: at a border they may make a character, elsewhere they cannot be packed. */
const HALVES = ["\ud83d", "\ude00", `\ude00${"y".repeat(9000)}`, `${"z".repeat(9000)}\ud83d`];

const step = fc.oneof(
  fc.record({ is: fc.constant("add" as const), text: fc.oneof(fc.constantFrom(...LONG, ...HALVES), fc.string()) }),
  fc.record({ is: fc.constantFrom("look", "compare", "clear") }),
);

property.prop([fc.array(step, { maxLength: 30 })], { numRuns: 300 })(
  "it is what was added since it was cleared",
  (steps) => {
    const held = new HeldText(SHORT);
    let expected = "";
    for (const each of steps) {
      if ("text" in each) {
        held.add(each.text);
        expected += each.text;
      } else if (each.is === "clear") {
        held.clear();
        expected = "";
      } else if (each.is === "look") expect(held.text === expected).toBe(true);
      else expect(held.is(expected)).toBe(true);
      expect(held.length).toBe(expected.length);
    }
    expect(held.text === expected).toBe(true);
  },
);

describe("a long text that is compared", () => {
  const text = LONG.join("").repeat(3);
  const filled = (end: string): HeldText => {
    const held = new HeldText(SHORT);
    for (let at = 0; at < text.length; at += 7) held.add(text.slice(at, at + 7));
    held.add(end);
    return held;
  };

  test.each([0, 1, 17_000, 40_000, text.length - 1])("differs by the unit at %i", (at) => {
    const other = `${text.slice(0, at)}?${text.slice(at + 1)}`;
    const held = filled("");
    expect(held.is(other)).toBe(false);
    expect(held.is(text)).toBe(true);
    expect(held.is(other)).toBe(false);
    expect(held.text === text).toBe(true);
  });

  test("differs where UTF-8 would say the same of both", () => {
    const replaced = text.lastIndexOf("\ufffd");
    expect(filled("").is(`${text.slice(0, replaced)}\ud83d${text.slice(replaced + 1)}`)).toBe(false);
  });

  test("differs by what is not packed, and by what is missing", () => {
    expect(filled("end").is(`${text}and`)).toBe(false);
    expect(filled("end").is(text)).toBe(false);
    expect(filled("end").is(`${text}end`)).toBe(true);
  });
});

test("its memory is that of UTF-8, off the heap, and is given back when somebody has looked", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage();
  const held = new HeldText();
  for (let at = 0; at < 500_000; at++) held.add(`海b${at % 10}d`);
  collect();
  const full = process.memoryUsage();
  expect(full.heapUsed - before.heapUsed).toBeLessThan(1_000_000);
  expect(full.arrayBuffers - before.arrayBuffers).toBeGreaterThan(3_000_000 - 200_000);
  expect(full.arrayBuffers - before.arrayBuffers).toBeLessThan(8_000_000);
  expect(held.text).toHaveLength(2_000_000);
  expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(1_000_000);
});
