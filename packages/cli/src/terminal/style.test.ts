import { describe, expect, it } from "vitest";
import { styleOf, wantsColour } from "./style.ts";

describe("wantsColour", () => {
  const choice = { flag: undefined, env: {}, terminal: true };

  it.each([
    ["a terminal", choice, true],
    ["a pipe", { ...choice, terminal: false }, false],
    ["a dumb terminal", { ...choice, env: { TERM: "dumb" } }, false],
    ["NO_COLOR", { ...choice, env: { NO_COLOR: "1" } }, false],
    ["an empty NO_COLOR, which says nothing", { ...choice, env: { NO_COLOR: "" } }, true],
    ["FORCE_COLOR in a pipe", { ...choice, terminal: false, env: { FORCE_COLOR: "1" } }, true],
    ["FORCE_COLOR=0", { ...choice, env: { FORCE_COLOR: "0" } }, false],
    ["FORCE_COLOR against NO_COLOR, as in Node", { ...choice, env: { FORCE_COLOR: "1", NO_COLOR: "1" } }, true],
    ["--no-color against all", { flag: false, env: { FORCE_COLOR: "1" }, terminal: true }, false],
    ["--color against all", { flag: true, env: { NO_COLOR: "1" }, terminal: false }, true],
  ])("%s", (_, given, expected) => {
    expect(wantsColour(given)).toBe(expected);
  });
});

describe("styleOf", () => {
  it("writes nothing of its own without colour", () => {
    const style = styleOf(false);
    expect(style.bold(style.red("a")) + style.call(3)("b") + style.odd("c")).toBe("abc");
  });

  it("gives calls colours in turn", () => {
    const style = styleOf(true);
    expect(style.call(0)("a")).not.toBe(style.call(1)("a"));
    expect(style.call(0)("a")).toBe(style.call(6)("a"));
    expect(style.call(0)("")).toBe("");
  });
});
