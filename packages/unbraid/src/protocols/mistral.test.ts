// Mistral's chat and Conversations over bodies that we composed (conformance/cases-wires), and over the objects of its SDK.

import { describe, expect, test } from "vitest";
import { TolerantReader } from "../tolerant-reader.ts";
import { mistral } from "./mistral.ts";
import { collected, eventsOf } from "./reading.test-kit.ts";
import { snakeKeys } from "./snake-keys.ts";
import { wireSuite } from "./wires.test-kit.ts";

wireSuite(mistral);

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

function sse(...events: readonly Event[]): ReturnType<typeof collected> {
  return collected(
    eventsOf(
      mistral,
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    ),
  );
}

function objects(...list: readonly object[]): ReturnType<typeof collected> {
  const reader = new TolerantReader(mistral);
  return collected([...list.flatMap((object) => reader.push(object)), ...reader.end()]);
}

const piece = (args: string, more: object = {}): Event => ({
  type: "function.call.delta",
  id: "fc_1",
  output_index: 0,
  name: "lookup",
  tool_call_id: "Ab3dEf9Gh",
  arguments: args,
  ...more,
});
const DONE = { type: "conversation.response.done", usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } };

describe("Conversations", () => {
  test("a sound stream has no notice", () => {
    const answer = sse(piece('{"a":'), piece("1}"), DONE);
    expect(answer).toMatchObject({
      calls: [{ id: "Ab3dEf9Gh", arguments: { a: 1 } }],
      finish: "tool_calls",
      rawFinish: null,
      usage: { inputTokens: 1, outputTokens: 2 },
      notices: [],
    });
  });

  test("without a tool_call_id the output_index tells the calls apart", () => {
    const { calls } = sse(
      piece('{"a":', { tool_call_id: "", id: "fc_1", output_index: 1 }),
      piece('{"b":', { tool_call_id: "null", id: "fc_2", output_index: 2 }),
      piece("1}", { tool_call_id: "", id: "fc_1", output_index: 1 }),
      piece("2}", { tool_call_id: "null", id: "fc_2", output_index: 2 }),
      DONE,
    );
    expect(calls.map((call) => call.arguments)).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test("arguments that look whole are no end", () => {
    expect(sse(piece("{}"), DONE).calls).toMatchObject([{ argumentsText: "{}", status: "complete" }]);
    expect(sse(piece('{"a":1}')).calls).toMatchObject([{ status: "truncated" }]);
    expect(sse(piece(""), DONE).calls).toMatchObject([{ argumentsText: "{}" }]);
  });

  test("a call that waits for a confirmation says so in its echo", () => {
    expect(sse(piece("{}", { confirmation_status: "pending" }), DONE).calls).toMatchObject([
      { echo: { confirmation_status: "pending" } },
    ]);
  });

  test("thinking is kept with its signature", () => {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm." }], signature: "c2ln" };
    const answer = sse(
      { type: "message.output.delta", content: thinking },
      { type: "message.output.delta", content: "Four." },
      DONE,
    );
    expect(answer).toMatchObject({ reasoning: "Hm.", text: "Four.", parts: [thinking], finish: "stop" });
  });
});

describe("objects of the SDK", () => {
  test("chat: {data} with camelCase, the word null for an id, index 0 for all", () => {
    const chunk = (toolCalls: readonly object[], finishReason: string | null): object => ({
      data: { id: "m1", model: "m", choices: [{ index: 0, delta: { content: "", toolCalls }, finishReason }] },
    });
    const { calls, finish, rawFinish } = objects(
      chunk([{ id: "Ab3dEf9Gh", index: 0, function: { name: "lookup", arguments: "" } }], null),
      chunk([{ id: "null", index: 0, function: { name: "", arguments: '{"dryRun":true}' } }], null),
      chunk([{ id: "Zy8xWv7Ut", index: 0, function: { name: "lookup", arguments: { keepCase: 1 } } }], "tool_calls"),
    );
    expect(calls).toMatchObject([
      { id: "Ab3dEf9Gh", arguments: { dryRun: true } },
      { id: "Zy8xWv7Ut", arguments: { keepCase: 1 } },
    ]);
    expect([finish, rawFinish]).toEqual(["tool_calls", "tool_calls"]);
  });

  test("Conversations: {event, data} with camelCase", () => {
    const data = (type: string, more: object): object => ({
      event: type,
      data: { type, createdAt: new Date(0), ...more },
    });
    const answer = objects(
      data("conversation.response.started", { conversationId: "conv_1" }),
      data("function.call.delta", {
        id: "fc_1",
        outputIndex: 0,
        name: "lookup",
        toolCallId: "Ab3dEf9Gh",
        arguments: '{"a":1}',
      }),
      data("conversation.response.done", { usage: { promptTokens: 1, completionTokens: 2 } }),
    );
    expect(answer).toMatchObject({
      response: { id: "conv_1" },
      calls: [{ id: "Ab3dEf9Gh", arguments: { a: 1 } }],
      usage: { inputTokens: 1, outputTokens: 2 },
      finish: "tool_calls",
    });
  });

  test("are found without a name", () => {
    expect(mistral.detect({ data: { choices: [] } })).toBeGreaterThan(0.7);
    expect(mistral.detect({ event: "function.call.delta", data: { type: "function.call.delta" } })).toBe(1);
  });
});

test("snakeKeys renames keys, and leaves alone what the user wrote", () => {
  expect(
    snakeKeys(
      { toolCalls: [{ callId: 1, arguments: { inCamel: { deepDown: 1 } } }], when: new Date(0), none: null },
      new Set(["arguments"]),
    ),
  ).toEqual({
    tool_calls: [{ call_id: 1, arguments: { inCamel: { deepDown: 1 } } }],
    when: new Date(0),
    none: null,
  });
});
