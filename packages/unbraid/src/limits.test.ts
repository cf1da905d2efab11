// Every limit: what it ends with, and what is kept of what was read before it.

import { describe, expect, test } from "vitest";
import type { StreamEvent } from "./events.ts";
import { anthropic } from "./protocols/anthropic.ts";
import { gemini } from "./protocols/gemini.ts";
import { brokenInvariants } from "./invariants.test-kit.ts";
import { openaiChat } from "./protocols/openai-chat.ts";
import { openaiResponses } from "./protocols/openai-responses.ts";
import type { Protocol } from "./protocols/protocol.ts";
import { bytesOf, collected, eventsOf, inPieces } from "./protocols/reading.test-kit.ts";
import { DEFAULT_LIMITS, type Limits } from "./assembly/limits.ts";

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  data({ id: "c1", choices: [{ index: 0, delta, finish_reason: finish }] });
const entry = (index: number, id: string | undefined, args: string): string =>
  chunk({
    tool_calls: [
      {
        index,
        ...(id === undefined ? {} : { id }),
        function: { ...(id === undefined ? {} : { name: "f" }), arguments: args },
      },
    ],
  });
const end = `${chunk({}, "tool_calls")}data: [DONE]\n\n`;
const ok = entry(0, "ok", '{"a":1}');

function readWith(
  body: string,
  limits: Partial<Limits>,
  protocol: Protocol = openaiChat,
): { events: StreamEvent[]; answer: ReturnType<typeof collected> } {
  const bytes = bytesOf(body);
  const events = eventsOf(protocol, [bytes], { limits });
  expect(brokenInvariants(events, bytes.length)).toEqual([]);
  expect(eventsOf(protocol, inPieces(bytes, 1), { limits }).filter((event) => event.type === "finish")).toHaveLength(1);
  return { events, answer: collected(events) };
}

describe("bytes of one call's arguments", () => {
  const long = (pieces: number): string =>
    ok +
    entry(1, "long", '{"a":"') +
    entry(1, undefined, "0123456789").repeat(pieces) +
    entry(1, undefined, '"}') +
    end;

  test("passed: an error of its own, the call truncated, the calls before it kept, nothing complete that was cut", () => {
    const { answer } = readWith(long(20), { maxArgumentBytes: 100 });
    expect(answer.error).toMatchObject({ code: "limit", message: expect.stringContaining("maxArgumentBytes") });
    expect(answer.finish).toBe("error");
    expect(answer.calls).toMatchObject([
      { id: "ok", argumentsText: '{"a":1}' },
      { id: "long", status: "truncated", arguments: null, problem: { code: "argument-limit" } },
    ]);
    expect(answer.calls[1]?.argumentsText).toBe(`{"a":"${"0123456789".repeat(10)}`.slice(0, 100));
    expect(answer.notices.map((notice) => notice.code)).toContain("limit");
  });

  test("reached exactly: nothing happens", () => {
    const { answer } = readWith(long(9), { maxArgumentBytes: 98 });
    expect(answer).toMatchObject({
      error: null,
      finish: "tool_calls",
      calls: [{ status: "complete" }, { status: "complete" }],
    });
  });

  test("one byte less is too little", () => {
    expect(readWith(long(9), { maxArgumentBytes: 97 }).answer).toMatchObject({ error: { code: "limit" } });
  });

  test("counts UTF-8 bytes, not characters", () => {
    const body = (count: number): string =>
      entry(0, "a", '{"a":"') + entry(0, undefined, "€").repeat(count) + entry(0, undefined, '"}') + end;
    expect(readWith(body(30), { maxArgumentBytes: 98 }).answer.error).toBeNull();
    expect(readWith(body(31), { maxArgumentBytes: 98 }).answer.error).toMatchObject({ code: "limit" });
  });

  test("holds for one big fragment", () => {
    expect(readWith(entry(0, "a", `{"a":"${"x".repeat(500)}"}`) + end, { maxArgumentBytes: 100 }).answer).toMatchObject(
      {
        error: { code: "limit" },
        calls: [{ id: "a", status: "truncated" }],
      },
    );
  });

  test("holds for text that stands behind a closed value, for text that names no call, and for a header that comes again", () => {
    const tail = ok + entry(0, undefined, "x".repeat(10)).repeat(20) + end;
    const orphans =
      entry(0, "a", "{") +
      entry(1, "b", "{") +
      data({ choices: [{ index: 0, delta: { tool_calls: [{ function: { arguments: "0123456789" } }] } }] }).repeat(20) +
      end;
    for (const body of [tail, orphans])
      expect(readWith(body, { maxArgumentBytes: 100 }).answer).toMatchObject({ error: { code: "limit" } });
  });

  test("holds for every wire", () => {
    const big = `{"a":"${"x".repeat(500)}"}`;
    const bodies: readonly (readonly [Protocol, string])[] = [
      [
        anthropic,
        data({
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "a", name: "f", input: {} },
        }) +
          data({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: big } }) +
          data({ type: "message_stop" }),
      ],
      [
        anthropic,
        data({
          type: "message_start",
          message: {
            id: "m",
            content: [{ type: "tool_use", id: "a", name: "f", input: JSON.parse(big) }],
            stop_reason: "tool_use",
          },
        }),
      ],
      [
        openaiResponses,
        data({
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "function_call", call_id: "a", name: "f", arguments: big },
        }),
      ],
      [
        openaiResponses,
        data({
          type: "response.completed",
          response: {
            status: "completed",
            output: [{ type: "function_call", call_id: "a", name: "f", arguments: big }],
          },
        }),
      ],
      [
        gemini,
        data({
          candidates: [
            {
              content: { parts: [{ functionCall: { id: "a", name: "f", args: JSON.parse(big) } }] },
              finishReason: "STOP",
            },
          ],
        }),
      ],
      [
        gemini,
        data({
          candidates: [
            {
              content: {
                parts: [
                  {
                    functionCall: {
                      id: "a",
                      name: "f",
                      partialArgs: [{ jsonPath: "$.a", stringValue: "x".repeat(500) }],
                    },
                  },
                ],
              },
              finishReason: "STOP",
            },
          ],
          usageMetadata: { promptTokenCount: 1 },
        }),
      ],
    ];
    for (const [protocol, body] of bodies) {
      expect(readWith(body, { maxArgumentBytes: 100 }, protocol).answer).toMatchObject({
        error: { code: "limit" },
        finish: "error",
      });
    }
  });
});

describe("calls in one response", () => {
  const many = (count: number): string =>
    Array.from({ length: count }, (_, i) => entry(i, `id${i}`, "{}")).join("") + end;

  test("one too many: an error of its own, and those before it are kept", () => {
    const { answer } = readWith(many(5), { maxCalls: 4 });
    expect(answer).toMatchObject({
      finish: "error",
      error: { code: "limit", message: expect.stringContaining("maxCalls") },
    });
    expect(answer.calls.map((call) => call.id)).toEqual(["id0", "id1", "id2", "id3"]);
    expect(answer.calls.every((call) => call.status === "truncated")).toBe(true);
  });

  test("as many as allowed: nothing happens", () => {
    expect(readWith(many(4), { maxCalls: 4 }).answer).toMatchObject({ error: null, finish: "tool_calls" });
  });

  test("holds in one frame, and in a final list", () => {
    const entries = Array.from({ length: 50 }, (_, i) => ({
      index: i,
      id: `id${i}`,
      function: { name: "f", arguments: "{}" },
    }));
    expect(readWith(chunk({ tool_calls: entries }) + end, { maxCalls: 4 }).answer.calls).toHaveLength(4);
    expect(
      readWith(data({ choices: [{ index: 0, message: { tool_calls: entries }, finish_reason: "tool_calls" }] }), {
        maxCalls: 4,
      }).answer.calls,
    ).toHaveLength(4);
    expect(
      readWith(
        data({
          candidates: [
            { content: { parts: entries.map(() => ({ functionCall: { name: "f" } })) }, finishReason: "STOP" },
          ],
          usageMetadata: { promptTokenCount: 1 },
        }),
        { maxCalls: 4 },
        gemini,
      ).answer.calls,
    ).toHaveLength(4);
  });

  test("counts the calls of all choices", () => {
    const body = Array.from({ length: 9 }, (_, i) =>
      data({
        choices: [
          { index: i, delta: { tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: "{}" } }] } },
        ],
      }),
    ).join("");
    expect(readWith(body, { maxCalls: 4 }).answer).toMatchObject({ error: { code: "limit" } });
  });
});

describe("bytes of the response", () => {
  test("one too many: an error of its own, and what stood in front is kept", () => {
    const body = ok + entry(1, "b", '{"b":1}') + end;
    const limit = bytesOf(ok).length + 5;
    const { answer } = readWith(body, { maxResponseBytes: limit });
    expect(answer).toMatchObject({
      finish: "error",
      error: { code: "limit", message: expect.stringContaining("maxResponseBytes") },
    });
  });

  test("what came in the chunks before is kept", () => {
    const events = eventsOf(openaiChat, [ok, entry(1, "b", '{"b":1}'), end], {
      limits: { maxResponseBytes: bytesOf(ok).length + 5 },
    });
    expect(collected(events).calls).toMatchObject([{ id: "ok", status: "truncated" }]);
  });

  test("the answer does not depend on the chunks", () => {
    const bytes = bytesOf(ok + entry(1, "b", '{"b":1}') + end);
    const limits = { maxResponseBytes: bytesOf(ok).length + 5 };
    const calls = [1, 7, 100, bytes.length].map((size) =>
      collected(eventsOf(openaiChat, inPieces(bytes, size), { limits })).calls.map((call) => call.id),
    );
    expect(calls).toEqual([["ok"], ["ok"], ["ok"], ["ok"]]);
  });

  test("exactly as many: nothing happens", () => {
    const body = ok + end;
    expect(readWith(body, { maxResponseBytes: bytesOf(body).length }).answer).toMatchObject({
      error: null,
      finish: "tool_calls",
    });
  });
});

describe("bytes of one frame", () => {
  test("one too many: an error of its own, and what stood in front is kept", () => {
    const { answer } = readWith(ok + chunk({ content: "x".repeat(2000) }) + end, { maxFrameBytes: 1000 });
    expect(answer).toMatchObject({
      finish: "error",
      error: { code: "frame-too-large", message: expect.stringContaining("maxFrameBytes") },
      calls: [{ id: "ok", status: "truncated" }],
    });
  });

  test("a frame that never ends does not fill the memory", () => {
    const pieces = [bytesOf(ok), bytesOf("data: "), ...Array.from({ length: 200 }, () => bytesOf("x".repeat(1000)))];
    const events = eventsOf(openaiChat, pieces, { limits: { maxFrameBytes: 10_000 } });
    expect(collected(events)).toMatchObject({ finish: "error", error: { code: "frame-too-large" } });
  });
});

describe("levels of nesting", () => {
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

  test("one too many: the call is malformed, with the reason, and the others are read", () => {
    const { answer } = readWith(entry(0, "deep", nested(6)) + entry(1, "b", '{"b":1}') + end, { maxDepth: 5 });
    expect(answer).toMatchObject({
      error: null,
      calls: [
        { id: "deep", status: "malformed", problem: { code: "too-deep" }, argumentsText: nested(6) },
        { id: "b", status: "complete" },
      ],
    });
  });

  test("as many as allowed, and 10,000 by default, are read", () => {
    expect(readWith(entry(0, "a", nested(5)) + end, { maxDepth: 5 }).answer.calls).toMatchObject([
      { status: "complete" },
    ]);
    const events = eventsOf(openaiChat, [entry(0, "a", nested(10_000)) + end]);
    expect(events.flatMap((event) => (event.type === "call.close" ? [event.call.status] : []))).toEqual(["complete"]);
  });

  test("an object instead of a string may be so deep, too", () => {
    for (const levels of [100, 3000, 20_000, 200_000]) {
      const body = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":${nested(levels)}}}]}}]}\n\n${end}`;
      const answer = collected(eventsOf(openaiChat, [body]));
      expect(
        answer.calls.map((call) => call.status),
        String(levels),
      ).toEqual([levels <= 3000 ? "complete" : expect.stringMatching(/malformed|truncated/)]);
    }
  });

  test("nothing anywhere in a frame makes a reader throw by being deep", () => {
    const deep = nested(100_000);
    const frames = [
      `{"detail":${deep}}`,
      `{"error":${deep}}`,
      `{"error":{"message":${deep}}}`,
      `{"choices":[{"index":0,"delta":{"content":${deep}}}]}`,
      `{"choices":[],"usage":${deep}}`,
      `{"choices":[{"index":0,"delta":{"reasoning_details":[${deep}]}}]}`,
      `{"type":"content_block_start","index":0,"content_block":${deep}}`,
      `{"type":"response.output_item.done","item":{"type":"x","y":${deep}}}`,
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.a","structValue":${deep}}]}}]}}]}`,
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","partialArgs":[{"jsonPath":${deep}}]}}]}}]}`,
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      "[".repeat(100_000),
    ];
    for (const protocol of [openaiChat, openaiResponses, anthropic, gemini]) {
      for (const frame of frames)
        expect(
          () => eventsOf(protocol, [`data: ${frame}\n\n`]),
          `${protocol.name}: ${frame.slice(0, 60)}`,
        ).not.toThrow();
    }
  });
});

describe("notices", () => {
  test("are bounded, and the last one says so", () => {
    const { answer } = readWith("data: nonsense\n\n".repeat(3000) + ok + end, {});
    expect(answer.notices.length).toBeLessThanOrEqual(1000);
    expect(answer.notices.at(-1)).toMatchObject({ code: "limit" });
    expect(answer.calls).toMatchObject([{ id: "ok", status: "complete" }]);
  });
});

describe("work stays linear", () => {
  test("names in very many pieces, made ids behind a long first frame, very long final lists", () => {
    const pieces =
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "f" } }] }) +
      chunk({ tool_calls: [{ index: 0, function: { name: "abcdefgh" } }] }).repeat(6000) +
      end;
    const answer = collected(eventsOf(openaiChat, [pieces]));
    expect(answer.calls.length).toBeLessThanOrEqual(1);
    const list = Array.from({ length: 20_000 }, (_, i) => ({ id: `id${i}`, function: { name: "f", arguments: "{}" } }));
    expect(
      collected(
        eventsOf(openaiChat, [
          data({ choices: [{ index: 0, message: { tool_calls: list }, finish_reason: "tool_calls" }] }),
        ]),
      ).calls,
    ).toHaveLength(DEFAULT_LIMITS.maxCalls);
  });
});
