// Cohere v2 over bodies that we composed (conformance/cases-wires), and over the objects of its SDK.

import { describe, expect, test } from "vitest";
import { TolerantReader } from "../tolerant-reader.ts";
import { cohere } from "./cohere.ts";
import { collected, eventsOf } from "./reading.test-kit.ts";
import { wireSuite } from "./wires.test-kit.ts";

wireSuite(cohere);

const frame = (type: string, more: object): string => `data: ${JSON.stringify({ type, ...more })}\n\n`;
const call = frame("tool-call-start", {
  index: 0,
  delta: { message: { tool_calls: { id: "a", type: "function", function: { name: "lookup", arguments: '{"q":1}' } } } },
});

describe("how it ends", () => {
  test.each([
    ["COMPLETE", "tool_calls", "complete"],
    ["STOP_SEQUENCE", "tool_calls", "complete"],
    ["TOOL_CALL", "tool_calls", "complete"],
    ["MAX_TOKENS", "length", "complete"],
    ["ERROR", "error", "complete"],
    ["TIMEOUT", "error", "complete"],
  ])("%s is %s; a call that was ended is %s", (word, finish, status) => {
    const answer = collected(
      eventsOf(cohere, [
        call,
        frame("tool-call-end", { index: 0 }),
        frame("message-end", { delta: { finish_reason: word } }),
      ]),
    );
    expect(answer).toMatchObject({ finish, rawFinish: word, calls: [{ status }] });
  });

  test("a word that is not known leaves it to the calls", () => {
    expect(
      collected(eventsOf(cohere, [call, frame("message-end", { delta: { finish_reason: "NEW" } })])),
    ).toMatchObject({ finish: "tool_calls", rawFinish: "NEW" });
  });

  test("an error body instead of a stream", () => {
    expect(collected(eventsOf(cohere, ['{"id":"x","message":"invalid api token"}']))).toMatchObject({
      finish: "error",
      error: { message: "invalid api token" },
    });
  });
});

test("what says nothing of the answer is passed over without a notice, what is not known with one", () => {
  const silent = [
    frame("debug", { prompt: "x" }),
    frame("content-end", { index: 0 }),
    frame("citation-start", { index: 0 }),
    frame("citation-end", { index: 0 }),
  ];
  const end = frame("message-end", { delta: { finish_reason: "COMPLETE" } });
  expect(collected(eventsOf(cohere, [...silent, end])).notices).toEqual([]);
  expect(collected(eventsOf(cohere, [frame("hologram", {}), end])).notices).toMatchObject([{ code: "unknown-frame" }]);
});

test("the SDK spells the fields in camelCase", () => {
  const reader = new TolerantReader(cohere);
  const objects = [
    { type: "message-start", id: "c1", delta: { message: { role: "assistant" } } },
    { type: "tool-plan-delta", delta: { message: { toolPlan: "Look." } } },
    {
      type: "tool-call-start",
      index: 0,
      delta: { message: { toolCalls: { id: "a", type: "function", function: { name: "lookup", arguments: "" } } } },
    },
    {
      type: "tool-call-delta",
      index: 0,
      delta: { message: { toolCalls: { function: { arguments: '{"dryRun":true}' } } } },
    },
    { type: "tool-call-end", index: 0 },
    {
      type: "message-end",
      delta: { finishReason: "TOOL_CALL", usage: { tokens: { inputTokens: 1, outputTokens: 2 } } },
    },
  ];
  const answer = collected([...objects.flatMap((object) => reader.push(object)), ...reader.end()]);
  expect(answer).toMatchObject({
    calls: [{ id: "a", arguments: { dryRun: true } }],
    reasoning: "Look.",
    finish: "tool_calls",
    rawFinish: "TOOL_CALL",
    usage: { inputTokens: 1, outputTokens: 2 },
    notices: [],
  });
});
