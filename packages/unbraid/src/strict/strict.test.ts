import { describe, expect, test } from "vitest";
import { createReader, read as readAny, wires } from "../any-wire.ts";
import type { Collected } from "../collect.ts";
import type { StreamEvent } from "../events.ts";
import type { ReaderOptions } from "../reader.ts";
import { fastPath } from "../parts/fast-path.ts";
import { liveValues } from "../parts/live-values.ts";
import { repair } from "../parts/repair.ts";
import { rescue } from "../rescue/index.ts";
import {
  anthropic,
  bedrock,
  collect,
  Collector,
  gemini,
  ollama,
  openaiChat,
  openaiResponses,
  runnable,
  type Wire,
} from "./index.ts";
import { DRAWN } from "./drawn.test-kit.ts";
import { checkBroken, checkDrawn } from "./strict.test-checks.ts";
import { read, STRICT } from "./strict.test-kit.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

function answer(wire: Wire, body: string, options: ReaderOptions = {}): Collected {
  const collector = new Collector();
  for (const event of read(wire, bytesOf(body), options)) collector.add(event);
  return collector.result;
}

/** Chunks of Chat Completions, each with these entries of `tool_calls`. */
const chat = (...deltas: readonly unknown[]): string =>
  deltas.map((delta) => data({ choices: [{ index: 0, delta: { tool_calls: [delta] } }] })).join("");
const finished = `${data({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] })}data: [DONE]\n\n`;
const header = (index: number, id: string, name: unknown = "search", text = ""): unknown => ({
  index,
  id,
  type: "function",
  function: { name, arguments: text },
});
const fragment = (index: number, text: string): unknown => ({ index, function: { arguments: text } });

const block = (index: number, id: string): string =>
  data({ type: "content_block_start", index, content_block: { type: "tool_use", id, name: "search", input: {} } });
const json = (index: number, text: string): string =>
  data({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: text } });
const stop = (index: number): string => data({ type: "content_block_stop", index });
const message = (content: string): string =>
  data({ type: "message_start", message: { id: "msg_1", content: [] } }) +
  content +
  data({ type: "message_delta", delta: { stop_reason: "tool_use" } }) +
  data({ type: "message_stop" });

const item = (id: string, text?: string): unknown => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "search",
  arguments: text,
});
const responses = (...events: readonly (readonly [type: string, fields: object])[]): string =>
  events.map(([type, fields]) => data({ type: `response.${type}`, ...fields })).join("") +
  data({ type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } });

describe("what keeps its rules", () => {
  test("parallel calls, one fragment each in turn", () => {
    const body = chat(header(0, "a"), header(1, "b"), fragment(0, '{"q":'), fragment(1, '{"q":'), fragment(0, "1}"));
    const { calls, finish, error } = answer(openaiChat, body + chat(fragment(1, "2}")) + finished);
    expect(calls.map(({ id, arguments: values, status }) => [id, values, status])).toEqual([
      ["a", { q: 1 }, "complete"],
      ["b", { q: 2 }, "complete"],
    ]);
    expect([finish, error]).toEqual(["tool_calls", null]);
  });

  test("a call without text has no arguments where the response ended well, and else is cut", () => {
    expect(answer(openaiChat, chat(header(0, "a")) + finished).calls[0]).toMatchObject({
      status: "complete",
      argumentsText: "{}",
    });
    expect(answer(openaiChat, chat(header(0, "a"))).calls[0]).toMatchObject({ status: "truncated", argumentsText: "" });
  });

  test("the old function_call, which has no id", () => {
    const delta = (call: object): string => data({ choices: [{ index: 0, delta: { function_call: call } }] });
    const body = delta({ name: "search", arguments: "" }) + delta({ arguments: "{}" }) + finished;
    expect(answer(openaiChat, body).calls).toMatchObject([{ name: "search", madeId: true, status: "complete" }]);
  });

  test("a whole answer in one document, printed or not, behind a byte order mark", () => {
    const whole = {
      object: "chat.completion",
      choices: [{ message: { tool_calls: [header(0, "a", "search", "{}")] } }],
    };
    for (const body of [JSON.stringify(whole), JSON.stringify(whole, null, 2), `\uFEFF${JSON.stringify(whole)}\n`])
      expect(runnable({ ...answer(openaiChat, body), finish: "tool_calls" }), body).toEqual(["a"]);
  });

  test("an error body", () => {
    expect(answer(openaiChat, '{"error":{"message":"no key","code":"auth"}}').error).toMatchObject({ code: "auth" });
  });

  test("blocks of Anthropic, with the text between them", () => {
    const text = data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    const said = data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } });
    const body = message(`${text}${said}${stop(0)}${block(1, "a")}${json(1, '{"q":')}${json(1, "1}")}${stop(1)}`);
    expect(answer(anthropic, body)).toMatchObject({
      text: "Hi",
      calls: [{ id: "a", arguments: { q: 1 } }],
      error: null,
    });
  });

  test("a block that is not closed is not whole", () => {
    expect(answer(anthropic, message(`${block(0, "a")}${json(0, "{}")}`)).calls[0]?.status).toBe("truncated");
  });

  test("a fallback of Anthropic takes back what came before it", () => {
    const fallback = data({ type: "content_block_start", index: 1, content_block: { type: "fallback" } });
    const body = message(`${block(0, "a")}${json(0, "{}")}${stop(0)}${fallback}${stop(1)}${block(2, "b")}${stop(2)}`);
    expect(answer(anthropic, body)).toMatchObject({ calls: [{ id: "b" }], error: null });
  });

  test("deltas, a last word that says them again, and the whole item once more", () => {
    const body = responses(
      ["output_item.added", { output_index: 0, item: item("a", "") }],
      ["function_call_arguments.delta", { output_index: 0, item_id: "fc_a", delta: '{"q":1}' }],
      ["function_call_arguments.done", { output_index: 0, item_id: "fc_a", arguments: '{"q":1}' }],
      ["output_item.done", { output_index: 0, item: item("a", '{"q":1}') }],
    );
    expect(answer(openaiResponses, body)).toMatchObject({ calls: [{ id: "a", status: "complete" }], error: null });
  });

  test("lines of JSON, from a wire that has them, and from another where it is said", () => {
    const line = { model: "m", message: { tool_calls: [{ function: { name: "search", arguments: { q: 1 } } }] } };
    const body = `${JSON.stringify({ ...line, done: false })}\n\n${JSON.stringify({ model: "m", done: true, done_reason: "stop" })}`;
    expect(answer(ollama, body)).toMatchObject({ calls: [{ arguments: { q: 1 } }], error: null });
    const lines = chat(header(0, "a", "search", "{}")).replace("data: ", "") + finished.split("\n")[0]?.slice(6);
    expect(answer(openaiChat, lines).error?.code).toBe("non-json-frame");
    expect(answer(openaiChat, lines, { framing: "ndjson" }).calls).toMatchObject([{ id: "a" }]);
  });

  test("a call that its last words mark as incomplete is cut, and that breaks no rule", () => {
    const cut = { ...(item("a", '{"q":1}') as object), status: "incomplete" };
    const body = responses(
      ["output_item.added", { output_index: 0, item: item("a", "") }],
      ["function_call_arguments.delta", { output_index: 0, item_id: "fc_a", delta: '{"q":1}' }],
      ["function_call_arguments.done", { output_index: 0, item_id: "fc_a", arguments: '{"q":1}' }],
      ["incomplete", { response: { id: "resp_1", status: "incomplete", output: [cut] } }],
    );
    expect(answer(openaiResponses, body)).toMatchObject({
      calls: [{ id: "a", status: "truncated" }],
      finish: "length",
      error: null,
    });
  });

  test("a block's own input is all of its arguments", () => {
    const own = block(0, "a").replace('"input":{}', '"input":{"q":1}');
    expect(answer(anthropic, message(`${own}${json(0, "")}${stop(0)}`)).calls).toMatchObject([{ arguments: { q: 1 } }]);
    const { calls, error } = answer(anthropic, message(`${own}${json(0, " ")}${stop(0)}`));
    expect([error?.message, calls[0]?.status]).toEqual([expect.stringContaining("behind arguments in"), "truncated"]);
  });

  test("parallel calls of a custom tool, each whole in its header", () => {
    const custom = (index: number, input: string): unknown => ({
      index,
      id: `c${index}`,
      type: "custom",
      custom: { name: "shell", input },
    });
    const body = chat(custom(0, "ls"), custom(1, "pwd")) + finished;
    for (const wire of [openaiChat, wires["openai-chat"]])
      expect(answer(wire, body).calls.map(({ argumentsText }) => argumentsText)).toEqual(["ls", "pwd"]);
  });

  test("objects of an SDK", () => {
    const reader = gemini.reader();
    const part = { functionCall: { name: "search", args: { q: 1 } } };
    const events = [
      ...reader.push({ candidates: [{ content: { parts: [part] }, finishReason: "STOP" }] }),
      ...reader.end(),
    ];
    expect(events.find(({ type }) => type === "call.close")).toMatchObject({ call: { arguments: { q: 1 } } });
  });

  test("comments, fields that the standard passes over, CR LF and a last event without its blank line", () => {
    const body = `: hi\r\nid: 4\r\nretry: 10\r\nx-trace: 1\r\nevent: message\r\n${chat(header(0, "a", "search", "{}")).trim()}`;
    expect(answer(openaiChat, `${body}\r\n\r\n${finished}`)).toMatchObject({
      calls: [{ status: "complete" }],
      error: null,
    });
    expect(answer(openaiChat, body).notices.map(({ code }) => code)).toContain("final-event-unterminated");
  });

  test("offsets are those of the body", () => {
    const body = `: é\n${chat(header(0, "a", "search", "{}"))}`;
    const start = read(openaiChat, bytesOf(body), {}, 1).find(({ type }) => type === "call.start");
    const length = bytesOf(body).length;
    expect(start?.at).toEqual({ frame: 0, start: 5, end: length });
  });
});

describe("what breaks a rule ends the response", () => {
  const broken: readonly (readonly [what: string, wire: Wire, body: string, words: string])[] = [
    [
      "an index for two calls",
      openaiChat,
      chat(header(0, "a", "search", "{}"), header(0, "b")),
      "a second header under the key of a call (index 0, id",
    ],
    ["an id for two calls", openaiChat, chat(header(0, "a"), header(1, "a")), "the key of another call"],
    [
      "a header twice",
      openaiChat,
      chat(header(0, "a"), header(0, "a")),
      "a second header under the key of a call (index 0, id",
    ],
    [
      "no index and no id",
      openaiChat,
      chat({ function: { name: "search", arguments: "{}" } }),
      "without an index, id or beginning",
    ],
    ["text before its header", openaiChat, chat(fragment(0, "{")), "the key of no call (index"],
    [
      "text under a new id alone",
      openaiChat,
      chat({ index: 3, id: "x", function: { arguments: "{" } }),
      "without a name that can be",
    ],
    [
      "a second call without an id",
      openaiChat,
      chat(header(0, "a"), header(1, "")),
      "without an index, id or beginning",
    ],
    ["a leaked token in a name", openaiChat, chat(header(0, "a", "search<|x|>")), "without a name that can be"],
    [
      "a name in pieces",
      openaiChat,
      chat(header(0, "a", "sea"), { index: 0, function: { name: "rch" } }),
      "a second header under the key of a call (index 0)",
    ],
    [
      "a final message that differs",
      openaiChat,
      chat(header(0, "a", "search", "{}")) +
        data({ choices: [{ index: 0, message: { tool_calls: [header(0, "a", "search", '{"q":1}')] } }] }),
      "final list",
    ],
    [
      "words between the events",
      openaiChat,
      `${chat(header(0, "a"))}upstream timed out\n\n`,
      "text that belongs to no frame",
    ],
    [
      "JSON without its field",
      openaiChat,
      `${chat(header(0, "a"))}{"choices":[]}\n\n`,
      "text that belongs to no frame",
    ],
    [
      "arguments that are an object",
      openaiChat,
      chat({ index: 0, id: "a", function: { name: "search", arguments: {} } }),
      "an object",
    ],
    ["frames of another wire alone", anthropic, data({ foo: 1 }) + data(42), "not one frame"],
    ["an end marker alone", anthropic, "data: [DONE]\n\n", "an end before any frame"],
    ["an open index again", anthropic, message(`${block(0, "a")}${block(0, "b")}`), "the key of another call"],
    ["text under no block", anthropic, message(`${block(0, "a")}${json(4, "{}")}`), "the key of no call (index"],
    [
      "text without an index",
      anthropic,
      message(block(0, "a") + json(0, "{}").replace('"index":0,', "")),
      "of one call (without a key)",
    ],
    [
      "text behind a close",
      anthropic,
      message(`${block(0, "a")}${json(0, "{}")}${stop(0)}${json(0, "{}")}`),
      "behind the end of a call (id a)",
    ],
    [
      "another message",
      anthropic,
      message(block(0, "a")).replace(/data: [^\n]*message_stop.*/s, "") + message("").replace("msg_1", "msg_2"),
      "another beginning",
    ],
    [
      "another final text",
      openaiResponses,
      responses(
        ["output_item.added", { output_index: 0, item: item("a", "") }],
        ["function_call_arguments.delta", { output_index: 0, item_id: "fc_a", delta: '{"q":1}' }],
        ["function_call_arguments.done", { output_index: 0, item_id: "fc_a", arguments: '{"q":2}' }],
      ),
      "final text",
    ],
    [
      "an item's id that turns",
      openaiResponses,
      responses(
        ["output_item.added", { output_index: 0, item: item("a", "") }],
        ["function_call_arguments.delta", { output_index: 0, item_id: "fc_b", delta: "{}" }],
      ),
      "of one call (index 0, item fc_b)",
    ],
    [
      "an event with a number that had come",
      openaiResponses,
      responses(
        ["output_item.added", { sequence_number: 0, output_index: 0, item: item("a", "") }],
        ["function_call_arguments.delta", { sequence_number: 1, output_index: 0, delta: '{"q":' }],
        ["function_call_arguments.delta", { sequence_number: 2, output_index: 0, delta: "1" }],
        ["function_call_arguments.delta", { sequence_number: 2, output_index: 0, delta: "1" }],
        ["function_call_arguments.delta", { sequence_number: 3, output_index: 0, delta: "}" }],
        ["output_item.done", { sequence_number: 4, output_index: 0, item: item("a") }],
      ),
      "again, or not in its place",
    ],
    [
      "a message of a socket",
      openaiResponses,
      responses(["output_item.added", { stream_id: "x", output_index: 0, item: item("a", "{}") }]),
      "another wire",
    ],
    ["Interactions", gemini, data({ event_type: "step.start", step: { type: "function_call" } }), "another wire"],
    ["Live", gemini, data({ toolCall: { functionCalls: [{ id: "a", name: "search", args: {} }] } }), "another wire"],
    [
      "a blank final text",
      openaiResponses,
      responses(
        ["output_item.added", { output_index: 0, item: item("a", "") }],
        ["output_item.done", { output_index: 0, item: item("a", " ") }],
      ),
      "final text",
    ],
    [
      "text without an index behind a call without text",
      anthropic,
      message(
        block(0, "a") + stop(0) + data({ type: "content_block_delta", delta: { type: "text_delta", text: '{"q":1}' } }),
      ),
      "of one call (without a key)",
    ],
    [
      "a header that may go on with the call before it",
      openaiChat,
      chat(header(0, "a", "search", '{"q":"'), header(1, "b", "search", "x"), fragment(0, '"}')),
      "beginning",
    ],
    [
      "a name that is longer than any",
      openaiChat,
      chat(header(0, "a", "n".repeat(1025), "{}")),
      "without a name that can be",
    ],
    [
      "another name at the end",
      openaiResponses,
      responses(
        ["output_item.added", { output_index: 0, item: item("a", "") }],
        ["output_item.done", { output_index: 0, item: { ...(item("a", "{}") as object), name: "find" } }],
      ),
      "another name",
    ],
  ];

  test.each(broken)("%s", (what, wire, body, words) => {
    const { error, finish, calls } = answer(wire, body + (wire === openaiChat ? finished : ""));
    expect(error?.code).toBe("irregular");
    expect(error?.message).toContain(words);
    expect(finish).toBe("error");
    // Nobody who runs a call at its close may run one of these; the one was closed before.
    for (const call of calls) expect(call.status).toBe(what === "text behind a close" ? "complete" : "truncated");
  });

  test.each(["<html>\n<body>502</body>\n</html>", "upstream connect error", "HTTP/1.1 502 Bad Gateway\r\n\r\n<p>"])(
    "a body that is no stream is said whole: %s",
    (body) => {
      const { error } = answer(openaiChat, body);
      expect(error?.code).toBe("not-a-stream");
      expect(error?.message).toContain(body.replace(/\s+/g, " "));
    },
  );

  test("a body that ends inside a frame is cut, not irregular; what failed is said", () => {
    const start = chat(header(0, "a", "search", '{"q":'));
    for (const body of [
      `${start}${chat(fragment(0, "1}")).slice(0, 40)}`,
      '{"object":"chat.completion","choices":[{',
    ]) {
      const { error, finish, notices, calls } = answer(openaiChat, body);
      expect([error, finish, notices.at(0)?.code]).toEqual([null, null, "cut-frame"]);
      for (const call of calls) expect(call.status).toBe("truncated");
    }
    const reader = openaiChat.reader();
    reader.push(`${start}data: {"choi`);
    expect(reader.fail(new Error("socket hang up")).find(({ type }) => type === "error")).toMatchObject({
      error: { code: "source", message: "socket hang up" },
    });
  });

  test("a call without text is not whole where a frame was lost behind it", () => {
    const end = data({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
    expect(answer(openaiChat, `${chat(header(0, "a"))}${end}data: {"us`).calls[0]?.status).toBe("truncated");
  });

  test("a frame that is no JSON, glued frames and a frame that is too long, each by its own word", () => {
    const code = (body: string, options?: ReaderOptions): unknown => answer(openaiChat, body, options).error?.code;
    expect(code(`${chat(header(0, "a"))}data: {"choices":[\n\n`)).toBe("non-json-frame");
    expect(code(`data: {"choices":[]}{"choices":[]}\n\n`)).toBe("non-json-frame");
    expect(code("event: error\ndata: boom\n\n")).toBe("non-json-frame");
    for (const size of [1, 7, 1000]) {
      const events = read(
        openaiChat,
        bytesOf(`data: {"a":"${"x".repeat(200)}"}\n\n${finished}`),
        { limits: { maxFrameBytes: 100 } },
        size,
      );
      expect(events.filter(({ type }) => type === "error")).toMatchObject([{ error: { code: "frame-too-large" } }]);
    }
  });

  test("an open call that the vendor has called whole, and an empty one that is said again, are not whole", () => {
    const done = responses(
      ["output_item.added", { output_index: 0, item: item("a", "") }],
      ["function_call_arguments.done", { output_index: 0, item_id: "fc_a", arguments: '{"q":1}' }],
      ["output_item.done", { output_index: 0, item: { ...(item("a", '{"q":1}') as object), call_id: "b" } }],
    );
    const part = (call: object): string => data({ candidates: [{ content: { parts: [{ functionCall: call }] } }] });
    const again = part({ name: "search", args: {} }) + part({ args: { q: 1 } });
    for (const { error, calls } of [answer(openaiResponses, done), answer(gemini, again)])
      expect([error?.code, ...calls.map(({ status }) => status)]).toEqual(["irregular", "truncated"]);
    expect(answer(gemini, part({ name: "search", args: {} })).calls[0]?.status).toBe("complete");
  });

  test("what was read is kept, and nothing behind it is read", () => {
    const body = message(`${block(0, "a")}${json(0, "{}")}${stop(0)}${block(0, "b")}${block(1, "c")}`);
    const { calls } = answer(anthropic, body);
    expect(calls.map(({ id, status }) => [id, status])).toEqual([["a", "complete"]]);
  });

  test("a torn frame of Bedrock", () => {
    const reader = bedrock.reader();
    const events: StreamEvent[] = [
      ...reader.push(new Uint8Array([0, 0, 0, 40, 0, 0, 0, 0, 1, 2, 3, 4, 5])),
      ...reader.end(),
    ];
    expect(events.find(({ type }) => type === "error")).toMatchObject({ error: { code: "broken-frame" } });
  });
});

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
