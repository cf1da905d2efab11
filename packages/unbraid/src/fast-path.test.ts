// The fast path says what the parser says: every body that we have, whole and cut, mutated, and made for it.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createReader } from "./any-wire.ts";
import { eventsOf, expectSame, mutate, numbers } from "./fast-path.test-kit.ts";
import { TRIAL } from "./fast-path.ts";
import type { ProtocolName } from "./protocols/protocol.ts";
import { FrameTemplate } from "./templates/frame-template.ts";

const root = new URL("../../../", import.meta.url).pathname;
const NAMES: readonly ProtocolName[] = ["openai-chat", "openai-responses", "anthropic"];

interface Body {
  readonly name: string;
  readonly protocol: ProtocolName;
  readonly bytes: Uint8Array;
}

function bodiesIn(folder: string): Body[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name): Body[] => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return bodiesIn(path);
    const protocol = NAMES.find((each) => name.includes(`.${each}.`) || folder.endsWith(`/${each}`));
    if (protocol === undefined || !/\.(?:sse|body|ndjson|txt)$/.test(name)) return [];
    return [{ name, protocol, bytes: readFileSync(path) }];
  });
}

const bodies = [
  ...bodiesIn(join(root, "conformance")),
  ...bodiesIn(join(root, "packages/unbraid/src/protocols/fixtures")),
  ...bodiesIn(join(root, "../shared/conformance/corpus")),
];

const PIECES = ['{"a', '":"', "b\\", "n", "é", "😀 ", '\\"', "c, d", "", "\\u00e9", '","x":[1', ",2]}"];

/** Two calls side by side, a piece of text between them now and then, in the frames of one vendor. */
function twoCalls(protocol: ProtocolName, lineEnd: string): string {
  const frames: string[] = [];
  let sequence = 0;
  const send = (event: Record<string, unknown>, pad = ""): void => {
    const name = protocol === "openai-chat" ? "" : `event: ${String(event["type"])}${lineEnd}`;
    frames.push(`${name}data: ${JSON.stringify(event).slice(0, -1)}${pad}}${lineEnd}${lineEnd}`);
  };
  const makers: Partial<Record<ProtocolName, (call: number, text: string | undefined) => void>> = {
    "openai-chat": (call, text) =>
      send({
        id: "r1",
        object: "chat.completion.chunk",
        created: 1795000000 + Math.floor(frames.length / 9),
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [
                text === undefined
                  ? { index: call, id: `c${call}`, type: "function", function: { name: "f", arguments: "" } }
                  : { index: call, function: { arguments: text } },
              ],
            },
            finish_reason: null,
          },
        ],
        obfuscation: "abcdefgh".slice(frames.length % 8),
      }),
    "openai-responses": (call, text) =>
      text === undefined
        ? send({
            type: "response.output_item.added",
            output_index: call,
            item: { id: `i${call}`, type: "function_call", call_id: `c${call}`, name: "f", arguments: "" },
            sequence_number: sequence++,
          })
        : send({
            type: "response.function_call_arguments.delta",
            item_id: `i${call}`,
            output_index: call,
            delta: text,
            sequence_number: sequence++,
          }),
    anthropic: (call, text) =>
      text === undefined
        ? send({
            type: "content_block_start",
            index: call,
            content_block: { type: "tool_use", id: `c${call}`, name: "f", input: {} },
          })
        : send(
            { type: "content_block_delta", index: call, delta: { type: "input_json_delta", partial_json: text } },
            " ".repeat(frames.length % 5),
          ),
  };
  const say = makers[protocol];
  for (const call of [0, 1]) say?.(call, undefined);
  for (let turn = 0; turn < 12; turn++)
    for (const call of [0, 1]) {
      say?.(call, PIECES[turn]);
      if (turn % 5 === 4) send({ type: "ping", choices: [{ index: 0, delta: { content: "text" } }] });
    }
  return frames.join("");
}

describe("the fast path and the parser say the same", () => {
  test("of every body, whole and in pieces", () => {
    expect(bodies.length).toBeGreaterThan(150);
    for (const { protocol, bytes } of bodies) {
      expectSame(protocol, bytes, bytes.length || 1);
      expectSame(protocol, bytes, 61);
      expectSame(protocol, bytes, 1460, 333);
    }
  });

  test("of bodies that were broken in every way", () => {
    const random = numbers(7);
    for (const { protocol, bytes } of bodies) {
      if (bytes.length > 20_000) continue;
      const text = new TextDecoder().decode(bytes);
      for (let turn = 0; turn < 4; turn++)
        expectSame(protocol, new TextEncoder().encode(mutate(text, random)), 50 + random(1000));
    }
  });

  test.each(NAMES.flatMap((name) => ["\n", "\r\n"].map((lineEnd) => [name, lineEnd] as const)))(
    "of long streams of %s with lines that end in %j, broken in every way",
    (protocol, lineEnd) => {
      const text = twoCalls(protocol, lineEnd);
      const random = numbers(11);
      const encoder = new TextEncoder();
      expectSame(protocol, encoder.encode(text), 1 << 20);
      for (let size = 1; size < 500; size += 7) expectSame(protocol, encoder.encode(text), size);
      for (let turn = 0; turn < 150; turn++)
        expectSame(protocol, encoder.encode(mutate(text, random)), 1 + random(700), 1 + random(700));
    },
  );

  const chat = (id: string, delta: object, choice = 0): string =>
    `data: ${JSON.stringify({ id, choices: [{ index: choice, delta, finish_reason: null }] })}\n\n`;
  const piece = (id: string, text: string, choice = 0): string =>
    chat(id, { tool_calls: [{ index: 0, function: { arguments: text } }] }, choice);
  const header = (id: string): string =>
    chat(id, {
      tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: { name: "f", arguments: "" } }],
    });
  const named = (type: string, rest: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const block = (index: number): string =>
    named("content_block_start", { index, content_block: { type: "tool_use", id: `t${index}`, name: "f", input: {} } });
  const json = (text: string): string =>
    named("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: text } });
  const event = (type: string, sequence: number, rest: object): string =>
    named(`response.${type}`, { ...rest, sequence_number: sequence });
  const argument = (sequence: number, delta: string): string =>
    event("function_call_arguments.delta", sequence, { item_id: "i", output_index: 0, delta });
  const item = { id: "i", type: "function_call", call_id: "c", name: "f", arguments: "" };
  const five = ['{"a":', "[", "1", ",2", ",3"];

  test.each<readonly [string, ProtocolName, readonly string[]]>([
    [
      "a gateway begins anew under another id, and the first one goes on",
      "openai-chat",
      [
        header("A"),
        ...five.map((text) => piece("A", text)),
        chat("B", { role: "assistant", content: "" }),
        ...five.map((text) => piece("A", text)),
        header("B"),
        ...five.map((text) => piece("B", text)),
        chat("A", { role: "assistant", content: "" }),
        ...five.map((text) => piece("B", text)),
      ],
    ],
    [
      "a gateway begins anew without a name, and takes that of the next fragment",
      "openai-chat",
      [
        header("A"),
        ...five.map((text) => piece("A", text)),
        chat("null", { role: "assistant", content: "" }),
        ...five.map((text) => piece("A", text)),
      ],
    ],
    [
      "a choice is forgotten by that, goes on, and comes whole",
      "openai-chat",
      [
        header("A"),
        ...five.map((text) => piece("A", text, 1)),
        chat("B", { role: "assistant", content: "" }),
        ...five.map((text) => piece("A", text, 1)),
        'data: {"id":"A","choices":[{"index":1,"message":{"content":"text"}}]}\n\n',
      ],
    ],
    [
      "fragments with and without an index take turns",
      "openai-responses",
      [
        event("output_item.added", 0, { output_index: 0, item }),
        event("output_item.added", 1, { output_index: 1, item: { ...item, id: "j", call_id: "d" } }),
        ...[...five, ...five].flatMap((text, at) => [
          argument(2 * at + 2, text),
          event("function_call_arguments.delta", 2 * at + 3, { item_id: "j", delta: text }),
        ]),
      ],
    ],
    [
      "a message begins with content while a call is open",
      "anthropic",
      [
        named("message_start", { message: { id: "m", content: [] } }),
        block(0),
        ...five.map(json),
        named("message_start", {
          message: { id: "n", content: [{ type: "tool_use", id: "x", name: "g", input: {} }] },
        }),
        ...five.map(json),
        named("message_delta", { delta: { stop_reason: "tool_use" } }),
        named("message_stop", {}),
      ],
    ],
    [
      "events are sent again, and other ones under their numbers",
      "openai-responses",
      [
        event("output_item.added", 0, { output_index: 0, item }),
        ...five.map((text, at) => argument(at + 1, text)),
        ...five.map((text, at) => argument(at + 1, text)),
        argument(6, ",4"),
        argument(7, ",5"),
        argument(3, ",6"),
        argument(4, ",7"),
      ],
    ],
    [
      "lanes begin behind a first response",
      "openai-responses",
      [
        event("output_item.added", 0, { output_index: 0, item }),
        ...five.map((text, at) => argument(at + 1, text)),
        event("created", 6, { stream_id: "s", response: { id: "r" } }),
        ...five.map((text, at) => argument(at + 7, text)),
      ],
    ],
  ])("where a frame between changes what a fragment means: %s", (_, protocol, frames) => {
    const bytes = new TextEncoder().encode(frames.join(""));
    for (const size of [bytes.length, 1000, 200, 77]) expectSame(protocol, bytes, size);
    expect(
      eventsOf(
        protocol,
        bytes,
        frames.map((frame) => frame.length),
        true,
      ),
    ).toEqual(eventsOf(protocol, bytes, [bytes.length], false));
  });

  test("of bytes that are no UTF-8", () => {
    const random = numbers(3);
    for (const protocol of NAMES) {
      for (let turn = 0; turn < 200; turn++) {
        const bytes = new TextEncoder().encode(twoCalls(protocol, "\n"));
        for (let times = 0; times < 3; times++) bytes[random(bytes.length)] = random(256);
        expectSame(protocol, bytes, 200 + random(700));
      }
    }
  });
});

/** Reads frames one by one and counts those that were parsed. */
function parsedIn(protocol: ProtocolName, frames: readonly string[]): number {
  const parse = vi.spyOn(JSON, "parse");
  try {
    const reader = createReader({ protocol });
    for (const frame of frames) reader.push(frame);
    // Making a template parses keys, too.
    return parse.mock.calls.filter(([text]) => text.startsWith("{")).length;
  } finally {
    parse.mockRestore();
  }
}

/** The frames of a body, each with its end. */
const framesOf = (text: string): string[] => text.split(/(?<=\n\n)/);

describe("what it costs", () => {
  const fragment = (text: string, index: number, more = ""): string =>
    `data: {"id":"r","choices":[{"index":0,"delta":{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(text)}}}]},"finish_reason":null}]${more}}\n\n`;
  const many = (frame: (turn: number) => string, count = 400): string[] =>
    Array.from({ length: count }, (_, turn) => frame(turn));

  test.each(NAMES)(
    "hardly any fragment of %s is parsed, also where calls and kinds of frames take turns",
    (protocol) => {
      const opening = framesOf(twoCalls(protocol, "\n"));
      const fragments = opening.slice(2).filter((frame) => !frame.includes("ping"));
      const others = opening.filter((frame) => frame.includes("ping")).slice(0, 1);
      const frames = [
        ...opening.slice(0, 2),
        ...many((turn) => (turn % 20 === 19 ? others : fragments)[turn % 20] ?? others[0] ?? ""),
      ];
      const numbered = frames.map((frame, at) => frame.replace(/"sequence_number":\d+/, `"sequence_number":${at}`));
      expect(parsedIn(protocol, numbered)).toBeLessThan(2 + 20 + 8 + 20);
    },
  );

  test("templates are kept over other frames, so that short calls are worth it", () => {
    const text = 'data: {"id":"r","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n';
    const frames = many((turn) => (turn % 3 === 0 ? text : fragment("1", 0)), 300);
    expect(parsedIn("openai-chat", frames)).toBeLessThan(100 + 12);
  });

  test("frames that nearly match are compared a few times and parsed once", () => {
    const match = vi.spyOn(FrameTemplate.prototype, "match");
    const make = vi.spyOn(FrameTemplate, "from");
    const frames = many((turn) => fragment("x", 0, `,"service_tier":"${turn}"`), 1000);
    expect(parsedIn("openai-chat", frames)).toBeLessThan(1000 + 2 * TRIAL + 10);
    expect(make.mock.calls.length).toBeLessThanOrEqual(TRIAL);
    expect(match.mock.calls.length).toBeLessThan(TRIAL * 12);
  });

  test("a stream without fragments is not looked at event by event", () => {
    const match = vi.spyOn(FrameTemplate.prototype, "match");
    const text = 'data: {"id":"r","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n';
    const calls = many(() => fragment("1", 0), 20);
    parsedIn("openai-chat", [...calls, ...many(() => text, 1000)]);
    expect(match.mock.calls.length).toBeLessThan(100);
  });

  test("bytes are looked at a few times, whatever the pieces that they come in", () => {
    const body = many((turn) => fragment(`${turn}`, 0)).join("");
    for (const size of [1, 7, 100, 1460, 65_536]) {
      const match = vi.spyOn(FrameTemplate.prototype, "match");
      const reader = createReader({ protocol: "openai-chat" });
      for (let at = 0; at < body.length; at += size) reader.push(body.slice(at, at + size));
      expect(match.mock.calls.length / 400).toBeLessThan(size < 100 ? 8 : 2.5);
      match.mockRestore();
    }
  });

  test("it can be turned off", () => {
    const match = vi.spyOn(FrameTemplate.prototype, "match");
    const reader = createReader({ protocol: "openai-chat", fastPath: false });
    for (const frame of many(() => fragment("1", 0))) reader.push(frame);
    expect(match).not.toHaveBeenCalled();
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });
});
