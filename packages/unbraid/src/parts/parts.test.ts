// Parts given to the bare reader of one wire, and what the main entry has of them by itself.

import { describe, expect, test, vi } from "vitest";
import { createReader, read, wires } from "../any-wire.ts";
import { anthropic } from "../entries/anthropic.ts";
import { collect, openaiChat } from "../entries/openai-chat.ts";
import type { ToolCall } from "../events.ts";
import { FastPath } from "../fast-path.ts";
import { runTools } from "../harness/run-tools.ts";
import { tool } from "../harness/tool.ts";
import { openaiChat as chatModel } from "../models/openai-chat.ts";
import type { Reader, ReaderOptions } from "../reader.ts";
import { FrameTemplate } from "../templates/frame-template.ts";
import { openaiChatTurns } from "../turns/openai-chat.ts";
import { fastPath, liveValues, repair } from "./index.ts";

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  data({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });

/** A response that calls `search` once, its arguments in these fragments. */
function bodyOf(...fragments: readonly string[]): string {
  const header = chunk({
    tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "search", arguments: "" } }],
  });
  const rest = fragments.map((text) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] }));
  return `${header}${rest.join("")}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
}

function callIn(reader: Reader, body: string): ToolCall | undefined {
  const events = [...reader.push(body), ...reader.end()];
  return events.find((event) => event.type === "call.close")?.call;
}

const broken = bodyOf('{"query":', '"a\nb"}');

describe("repair", () => {
  test("is offered beside the malformed text, and never applied", () => {
    expect(callIn(openaiChat.reader({ repair }), broken)).toMatchObject({
      status: "malformed",
      arguments: null,
      argumentsText: '{"query":"a\nb"}',
      repair: { argumentsText: '{"query":"a\\nb"}', arguments: { query: "a\nb" }, codes: ["control-character"] },
    });
  });

  test("is not there where it was not given", () => {
    const call = callIn(openaiChat.reader(), broken);
    expect(call).toMatchObject({ status: "malformed", problem: { code: "control-character" } });
    expect(call).not.toHaveProperty("repair");
  });

  test("is offered by the main entry, by name, by detection and by `wires`", async () => {
    const readers = [createReader(), createReader({ protocol: "openai-chat" }), wires["openai-chat"].reader()];
    for (const reader of [...readers, createReader({ protocol: openaiChat })])
      expect(callIn(reader, broken)?.repair?.arguments).toEqual({ query: "a\nb" });
    for (const events of [read(broken), wires["openai-chat"].read(broken), openaiChat.read(broken, { repair })])
      expect((await collect(events)).calls[0]?.repair?.arguments).toEqual({ query: "a\nb" });
  });

  test("is not offered for a call that was cut, is sound, or has no name", () => {
    const cut = bodyOf('{"query":"a\nb').replace('finish_reason":"tool_calls"', 'finish_reason":"length"');
    expect(callIn(openaiChat.reader({ repair }), cut)?.repair).toBeUndefined();
    expect(callIn(openaiChat.reader({ repair }), bodyOf("{}"))?.repair).toBeUndefined();
    expect(callIn(openaiChat.reader({ repair }), broken.replace('"name":"search",', ""))).toMatchObject({
      name: "",
      status: "malformed",
    });
    expect(callIn(openaiChat.reader({ repair }), broken.replace('"name":"search",', ""))?.repair).toBeUndefined();
  });

  test("knows the parameters of the tool that was called, and of no other", () => {
    const late = bodyOf('query": "x"}');
    const parameters = { type: "object", properties: { query: { type: "string" } } };
    const asked = (tools: ReaderOptions["tools"] = []): unknown =>
      callIn(openaiChat.reader({ repair, tools }), late)?.repair?.arguments;
    expect(asked([{ name: "search", parameters }])).toEqual({ query: "x" });
    expect(asked([{ name: "find", parameters }])).toBeUndefined();
    expect(asked([{ name: "search" }])).toBeUndefined();
    expect(asked()).toBeUndefined();
  });

  test("of a text that is too long is not looked for", () => {
    const long = (units: number): ToolCall => ({
      ...(callIn(openaiChat.reader(), broken) as ToolCall),
      argumentsText: `{'a':'${"x".repeat(units)}'}`,
    });
    expect(repair(long(1 << 19))?.codes).toEqual(["python-literal"]);
    expect(repair(long(1 << 20))).toBeUndefined();
  });
});

describe("live values", () => {
  const body = bodyOf('{"query":"a', 'b"}');

  test("are given to push readers and to streams", async () => {
    const heard: string[] = [];
    const reader = openaiChat.reader({ liveValues });
    reader.follow("search", "$.query", (text) => heard.push(text));
    reader.push(body);
    expect(heard).toEqual(["a", "b"]);
    expect(reader.partial("call-0")).toEqual({ query: "ab" });
    const events = openaiChat.read(body, { liveValues });
    events.reader.follow("search", "$.query", (text) => heard.push(text));
    await collect(events);
    expect(heard).toEqual(["a", "b", "a", "b"]);
    expect(events.reader.partial("call-0")).toEqual({ query: "ab" });
  });

  test("are missed by both where they are not given", () => {
    for (const reader of [openaiChat.reader(), openaiChat.read(body).reader]) {
      expect(() => reader.partial("call-0")).toThrow(/"unbraid\/parts"/);
      expect(() => reader.follow("search", "$.query", () => {})).toThrow(TypeError);
    }
  });

  test("are there in the main entry", () => {
    for (const reader of [
      createReader(),
      wires["openai-chat"].reader(),
      read(body).reader,
      wires["openai-chat"].read(body).reader,
    ])
      expect(reader.partial("call-0")).toBeUndefined();
  });
});

describe("the fast path", () => {
  const body = bodyOf('{"query":"', ...Array.from({ length: 50 }, (_, turn) => `${turn} `), '"}');
  const matches = (reader: Reader, text = body): number => {
    const match = vi.spyOn(FrameTemplate.prototype, "match");
    for (const frame of text.split(/(?<=\n\n)/)) reader.push(frame);
    reader.end();
    const count = match.mock.calls.length;
    match.mockRestore();
    return count;
  };

  test("is taken where it is given", () => {
    expect(matches(openaiChat.reader({ fastPath }))).toBeGreaterThan(40);
    expect(matches(openaiChat.read(body, { fastPath }).reader)).toBeGreaterThan(40);
  });

  test("is not taken where it is not", () => {
    for (const options of [{}, { fastPath: false }]) expect(matches(openaiChat.reader(options))).toBe(0);
  });

  test("is taken by the main entry, unless it is turned off", () => {
    const options: readonly ReaderOptions[] = [{}, { fastPath: true }, { fastPath }];
    for (const each of options)
      for (const reader of [createReader(each), wires["openai-chat"].reader(each)])
        expect(matches(reader)).toBeGreaterThan(40);
    for (const reader of [createReader({ fastPath: false }), wires["openai-chat"].reader({ fastPath: false })])
      expect(matches(reader)).toBe(0);
  });

  test("is of no use to a wire that describes no fragments, and does no harm", () => {
    const events = wires.gemini.reader({ fastPath });
    expect(matches(events, data({ candidates: [{ content: { parts: [{ text: "a" }] } }] }).repeat(20))).toBe(0);
    expect(anthropic.reader({ fastPath }).push("")).toEqual([]);
  });
});

describe("the loop", () => {
  const search = tool({
    name: "search",
    description: "Searches.",
    schema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    execute: ({ query }) => `found ${String(query)}`,
  });

  test.each([
    [
      "a model of ours",
      chatModel({ model: "m", baseURL: "http://127.0.0.1:9/v1", fetch: async () => new Response(broken) }),
    ],
    [
      "a model of one's own on the bare wire",
      { wire: openaiChat, form: openaiChatTurns, provider: "mine", name: "m", send: async () => broken },
    ],
  ])("reads %s with every part", async (_, model) => {
    const learn = vi.spyOn(FastPath.prototype, "learn");
    const run = runTools({ model, tools: [search], messages: [], repair: true, maxTurns: 1 });
    const results: unknown[] = [];
    for await (const event of run) if (event.type === "tool.result") results.push(event.result);
    expect(JSON.stringify(results)).toContain(String.raw`found a\nb`);
    expect(learn.mock.calls.length).toBeGreaterThan(0);
    learn.mockRestore();
  });
});
