// Responses over WebSocket: bodies that we composed (conformance/cases-wires), and the ways in which a session shows itself.

import { runnable } from "../collect.ts";
import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../events.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import { openaiResponses } from "./openai-responses.ts";
import { collected, eventsOf } from "./reading.test-kit.ts";
import { wireSuite } from "./wires.test-kit.ts";

wireSuite(openaiResponses);

type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

const created = (id: string, lane?: string): Frame => ({
  type: "response.created",
  ...laneOf(lane),
  sequence_number: 0,
  response: { id, status: "in_progress", output: [] },
});
const ended = (id: string, lane?: string, type = "completed", more: object = {}): Frame => ({
  type: `response.${type}`,
  ...laneOf(lane),
  sequence_number: 9,
  response: { id, status: type, ...more },
});
const call = (id: string, lane?: string): Frame => ({
  type: "response.output_item.done",
  ...laneOf(lane),
  sequence_number: 1,
  output_index: 0,
  item: {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name: "lookup",
    arguments: '{"a":1}',
    status: "completed",
  },
});

function laneOf(lane: string | undefined): object {
  return lane === undefined ? {} : { stream_id: lane };
}

function lines(...frames: readonly Frame[]): StreamEvent[] {
  return eventsOf(
    openaiResponses,
    frames.map((frame) => `${JSON.stringify(frame)}\n`),
  );
}

const sse = (...frames: readonly Frame[]): string[] =>
  frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
const finishes = (events: readonly StreamEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === "finish" ? [[event.reason, event.at.lane]] : []));

describe("what is a session", () => {
  const two = [created("r1"), call("a"), ended("r1"), created("r2"), call("b"), ended("r2")];

  test("JSON messages, on lines or one after another, are one; over HTTP the first response ends it", () => {
    expect(finishes(lines(...two))).toEqual([
      ["tool_calls", undefined],
      ["tool_calls", undefined],
    ]);
    expect(finishes(eventsOf(openaiResponses, [two.map((frame) => JSON.stringify(frame)).join("")]))).toHaveLength(2);
    expect(finishes(eventsOf(openaiResponses, sse(...two)))).toHaveLength(1);
  });

  test("objects are one where they have lanes", () => {
    const read = (...frames: readonly Frame[]): StreamEvent[] => {
      const reader = new TolerantReader(openaiResponses);
      return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end()];
    };
    expect(finishes(read(...two))).toHaveLength(1);
    expect(
      finishes(
        read(
          created("r1", "l"),
          call("a", "l"),
          ended("r1", "l"),
          created("r2", "l"),
          call("b", "l"),
          ended("r2", "l"),
        ),
      ),
    ).toHaveLength(2);
  });

  test("a body that is one whole response is none", () => {
    const reader = new TolerantReader(openaiResponses);
    reader.push('{"object":"response","id":"r1","status":"completed","output":[]}');
    expect(reader.over).toBe(true);
  });
});

describe("lanes", () => {
  test("the client's answer on any of them is an answer", () => {
    const answers = {
      type: "response.create",
      input: [
        { type: "function_call_output", call_id: "a", output: "x" },
        { type: "message", role: "user", content: "go on" },
      ],
    };
    expect(collected(lines(created("r1"), call("a"), ended("r1"), answers)).answered).toEqual(["call-0"]);
  });

  test("an answer is for the call that was there, not for a later one of the same id", () => {
    const answers = { type: "response.create", input: [{ type: "function_call_output", call_id: "a", output: "x" }] };
    const both = collected(
      lines(created("r1"), call("a"), ended("r1"), answers, created("r2"), call("a"), ended("r2")),
    );
    expect(both.answered).toEqual(["call-0"]);
    expect(runnable(both)).toEqual(["a"]);
  });

  test("each has its own finish, also where the socket closes", () => {
    const events = lines(
      created("r1", "x"),
      created("r2", "y"),
      created("r3"),
      call("a", "y"),
      ended("r2", "y"),
      call("b"),
    );
    expect(finishes(events)).toEqual([
      ["tool_calls", "y"],
      [null, undefined],
      [null, "x"],
    ]);
    expect(collected(events).calls.map(({ id, response, status }) => [id, response, status])).toEqual([
      ["a", "r2", "complete"],
      ["b", "r3", "complete"],
    ]);
  });

  test("very many, one after another, are forgotten when they are over; too many at once end the reading", () => {
    const after = Array.from({ length: 600 }, (_, at) => [
      created(`r${at}`, `l${at}`),
      call(`c${at}`, `l${at}`),
      ended(`r${at}`, `l${at}`),
    ]).flat();
    expect(finishes(lines(...after))).toHaveLength(600);
    const atOnce = Array.from({ length: 300 }, (_, at) => created(`r${at}`, `l${at}`));
    const answer = collected(lines(...atOnce));
    expect(answer).toMatchObject({ finish: "error", error: { code: "limit" } });
  });

  test("a limit that one passes ends all of them, with one error", () => {
    const reader = new TolerantReader(openaiResponses, { limits: { maxArgumentBytes: 5 } });
    const events = [created("r1", "x"), created("r2", "y"), call("a", "y"), call("b", "x")].flatMap((frame) =>
      reader.push(`${JSON.stringify(frame)}\n`),
    );
    const all = [...events, ...reader.end()];
    expect(all.filter(({ type }) => type === "error")).toHaveLength(1);
    expect(finishes(all)).toEqual(
      expect.arrayContaining([
        ["error", "x"],
        ["error", "y"],
      ]),
    );
    expect(reader.over).toBe(true);
  });
});

describe("an end without an end", () => {
  test("a response that another one follows on its lane was given up", () => {
    const events = lines(created("r1"), created("r2"), call("b"), ended("r2"));
    expect(finishes(events)).toEqual([
      ["cancelled", undefined],
      ["tool_calls", undefined],
    ]);
  });

  test("a request that was refused is a response with an error", () => {
    const refused: Frame = {
      type: "error",
      status: 400,
      error: { code: "previous_response_not_found", message: "No." },
    };
    expect(finishes(lines(created("r1"), call("a"), ended("r1"), refused))).toEqual([
      ["tool_calls", undefined],
      ["error", undefined],
    ]);
  });

  test("what comes behind the end is said to", () => {
    expect(collected(lines(created("r1"), call("a"), ended("r1"), call("b"))).notices).toMatchObject([
      { code: "data-after-finish" },
    ]);
  });
});

describe("steering", () => {
  test("a steered response is void, with all of its calls", () => {
    const steered = { incomplete_details: { reason: "steered" }, output: [call("a")["item"]] };
    const events = lines(
      created("r1"),
      call("a"),
      ended("r1", undefined, "incomplete", steered),
      created("r2"),
      call("b"),
      ended("r2"),
    );
    expect(collected(events).calls.map(({ id }) => id)).toEqual(["b"]);
    expect(finishes(events)).toEqual([
      ["cancelled", undefined],
      ["tool_calls", undefined],
    ]);
  });

  test.each(["response.steer.accepted", "response.steer.pending", "response.inject.created"])(
    "%s changes nothing",
    (type) => {
      expect(
        lines(created("r1"), { type, steer: { id: "s" } }, call("a"), ended("r1")).map((event) => event.type),
      ).toEqual(["response", "call.start", "call.append", "call.close", "finish"]);
    },
  );

  test("steering that is refused is an error of its own", () => {
    const failed: Frame = { type: "response.steer.failed", error: { code: "invalid_input", message: "No." } };
    expect(collected(lines(created("r1"), failed, call("a"), ended("r1")))).toMatchObject({
      finish: "tool_calls",
      error: { code: "invalid_input" },
    });
  });
});
