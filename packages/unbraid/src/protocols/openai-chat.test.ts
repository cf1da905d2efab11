// Chat Completions over bodies that we composed, one for each variant and dialect.

import { describe, expect, test } from "vitest";
import { openaiChat } from "./openai-chat.ts";
import { answerOf, eventsOf } from "./reading.test-kit.ts";
import { fixturesOf, protocolSuite } from "./suite.test-suite.ts";

const bodies = fixturesOf("openai-chat");

describe("openai-chat", () => {
  protocolSuite(openaiChat, {
    "azure.sse": {
      calls: [["call_az1", "get_weather", '{"city":"Hamina"}']],
      finish: "tool_calls",
      raw: "tool_calls",
      outputTokens: 17,
    },
    "blank-identities.sse": {
      calls: [
        ["call_q7", "get_weather", '{"city":"Porvoo"}'],
        ["call_q8", "read_file", '{"path":"p"}'],
      ],
      finish: "tool_calls",
    },
    "content-filter.sse": {
      calls: [["call_f1", "get_weather", '{"city":"Kot', { status: "truncated" }]],
      finish: "content_filter",
      raw: "content_filter",
    },
    "content-parts.sse": {
      calls: [["Xk29dLq0a", "get_weather", '{"city": "Loviisa"}']],
      finish: "tool_calls",
      text: "Checking.",
      reasoning: "Hm, weather.",
      outputTokens: 7,
    },
    "cumulative.sse": {
      calls: [["call_c1", "get_weather", '{"city":"Kotka"}']],
      finish: "tool_calls",
      notices: ["cumulative-arguments", "name-restated"],
    },
    "custom-tool.sse": {
      calls: [
        ["call_cu1", "sql", 'select {{ from "t"\n', { kind: "custom" }],
        ["call_cu2", "get_weather", '{"city":"Vaasa"}'],
      ],
      finish: "tool_calls",
    },
    "cut-off.sse": {
      calls: [
        ["call_e1", "get_weather", '{"city":"Kotka"}', { status: "truncated" }],
        ["call_e2", "get_weather", "", { status: "truncated" }],
      ],
      finish: null,
      raw: null,
      notices: ["cut-frame", "unterminated-stream"],
      dropped: ["cut-frame"],
    },
    "error-event.sse": {
      calls: [["chatcmpl-tool-2", "get_weather", '{"city":', { status: "truncated" }]],
      finish: "error",
      raw: null,
      error: "tool_use_failed",
    },
    "error-object.sse": {
      calls: [["chatcmpl-tool-1", "get_weather", '{"city":"Pori"}', { status: "truncated" }]],
      finish: "error",
      raw: null,
      error: 500,
    },
    "gemini-compatible.sse": {
      calls: [
        [
          "function-call-113",
          "get_weather",
          '{"city":"Imatra"}',
          { echo: { extra_content: { google: { thought_signature: "c2lnMQ==" } } } },
        ],
        ["function-call-114", "get_weather", '{"city":"Imatra"}'],
        ["function-call-115", "read_file", '{"path":"i"}'],
      ],
      finish: "tool_calls",
      raw: "stop",
      notices: ["finish-mismatch"],
    },
    "groq.sse": {
      calls: [
        [null, "web_search", '{"query": "ferry times"}', { kind: "server" }],
        ["fc_3aa", "get_weather", '{"city":"Naantali"}'],
        ["fc_3ab", "get_weather", '{"city":"Rauma"}'],
      ],
      finish: "tool_calls",
      reasoning: "Search first.",
      outputTokens: 31,
      notices: ["id-missing"],
    },
    "interleaved.sse": {
      calls: [
        ["call_i0", "get_weather", '{"city":"Bod\\u00f8"}'],
        ["call_i1", "read_file", '{"path":"x"}'],
      ],
      finish: "tool_calls",
    },
    "legacy-function-call.sse": {
      calls: [[null, "get_weather", '{\n  "city": "Oulu"\n}']],
      finish: "tool_calls",
      raw: "function_call",
      notices: ["id-missing"],
    },
    "length.sse": {
      calls: [
        ["call_l1", "get_weather", '{"city":"Kotka"}'],
        ["call_l2", "write_file", '{"path":"a","content":"Once upon', { status: "truncated" }],
      ],
      finish: "length",
      raw: "length",
    },
    "message-after-deltas.sse": {
      calls: [["call_w3", "get_weather", '{"city":"Kemi"}']],
      finish: "tool_calls",
      text: "Looking",
    },
    "no-arguments.sse": {
      calls: [
        ["call_z1", "roll_die", "{}"],
        ["call_z2", "roll_die", "{}"],
        ["call_z3", "roll_die", "{}"],
        ["call_z4", "roll_die", "{}"],
      ],
      finish: "tool_calls",
      notices: ["null-arguments"],
    },
    "not-streamed.body": {
      calls: [
        ["call_ns1", "get_weather", '{"city":"Espoo"}'],
        ["call_ns2", "sql", "select 1", { kind: "custom" }],
      ],
      finish: "tool_calls",
      raw: "tool_calls",
      text: "One moment.",
      outputTokens: 12,
    },
    "object-tool-calls.sse": {
      calls: [[null, "get_weather", '{"city": "Lahti"}']],
      finish: "tool_calls",
      raw: "eos_token",
      notices: ["finish-mismatch", "id-missing"],
    },
    "openrouter-error.sse": {
      calls: [["call_oe", "get_weather", '{"city":"Salo"}', { status: "truncated" }]],
      finish: "error",
      raw: "error",
      error: 502,
    },
    "openrouter.sse": {
      calls: [["tool_0_get_weather_Zq", "get_weather", '{"city":"Salo"}']],
      finish: "tool_calls",
      reasoning: "The user wants weather.",
      outputTokens: 21,
      notices: [],
    },
    "parallel.sse": {
      calls: [
        ["call_Lq1", "get_weather", '{"city":"Tromsø"}'],
        ["call_Lq2", "get_weather", '{"city":"大阪 🌦"}'],
        ["call_Lq3", "read_file", '{"path":"a b.txt","limit":20}'],
      ],
      finish: "tool_calls",
      outputTokens: 54,
    },
    "reasoning-three-spellings.sse": {
      calls: [["call_00_rs", "get_weather", '{"city":"Hanko"}']],
      finish: "tool_calls",
      text: "Now.",
      reasoning: "First, second, third.",
      outputTokens: 6,
    },
    "refusal.sse": { calls: [], finish: "stop", raw: "stop", text: "", refusal: "I can't help with that." },
    "repeat.sse": {
      calls: [["call_r1", "get_weather", '{"city":"Kotka"}']],
      finish: "tool_calls",
      notices: ["repeated-call"],
      dropped: ["repeated-call"],
    },
    "several-choices.sse": {
      calls: [
        ["call_n0", "get_weather", '{"city":"Oulu"}'],
        ["call_n0", "get_weather", '{"city":"Turku"}', { choice: 1 }],
      ],
      finish: "tool_calls",
      text: "No tools needed.",
    },
    "text-only.sse": { calls: [], finish: "stop", text: "Nothing to call 🙂." },
    "whole-message.sse": {
      calls: [
        ["call_w1", "get_weather", '{"city":"Kemi"}'],
        ["call_w2", "read_file", '{"path":"k"}'],
      ],
      finish: "tool_calls",
      outputTokens: 8,
    },
  });

  test("a call is started with its first text, and each fragment is given on as it came", () => {
    const kinds = eventsOf(openaiChat, [bodies.get("parallel.sse") ?? ""]).flatMap((event) =>
      event.type === "call.append" ? [event.text] : event.type.startsWith("call") ? [event.type] : [],
    );
    expect(kinds.slice(0, 8)).toEqual([
      "call.start",
      '{"ci',
      'ty":"Tromsø"}',
      "call.start",
      '{"city":',
      '"大阪 🌦"}',
      "call.start",
      '{"path":"a b.txt","limit":20}',
    ]);
    expect(kinds.slice(8)).toEqual(["call.close", "call.close", "call.close"]);
  });

  test("the vendor's own error object is kept, with what the model had generated", () => {
    const { error } = answerOf(openaiChat, bodies.get("error-event.sse") ?? "");
    expect(error).toMatchObject({
      message: "Tool call validation failed",
      raw: { failed_generation: expect.stringContaining("<function=") },
    });
  });

  test("signatures that OpenRouter sends beside the deltas are kept as parts", () => {
    const { parts } = answerOf(openaiChat, bodies.get("openrouter.sse") ?? "");
    expect(JSON.stringify(parts)).toContain("CiQBc2ln");
  });

  test("what Groq ran is echoed with its latest report", () => {
    const [ran] = answerOf(openaiChat, bodies.get("groq.sse") ?? "").calls;
    expect(ran?.echo).toMatchObject({ executed_tool: { name: "web_search" } });
  });
});
