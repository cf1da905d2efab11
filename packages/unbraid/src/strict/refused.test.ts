// What breaks a rule of its wire is refused, in words that say which.

import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../events.ts";
import type { ReaderOptions } from "../reader.ts";
import { bytesOf } from "../protocols/reading.test-kit.ts";
import {
  answer,
  block,
  chat,
  data,
  finished,
  fragment,
  header,
  item,
  json,
  message,
  responses,
  stop,
} from "./bodies.test-kit.ts";
import { anthropic, bedrock, gemini, openaiChat, openaiResponses, type Wire } from "./index.ts";
import { read } from "./strict.test-kit.ts";

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
