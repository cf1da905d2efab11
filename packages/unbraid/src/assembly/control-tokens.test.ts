import { describe, expect, test } from "vitest";
import { cutName, isResidue } from "./control-tokens.ts";

describe("residue is control tokens and white space", () => {
  test.each([
    "<|im_end|>",
    "<|tool_calls_section_end|>",
    "<｜tool▁calls▁end｜>",
    "</tool_call>",
    "</tool_call>\n</tool_calls> <|eot_id|>",
    "\n</function>\n</tool_call>",
    "</invoke></function_calls>",
    "[/TOOL_CALLS]",
    "</s>",
    "<end_of_turn>",
    "<tool_call|>",
    // cut by the end of the stream
    "<",
    "<|",
    "<|im_e",
    "<|im_end|",
    "</tool",
    "</tool_call>\n<|im",
    "<｜tool",
  ])("%j", (text) => {
    expect(isResidue(text)).toBe(true);
  });

  test.each([
    "",
    " ",
    "\n",
    "x",
    "}",
    "<b>",
    "</b>",
    "<tool_call>",
    "<|im_end|>x",
    "x<|im_end|>",
    "<|a{b|>",
    "<||>x",
    "</tool_call> and",
    "<|" + "a".repeat(200),
    "[1]",
    "[",
    "//",
    "{}",
  ])("%j is none", (text) => {
    expect(isResidue(text)).toBe(false);
  });

  test("the time grows with the text", () => {
    expect(isResidue("<|".repeat(50_000))).toBe(false);
    expect(isResidue("</tool_call>".repeat(20_000))).toBe(true);
    expect(isResidue(`${" ".repeat(200_000)}x`)).toBe(false);
  });
});

describe("a name ends where a token begins", () => {
  test.each([
    ["f<|channel|>x", "f"],
    ["f<｜x｜>", "f"],
    [" f ", "f"],
    ["<|x|>f", ""],
    ["a<b", "a<b"],
    ["f|x", "f|x"],
  ])("%j", (name, cut) => {
    expect(cutName(name)).toBe(cut);
  });
});
