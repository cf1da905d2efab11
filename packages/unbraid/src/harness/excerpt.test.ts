import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { beginning, inline, quoted, visible } from "./excerpt.ts";

test("a long text is shown around a place, with what was left out marked", () => {
  const text = `${"a".repeat(1_000)}HERE${"b".repeat(1_000)}`;
  expect(quoted(text, 1_000)).toMatch(/^> …a{120}HEREb{116}…$/);
  expect(quoted(text, 0)).toMatch(/^> a{240}…$/);
  expect(quoted(text)).toMatch(/^> …b{240}$/);
  expect(quoted(text, 99_999)).toMatch(/^> …b{240}$/);
  expect(quoted(text, -5)).toMatch(/^> a{240}…$/);
});

test("a cut goes through no character", () => {
  const text = "😀".repeat(500);
  expect(quoted(text, 501)).not.toMatch(/\\ud/);
  expect(quoted(text)).not.toMatch(/\\ud/);
  expect(inline(text, 5)).toBe("😀😀…");
  expect(beginning("a😀", 2)).toBe("a");
  expect(beginning("a😀", 3)).toBe("a😀");
});

test.prop([fc.string({ unit: "binary", maxLength: 2_000 }), fc.nat(2_100)])(
  "every line is a quotation, nothing is hidden, and the length is bounded",
  (text, at) => {
    const lines = quoted(text, at).split("\n");
    expect(lines.every((line) => line.startsWith("> "))).toBe(true);
    expect(lines.join("")).not.toMatch(/[^\P{Cc}\t]|[\u2028\u2029\u202a-\u202e\u200b-\u200f]|\p{Cs}/u);
    expect(lines.join("").length).toBeLessThan(400 * 8 + 2);
  },
);

test("letters of all scripts and tabs stay", () => {
  expect(visible("naïve 東京 مرحبا 😀\t{}")).toBe("naïve 東京 مرحبا 😀\t{}");
});
