// Gemini Live and Interactions over bodies that we composed (conformance/cases-wires), and over single messages.

import { describe, expect, test } from "vitest";
import { runnable } from "../collect.ts";
import type { StreamEvent } from "../events.ts";
import { gemini } from "./gemini.ts";
import { collected, eventsOf } from "./reading.test-kit.ts";
import { wireSuite } from "./wires.test-kit.ts";

wireSuite(gemini);

function live(...messages: readonly object[]): StreamEvent[] {
  return eventsOf(
    gemini,
    [{ setupComplete: {} }, ...messages].map((message) => `${JSON.stringify(message)}\n`),
  );
}

/** Each response first says that it is one of Live. */
const types = (list: readonly StreamEvent[]): string[] =>
  list.map(({ type }) => type).filter((type) => type !== "response");
const toolCall = (...ids: readonly string[]): object => ({
  toolCall: { functionCalls: ids.map((id) => ({ id, name: "lookup", args: { of: id } })) },
});
const say = (text: string): object => ({ serverContent: { modelTurn: { parts: [{ text }] } } });
const turnComplete = { serverContent: { turnComplete: true } };

describe("Live", () => {
  test("a toolCall message ends the turn: its calls may run at once", () => {
    const events = live(say("Wait."), toolCall("a", "b"));
    expect(types(events)).toEqual([
      "text",
      "call.start",
      "call.append",
      "call.close",
      "call.start",
      "call.append",
      "call.close",
      "finish",
    ]);
    const answer = collected(events);
    expect(answer).toMatchObject({ finish: "tool_calls", rawFinish: null, notices: [] });
    expect(runnable(answer)).toEqual(["a", "b"]);
  });

  test("several toolCall messages in a row are several responses", () => {
    expect(types(live(toolCall("a"), toolCall("b"))).filter((type) => type === "finish")).toHaveLength(2);
  });

  test("an id that comes again in a later turn is another call, with the same id", () => {
    const { calls } = collected(live(toolCall("a"), say("And"), turnComplete, toolCall("a")));
    expect(calls.map(({ id, key, index }) => [id, key, index])).toEqual([
      ["a", "call-0", 0],
      ["a", "call-1", 1],
    ]);
  });

  test("a cancellation takes calls back, when their turn is over and others have followed, and only once", () => {
    const cancel = (...ids: readonly string[]): object => ({ toolCallCancellation: { ids } });
    const events = live(
      toolCall("a", "b"),
      say("So"),
      turnComplete,
      toolCall("c"),
      cancel("a", "c", "never"),
      cancel("a"),
    );
    const retracted = events.flatMap((event) =>
      event.type === "call.retract" ? [[event.call.id, event.reason, event.argumentsText]] : [],
    );
    expect(retracted).toEqual([
      ["a", "cancelled", '{"of":"a"}'],
      ["c", "cancelled", '{"of":"c"}'],
    ]);
    expect(collected(events).calls.map(({ id }) => id)).toEqual(["b"]);
  });

  test("of very many turns, the calls of the last ones can be taken back", () => {
    const turns = Array.from({ length: 300 }, (_, at) => [toolCall(`c${at}`), say("x"), turnComplete]).flat();
    const events = live(...turns, { toolCallCancellation: { ids: ["c0", "c299"] } });
    expect(events.flatMap((event) => (event.type === "call.retract" ? [event.call.id] : []))).toEqual(["c299"]);
  });

  test("interrupted is cancelled, and the turnComplete behind it is no turn", () => {
    const events = live(say("I will"), { serverContent: { interrupted: true } }, turnComplete);
    expect(types(events)).toEqual(["text", "finish"]);
    expect(collected(events).finish).toBe("cancelled");
  });

  test("sound is passed over, what is spoken is text, thoughts are reasoning", () => {
    const sound = {
      serverContent: { modelTurn: { parts: [{ inlineData: { mimeType: "audio/pcm", data: "AAAA" } }] } },
    };
    const events = live(
      { serverContent: { modelTurn: { parts: [{ text: "Hm.", thought: true }] } } },
      sound,
      { serverContent: { outputTranscription: { text: "It is 4." } } },
      { serverContent: { inputTranscription: { text: "what is two and two" } } },
      turnComplete,
    );
    expect(collected(events)).toMatchObject({
      text: "It is 4.",
      reasoning: "Hm.",
      parts: [],
      finish: "stop",
      notices: [],
    });
    expect(types(live(sound, turnComplete))).toEqual(["finish"]);
  });

  test("tokens are told before the end of the turn that they are of", () => {
    const usage = { usageMetadata: { promptTokenCount: 3, responseTokenCount: 4 } };
    expect(types(live(say("x"), { ...turnComplete, ...usage }))).toEqual(["text", "usage", "finish"]);
  });

  test.each([
    ["NEED_MORE_INPUT", "stop"],
    ["MALFORMED_FUNCTION_CALL", "error"],
    ["RESPONSE_REJECTED", "content_filter"],
    ["PROHIBITED_INPUT_CONTENT", "content_filter"],
  ])("%s is %s", (turnCompleteReason, finish) => {
    expect(collected(live({ serverContent: { turnComplete: true, turnCompleteReason } }))).toMatchObject({
      finish,
      rawFinish: turnCompleteReason,
    });
  });

  test("the same in snake_case", () => {
    const answer = collected(
      live(
        { tool_call: { function_calls: [{ id: "a", name: "lookup", args: {} }] } },
        { tool_response: { function_responses: [{ id: "a" }] } },
      ),
    );
    expect(answer).toMatchObject({ calls: [{ id: "a" }], answered: ["call-0"] });
  });

  test("the session's own messages say nothing, an error is one, and what is not known is passed over", () => {
    expect(
      types(
        live({ goAway: { timeLeft: "9s" } }, { sessionResumptionUpdate: { resumable: true } }, say("x"), turnComplete),
      ),
    ).toEqual(["text", "finish"]);
    expect(collected(live({ error: { code: 503, message: "busy", status: "UNAVAILABLE" } })).error).toMatchObject({
      code: 503,
      message: "busy",
    });
    expect(collected(live({ hologram: {} }, say("x"), turnComplete)).notices).toMatchObject([
      { code: "unknown-frame" },
    ]);
  });
});

describe("Interactions", () => {
  type Event = Readonly<Record<string, unknown>> & { readonly event_type: string };

  function steps(...events: readonly Event[]): StreamEvent[] {
    return eventsOf(
      gemini,
      events.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`),
    );
  }

  const created = { event_type: "interaction.created", interaction: { id: "in1", model: "m", status: "in_progress" } };
  const completed = (status: string): Event => ({
    event_type: "interaction.completed",
    interaction: { id: "in1", status },
  });
  const start = (index: number, step: object): Event => ({ event_type: "step.start", index, step });
  const delta = (index: number, inside: object): Event => ({ event_type: "step.delta", index, delta: inside });
  const stop = (index: number): Event => ({ event_type: "step.stop", index });
  const call = (index: number, id: string): Event[] => [
    start(index, { type: "function_call", id, name: "lookup", arguments: {} }),
    delta(index, { type: "arguments_delta", arguments: '{"a":1}' }),
    stop(index),
  ];

  test.each([
    ["requires_action", "tool_calls"],
    ["completed", "tool_calls"],
    ["incomplete", "length"],
    ["budget_exceeded", "length"],
    ["failed", "error"],
    ["cancelled", "cancelled"],
    ["something_new", "tool_calls"],
  ])("%s is %s where there is a call", (status, finish) => {
    expect(collected(steps(created, ...call(0, "a"), completed(status)))).toMatchObject({
      finish,
      rawFinish: status,
      calls: [{ status: "complete" }],
    });
  });

  test.each(["in_progress", "queued", "requires_continuation"])("%s ends nothing", (status) => {
    const answer = collected(steps(created, ...call(0, "a"), completed(status)));
    expect(answer).toMatchObject({
      finish: null,
      calls: [{ status: "complete" }],
      notices: [{ code: "unterminated-stream" }],
    });
  });

  test("thoughts, and the results of server tools, are kept as they must go back", () => {
    const { parts, reasoning } = collected(
      steps(
        created,
        start(0, { type: "thought" }),
        delta(0, { type: "thought_summary", content: { type: "text", text: "Hm." } }),
        delta(0, { type: "thought_signature", signature: "c2ln" }),
        stop(0),
        start(1, { type: "google_search_result", call_id: "g" }),
        delta(1, { type: "google_search_result", result: [{ url: "u" }] }),
        stop(1),
        completed("completed"),
      ),
    );
    expect(reasoning).toBe("Hm.");
    expect(parts).toEqual([
      { type: "thought", summary: [{ type: "text", text: "Hm." }], signature: "c2ln" },
      { type: "google_search_result", call_id: "g", result: [{ url: "u" }] },
    ]);
  });

  test("whole arguments in the step's start count", () => {
    const step = { type: "function_call", id: "a", name: "lookup", arguments: { a: 1 }, signature: "c2ln" };
    expect(collected(steps(created, start(0, step), stop(0), completed("requires_action"))).calls).toMatchObject([
      { arguments: { a: 1 }, status: "complete", echo: { signature: "c2ln" } },
    ]);
  });

  test("another hop under the same ids repeats nothing, under other ids it adds", () => {
    const hop = (...ids: readonly string[]): Event[] => ids.flatMap((id, at) => call(at, id));
    const again = collected(
      steps(created, ...hop("a", "b"), created, ...hop("a", "b", "c"), completed("requires_action")),
    );
    expect(again.calls.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(again.dropped.map(({ reason }) => reason)).toEqual(["repeated-call", "repeated-call"]);
    const more = collected(
      steps(
        created,
        ...hop("a"),
        completed("requires_continuation"),
        created,
        ...hop("b"),
        completed("requires_action"),
      ),
    );
    expect(more.calls.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(more.notices).toEqual([]);
  });
});
