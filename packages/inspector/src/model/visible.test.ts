import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { bytesOf } from "./bodies.test-kit.ts";
import { type Segment, visibleBytes, visibleText } from "./visible.ts";

function drawn(segments: readonly Segment[]): string {
  return segments.map(({ kind, text }) => (kind === "text" ? text : `⟨${text}⟩`)).join("");
}

describe("visible text", () => {
  it.each([
    ["plain text and marks of other scripts", "Zürich 🌧 日本 א", "Zürich 🌧 日本 א"],
    ["line ends", "a\r\nb", "a⟨CR⟩⟨LF⟩\nb"],
    ["an override of the direction", "user\u202Enimda", "user⟨RLO⟩nimda"],
    ["isolates, zero widths, a byte order mark", "\u2066\u200B\uFEFF", "⟨LRI⟩⟨ZWSP⟩⟨BOM⟩"],
    ["an escape of a terminal", "\u001B[31m", "⟨ESC⟩[31m"],
    ["a character nobody assigned", "\u0378", "⟨U+0378⟩"],
    ["half a surrogate pair", "\ud83d!", "⟨U+D83D⟩!"],
    ["a line separator", "\u2028", "⟨U+2028⟩"],
  ])("shows %s", (_, text, shown) => {
    expect(drawn(visibleText(text))).toBe(shown);
  });

  test.prop([fc.string({ unit: "binary" })])("holds no character that cannot be seen", (text) => {
    expect(drawn(visibleText(text)).replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });
});

describe("visible bytes", () => {
  it("shows a byte that is no character, and goes on behind it", () => {
    expect(drawn(visibleBytes(Uint8Array.of(0x61, 0xe2, 0x82, 0x62, 0xff, 0xc3, 0xa9)))).toBe("a⟨E2⟩⟨82⟩b⟨FF⟩é");
  });

  it("shows overlong forms and surrogates as bytes", () => {
    expect(drawn(visibleBytes(Uint8Array.of(0xc0, 0xaf, 0xed, 0xa0, 0x80)))).toBe("⟨C0⟩⟨AF⟩⟨ED⟩⟨A0⟩⟨80⟩");
  });

  it("shows where a chunk ended, also inside a character", () => {
    const bytes = bytesOf("a€b");
    expect(drawn(visibleBytes(bytes, [1]))).toBe("a⟨╎⟩€b");
    expect(drawn(visibleBytes(bytes, [2]))).toBe("a⟨E2⟩⟨╎⟩⟨82⟩⟨AC⟩b");
  });

  test.prop([fc.string({ unit: "binary" })])("shows the bytes of a text as the text", (text) => {
    const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(text));
    expect(drawn(visibleBytes(bytesOf(whole)))).toBe(drawn(visibleText(whole)));
  });

  test.prop([fc.uint8Array()])("never fails", (bytes) => {
    const valid = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const some = visibleBytes(bytes).some(({ kind }) => kind === "byte");
    expect(some).toBe(
      valid.includes("\uFFFD") && !new TextEncoder().encode(valid).every((byte, at) => byte === bytes[at]),
    );
  });
});
