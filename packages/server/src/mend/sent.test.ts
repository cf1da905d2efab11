// What has been sent cannot be unsent: what is waited for, and what is written where waiting ended or did not help.

import { describe, expect, it } from "vitest";
import type { Collected, ProtocolName } from "unbraid";
import { mendStream, type MendStreamOptions } from "./mend-stream.ts";
import { mendWhole } from "./whole.ts";
import { readAll } from "./mend.test-kit.ts";

type Options = MendStreamOptions;

/** What comes out at each frame, and at the end. */
function sent(protocol: ProtocolName, frames: readonly object[], options: Options = {}, done = true): string[] {
  const named = protocol !== "openai-chat";
  const texts = frames.map((frame) => {
    const { type } = frame as { type?: string };
    return `${named ? `event: ${type}\n` : ""}data: ${JSON.stringify(frame)}\n\n`;
  });
  if (protocol === "openai-chat" && done) texts.push("data: [DONE]\n\n");
  const mender = mendStream(protocol, options);
  const out = texts.map((text) => Buffer.concat([...mender.push(Buffer.from(text))]).toString());
  return [...out, Buffer.concat([...mender.end()]).toString()];
}

const read = (protocol: ProtocolName, out: readonly string[]): Collected =>
  readAll(protocol, Buffer.from(out.join("")));

const chunk = (delta: object, finish: string | null = null, more: object = {}, index = 0): object => ({
  id: "x",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index, delta, finish_reason: finish }],
  ...more,
});
const entry = (more: object, index = 0): object => chunk({ tool_calls: [{ index, ...more }] });
const named = (name: string, args: string, id?: string): object => ({
  ...(id === undefined ? {} : { id, type: "function" }),
  function: { name, arguments: args },
});
const args = (text: string, id?: string): object => ({ ...(id && { id }), function: { arguments: text } });
const ROLE = chunk({ role: "assistant", content: "" });
const END = chunk({}, "tool_calls");

describe("an id that comes late", () => {
  it("is waited for", () => {
    const frames = [ROLE, entry(named("f", "")), entry(args('{"a":')), entry(args("1", "late")), entry(args("}")), END];
    const out = sent("openai-chat", frames);
    expect(out.slice(1, 3)).toEqual(["", ""]);
    expect(out[3]).toContain('"id":"late"');
    expect(read("openai-chat", out).calls).toMatchObject([{ id: "late", arguments: { a: 1 } }]);
  });

  it("is waited for with the calls behind it, which stay behind it", () => {
    const frames = [
      ROLE,
      entry(named("f", '{"a":')),
      entry(named("g", '{"b":2}', "second"), 1),
      entry(args("1}", "first")),
      END,
    ];
    const { calls } = read("openai-chat", sent("openai-chat", frames));
    expect(calls).toMatchObject([
      { id: "first", index: 0 },
      { id: "second", index: 1 },
    ]);
  });

  it("is not waited for longer than for so many fragments, nor again where none came", () => {
    const many = Array.from({ length: 100 }, (_, at) => entry(args(`"k${at}":1,`)));
    const long = sent("openai-chat", [ROLE, entry(named("f", "{")), ...many, entry(args('"z":1}')), END]);
    expect(long.slice(2).findIndex((text) => text !== "")).toBeLessThan(40);
    const next = [entry(named("g", '{"b":'), 1), entry(args("2"), 1), entry(args("}"), 1)];
    const second = sent("openai-chat", [ROLE, entry(named("f", "{}")), ...next, END]);
    expect(read("openai-chat", second).calls).toMatchObject([{ name: "f" }, { name: "g", arguments: { b: 2 } }]);
  });

  it("of Responses is that of the item that ends", () => {
    const call = {
      type: "function_call",
      id: "fc",
      call_id: "late",
      name: "f",
      arguments: '{"a":1}',
      status: "completed",
    };
    const response = { id: "r", object: "response", status: "in_progress", output: [] };
    const out = sent("openai-responses", [
      { type: "response.created", sequence_number: 0, response },
      {
        type: "response.function_call_arguments.done",
        sequence_number: 1,
        item_id: "fc",
        output_index: 0,
        arguments: '{"a":1}',
        name: "f",
      },
      { type: "response.output_item.done", sequence_number: 2, output_index: 0, item: call },
      {
        type: "response.completed",
        sequence_number: 3,
        response: { ...response, status: "completed", output: [call] },
      },
    ]);
    expect(read("openai-responses", out).calls).toMatchObject([{ id: "late" }]);
    expect(out.join("")).not.toMatch(/"call_id":"(?!late")/);
  });
});

describe("a call of the old form", () => {
  const old = (call: object, finish: string | null = null): object => chunk({ function_call: call }, finish);
  const frames = [
    chunk({ role: "assistant", content: null, function_call: { name: "f", arguments: "" } }),
    old({ arguments: '{"a"' }),
    old({ arguments: ":1}" }),
  ];

  it("passes byte for byte, and as it comes", () => {
    const mender = sent("openai-chat", [...frames, chunk({}, "function_call")]);
    const raw = [...frames, chunk({}, "function_call")].map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");
    expect(mender.join("")).toBe(`${raw}data: [DONE]\n\n`);
    expect(mender[1]).not.toBe("");
  });

  it.each([{}, { hold: true }])("stays in it where it is written anew: %o", (options) => {
    const out = sent("openai-chat", [...frames, chunk({}, "stop")], options).join("");
    expect(out).toContain('"function_call":{"name":"f"');
    expect(out).toContain('"finish_reason":"function_call"');
    expect(out).not.toContain("tool_calls");
  });
});

describe("several choices where one was asked for", () => {
  const split = [
    ROLE,
    chunk({ content: "Looking." }),
    chunk({ role: "assistant", tool_calls: [{ index: 0, ...named("f", '{"a":1}', "c1") }] }, null, {}, 1),
    chunk({ tool_calls: [{ index: 0, ...named("g", "{}", "c2") }] }, null, {}, 2),
  ];

  it.each([{}, { hold: true }])("are one: %o", (more) => {
    const out = sent("openai-chat", [...split, END], { oneChoice: true, ...more });
    expect(out.join("")).not.toMatch(/"choices":\[\{"index":[12]|"index":[12],"delta/);
    expect(read("openai-chat", out)).toMatchObject({
      text: "Looking.",
      finish: "tool_calls",
      calls: [
        { id: "c1", index: 0, choice: 0 },
        { id: "c2", index: 1, choice: 0 },
      ],
    });
  });

  it("stay several where several were asked for", () => {
    const out = sent("openai-chat", [...split, END]);
    expect(read("openai-chat", out).calls.map(({ choice }) => choice)).toEqual([1, 2]);
  });

  it("say the word for a cut that any of them says", () => {
    const out = sent("openai-chat", [...split, END, chunk({}, "length", {}, 1)], { oneChoice: true });
    expect(read("openai-chat", out).finish).toBe("length");
  });

  it("of a whole answer are one too", () => {
    const message = { role: "assistant", content: "Looking.", refusal: null };
    const call = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    };
    const body = {
      id: "x",
      choices: [
        { index: 0, message, finish_reason: "stop" },
        { index: 1, message: call, finish_reason: "tool_calls" },
      ],
    };
    const bytes = Buffer.from(JSON.stringify(body));
    expect(mendWhole("openai-chat", bytes)).toBe(bytes);
    const out = JSON.parse(mendWhole("openai-chat", bytes, { oneChoice: true }).toString()) as typeof body;
    expect(out.choices).toEqual([
      { index: 0, message: { ...message, tool_calls: call.tool_calls }, finish_reason: "tool_calls" },
    ]);
  });
});

describe("a call that is taken back", () => {
  const again = (id: string): object[] => [
    ROLE,
    entry(named("f", '{"path":"a.t', "old")),
    chunk({ role: "assistant", content: "" }, null, { id: "y" }),
    chunk({ tool_calls: [{ index: 0, ...named("f", '{"path":"b"}', id) }] }, null, { id: "y" }),
    chunk({}, "tool_calls", { id: "y" }),
  ];

  it("stays as one that nobody can run", () => {
    const { calls, error } = read("openai-chat", sent("openai-chat", again("new")));
    expect(error).toBeNull();
    expect(calls).toMatchObject([
      { id: "old", status: "malformed" },
      { id: "new", status: "complete", arguments: { path: "b" } },
    ]);
  });

  it("is an error where the next one bears its id, or where the client may have run it", () => {
    expect(read("openai-chat", sent("openai-chat", again("old"))).error?.message).toContain("took back");
  });

  it("of Responses: what is said last stands, byte for byte", () => {
    const item = (text: string, status: string): object => ({
      type: "function_call",
      id: "fc",
      call_id: "c",
      name: "f",
      arguments: text,
      status,
    });
    const response = { id: "r", object: "response", status: "in_progress", output: [] };
    const at = { item_id: "fc", output_index: 0 };
    const frames = [
      { type: "response.created", sequence_number: 0, response },
      { type: "response.output_item.added", sequence_number: 1, output_index: 0, item: item("", "in_progress") },
      { type: "response.function_call_arguments.delta", sequence_number: 2, ...at, delta: '{"a":100}' },
      { type: "response.function_call_arguments.done", sequence_number: 3, ...at, arguments: '{"a":10}' },
      { type: "response.output_item.done", sequence_number: 4, output_index: 0, item: item('{"a":10}', "completed") },
      {
        type: "response.completed",
        sequence_number: 5,
        response: { ...response, status: "completed", output: [item('{"a":10}', "completed")] },
      },
    ];
    const raw = frames.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join("");
    expect(sent("openai-responses", frames).join("")).toBe(raw);
  });
});

describe("Anthropic, whose SDK parses what it has of a call, whole or not", () => {
  const start = {
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  };
  const block = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "t", name: "f", input: {} },
  };
  const piece = (text: string): object => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: text },
  });
  const stop = { type: "content_block_stop", index: 0 };
  const end = (word: string): object[] => [
    { type: "message_delta", delta: { stop_reason: word, stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ];
  const body = (pieces: readonly string[], word = "tool_use"): object[] => [
    start,
    block,
    ...pieces.map(piece),
    stop,
    ...end(word),
  ];
  const raw = (frames: readonly object[]): string =>
    frames.map((each) => `event: ${(each as { type: string }).type}\ndata: ${JSON.stringify(each)}\n\n`).join("");

  it("gets sound calls byte for byte, each fragment at once but the one that ends them", () => {
    const frames = body(['{"a":', "1", "}"]);
    const out = sent("anthropic", frames);
    expect(out.join("")).toBe(raw(frames));
    expect(out.map((text) => text !== "").slice(0, 6)).toEqual([true, true, true, true, false, true]);
  });

  it.each([
    [["{nope"], { invalid_arguments: "{nope" }],
    [['{"a":', "nope}"], { a: null, invalid_arguments: '{"a":nope}' }],
    [['{"a":{"b":[1,', "}"], { a: null, invalid_arguments: '{"a":{"b":[1,}' }],
    [['{"a":1}', '{"b":2}'], { invalid_arguments: '{"a":1}{"b":2}' }],
    // Lost on the way: the end says that all is there.
    [['{"a":"Os'], { a: null, invalid_arguments: '{"a":"Os' }],
  ])("gets %j as an object that no schema takes", (pieces, value) => {
    for (const hold of [false, true]) {
      const { calls, finish } = read("anthropic", sent("anthropic", body(pieces), { hold }));
      const { invalid_arguments } = value;
      expect(calls).toMatchObject([{ status: "complete", arguments: hold ? { invalid_arguments } : value }]);
      expect(finish).toBe("tool_calls");
    }
  });

  it("gets what the token limit cut off as far as it came, byte for byte", () => {
    const frames = body(['{"a":"Os'], "max_tokens");
    expect(sent("anthropic", frames).join("")).toBe(raw(frames));
  });

  it("gets no object where a tool takes every object", () => {
    const reader = { tools: [{ name: "f", parameters: { type: "object" } }] };
    for (const hold of [false, true])
      expect(sent("anthropic", body(["{nope"]), { hold, reader }).join("")).toContain('"partial_json":"\\"{nope\\""');
  });
});
