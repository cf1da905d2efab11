import { describe, expect, it } from "vitest";
import { Slicer } from "./slicer.ts";

function pieces(size: number | undefined, chunks: readonly string[]): string[] {
  const slicer = new Slicer(size);
  const out = chunks.flatMap((chunk) => [...slicer.push(Buffer.from(chunk))]);
  return [...out, ...slicer.end()].map((piece) => Buffer.from(piece).toString());
}

describe("Slicer", () => {
  it("leaves the pieces as they come without a size", () => {
    expect(pieces(undefined, ["abc", "d"])).toEqual(["abc", "d"]);
  });

  it("cuts chunks up", () => {
    expect(pieces(2, ["abcde"])).toEqual(["ab", "cd", "e"]);
  });

  it("joins chunks that are smaller", () => {
    expect(pieces(4, ["a", "b", "c", "d", "e", "f"])).toEqual(["abcd", "ef"]);
    expect(pieces(3, ["ab", "cdefg", ""])).toEqual(["abc", "def", "g"]);
  });

  it("ends with nothing where nothing is left", () => {
    expect(pieces(2, ["ab"])).toEqual(["ab"]);
    expect(pieces(2, [])).toEqual([]);
  });
});
