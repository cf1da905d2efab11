import { describe, expect, it, test } from "vitest";
import type { ProtocolName } from "unbraid";
import { rescue } from "unbraid/rescue";
import { mendWhole, type WholeOptions } from "./whole.ts";

function mended(protocol: ProtocolName, body: object, options?: WholeOptions): { same: boolean; value: unknown } {
  const bytes = Buffer.from(JSON.stringify(body));
  const out = mendWhole(protocol, bytes, options);
  return { same: out === bytes, value: JSON.parse(Buffer.from(out).toString()) };
}

const call = (id: string, name: string, args: unknown): object => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

describe("sound answers keep their bytes", () => {
  test.each<[ProtocolName, object]>([
    [
      "openai-chat",
      {
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: "a", tool_calls: [call("c1", "f", '{ "a" : 1 }')] },
            finish_reason: "tool_calls",
            logprobs: null,
          },
        ],
        usage: {},
      },
    ],
    [
      "openai-chat",
      {
        choices: [
          { index: 0, message: { role: "assistant", content: "only text", refusal: null }, finish_reason: "stop" },
        ],
      },
    ],
    [
      "openai-chat",
      {
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
            finish_reason: "function_call",
          },
        ],
      },
    ],
    [
      "anthropic",
      {
        type: "message",
        id: "m",
        content: [
          { type: "thinking", thinking: "t", signature: "s" },
          { type: "text", text: "a", citations: [] },
          { type: "tool_use", id: "t1", name: "f", input: { a: 1 } },
        ],
        stop_reason: "tool_use",
        usage: {},
      },
    ],
    ["anthropic", { type: "message", id: "m", content: [{ type: "text", text: "a" }], stop_reason: "pause_turn" }],
    [
      "openai-responses",
      {
        object: "response",
        id: "r",
        status: "completed",
        output: [
          { type: "reasoning", id: "rs", summary: [] },
          {
            type: "message",
            id: "ms",
            role: "assistant",
            content: [{ type: "output_text", text: "a", annotations: [1] }],
          },
          { type: "function_call", id: "fc", call_id: "c1", name: "f", arguments: "{}", status: "completed" },
        ],
      },
    ],
    [
      "gemini",
      {
        candidates: [
          {
            index: 0,
            content: {
              role: "model",
              parts: [{ text: "a" }, { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "s" }],
            },
            finishReason: "STOP",
            safetyRatings: [],
          },
        ],
        usageMetadata: {},
      },
    ],
    [
      "gemini",
      { candidates: [{ content: { role: "model", parts: [{ functionCall: { name: "f" } }] }, finishReason: "STOP" }] },
    ],
    [
      "ollama",
      {
        model: "m",
        message: { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] },
        done: true,
        done_reason: "stop",
      },
    ],
  ])("%s (%#)", (protocol, body) => expect(mended(protocol, body)).toEqual({ same: true, value: body }));

  it("and so does what is no answer", () => {
    for (const text of ["", "[]", "null", "<html>", '{"error":{"message":"no"}}', '{"choices":"none"}'])
      for (const protocol of ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses"] as const) {
        const bytes = Buffer.from(text);
        expect(mendWhole(protocol, bytes)).toBe(bytes);
      }
  });
});

describe("what is wrong is put right, and nothing else", () => {
  test("chat: objects, missing ids, doubled ids, the finish word", () => {
    const body = {
      x: 1,
      choices: [
        {
          index: 0,
          y: 2,
          message: {
            role: "assistant",
            content: null,
            z: 3,
            tool_calls: [
              { type: "function", function: { name: "f", arguments: { a: 1 } }, w: 4 },
              call("c", "g", '{"c":3}'),
              call("c", "h", '{"b":2}'),
            ],
          },
          finish_reason: "stop",
        },
      ],
    };
    const { value } = mended("openai-chat", body);
    expect(value).toMatchObject({
      x: 1,
      choices: [
        {
          y: 2,
          finish_reason: "tool_calls",
          message: {
            z: 3,
            tool_calls: [
              { w: 4, type: "function", function: { name: "f", arguments: '{"a":1}' } },
              { id: "c", function: { name: "g" } },
              { function: { name: "h" } },
            ],
          },
        },
      ],
    });
    const ids = (
      value as { choices: { message: { tool_calls: { id: string }[] } }[] }
    ).choices[0]!.message.tool_calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  test("chat: a call in the text", () => {
    const body = {
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: 'Look. <tool_call>{"name":"f","arguments":{"a":1}}</tool_call>' },
          finish_reason: "stop",
        },
      ],
    };
    const { value } = mended("openai-chat", body, {
      reader: { rescue, tools: [{ name: "f", parameters: { type: "object", properties: { a: {} } } }] },
    });
    expect(value).toMatchObject({
      choices: [
        {
          finish_reason: "tool_calls",
          message: { content: "Look. ", tool_calls: [{ function: { name: "f", arguments: '{"a":1}' } }] },
        },
      ],
    });
  });

  test("chat: a malformed call, where repair is wanted", () => {
    const body = {
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: null, tool_calls: [call("c", "f", '{"a":1,}')] },
          finish_reason: "tool_calls",
        },
      ],
    };
    expect(mended("openai-chat", body).same).toBe(true);
    expect(mended("openai-chat", body, { repair: true }).value).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { arguments: '{"a":1}' } }] } }],
    });
  });

  test("anthropic: input as text, and the stop reason", () => {
    const body = {
      type: "message",
      id: "m",
      content: [
        { type: "text", text: "a", k: 1 },
        { type: "tool_use", id: "t", name: "f", input: '{"a":1}', k: 2 },
      ],
      stop_reason: "end_turn",
    };
    expect(mended("anthropic", body).value).toMatchObject({
      content: [{ k: 1 }, { k: 2, input: { a: 1 } }],
      stop_reason: "tool_use",
    });
  });

  test("gemini and ollama: arguments as text", () => {
    const parts = [{ functionCall: { name: "f", args: '{"a":1}' }, thoughtSignature: "s" }];
    expect(
      mended("gemini", { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }] }).value,
    ).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "s" }] } }],
    });
    const message = { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: '{"a":1}' } }] };
    expect(mended("ollama", { model: "m", message, done: true, done_reason: "stop" }).value).toMatchObject({
      message: { tool_calls: [{ function: { arguments: { a: 1 } } }] },
    });
  });

  test("responses: arguments as an object", () => {
    const item = { type: "function_call", id: "fc", call_id: "c", name: "f", arguments: { a: 1 }, status: "completed" };
    const { value } = mended("openai-responses", { object: "response", id: "r", status: "completed", output: [item] });
    expect(value).toMatchObject({ output: [{ id: "fc", call_id: "c", arguments: '{"a":1}' }] });
  });

  it("says malformed calls to wires of objects so that they can be answered", () => {
    const message = { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: "{a" } }] };
    expect(mended("ollama", { model: "m", message, done: true, done_reason: "stop" }).value).toMatchObject({
      message: { tool_calls: [{ function: { arguments: { invalid_arguments: "{a" } } }] },
    });
  });
});
