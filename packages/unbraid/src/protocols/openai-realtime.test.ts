// Realtime sessions over bodies that we composed (conformance/cases-wires), and over single messages: where responses begin
// and end, what is no call, and what an error ends.

import { describe, expect, test } from "vitest";
import { createReader } from "../any-wire.ts";
import { runnable } from "../collect.ts";
import type { StreamEvent } from "../events.ts";
import { openaiRealtime } from "./openai-realtime.ts";
import { collected, eventsOf } from "./reading.test-kit.ts";
import { wireSuite } from "./wires.test-kit.ts";

wireSuite(openaiRealtime);

type Message = Readonly<Record<string, unknown>>;

function events(...messages: readonly Message[]): StreamEvent[] {
  return eventsOf(
    openaiRealtime,
    messages.map((message, at) => `${JSON.stringify({ event_id: `e${at}`, ...message })}\n`),
  );
}

const created = (id: string): Message => ({
  type: "response.created",
  response: { id, status: "in_progress", output: [] },
});
const done = (id: string, more: object = {}): Message => ({
  type: "response.done",
  response: { id, status: "completed", ...more },
});
const item = (name: string, more: object = {}): object => ({
  id: `item_${name}`,
  type: "function_call",
  call_id: `call_${name}`,
  name,
  arguments: "",
  status: "in_progress",
  ...more,
});
const added = (response: string, name: string): Message => ({
  type: "response.output_item.added",
  response_id: response,
  output_index: 0,
  item: item(name),
});
const delta = (response: string, name: string, text: string): Message => ({
  type: "response.function_call_arguments.delta",
  response_id: response,
  item_id: `item_${name}`,
  output_index: 0,
  call_id: `call_${name}`,
  delta: text,
});
const itemDone = (response: string, name: string, args: string, status = "completed"): Message => ({
  type: "response.output_item.done",
  response_id: response,
  output_index: 0,
  item: item(name, { arguments: args, status }),
});
const call = (response: string, name: string): Message[] => [
  added(response, name),
  delta(response, name, '{"a":1}'),
  itemDone(response, name, '{"a":1}'),
];

const types = (list: readonly StreamEvent[]): string[] => list.map(({ type }) => type);

describe("one response after another", () => {
  const two = events(created("r1"), ...call("r1", "a"), done("r1"), created("r2"), ...call("r2", "b"), done("r2"));

  test("each has a finish of its own, and the calls go on counting", () => {
    expect(types(two)).toEqual([
      "response",
      "call.start",
      "call.append",
      "call.close",
      "finish",
      "response",
      "call.start",
      "call.append",
      "call.close",
      "finish",
    ]);
    const { calls } = collected(two);
    expect(calls.map(({ key, index, response }) => [key, index, response])).toEqual([
      ["call-0", 0, "r1"],
      ["call-1", 1, "r2"],
    ]);
  });

  test("what comes behind a response's end opens none", () => {
    const late = events(
      created("r1"),
      ...call("r1", "a"),
      done("r1"),
      delta("r1", "a", "x"),
      itemDone("r1", "a", '{"a":2}'),
      done("r1"),
    );
    expect(types(late)).toEqual(types(two).slice(0, 5));
  });

  test("the reader is never over, and does not wait for the end of what has ended", () => {
    const reader = openaiRealtime.start();
    expect(reader.session).toBe(true);
    const any = createReader();
    for (const message of [created("r1"), ...call("r1", "a"), done("r1")])
      any.push(JSON.stringify({ event_id: "e", ...message }));
    expect([any.over, any.finishing]).toEqual([false, false]);
    any.push(JSON.stringify(created("r2")));
    expect(types(any.end())).toEqual(["notice", "finish"]);
    expect(any.over).toBe(true);
  });

  test("a response.done alone holds the whole answer", () => {
    const answer = collected(
      events(done("r1", { output: [item("a", { arguments: '{"a":1}', status: "completed" })] })),
    );
    expect(answer).toMatchObject({
      calls: [{ id: "call_a", status: "complete" }],
      finish: "tool_calls",
      rawFinish: "completed",
    });
  });
});

describe("responses side by side", () => {
  const both = events(
    created("r1"),
    added("r1", "a"),
    created("oob"),
    added("oob", "b"),
    delta("oob", "b", '{"b":'),
    delta("r1", "a", '{"a":'),
    delta("oob", "b", "2}"),
    delta("r1", "a", "1}"),
    itemDone("r1", "a", '{"a":1}'),
    done("r1"),
    itemDone("oob", "b", '{"b":2}'),
    done("oob"),
    created("r3"),
    ...call("r3", "c"),
    done("r3"),
  );

  test("keep their fragments apart", () => {
    expect(collected(both).calls.map((one) => one.arguments)).toEqual([{ a: 1 }, { b: 2 }, { a: 1 }]);
  });

  test("say on which lane they are; the first one needs no name", () => {
    const lanes = both
      .map(({ type, at }) => [type, at.lane])
      .filter(([type]) => type === "finish" || type === "call.close");
    expect(lanes).toEqual([
      ["call.close", undefined],
      ["finish", undefined],
      ["call.close", "oob"],
      ["finish", "oob"],
      ["call.close", undefined],
      ["finish", undefined],
    ]);
  });
});

describe("what a session shows of answers", () => {
  const result = {
    type: "conversation.item.created",
    item: { type: "function_call_output", call_id: "call_a", output: "x" },
  };

  test("a call that has its result does not run again", () => {
    const open = collected(events(created("r1"), ...call("r1", "a"), done("r1")));
    const answered = collected(events(created("r1"), ...call("r1", "a"), done("r1"), result));
    expect(runnable(open)).toEqual(["call_a"]);
    expect(answered.answered).toEqual(["call-0"]);
    expect(runnable(answered)).toEqual([]);
  });

  test("the client's own message says it, too", () => {
    const sent = {
      type: "conversation.item.create",
      item: { type: "function_call_output", call_id: "call_a", output: "x" },
    };
    expect(collected(events(created("r1"), ...call("r1", "a"), done("r1"), sent)).answered).toEqual(["call-0"]);
  });
});

describe("text", () => {
  test.each(["text", "output_text", "audio_transcript", "output_audio_transcript"])("response.%s", (name) => {
    const place = { response_id: "r1", item_id: "i", output_index: 0, content_index: 0 };
    const whole = name.endsWith("text") ? { text: "It is 4." } : { transcript: "It is 4." };
    const answer = events(
      created("r1"),
      { type: `response.${name}.delta`, ...place, delta: "It " },
      { type: `response.${name}.delta`, ...place, delta: "is 4." },
      { type: `response.${name}.done`, ...place, ...whole },
      done("r1"),
    );
    expect(collected(answer).text).toBe("It is 4.");
    const alone = events(created("r1"), { type: `response.${name}.done`, ...place, ...whole }, done("r1"));
    expect(collected(alone).text).toBe("It is 4.");
  });
});

describe("how a response ends", () => {
  test.each([
    ["completed", {}, "tool_calls"],
    ["cancelled", { type: "cancelled", reason: "client_cancelled" }, "cancelled"],
    ["incomplete", { type: "incomplete", reason: "max_output_tokens" }, "length"],
    ["incomplete", { type: "incomplete", reason: "content_filter" }, "content_filter"],
    ["failed", { type: "failed", error: { code: "oops", message: "It broke." } }, "error"],
  ])("%s, %j", (status, details, finish) => {
    const answer = collected(
      events(created("r1"), ...call("r1", "a"), done("r1", { status, status_details: details })),
    );
    expect(answer).toMatchObject({ finish, rawFinish: status, calls: [{ status: "complete" }] });
  });

  test("an item that is incomplete is truncated, also where only response.done says so", () => {
    for (const last of [
      [itemDone("r1", "a", '{"a":1}', "incomplete"), done("r1", { status: "cancelled" })],
      [done("r1", { status: "cancelled", output: [item("a", { arguments: '{"a":1}', status: "incomplete" })] })],
    ]) {
      expect(
        collected(events(created("r1"), added("r1", "a"), delta("r1", "a", '{"a":1}'), ...last)).calls,
      ).toMatchObject([{ status: "truncated" }]);
    }
  });

  test("an error of the session ends no response", () => {
    const error = {
      type: "error",
      error: { type: "invalid_request_error", code: "unknown_parameter", message: "No." },
    };
    for (const messages of [
      [error, created("r1"), ...call("r1", "a"), done("r1")],
      [created("r1"), ...call("r1", "a"), error, done("r1")],
      [created("r1"), ...call("r1", "a"), done("r1"), error],
    ]) {
      const answer = collected(events(...messages));
      expect(answer).toMatchObject({ error: { code: "unknown_parameter", message: "No." }, finish: "tool_calls" });
      expect(runnable(answer)).toEqual(["call_a"]);
    }
  });
});

test("messages of a session that concern no response say nothing", () => {
  const silent = [
    "session.created",
    "session.updated",
    "conversation.created",
    "input_audio_buffer.committed",
    "output_audio_buffer.started",
    "rate_limits.updated",
    "ping",
    "mcp_list_tools.completed",
  ];
  expect(types(events(created("r1"), ...silent.map((type) => ({ type })), done("r1")))).toEqual(["response", "finish"]);
});
