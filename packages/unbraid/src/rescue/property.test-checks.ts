// Random text with pieces of markup in it: what holds no call comes out as it went in, nothing late, the same for every
// way of cutting it; and a declared call in it is found. property.test.ts tries hundreds, property.long.test.ts many more.

import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { openaiChat } from "../protocols/openai-chat.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import { END_TOKENS, FORMS, SPANS } from "./forms.ts";
import { rescue } from "./index.ts";
import { answer, ask, type Asking, chunk, piecesOf } from "./rescue.test-kit.ts";
import { spaced, WRITERS } from "./writers.test-kit.ts";

/** No fragment begins with these letters, so that no name in the text can become this one. */
const TOOLS = [{ name: "Zylophon", parameters: { type: "object", properties: { a: { type: "string" } } } }];

const literals = [
  ...FORMS.flatMap(({ lead, open, closers }) => [...(lead ?? []), ...open, ...closers]),
  ...SPANS.flatMap(({ open, close }) => [...open, ...close]),
  ...END_TOKENS,
].filter(
  (word, at, all) =>
    all.indexOf(word) === at &&
    !/^<think>|^\[THINK\]|thought$|analysis<|START_|<\|open\|>(think|response)|final<|message\|>$|commentary</.test(
      word,
    ),
);

const words = fc.constantFrom(
  ...["a", "b ", "name", "get_weather", "functions.", " to=", "json", "call:", "1", "true", "é", "東", "😀", "\ud83d"],
  ...["\n", "\n\n", " ", "\t", "\r\n", "`", "``", "```", "~~~", '"', "'", "“", "”", ">", "\\"],
  ...["{", "}", "[", "]", "(", ")", "<", "</", "|", "|>", "<|", ":", ",", ";", "=", '{"', '":', '"name": "'],
  ...['{"name": "other", "arguments": {}}', "<parameter=x>", "<arg_key>k</arg_key>", "other(a=1)", '="x">'],
);
const fragment = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 2, arbitrary: fc.constantFrom(...literals) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...literals), fc.nat(40)).map(([word, length]) => word.slice(0, 1 + length)),
  },
);
/** White space at the very beginning belongs to markup that may follow. */
const text = fc.array(fragment, { maxLength: 30 }).map((pieces) => `x${pieces.join("")}`);

/** The text that came out, with what was dropped at the end because it was cut. */
function outOf(got: ReturnType<typeof ask>): string {
  const cut = got.notices.find(({ code }) => code === "rescue-cut");
  return got.text + (cut?.dropped?.argumentsText ?? "");
}

const asking: Asking = { tools: TOOLS };

/** Pieces that make calls, whole and broken, and everything between. */
const calling = fc.array(
  fc.oneof(
    fragment,
    fc.constantFrom(
      ...[
        "Zylophon",
        "Zylo",
        "functions.Zylophon:0",
        "other",
        '{"name": "Zylophon", "arguments": ',
        '{"a": "x"}',
        '"a": "',
      ],
      ...[
        "<function=Zylophon>",
        "<parameter=a>",
        "</parameter>",
        "</function>",
        "Zylophon(",
        "a='x'",
        '{a:<|"|>',
        "<think>",
      ],
      ...[
        "<arg_key>a</arg_key>",
        "<arg_value>",
        "</arg_value>",
        '<invoke name="Zylophon">',
        '<parameter name="a">',
        "</think>",
      ],
    ),
    fc.constantFrom(...WRITERS).map((writer) => writer.write([{ name: "Zylophon", args: { a: "v" } }])),
  ),
  { maxLength: 12 },
);

/** Registers all properties, each with some hundred or thousand runs. */
export function checkProperties(runs: number): void {
  property.prop([text], { numRuns: 2 * runs })("text without a declared call comes out unchanged", (body) => {
    const got = ask(body, asking);
    expect(got.calls).toEqual([]);
    expect(got.reasoning).toBe("");
    expect(outOf(got)).toBe(body);
  });

  property.prop([text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 })], { numRuns: runs })(
    "the same however it is cut",
    (body, lengths) => {
      const pieces: string[] = [];
      for (let at = 0, i = 0; at < body.length; i++) {
        const length = lengths[i % lengths.length] ?? 1;
        pieces.push(body.slice(at, at + length));
        at += length;
      }
      expect(answer(pieces, asking).timeline).toEqual(ask(body, asking).timeline);
    },
  );

  property.prop([text, fc.constantFrom("content", "reasoning_content" as const)], { numRuns: runs })(
    "nothing is late by more than a marker",
    (body, field) => {
      const stream = new TolerantReader(openaiChat, { tools: TOOLS, rescue });
      const longest = Math.max(...literals.map(({ length }) => length));
      let out = 0;
      for (let at = 0; at < body.length; at++) {
        for (const event of stream.push(chunk({ [field]: body.charAt(at) })))
          if (event.type === "text" || event.type === "reasoning") out += event.text.length;
        // A literal, the name or key behind it, and the white space between.
        expect(at + 1 - out).toBeLessThanOrEqual(longest + 2 * 64 + 256);
      }
    },
  );

  property.prop([text, fc.constantFrom(...WRITERS.filter(({ wholeMessage }) => !wholeMessage)), fc.string()], {
    numRuns: runs,
  })("a declared call on a line of its own is found, and only the text around it is left", (before, writer, value) => {
    fc.pre(!(writer.cannotHold ?? []).some((word) => value.includes(word)));
    fc.pre(!/[<[\]]/.test(value));
    const content = value.trim() === value ? value : `${value}.`;
    const plain = `${before.replace(/[`~>"'“„‘«「『<[\]{|]/g, "")}\n\n`;
    const got = ask(`${plain}${writer.write([{ name: "Zylophon", args: { a: content } }])}`, asking);
    expect(got.calls.map((call) => [call.name, call.arguments, call.status])).toEqual([
      ["Zylophon", { a: content }, "complete"],
    ]);
    expect(got.text).toBe(plain);
  });

  property.prop([fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 1, max: 20 })], { numRuns: runs })(
    "any JSON comes through byte for byte",
    (value, length) => {
      const args = spaced({ a: value });
      const body = `<tool_call>\n{"name": "Zylophon", "arguments": ${args}}\n</tool_call>`;
      const got = answer(piecesOf(body, length), asking);
      expect(got.calls.map(({ argumentsText, status }) => [argumentsText, status])).toEqual([[args, "complete"]]);
    },
  );

  property.prop([calling, fc.integer({ min: 1, max: 12 }), fc.constantFrom("content", "reasoning_content" as const)], {
    numRuns: 2 * runs,
  })("whatever comes, calls are opened, filled and closed once, the same for every cut", (pieces, length, field) => {
    const body = pieces.join("");
    const whole = ask(body, { tools: TOOLS, field });
    const state = new Map<string, string>();
    let filled = "";
    for (const [type, key = "", of = ""] of whole.timeline) {
      if (type === "start") {
        expect(state.has(key)).toBe(false);
        expect(of).toBe("Zylophon");
        filled = "";
      }
      if (type === "append") {
        expect(state.get(key)).not.toBe("close");
        filled += of;
      }
      if (type === "close")
        expect(whole.timeline.find((entry) => entry[0] === type && entry[1] === key)?.[3]).toBe(filled);
      if (type === "start" || type === "append" || type === "close") state.set(key, type);
    }
    expect([...state.values()].every((last) => last === "close")).toBe(true);
    expect(answer(piecesOf(body, length), { tools: TOOLS, field }).timeline).toEqual(whole.timeline);
    expect(answer(piecesOf(body, 1), { tools: TOOLS, field }).timeline).toEqual(whole.timeline);
  });

  test("the fragments hold the beginnings of all forms", () => {
    expect(literals.length).toBeGreaterThan(80);
  });
}
