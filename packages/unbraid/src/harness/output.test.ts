import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { contentOf } from "./output.ts";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("contentOf", () => {
  test.each<[string, unknown, unknown]>([
    ["text", "18 °C", text("18 °C")],
    ["empty text", "", text("")],
    ["nothing", undefined, text("")],
    ["null", null, text("null")],
    ["a number", 18, text("18")],
    ["a bigint", 12345678901234567890n, text("12345678901234567890")],
    ["an object", { celsius: 18, wind: undefined }, text('{"celsius":18}')],
    ["a list", [1, "b"], text('[1,"b"]')],
    ["an empty list", [], text("[]")],
    ["a list that is only partly parts", [{ type: "text", text: "a" }, 1], text('[{"type":"text","text":"a"},1]')],
    ["an object with content of its own", { content: "x" }, text('{"content":"x"}')],
    ["an object with a list of its own", { content: [1] }, text('{"content":[1]}')],
    [
      "parts",
      [
        { type: "text", text: "a" },
        { type: "image", mediaType: "image/png", data: "AAAA" },
      ],
      {
        content: [
          { type: "text", text: "a" },
          { type: "image", mediaType: "image/png", data: "AAAA" },
        ],
      },
    ],
    [
      "parts with an error",
      { content: [{ type: "text", text: "no" }], isError: true },
      { ...text("no"), isError: true },
    ],
    ["parts without an error", { content: [{ type: "text", text: "yes" }], isError: false }, text("yes")],
    [
      "a file by its address",
      [{ type: "file", mediaType: "application/pdf", url: "https://example.org/a.pdf", name: "a.pdf" }],
      {
        content: [{ type: "file", mediaType: "application/pdf", url: "https://example.org/a.pdf", name: "a.pdf" }],
      },
    ],
    ["a half pair of surrogates", "a\ud800b", text("a\uFFFDb")],
  ])("%s", (_, output, result) => {
    expect(contentOf(output)).toEqual(result);
  });

  test("a CallToolResult of MCP", () => {
    const output = {
      content: [
        { type: "text", text: "a", annotations: { audience: ["user"] } },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "audio", data: "BBBB", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "of a resource" } },
        { type: "resource", resource: { uri: "file:///b.bin", mimeType: "application/x", blob: "CCCC" } },
        { type: "resource", resource: { uri: "file:///c" } },
        { type: "resource_link", uri: "file:///d", name: "d" },
      ],
      structuredContent: { a: 1 },
      isError: true,
    };
    expect(contentOf(output)).toEqual({
      content: [
        { type: "text", text: "a" },
        { type: "image", mediaType: "image/png", data: "AAAA" },
        { type: "file", mediaType: "audio/wav", data: "BBBB" },
        { type: "text", text: "of a resource" },
        { type: "file", mediaType: "application/x", data: "CCCC", name: "file:///b.bin" },
        { type: "text", text: '{"uri":"file:///c"}' },
        { type: "text", text: "d: file:///d" },
      ],
      isError: true,
    });
    expect(contentOf({ content: [], structuredContent: { a: 1 } })).toEqual(text('{"a":1}'));
    expect(contentOf({ content: [] })).toEqual(text(""));
  });

  test.each<[string, unknown]>([
    ["text that is no text", [{ type: "text", text: 3 }]],
    ["an image without anything", [{ type: "image", mediaType: "image/png" }]],
    ["an image of no type", [{ type: "image", mediaType: 3, data: "AAAA" }]],
    ["a resource without anything", [{ type: "resource" }]],
  ])("a part that is none is shown as JSON: %s", (_, output) => {
    const { content } = contentOf(output);
    expect(content).toEqual([{ type: "text", text: JSON.stringify((output as unknown[])[0]) }]);
  });
});

describe("bounds", () => {
  test("text is cut with a notice", () => {
    expect(contentOf("x".repeat(1_000), { maxTextLength: 10 }).content).toEqual([
      { type: "text", text: "xxxxxxxxxx" },
      { type: "text", text: "[The result was cut: 10 of 1000 characters are shown. Ask for less at a time.]" },
    ]);
    expect(contentOf(["a".repeat(100)], { maxTextLength: 10 }).content).toMatchObject([
      { text: '["aaaaaaaa' },
      { text: "[The result was cut: 10 of more characters are shown. Ask for less at a time.]" },
    ]);
    expect(contentOf("😀😀", { maxTextLength: 3 }).content[0]).toEqual({ type: "text", text: "😀" });
  });

  test("what fits exactly is not cut", () => {
    expect(contentOf("xxxxx", { maxTextLength: 5 })).toEqual(text("xxxxx"));
    expect(contentOf([1, 2], { maxTextLength: 5 })).toEqual(text("[1,2]"));
  });

  test("all parts share one bound", () => {
    const { content } = contentOf(
      [
        { type: "text", text: "abc" },
        { type: "text", text: "defg" },
        { type: "text", text: "h" },
      ],
      { maxTextLength: 5 },
    );
    expect(content).toMatchObject([
      { text: "abc" },
      { text: "de" },
      { text: expect.stringContaining("5 of 8") as string },
    ]);
  });

  test("images are taken whole or not at all", () => {
    const image = (data: string) => ({ type: "image", mediaType: "image/png", data });
    const { content } = contentOf([image("AAAA"), image("BBBBBBBB"), image("CC")], { maxMediaLength: 8 });
    expect(content).toMatchObject([
      { data: "AAAA" },
      { text: "[image/png of 8 characters left out: that is more than is taken of one result]" },
      { data: "CC" },
    ]);
  });

  test("so is their number", () => {
    const { content } = contentOf(Array.from({ length: 5_000 }, () => ({ type: "text", text: "" })));
    expect(content).toHaveLength(101);
    expect(content[100]).toMatchObject({ text: "[4900 further parts were left out.]" });
  });

  test("huge values cost no more than what is taken", () => {
    const start = performance.now();
    const { content } = contentOf({ list: Array.from({ length: 2_000_000 }, (_, at) => at) });
    expect(JSON.stringify(content).length).toBeLessThan(101_000);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test.prop([
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withNullPrototype: true,
    }),
  ])("any value becomes content that is plain JSON", (output) => {
    const result = contentOf(output, { maxTextLength: 200 });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(result.content.length).toBeGreaterThan(0);
  });

  test("a value that throws when it is looked at becomes words", () => {
    const thrower = (): never => {
      throw new Error("no");
    };
    const broken = new Proxy([], { get: thrower, getOwnPropertyDescriptor: thrower });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const output of [
      broken,
      proxy,
      [
        {
          get type() {
            return thrower();
          },
        },
      ],
      {
        get content() {
          return thrower();
        },
      },
    ])
      expect(contentOf(output).content).toMatchObject([{ type: "text" }]);
  });
});
