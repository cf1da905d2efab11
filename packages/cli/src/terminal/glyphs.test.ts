import { describe, expect, it } from "vitest";
import { glyphs } from "./glyphs.ts";

function shown(text: string, edges = false): string {
  return [...glyphs(text, edges)].map((glyph) => glyph.text).join("");
}

function width(text: string): number {
  return [...glyphs(text)].reduce((sum, glyph) => sum + glyph.width, 0);
}

describe("glyphs", () => {
  it.each([
    ["line feed, return, tab", "a\nb\rc\td", "a␊b␍c␉d"],
    ["escape sequences", "\u001b[31mred\u001b]0;title\u0007", "␛[31mred␛]0;title␇"],
    ["NUL and DEL", "\u0000\u007f", "␀␡"],
    ["C1 controls, which some terminals obey", "\u009b31m\u0085", "⟨U+009B⟩31m⟨U+0085⟩"],
    ["bidirectional overrides and isolates", "\u202eabc\u2066", "⟨U+202E⟩abc⟨U+2066⟩"],
    ["zero-width characters", "a\u200bb\u2060c\ufeff", "a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩"],
    ["tags, which hide text", "a\u{e0041}", "a⟨U+E0041⟩"],
    ["variation selectors without a picture", "a\ufe0f\u{e0100}", "a⟨U+FE0F⟩⟨U+E0100⟩"],
    ["line and paragraph separators", "\u2028\u2029", "⟨U+2028⟩⟨U+2029⟩"],
    ["a space that JSON does not know", "a\u00a0b", "a⟨U+00A0⟩b"],
    ["lone surrogates", "\ud83d x \ude00", "⟨U+D83D⟩ x ⟨U+DE00⟩"],
    ["private and unassigned characters", "\ue000\u0378", "⟨U+E000⟩⟨U+0378⟩"],
  ])("shows %s as marks", (_, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ["ASCII", "abc", 3],
    ["Chinese, Japanese, Korean", "天気は한국", 10],
    ["a combining accent", "e\u0301", 1],
    ["an accent without a base", "\u0301", 1],
    ["a picture", "😀", 2],
    ["a picture with its selector", "☀️", 1],
    ["joined pictures, each by itself", "👩\u200d💻", 4],
    ["a keycap", "1\ufe0f\u20e3", 1],
    ["Hangul in parts", "\u1112\u1161\u11ab", 2],
    ["full-width forms", "ＡＢ", 4],
  ])("knows the columns of %s", (_, text, columns) => {
    expect(width(text)).toBe(columns);
  });

  it("does not draw a tower of accents", () => {
    const text = `e${"\u0301".repeat(50)}`;
    expect([...glyphs(text)].every((glyph) => glyph.text.length <= 5)).toBe(true);
    expect(width(text)).toBeGreaterThan(10);
  });

  it("marks spaces at the edges where it is asked to", () => {
    expect(shown("  a b ", true)).toBe("␣␣a b␣");
    expect(shown("   ", true)).toBe("␣␣␣");
    expect(shown(" a ")).toBe(" a ");
  });

  it("accounts for every unit of the text", () => {
    const text = "a\u001be\u0301😀\ud83d👩\u200d💻☀️1\ufe0f\u20e3天\u{e0041}";
    expect([...glyphs(text)].reduce((sum, glyph) => sum + glyph.units, 0)).toBe(text.length);
  });

  it("looks at no more of a text than is asked for", () => {
    // Made of bytes, so that it is one string and no rope.
    const text = Buffer.alloc(20_000_000, "x").toString("latin1");
    const started = performance.now();
    const first = glyphs(text).next();
    expect(first.value).toMatchObject({ text: "x" });
    expect(performance.now() - started).toBeLessThan(50);
  });
});
