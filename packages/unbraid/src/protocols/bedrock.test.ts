// Bedrock over bodies that we composed (conformance/cases-wires), in both framings, and over the objects of AWS's SDK.

import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../events.ts";
import { bedrock } from "./bedrock.ts";
import { collected, eventsOf } from "./reading.test-kit.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import { bodiesOf, wireSuite } from "./wires.test-kit.ts";

wireSuite(bedrock);

/** Objects as AWS's SDK gives them: bytes are bytes. */
function ofObjects(...objects: readonly object[]): StreamEvent[] {
  const reader = new TolerantReader(bedrock);
  return [...objects.flatMap((object) => reader.push(object)), ...reader.end()];
}

function lines(...objects: readonly object[]): ReturnType<typeof collected> {
  return collected(
    eventsOf(
      bedrock,
      objects.map((object) => `${JSON.stringify(object)}\n`),
    ),
  );
}

const delta = (index: number, inside: object): object => ({
  contentBlockDelta: { contentBlockIndex: index, delta: inside },
});
const start = (index: number, toolUse: object): object => ({
  contentBlockStart: { contentBlockIndex: index, start: { toolUse } },
});
const stop = (index: number): object => ({ contentBlockStop: { contentBlockIndex: index } });

test("both framings of a body say the same", () => {
  const meaning = (events: readonly StreamEvent[]): unknown => events.map((event) => ({ ...event, at: undefined }));
  const withoutPadding = (key: string, value: unknown): unknown => (key === "p" ? undefined : value);
  for (const name of ["W001", "W002", "W003", "W008", "W009", "W010", "W011", "W013", "W015"]) {
    const [binary, text] = bodiesOf("bedrock", name).map(({ bytes }) => eventsOf(bedrock, [bytes]));
    expect(JSON.stringify(meaning(binary ?? []), withoutPadding)).toBe(
      JSON.stringify(meaning(text ?? []), withoutPadding),
    );
  }
});

test("the bytes that an event names are those of its message", () => {
  const [body] = bodiesOf("bedrock", "W001");
  const bytes = body?.bytes ?? new Uint8Array();
  for (const event of eventsOf(bedrock, [bytes])) {
    if (event.type !== "call.start") continue;
    expect(new TextDecoder().decode(bytes.subarray(event.at.start, event.at.end))).toContain(event.call.id);
  }
});

describe("parts that must go back", () => {
  test("reasoning with its signature, and redacted reasoning", () => {
    const { parts, reasoning } = lines(
      delta(0, { reasoningContent: { text: "Hm" } }),
      delta(0, { reasoningContent: { text: "." } }),
      delta(0, { reasoningContent: { signature: "c2ln" } }),
      stop(0),
      delta(1, { reasoningContent: { redactedContent: "AAAA" } }),
      stop(1),
      { messageStop: { stopReason: "end_turn" } },
    );
    expect(reasoning).toBe("Hm.");
    expect(parts).toEqual([
      { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
      { reasoningContent: { redactedContent: "AAAA" } },
    ]);
  });

  test("redacted reasoning is bytes in the SDK's objects, and base64 in the part: events are plain data", () => {
    const bytes = Uint8Array.of(1, 2, 255);
    const { parts } = collected(ofObjects(delta(0, { reasoningContent: { redactedContent: bytes } }), stop(0)));
    expect(parts).toEqual([{ reasoningContent: { redactedContent: "AQL/" } }]);
  });

  test("the result of a server tool", () => {
    const { parts, calls } = lines(
      { contentBlockStart: { contentBlockIndex: 1, start: { toolResult: { toolUseId: "s", status: "success" } } } },
      delta(1, { toolResult: [{ text: "6" }] }),
      delta(1, { toolResult: [{ json: { a: 1 } }] }),
      stop(1),
    );
    expect(parts).toEqual([
      { toolResult: { toolUseId: "s", status: "success", content: [{ text: "6" }, { json: { a: 1 } }] } },
    ]);
    expect(calls).toEqual([]);
  });

  test("text that cites goes back whole, text that does not needs no part", () => {
    const citation = { title: "A", location: { web: { url: "https://example.org" } } };
    const { parts, text } = lines(
      delta(0, { text: "Plain. " }),
      stop(0),
      delta(1, { text: "It is " }),
      delta(1, { citation }),
      delta(1, { text: "so." }),
      stop(1),
    );
    expect(text).toBe("Plain. It is so.");
    expect(parts).toEqual([{ citationsContent: { content: [{ text: "It is so." }], citations: [citation] } }]);
  });
});

describe("objects of the SDK", () => {
  test("are read like the lines; unknown members are passed over with a notice", () => {
    const answer = collected(
      ofObjects(
        { messageStart: { role: "assistant" } },
        start(0, { toolUseId: "t1", name: "lookup" }),
        delta(0, { toolUse: { input: '{"a":1}' } }),
        stop(0),
        { $unknown: ["futureEvent", { x: 1 }] },
        { messageStop: { stopReason: "tool_use" } },
        { metadata: { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } } },
      ),
    );
    expect(answer.calls).toMatchObject([{ id: "t1", arguments: { a: 1 }, status: "complete" }]);
    expect(answer).toMatchObject({ finish: "tool_calls", usage: { inputTokens: 3, outputTokens: 4 } });
    expect(answer.notices.map(({ code }) => code)).toEqual(["unknown-frame"]);
  });

  test("chunks hold bytes", () => {
    const chunk = (event: object): object => ({ chunk: { bytes: new TextEncoder().encode(JSON.stringify(event)) } });
    const { calls, finish } = collected(
      ofObjects(
        chunk({ type: "message_start", message: { id: "m", content: [] } }),
        chunk({
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "t1", name: "é", input: {} },
        }),
        chunk({ type: "content_block_stop", index: 0 }),
        chunk({ type: "message_delta", delta: { stop_reason: "tool_use" } }),
        chunk({ type: "message_stop" }),
      ),
    );
    expect(calls).toMatchObject([{ id: "t1", name: "é", argumentsText: "{}" }]);
    expect(finish).toBe("tool_calls");
  });
});

describe("how it ends", () => {
  const ended = (...more: readonly object[]): ReturnType<typeof collected> =>
    lines(start(0, { toolUseId: "t1", name: "lookup" }), delta(0, { toolUse: { input: '{"a":1}' } }), stop(0), ...more);

  test.each([
    ["end_turn", "tool_calls"],
    ["stop_sequence", "tool_calls"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "content_filter"],
    ["content_filtered", "content_filter"],
    ["malformed_model_output", "error"],
    ["malformed_tool_use", "error"],
  ])("%s is %s", (word, finish) => {
    const answer = ended({ messageStop: { stopReason: word } });
    expect(answer).toMatchObject({ finish, rawFinish: word });
    expect(answer.calls).toMatchObject([{ status: "complete" }]);
  });

  test("metadata that comes first ends nothing", () => {
    const early = eventsOf(bedrock, [
      '{"metadata":{"usage":{"inputTokens":1,"outputTokens":2}}}\n',
      `${JSON.stringify(start(0, { toolUseId: "t1", name: "lookup" }))}\n`,
    ]);
    expect(early.map(({ type }) => type)).toEqual(["usage", "call.start", "notice", "call.close", "finish"]);
  });

  test.each([
    "internalServerException",
    "modelStreamErrorException",
    "modelTimeoutException",
    "serviceUnavailableException",
    "throttlingException",
    "validationException",
    "futureException",
  ])("%s is an error", (type) => {
    expect(ended({ [type]: { message: "no" } })).toMatchObject({
      finish: "error",
      error: { code: type, message: "no" },
    });
  });

  test("a chunk that is no JSON is passed over with a notice", () => {
    expect(
      ended({ chunk: { bytes: "e30=" } }, { chunk: { bytes: "!" } }, { chunk: {} }).notices.map(({ code }) => code),
    ).toEqual(expect.arrayContaining(["non-json-frame", "unknown-frame"]));
  });
});
