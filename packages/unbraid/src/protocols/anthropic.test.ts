// Anthropic Messages over bodies that we composed: the tool families, the ways a message begins anew, and how it fails
//.

import { describe, expect, test } from "vitest";
import { anthropic } from "./anthropic.ts";
import { answerOf, eventsOf } from "./reading.test-kit.ts";
import { fixturesOf, protocolSuite } from "./suite.test-suite.ts";

const bodies = fixturesOf("anthropic");
const inari = '{"city": "Inari"}';

describe("anthropic", () => {
  protocolSuite(anthropic, {
    "another-message.sse": {
      calls: [["toolu_06", "get_weather", '{"city": "Kajaani"}']],
      finish: "tool_calls",
      notices: ["superseded-by-restart"],
      dropped: ["superseded-by-restart", "superseded-by-restart"],
    },
    "calls-in-message-start.sse": {
      calls: [
        [
          "toolu_p1",
          "get_weather",
          '{"city":"Joensuu"}',
          { echo: { caller: { type: "code_execution_20260120", tool_id: "srvtoolu_9" } } },
        ],
        ["toolu_p2", "roll_die", "{}"],
      ],
      finish: "tool_calls",
      raw: "tool_use",
    },
    "client-tools.sse": {
      calls: [
        ["toolu_01a", "get_weather", '{"city": "Mikkeli"}', { echo: { caller: { type: "direct" } } }],
        ["toolu_01b", "get_weather", '{"city": "Savonlinna \\ud83c\\udfad"}'],
      ],
      finish: "tool_calls",
      raw: "tool_use",
      text: "I'll check both.",
      reasoning: "Two towns, two calls.",
      outputTokens: 77,
    },
    "cut-off.sse": {
      calls: [
        ["toolu_22", "get_weather", '{"city": "Ii"}'],
        ["toolu_23", "get_weather", '{"city": "Ii"}', { status: "truncated" }],
      ],
      finish: null,
      raw: null,
      notices: ["unterminated-stream"],
    },
    "eager-invalid.sse": {
      calls: [
        ["toolu_14", "get_weather", '{"city": Inari}', { status: "malformed" }],
        ["toolu_15", "get_weather", inari],
      ],
      finish: "tool_calls",
      notices: ["malformed-arguments"],
    },
    "error-mid-stream.sse": {
      calls: [
        ["toolu_18", "get_weather", inari],
        ["toolu_19", "get_weather", inari, { status: "truncated" }],
      ],
      finish: "error",
      raw: null,
      error: "overloaded_error",
      notices: [],
    },
    "fallback.sse": {
      calls: [["toolu_09", "get_weather", '{"city": "Rovaniemi"}']],
      finish: "tool_calls",
      notices: ["fallback"],
      dropped: ["fallback", "fallback"],
    },
    "input-in-start.sse": {
      calls: [["toolu_11", "get_weather", '{"city":"Inari"}']],
      finish: "tool_calls",
      notices: [],
    },
    "max-tokens.sse": {
      calls: [
        ["toolu_16", "get_weather", inari],
        ["toolu_17", "write_file", '{"path": "a", "content": "Once', { status: "truncated" }],
      ],
      finish: "length",
      raw: "max_tokens",
    },
    "mcp-tools.sse": {
      calls: [
        ["mcptoolu_01", "echo", '{"param": 1}', { kind: "mcp", echo: { server_name: "local" } }],
        ["toolu_02", "get_weather", '{"city": "Kuopio"}'],
      ],
      finish: "tool_calls",
    },
    "missing-stops.sse": {
      calls: [
        ["toolu_20", "get_weather", '{"city": "Ii"}'],
        ["toolu_21", "read_file", '{"path": "ii"}'],
      ],
      finish: "tool_calls",
      notices: [],
    },
    "no-arguments.sse": {
      calls: [
        ["toolu_12", "roll_die", "{}"],
        ["toolu_13", "roll_die", "{}"],
      ],
      finish: "tool_calls",
    },
    "not-streamed.body": {
      calls: [["toolu_29", "get_weather", '{"city":"Ii"}']],
      finish: "tool_calls",
      text: "I'll check.",
      reasoning: "Hm.",
      outputTokens: 21,
    },
    "one-index-for-all.sse": {
      calls: [
        ["toolu_26", "get_weather", '{"city": "Ii"}'],
        ["toolu_27", "get_weather", '{"city": "Ii"}'],
        ["toolu_28", "read_file", '{"path": "ii"}'],
      ],
      finish: "tool_calls",
      notices: [],
    },
    "pause-turn.sse": {
      calls: [["srvtoolu_02", "code_execution", '{"code": "1"}', { kind: "server" }]],
      finish: "stop",
      raw: "pause_turn",
    },
    "placeholder.sse": {
      calls: [["toolu_10", "get_weather", inari]],
      finish: "tool_calls",
      notices: ["placeholder-arguments"],
    },
    "refusal.sse": { calls: [], finish: "content_filter", raw: "refusal", text: "Well, " },
    "same-message-again.sse": {
      calls: [["toolu_03", "get_weather", '{"city": "Kajaani"}']],
      finish: "tool_calls",
      notices: [],
    },
    "server-tools.sse": {
      calls: [["srvtoolu_01", "web_search", '{"query": "ferry"}', { kind: "server" }]],
      finish: "stop",
      raw: "end_turn",
      text: "Searching.Found.",
    },
    "toolset.sse": {
      calls: [["toolu_24", "navigate", '{"url": "https://example.org"}', { echo: { toolset_name: "browser" } }]],
      finish: "tool_calls",
    },
    "unknown-parts.sse": {
      calls: [["toolu_25", "get_weather", '{"city": "Ii"}']],
      finish: "tool_calls",
      notices: ["unknown-frame"],
    },
  });

  test("a call that a fallback made void is taken back even when it was closed", () => {
    const events = eventsOf(anthropic, [bodies.get("fallback.sse") ?? ""]);
    const retracted = events.flatMap((event) => (event.type === "call.retract" ? [[event.call.id, event.reason]] : []));
    expect(retracted).toEqual([
      ["toolu_07", "fallback"],
      ["toolu_08", "fallback"],
    ]);
  });

  test("signed thinking, results of server tools and parts of unknown types are kept whole, in their order", () => {
    expect(answerOf(anthropic, bodies.get("client-tools.sse") ?? "").parts).toEqual([
      { type: "thinking", thinking: "Two towns, two calls.", signature: "EqQBCkYIAR" },
    ]);
    expect(answerOf(anthropic, bodies.get("unknown-parts.sse") ?? "").parts).toEqual([
      { type: "redacted_thinking", data: "EmwK" },
      { type: "compaction", content: "summary", encrypted_content: "Ec" },
      { type: "hologram", shape: "cube", turn: 90 },
    ]);
    expect(answerOf(anthropic, bodies.get("server-tools.sse") ?? "").parts).toMatchObject([
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_01" },
    ]);
  });
});
