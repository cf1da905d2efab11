// Text in fragments: all of it at any time, whatever its pieces.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { GrowingText } from "./growing-text.ts";

property.prop([fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constant("x".repeat(1500)), fc.constant(null)))])(
  "it is what was added since it was cleared",
  (steps) => {
    const growing = new GrowingText();
    let expected = "";
    for (const [at, step] of steps.entries()) {
      if (step === null) growing.clear();
      else growing.add(step);
      expected = step === null ? "" : expected + step;
      expect(growing.length).toBe(expected.length);
      expect(growing.loose).toBe(expected);
      if (at % 3 === 0) expect(growing.text).toBe(expected);
    }
    expect(growing.text).toBe(expected);
  },
);

test("of a long text in small fragments the memory is that of the text, not of its pieces", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const growing = new GrowingText();
  for (let at = 0; at < 500_000; at++) growing.add(`abc${at % 10}`);
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  expect(growing.length).toBe(2_000_000);
  // As half a million pieces it would be over 20 MB.
  expect(bytes).toBeLessThan(8_000_000);
});
