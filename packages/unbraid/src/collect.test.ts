// Events folded into one answer.

import { describe, expect, test } from "vitest";
import { collect, Collector, runnable } from "./collect.ts";
import type { CallIdentity, StreamEvent, ToolCall, WirePosition } from "./events.ts";

const at: WirePosition = { frame: 0, start: 0, end: 1 };
const identity = (index: number, rest: Partial<CallIdentity> = {}): CallIdentity => ({
  key: `call-${index}`,
  id: `id${index}`,
  name: "f",
  kind: "function",
  choice: 0,
  index,
  ...rest,
});
const call = (index: number, rest: Partial<ToolCall> = {}): ToolCall => ({
  ...identity(index),
  status: "complete",
  argumentsText: "{}",
  arguments: {},
  ...rest,
});
const close = (index: number, rest: Partial<ToolCall> = {}): StreamEvent => ({
  type: "call.close",
  call: call(index, rest),
  at,
});
const finish: StreamEvent = { type: "finish", reason: "tool_calls", raw: "tool_calls", at };

function fold(...events: StreamEvent[]): Collector["result"] {
  const collector = new Collector();
  for (const event of events) collector.add(event);
  return collector.result;
}

describe("calls", () => {
  test("stand in the order of first sight, though they close in another", () => {
    expect(fold(close(2), close(0), close(1)).calls.map((each) => each.index)).toEqual([0, 1, 2]);
  });

  test("that were taken back are not there, whether they were closed or not", () => {
    const retract = (index: number): StreamEvent => ({
      type: "call.retract",
      call: identity(index),
      reason: "fallback",
      argumentsText: "",
      at,
    });
    expect(fold(close(0), close(1), retract(0), retract(7)).calls.map((each) => each.index)).toEqual([1]);
  });

  test("that never closed are not there", () => {
    expect(
      fold({ type: "call.start", call: identity(0), at }, { type: "call.append", call: identity(0), text: "{", at })
        .calls,
    ).toEqual([]);
  });
});

describe("text", () => {
  const text = (value: string, choice = 0, refusal = false): StreamEvent => ({
    type: "text",
    text: value,
    choice,
    ...(refusal ? { refusal: true as const } : {}),
    at,
  });

  test("is that of the first choice, whichever came first", () => {
    expect(fold(text("b", 1), text("a"), text("b", 1), text("a")).text).toBe("aa");
    expect(fold(text("b", 1)).text).toBe("b");
    expect(fold().text).toBe("");
  });

  test("is no refusal, and a refusal is no text", () => {
    expect(fold(text("a"), text("no", 0, true))).toMatchObject({ text: "a", refusal: "no" });
  });

  test("is no reasoning", () => {
    expect(fold({ type: "reasoning", text: "hm", choice: 0, at }, text("a"))).toMatchObject({
      text: "a",
      reasoning: "hm",
    });
  });
});

describe("the rest", () => {
  test("the last usage, the first error, every notice, what was dropped, all parts", () => {
    const answer = fold(
      { type: "usage", inputTokens: 1, raw: {}, at },
      { type: "usage", inputTokens: 1, outputTokens: 2, raw: {}, at },
      { type: "error", error: { code: 1, message: "first" }, at },
      { type: "error", error: { code: 2, message: "second" }, at },
      { type: "notice", code: "limit", message: "x", at },
      { type: "notice", code: "repeated-call", message: "x", dropped: { reason: "repeated-call", id: "a" }, at },
      { type: "part", part: { a: 1 }, choice: 0, at },
      { type: "part", part: { b: 1 }, choice: 0, at },
      { type: "response", id: "r", at },
      { type: "response", id: "r", model: "m", at },
      finish,
    );
    expect(answer).toMatchObject({
      usage: { outputTokens: 2 },
      error: { message: "first" },
      dropped: [{ reason: "repeated-call", id: "a" }],
      parts: [{ a: 1 }, { b: 1 }],
      response: { id: "r", model: "m" },
      finish: "tool_calls",
      rawFinish: "tool_calls",
    });
    expect(answer.notices).toHaveLength(2);
  });

  test("nothing at all", () => {
    expect(fold()).toMatchObject({
      calls: [],
      dropped: [],
      text: "",
      reasoning: "",
      refusal: "",
      parts: [],
      usage: null,
      finish: null,
      rawFinish: null,
      error: null,
      notices: [],
      response: {},
    });
  });

  test("an earlier result does not change when more is added", () => {
    const collector = new Collector();
    collector.add(close(0));
    const early = collector.result;
    collector.add(close(1));
    collector.add({ type: "notice", code: "limit", message: "x", dropped: { reason: "x" }, at });
    expect(early).toMatchObject({ calls: [{ index: 0 }], notices: [], dropped: [] });
    expect(early.calls).toHaveLength(1);
  });
});

test("collect() takes a list and an async iterable", async () => {
  async function* later(): AsyncGenerator<StreamEvent> {
    yield close(0);
    await Promise.resolve();
    yield finish;
  }
  expect(await collect([close(0), finish])).toEqual(await collect(later()));
  await expect(
    collect(
      (async function* (): AsyncGenerator<StreamEvent> {
        yield close(0);
        throw new Error("lost");
      })(),
    ),
  ).rejects.toThrow("lost");
});

describe("runnable", () => {
  test("is what the client runs, complete, in a response that called tools", () => {
    const kinds = (["function", "custom", "builtin", "server", "mcp", "mcp-approval"] as const).map((kind, index) =>
      close(index, { kind }),
    );
    expect(runnable(fold(...kinds, finish))).toEqual(["id0", "id1", "id2"]);
  });

  test("is nothing that is truncated or malformed", () => {
    expect(
      runnable(fold(close(0, { status: "truncated" }), close(1, { status: "malformed" }), close(2), finish)),
    ).toEqual(["id2"]);
  });

  test.each(["stop", "length", "content_filter", "error", "cancelled", null] as const)(
    "is nothing at all after %s",
    (reason) => {
      expect(runnable(fold(close(0), { type: "finish", reason, raw: null, at }))).toEqual([]);
    },
  );
});
