import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { JsonScanner } from "unbraid/json";
import { JsonMask, maskProse, maskText, Renaming } from "./mask.ts";

function masked(...fragments: readonly string[]): string {
  const mask = new JsonMask();
  return fragments.map((each) => mask.feed(each)).join("");
}

function state(text: string): string {
  const scanner = new JsonScanner();
  scanner.feed(text);
  return `${scanner.state} ${scanner.fault?.code} ${scanner.fault?.offset}`;
}

describe("the mask of a JSON text", () => {
  it.each([
    ['{"city":"Oslo","days":30}', '{"xxxx":"xxxx","xxxx":11}'],
    [String.raw`{"a":"q\"r\n\u00e9"}`, String.raw`{"x":"x\"x\n\u0078"}`],
    ["[true, null, -1.5e3, True]", "[true, null, -1.1e1, True]"],
    ['{"a": "one', '{"x": "xxx'],
  ])("%s", (text, mask) => {
    expect(masked(text)).toBe(mask);
  });

  test.prop([fc.json(), fc.array(fc.nat(300), { maxLength: 5 })])(
    "is the same however the text is cut",
    (text, cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const fragments = places.slice(1).map((end, at) => text.slice(places[at], end));
      // A fragment that begins like an object begins anew only outside of a string: JSON text has none in its middle.
      const outside = fragments.slice(1).some((each) => /^\s*[{[]/.test(each));
      if (!outside) expect(masked(...fragments)).toBe(masked(text));
    },
  );

  test.prop([fc.json(), fc.nat(200), fc.string({ maxLength: 3 })])(
    "is as wrong as the text, in the same place",
    (text, at, junk) => {
      const broken = text.slice(0, at) + junk.replaceAll(/[\p{L}\p{N}\p{M}\\"]/gu, "x") + text.slice(at);
      expect(state(masked(broken))).toBe(state(broken));
    },
  );

  test.prop([fc.record({ name: fc.stringMatching(/^[a-wyz]{4,}$/), secret: fc.stringMatching(/^[a-wyzA-W]{6,}$/) })])(
    "holds no word of it",
    (value) => {
      expect(masked(JSON.stringify(value))).not.toMatch(/[a-wyzA-W]/);
    },
  );
});

describe("the masks of text", () => {
  it("take letters and digits", () => {
    expect(maskText("Ann, 42 années")).toBe("Xxx, 11 xxxxxx");
    expect(maskText(String.raw`a\nb é`)).toBe(String.raw`x\nx \u0078`.replace(String.raw`\u0078`, "x"));
  });

  it("leave markup, where it is needed", () => {
    expect(maskProse('Hi <tool_call>{"name": "get_it", "arguments": {"a": true}}</tool_call>')).toBe(
      'Xx <tool_call>{"name": "xxx_xx", "arguments": {"x": true}}</tool_call>',
    );
  });

  it("name the same the same", () => {
    const ids = new Renaming("id");
    expect([ids.name("a"), ids.name("b"), ids.name("a"), ids.name(""), ids.name("null")]).toEqual([
      "id_1",
      "id_2",
      "id_1",
      "",
      "null",
    ]);
  });
});
