import { describe, expect, it } from "vitest";
import { NaiveTap, type NaiveResult } from "./tap.ts";

function read(
  protocol: Parameters<NaiveTap["results"]>[0],
  events: readonly unknown[],
  size = 1 << 20,
  which = 0,
): NaiveResult | undefined {
  const body = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n");
  const tap = new NaiveTap();
  for (let at = 0; at < body.length; at += size) tap.push(body.subarray(at, at + size));
  return tap.results(protocol)[which];
}

function chat(...entries: readonly object[]): unknown[] {
  return entries.map((entry) => ({ choices: [{ delta: { tool_calls: [entry] } }] }));
}

describe("the naive chat reader", () => {
  it("adds up by index; the last id wins", () => {
    const events = chat(
      { index: 0, id: "a", function: { name: "f", arguments: '{"x"' } },
      { index: 1, id: "b", function: { name: "g", arguments: "{}" } },
      { index: 0, id: "a2", function: { arguments: ":1}" } },
    );
    for (const size of [1, 7, 1000])
      expect(read("openai-chat", events, size)?.calls).toEqual([
        { id: "a2", name: "f", text: '{"x":1}', free: false },
        { id: "b", name: "g", text: "{}", free: false },
      ]);
  });

  it("takes a missing index for one index, as an object of JavaScript does", () => {
    const events = chat(
      { id: "a", function: { name: "f", arguments: "{}" } },
      { id: "b", function: { name: "g", arguments: "{}" } },
    );
    expect(read("openai-chat", events)?.calls).toEqual([{ id: "b", name: "g", text: "{}{}", free: false }]);
  });

  it("adds what is no string as += does", () => {
    expect(read("openai-chat", chat({ index: 0, function: { arguments: { a: 1 } } }))?.calls[0]?.text).toBe(
      "[object Object]",
    );
  });
});

describe("the other naive readers", () => {
  it("keys responses by output_index", () => {
    const events = [
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { type: "function_call", call_id: "c", name: "f", arguments: "" },
      },
      { type: "response.output_item.added", output_index: 2, item: { type: "message" } },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: "{" },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: "}" },
      { type: "response.function_call_arguments.delta", output_index: 7, delta: "lost" },
      {
        type: "response.output_item.added",
        output_index: 3,
        item: { type: "custom_tool_call", call_id: "d", name: "g", input: "" },
      },
      { type: "response.custom_tool_call_input.delta", output_index: 3, delta: "text" },
    ];
    expect(read("openai-responses", events)?.calls).toEqual([
      { id: "c", name: "f", text: "{}", free: false },
      { id: "d", name: "g", text: "text", free: true },
    ]);
  });

  it("keys Anthropic's blocks by their index, and leaves the vendor's own alone", () => {
    const events = [
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "t", name: "f", input: { a: 1 } },
      },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "server_tool_use", id: "s", name: "web_search" },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "{}" } },
    ];
    expect(read("anthropic", events)?.calls).toEqual([{ id: "t", name: "f", text: "{}", free: false }]);
  });

  it("takes each of Gemini's parts for a call", () => {
    const events = [
      { candidates: [{ content: { parts: [{ text: "x" }, { functionCall: { name: "f", args: { a: 1 } } }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { name: "f" } }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: null }] } }] },
    ];
    expect(read("gemini", events)?.calls.map(({ name, text }) => [name, text])).toEqual([
      ["f", '{"a":1}'],
      ["f", "{}"],
    ]);
  });

  it("does not throw, whatever comes", () => {
    const junk = [
      null,
      3,
      "x",
      [],
      { choices: "x" },
      { choices: [null] },
      { choices: [{ delta: { tool_calls: [null, 3] } }] },
      { type: "content_block_delta", delta: 3 },
    ];
    expect(() => read("openai-chat", junk)).not.toThrow();
  });

  it("has nothing to say of a body without data lines, or of an unknown wire", () => {
    const tap = new NaiveTap();
    tap.push(Buffer.from('[{"candidates":[]}]'));
    expect(tap.results("gemini")).toEqual([]);
    expect(read(null, [{}])).toBeUndefined();
  });
});

describe("the readers that add to the last call", () => {
  const last = (protocol: Parameters<NaiveTap["results"]>[0], events: readonly unknown[]): readonly object[] =>
    read(protocol, events, 1 << 20, 1)?.calls.map(({ id, text }) => ({ id, text })) ?? [];

  it("mixes parallel calls up, and gets calls right that come one after another", () => {
    const events = chat(
      { index: 0, id: "a", function: { name: "f", arguments: '{"x"' } },
      { index: 1, id: "b", function: { name: "g", arguments: '{"y"' } },
      { index: 0, function: { arguments: ":1}" } },
      { index: 1, function: { arguments: ":2}" } },
    );
    expect(last("openai-chat", events)).toEqual([
      { id: "a", text: '{"x"' },
      { id: "b", text: '{"y":1}:2}' },
    ]);
  });

  it("does the same on Responses and Anthropic", () => {
    const added = (id: string, index: number): object => ({
      type: "response.output_item.added",
      output_index: index,
      item: { type: "function_call", call_id: id, name: "f", arguments: "" },
    });
    const delta = (index: number, text: string): object => ({
      type: "response.function_call_arguments.delta",
      output_index: index,
      delta: text,
    });
    expect(
      last("openai-responses", [added("a", 0), added("b", 1), delta(0, "{"), { type: "other" }, delta(1, "}")]),
    ).toEqual([
      { id: "a", text: "" },
      { id: "b", text: "{}" },
    ]);
    const block = (index: number, id: string): object => ({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id, name: "f" },
    });
    const json = (index: number, text: string): object => ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: text },
    });
    expect(last("anthropic", [block(0, "a"), json(0, "{"), block(1, "b"), json(0, "}"), json(1, "{}")])).toEqual([
      { id: "a", text: "{" },
      { id: "b", text: "}{}" },
    ]);
  });

  it("does not throw, whatever comes", () => {
    expect(() =>
      last("openai-chat", [null, 3, { choices: [{ delta: { tool_calls: [null, { id: "" }] } }] }]),
    ).not.toThrow();
  });
});
