// Fragments of one call that come together are taken together, and texts that are said again are left out: the events are
// those of the parser, whatever stands in between, and nothing is looked at again and again.

import { afterEach, describe, expect, test, vi } from "vitest";
import { createReader } from "./any-wire.ts";
import { eventsOf, expectSame, mutate, numbers } from "./fast-path.test-kit.ts";
import { JsonScanner } from "./json/scanner.ts";
import type { ProtocolName } from "./protocols/protocol.ts";
import { FrameTemplate } from "./templates/frame-template.ts";

const NAMES: readonly ProtocolName[] = ["openai-chat", "openai-responses", "anthropic"];
const WHOLE = 1 << 20;
const encoder = new TextEncoder();

/** The frames of one vendor for calls, one behind another: headers, fragments, ends. */
class Frames {
  readonly #protocol: ProtocolName;
  #sequence = 0;

  constructor(protocol: ProtocolName) {
    this.#protocol = protocol;
  }

  header(call: number): string {
    const item = { id: `i${call}`, type: "function_call", call_id: `c${call}`, name: "f", arguments: "" };
    if (this.#protocol === "openai-responses") return this.#event("output_item.added", { output_index: call, item });
    if (this.#protocol === "anthropic")
      return this.#named("content_block_start", {
        index: call,
        content_block: { type: "tool_use", id: `c${call}`, name: "f", input: {} },
      });
    return this.#chat({ index: call, id: `c${call}`, type: "function", function: { name: "f", arguments: "" } });
  }

  fragment(call: number, text: string): string {
    if (this.#protocol === "openai-responses")
      return this.#event("function_call_arguments.delta", { item_id: `i${call}`, output_index: call, delta: text });
    if (this.#protocol === "anthropic")
      return this.#named("content_block_delta", {
        index: call,
        delta: { type: "input_json_delta", partial_json: text },
      });
    return this.#chat({ index: call, function: { arguments: text } });
  }

  /** What Responses says of a call when it is over. */
  done(call: number, text: string): string {
    return (
      this.#event("function_call_arguments.done", { item_id: `i${call}`, output_index: call, arguments: text }) +
      this.#event("output_item.done", { output_index: call, item: itemOf(call, text) })
    );
  }

  completed(texts: readonly string[]): string {
    const output = texts.map((text, call) => itemOf(call, text));
    return this.#event("completed", { response: { id: "r", status: "completed", output } });
  }

  #event(type: string, rest: object): string {
    return this.#named(`response.${type}`, { ...rest, sequence_number: this.#sequence++ });
  }

  #named(type: string, rest: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  }

  #chat(call: object): string {
    return `data: ${JSON.stringify({ id: "r", choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] })}\n\n`;
  }
}

function itemOf(call: number, text: string): object {
  const status = "completed";
  return { id: `i${call}`, type: "function_call", status, arguments: text, call_id: `c${call}`, name: "f" };
}

const PIECES = ["b\\\\", "n", "é", "😀 ", '\\"', "c, d", "", "\\u00e9", "{", "}", " ", "0"];

/** An object of one long string, in many small pieces. */
function pieces(count: number): string[] {
  return ['{"a":"', ...Array.from({ length: count }, (_, at) => PIECES[at % PIECES.length] ?? ""), '"}'];
}

/** Calls one behind another, each of these pieces. */
function body(protocol: ProtocolName, calls: readonly (readonly string[])[]): string {
  const frames = new Frames(protocol);
  return calls
    .flatMap((texts, call) => [frames.header(call), ...texts.map((text) => frames.fragment(call, text))])
    .join("");
}

describe.each(NAMES)("fragments that come together, on %s", (protocol) => {
  test.each<readonly [string, readonly (readonly string[])[]]>([
    ["one long call", [pieces(300)]],
    ["several calls", [pieces(40), pieces(50), pieces(30)]],
    ["a value that ends in the middle", [[...pieces(30), " ", "\n", " "]]],
    ["text behind the value", [[...pieces(30), "<|im_end|>", "x", "y"]]],
    ["another object behind the value", [[...pieces(30), ...pieces(30)]]],
    ["the whole text again", [[...pieces(30), pieces(30).join("")]]],
    ["text that is no JSON from the middle on", [['{"a":', "1", ",", "oops", "b", "c", "d", "e"]]],
    ["snapshots", [Array.from({ length: 30 }, (_, at) => `{"a":"${"x".repeat(at)}`)]],
    ["an object in pieces of one character", ['{"a":{"b":[1,2,{"c":"d"}],"e":null},"f":-1.5e3}'.split("")]],
    ["free text where there should be an object", [Array.from({ length: 30 }, () => "word ")]],
    ["a string that holds the object", [JSON.stringify('{"a":1}').split("")]],
    ["halves of characters", [['{"a":"', "\ud83d", "\ude00", "\ud83d", "x", '"}']]],
  ])("are said as if each came alone: %s", (_name, calls) => {
    const text = body(protocol, calls);
    const random = numbers(5);
    expectSame(protocol, encoder.encode(text), WHOLE);
    for (const size of [90, 300, 1460, 5000]) expectSame(protocol, encoder.encode(text), size);
    for (let turn = 0; turn < 40; turn++)
      expectSame(protocol, encoder.encode(mutate(text, random)), 1 + random(3000), 1 + random(3000));
  });

  test("up to a limit", () => {
    const bytes = encoder.encode(body(protocol, [pieces(300)]));
    for (const maxArgumentBytes of [50, 300, 301, 302, 303, 500]) {
      const [fast, slow] = [true, false].map((way) =>
        eventsOf(protocol, bytes, [WHOLE], way, { limits: { maxArgumentBytes } }),
      );
      expect(fast).toEqual(slow);
    }
  });

  test("to those who follow a field, and who look at the value", () => {
    const bytes = encoder.encode(body(protocol, [pieces(100), pieces(60)]));
    const [fast, slow] = [true, false].map((fastPath) => {
      const reader = createReader({ protocol, fastPath });
      const seen: unknown[] = [];
      reader.follow("f", "$.a", (text, { done, call }) => seen.push([text, done, call.key]));
      for (const event of [...reader.push(bytes), ...reader.end()])
        if (event.type === "call.close") seen.push(structuredClone(reader.partial(event.call.key)));
      return seen;
    });
    expect(fast).toEqual(slow);
  });

  test("at the times when they came", () => {
    const bytes = encoder.encode(body(protocol, [pieces(100)]));
    const [fast, slow] = [true, false].map((way) => {
      let now = 0;
      return eventsOf(protocol, bytes, [3000], way, { clock: () => ++now });
    });
    expect(fast).toEqual(slow);
  });

  test("and are read a few times, wherever the value ends", () => {
    const feed = vi.spyOn(JsonScanner.prototype, "feed");
    for (const texts of [pieces(500), [...pieces(400), ...Array.from({ length: 100 }, () => " ")]]) {
      feed.mockClear();
      const reader = createReader({ protocol });
      reader.push(encoder.encode(body(protocol, [texts])));
      const characters = feed.mock.calls.reduce((sum, [text, start = 0, end = text.length]) => sum + end - start, 0);
      expect(characters).toBeLessThan(texts.join("").length * 4);
    }
  });

  test("have a template of their own, which costs no more to match", () => {
    const fixed = vi.spyOn(FrameTemplate.prototype, "fixedTo");
    const match = vi.spyOn(FrameTemplate.prototype, "match");
    createReader({ protocol }).push(encoder.encode(body(protocol, [pieces(200), pieces(200)])));
    expect(fixed).toHaveBeenCalledTimes(2);
    expect(match.mock.calls.length).toBeLessThan(400 + 60);
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });
});

describe("events of Responses that come again between fragments", () => {
  test("are dropped, each with a notice", () => {
    const frames = new Frames("openai-responses");
    const all = [frames.header(0), ...pieces(60).map((text) => frames.fragment(0, text))];
    for (const [from, to] of [
      [10, 20],
      [2, 3],
      [5, 40],
      [58, 61],
    ] as const) {
      const text = [...all.slice(0, to), ...all.slice(from, to), ...all.slice(to)].join("");
      for (const size of [WHOLE, 1000, 400]) expectSame("openai-responses", encoder.encode(text), size);
    }
  });
});

describe("arguments that Responses says again", () => {
  const texts = [0, 1, 2].map((call) => {
    const content = `Die Länge der "Zeile" ist ${call};\n\t海 🎉 \\`.repeat(500);
    return JSON.stringify({ path: `src/${call}.ts`, content });
  });
  const cut = (text: string): string[] => text.match(/[^]{1,40}/g) ?? [];

  function response(finals: readonly string[] = texts): string {
    const frames = new Frames("openai-responses");
    const calls = texts.map(
      (text, call) =>
        frames.header(call) +
        cut(text)
          .map((piece) => frames.fragment(call, piece))
          .join("") +
        frames.done(call, finals[call] ?? ""),
    );
    return calls.join("") + frames.completed(finals);
  }

  /** Characters that were parsed as JSON. */
  function parsedIn(wire: string, size: number): number {
    const parse = vi.spyOn(JSON, "parse");
    try {
      const reader = createReader({ protocol: "openai-responses" });
      const bytes = encoder.encode(wire);
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      reader.end();
      return parse.mock.calls.reduce((sum, [json]) => sum + json.length, 0);
    } finally {
      parse.mockRestore();
    }
  }

  test("are the same events, and are not parsed again", () => {
    const bytes = encoder.encode(response());
    for (const size of [WHOLE, 65_536, 1460, 333]) {
      expectSame("openai-responses", bytes, size);
      // Each call's arguments themselves, once; the frames without them; fragments before the first one is known. Said again,
      // they would be there four times.
      expect(parsedIn(response(), size)).toBeLessThan(texts.join("").length * 1.8);
    }
  });

  test("and are parsed where they are others", () => {
    for (const change of [
      (text: string) => `${text} `,
      (text: string) => text.slice(0, -1),
      (text: string) => text.replace("海", "河"),
      () => "",
      () => "{}",
    ]) {
      const bytes = encoder.encode(response(texts.map(change)));
      for (const size of [WHOLE, 1460]) expectSame("openai-responses", bytes, size);
    }
  });

  test("in bodies that are broken in every way", () => {
    const random = numbers(17);
    for (let turn = 0; turn < 60; turn++)
      expectSame("openai-responses", encoder.encode(mutate(response(), random)), 1 + random(20_000));
  });
});
