import { describe, expect, it } from "vitest";
import { around, brush, cell, fit, visible, widthOf, wrap } from "./fit.ts";
import { styleOf } from "./style.ts";

describe("fit", () => {
  it("leaves a text alone that fits", () => {
    expect(fit('{"a":1}', 7)).toEqual({ text: '{"a":1}', width: 7, left: 0 });
  });

  it("cuts with an ellipsis", () => {
    expect(fit('{"city":"Oslo"}', 8)).toEqual({ text: '{"city"…', width: 8, left: 8 });
  });

  it("never cuts a wide character in two", () => {
    expect(fit("天気予報", 6)).toEqual({ text: "天気…", width: 5, left: 2 });
  });

  it("never cuts a mark in two", () => {
    expect(fit("ab\u202ecd", 8).text).toBe("ab…");
  });

  it("says how much is missing where there is room to say it", () => {
    const fitted = fit("x".repeat(1000), 30, { count: true });
    expect(fitted.text).toMatch(/^x+… \d+ more$/);
    expect(fitted.width).toBeLessThanOrEqual(30);
    expect(fitted.text).toContain(`${fitted.left} more`);
    expect(fit("x".repeat(1000), 10, { count: true }).text).toBe("xxxxxxxxx…");
  });

  it("paints marks apart from the text around them", () => {
    const style = styleOf(true);
    const { text, width } = fit("a\u001b\u001bb", 10, { brush: brush(style, style.green) });
    expect(text).toBe("\u001b[32ma\u001b[39m\u001b[7m␛␛\u001b[27m\u001b[32mb\u001b[39m");
    expect(width).toBe(4);
  });
});

describe("cell", () => {
  it("fills up to the width and cuts at it", () => {
    expect(cell("ab", 4)).toBe("ab  ");
    expect(cell("天気予報", 4)).toBe("天… ");
    expect(cell("", 3)).toBe("   ");
  });
});

describe("wrap", () => {
  it("breaks between words", () => {
    expect(wrap("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
  });

  it("cuts a word that is longer than a line", () => {
    expect(wrap("a abcdefgh", 4)).toEqual(["a", "abcd", "efgh"]);
  });

  it("keeps a shorter first line", () => {
    expect(wrap("ab cd ef", 8, 3)).toEqual(["ab", "cd ef"]);
  });

  it("makes the words safe, and keeps to the width with wide characters", () => {
    const lines = wrap("天気予報 \u001b[2J \u202e", 8);
    expect(lines.join("")).not.toContain("\u001b");
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(8);
  });

  it("gives one empty line for nothing", () => {
    expect(wrap("", 10)).toEqual([""]);
  });
});

describe("around", () => {
  it("shows a short text whole", () => {
    expect(around('{"a":x}', 5, 40)).toEqual({ text: '{"a":x}', column: 5 });
  });

  it("shows what led to a place far inside", () => {
    const text = `${"a".repeat(500)}X${"b".repeat(500)}`;
    const { text: shown, column } = around(text, 500, 40);
    expect(shown[column]).toBe("X");
    expect(shown.startsWith("…")).toBe(true);
    expect(widthOf(shown)).toBeLessThanOrEqual(40);
  });

  it("counts columns, not characters", () => {
    expect(around("天気X", 2, 40).column).toBe(4);
    expect(around("\u202eX", 1, 40).column).toBe(8);
  });

  it("takes the end of the text as a place", () => {
    expect(around("abc", 3, 40)).toEqual({ text: "abc", column: 3 });
    expect(around("abc", 99, 40)).toEqual({ text: "abc", column: 3 });
  });

  it("does not begin inside a surrogate pair", () => {
    expect(around(`${"😀".repeat(100)}X`, 200, 20).text).not.toContain("⟨");
  });
});

describe("visible", () => {
  it("leaves nothing that a terminal would obey", () => {
    expect(visible("a\u001b[2J\r\nb")).toBe("a␛[2J␍␊b");
  });
});
