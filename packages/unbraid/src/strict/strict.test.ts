// The face of the strict readers, their limits, and bodies at random.

import { describe, expect, test } from "vitest";
import { createReader, read as readAny } from "../any-wire.ts";
import { fastPath } from "../parts/fast-path.ts";
import { liveValues } from "../parts/live-values.ts";
import { repair } from "../parts/repair.ts";
import { rescue } from "../rescue/index.ts";
import { DRAWN } from "./drawn.test-kit.ts";
import { checkBroken, checkDrawn } from "./strict.test-checks.ts";
import type { StreamEvent } from "../events.ts";
import type { ReaderOptions } from "../reader.ts";
import {
  answer,
  block,
  chat,
  data,
  finished,
  fragment,
  header,
  item,
  message,
  responses,
  stop,
} from "./bodies.test-kit.ts";
import { anthropic, collect, openaiChat, openaiResponses, runnable } from "./index.ts";
import { STRICT } from "./strict.test-kit.ts";

describe("limits", () => {
  test("of arguments, calls and choices", () => {
    const code = (limits: ReaderOptions["limits"] & {}, body: string): unknown =>
      answer(openaiChat, body, { limits }).error?.message;
    expect(code({ maxArgumentBytes: 3 }, chat(header(0, "a", "search", '{"é":1}')))).toContain("maxArgumentBytes");
    expect(code({ maxCalls: 1 }, chat(header(0, "a"), header(1, "b")))).toContain("maxCalls");
    const choices = data({
      choices: [0, 1, 2].map((index) => ({ index, delta: { tool_calls: [header(0, String(index))] } })),
    });
    expect(code({ maxCalls: 2 }, choices)).toContain("maxCalls");
    expect(code({ maxResponseBytes: 10 }, finished)).toContain("maxResponseBytes");
  });

  test("of depth, where arguments come as objects: no call runs without them", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const own = block(0, "a").replace('"input":{}', `"input":{"q":${deep}}`);
    const last = responses(
      ["output_item.added", { output_index: 0, item: item("a", "") }],
      ["function_call_arguments.delta", { output_index: 0, delta: '{"q":1}' }],
      ["output_item.done", { output_index: 0, item: item("a", "DEEP") }],
    ).replace('"DEEP"', deep);
    for (const [wire, body] of [
      [anthropic, message(own + stop(0))],
      [openaiResponses, last],
    ] as const) {
      const collected = answer(wire, body);
      expect(collected.error).toMatchObject({ code: "limit", message: expect.stringContaining("maxDepth") as string });
      expect(runnable(collected)).toEqual([]);
    }
  });

  test("of depth: the call is malformed", () => {
    const { calls } = answer(openaiChat, chat(header(0, "a", "search", '{"a":[[1]]}')) + finished, {
      limits: { maxDepth: 2 },
    });
    expect(calls[0]?.problem?.code).toBe("too-deep");
  });
});

describe("the end of the source", () => {
  test("nothing is said behind the finish, where a whole answer comes with an HTTP error", async () => {
    const whole = { type: "message", content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" };
    const events: StreamEvent[] = [];
    for await (const event of anthropic.read(Response.json(whole, { status: 500 }))) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(["text", "finish"]);
  });
});

describe("the face", () => {
  const body = chat(header(0, "a", "search", '{"q":'), fragment(0, "1}")) + finished;

  test("is that of the other wires: read, live values, repairs, tools", async () => {
    const { calls } = await collect(openaiChat.read(new Response(body)));
    expect(calls).toMatchObject([{ arguments: { q: 1 } }]);
    const reader = openaiChat.reader({ liveValues });
    reader.push(body.slice(0, body.indexOf("1}")));
    expect(reader.partial("call-0")).toEqual({});
    reader.push(body.slice(body.indexOf("1}")));
    expect(reader.partial("call-0")).toEqual({ q: 1 });
    const broken = chat(header(0, "a", "search", '{"q":1,}')) + finished;
    expect(answer(openaiChat, broken, { repair }).calls[0]?.repair?.arguments).toEqual({ q: 1 });
    expect(answer(openaiChat, body, { tools: [{ name: "find" }] }).notices.map(({ code }) => code)).toEqual([
      "unknown-tool",
    ]);
  });

  test("stays strict where the main entry is given it", async () => {
    const broken = chat(header(0, "a", "search", "{}"), header(0, "b")) + finished;
    const all = createReader({ protocol: openaiChat });
    const { error } = await collect(readAny(broken, { protocol: openaiChat }));
    const events = [...all.push(broken), ...all.end()];
    expect([error?.code, events.find(({ type }) => type === "error")]).toMatchObject([
      "irregular",
      { error: { code: "irregular" } },
    ]);
  });

  test("takes no rescue, and no option that is unknown", () => {
    expect(() => openaiChat.reader({ rescue })).toThrow(TypeError);
    expect(() => openaiChat.reader({ limit: 1 } as ReaderOptions)).toThrow(/unknown option/);
    expect(() => openaiChat.reader({ fastPath: true })).toThrow(/"unbraid\/parts"/);
    expect(() => openaiChat.reader({ framing: "json-array" })).toThrow(/no framing "json-array"/);
    expect(() => openaiChat.reader(null as never)).toThrow(/are an object, not null/);
    expect(openaiChat.reader({ rescue: null } as never).over).toBe(false);
    expect(openaiChat.reader({ fastPath }).push(body).length).toBeGreaterThan(0);
  });

  test("has every wire that comes over HTTP", () => {
    expect([...STRICT.keys()].toSorted()).toEqual([
      "anthropic",
      "bedrock",
      "cohere",
      "gemini",
      "mistral",
      "ollama",
      "openai-chat",
      "openai-responses",
    ]);
  });
});

test.each(["openai-chat", "openai-responses", "anthropic", "gemini"])("%s, broken at random", (name) => {
  const { allowed, refused } = checkBroken(name, 20);
  expect(allowed).toBeGreaterThan(5);
  expect(refused).toBeGreaterThan(5);
});

test.each([...DRAWN.keys()])("%s, drawn at random", (name) => {
  const { allowed, refused } = checkDrawn(name, 4000);
  expect(allowed).toBeGreaterThan(50);
  expect(refused).toBeGreaterThan(50);
});
