import { describe, expect, it } from "vitest";
import { ParseState } from "./parse-state.ts";

function words(kind: ConstructorParameters<typeof ParseState>[0], fragments: readonly string[]): string[] {
  const state = new ParseState(kind);
  return fragments.map((fragment) => state.feed(fragment).word);
}

describe("ParseState", () => {
  it("says what JSON.parse would do with the text so far", () => {
    expect(words("function", ["", '{"a"', ":1", "}", " "])).toEqual(["fails", "fails", "fails", "parses", "parses"]);
  });

  it("says where the text broke, once", () => {
    const state = new ParseState("function");
    expect(state.feed('{"a":')).toMatchObject({ word: "fails", fault: undefined });
    expect(state.feed(' x"}')).toMatchObject({ word: "broken", offset: 1, fault: { offset: 6 } });
    expect(state.feed("}")).toMatchObject({ word: "broken", fault: undefined });
  });

  it("begins anew when the vendor replaces the text", () => {
    const state = new ParseState("function");
    state.feed("x");
    state.reset();
    expect(state.feed("{}").word).toBe("parses");
  });

  it("does not parse free text", () => {
    expect(words("custom", ['{"a"', "select"])).toEqual(["text", "text"]);
  });

  it("sees from the first character what a vendor's own tool takes", () => {
    expect(words("server", ["import math", "\n"])).toEqual(["text", "text"]);
    expect(words("builtin", [" ", '{"type"', ':"x"}'])).toEqual(["fails", "fails", "parses"]);
  });
});
