// OpenAI Responses over bodies that we composed, one for each item type and each way to begin, close and fail.

import { describe, expect, test } from "vitest";
import { openaiResponses } from "./openai-responses.ts";
import { answerOf, eventsOf } from "./reading.test-kit.ts";
import { type ExpectedCall, fixturesOf, protocolSuite } from "./suite.test-suite.ts";

const bodies = fixturesOf("openai-responses");
const nokia: ExpectedCall = ["call_b1", "get_weather", '{"city":"Nokia"}'];

describe("openai-responses", () => {
  protocolSuite(openaiResponses, {
    "ciphertext-deltas.sse": {
      calls: [nokia],
      finish: "tool_calls",
      notices: ["final-disagrees"],
      dropped: ["final-disagrees"],
    },
    "completed-empty.sse": { calls: [nokia], finish: "tool_calls", raw: "completed", notices: [] },
    "content-filter.sse": {
      calls: [["call_b1", "get_weather", '{"city":"Nokia"}']],
      finish: "content_filter",
      raw: "incomplete",
      notices: [],
    },
    "custom-tool.sse": { calls: [["call_ct1", "sql", "select {} from t", { kind: "custom" }]], finish: "tool_calls" },
    "cut-after-item-done.sse": { calls: [nokia], finish: null, raw: null, notices: ["unterminated-stream"] },
    "cut-off.sse": {
      calls: [["call_b1", "get_weather", '{"city":"Nok', { status: "truncated" }]],
      finish: null,
      raw: null,
      notices: ["unterminated-stream"],
    },
    "done-differs.sse": {
      calls: [nokia],
      finish: "tool_calls",
      notices: ["final-disagrees"],
      dropped: ["final-disagrees"],
    },
    "done-only.sse": { calls: [nokia], finish: "tool_calls" },
    "every-item.sse": {
      calls: [
        ["ws_1", "web_search", '{"type":"search","query":"ferry"}', { kind: "server" }],
        ["fs_1", "file_search", "*", { kind: "server" }],
        ["ig_1", "image_generation", "", { kind: "server" }],
        ["ci_1", "code_interpreter", "print(1)", { kind: "server" }],
        ["mcp_1", "find", '{"q":"x"}', { kind: "mcp", echo: { server_label: "docs" } }],
        ["mcpr_1", "drop", '{"all":true}', { kind: "mcp-approval" }],
        ["ts_1", "tool_search", '{"query":"maps"}', { kind: "server" }],
        ["call_ts2", "tool_search", '{"query":"mail"}', { kind: "builtin" }],
        [
          "call_ls1",
          "local_shell",
          '{"type":"exec","command":["ls"],"env":{}}',
          { kind: "builtin", echo: { id: "lsh_1" } },
        ],
        [
          "call_sh1",
          "shell",
          '{"commands":["ls -la"],"timeout_ms":1000,"max_output_length":null}',
          { kind: "builtin" },
        ],
        ["call_sh2", "shell", '{"commands":["pwd"]}', { kind: "server" }],
        [
          "call_ap1",
          "apply_patch",
          '{"type":"update_file","path":"a.ts","diff":"@@\\n-a\\n+b\\n"}',
          { kind: "builtin" },
        ],
        ["call_cu1", "computer", '{"type":"click","x":1,"y":2,"button":"left"}', { kind: "builtin" }],
        ["call_cu2", "computer", "*", { kind: "builtin" }],
        ["pr_1", "program", "await f()", { kind: "server" }],
        ["call_ma1", "multi_agent", '{"task":"t"}', { kind: "server" }],
        ["xs_call_9", "x_keyword_search", '{"query":"y"}', { kind: "server" }],
        ["xs_call_10", "x_keyword_search", '{"query":"z"}', { kind: "server" }],
        ["call_prog", "get_weather", '{"city":"Raahe"}', { echo: { caller: { type: "program", caller_id: "pr_1" } } }],
      ],
      finish: "tool_calls",
      outputTokens: 40,
    },
    "failed.sse": {
      calls: [["call_b1", "get_weather", '{"city"', { status: "truncated" }]],
      finish: "error",
      raw: "failed",
      error: "server_error",
      notices: [],
    },
    "final-list-only.sse": { calls: [nokia], finish: "tool_calls", notices: [] },
    "flat-error.sse": {
      calls: [["call_b1", "get_weather", '{"city":"Nokia"}', { status: "truncated" }]],
      finish: "error",
      raw: null,
      error: "rate_limit_exceeded",
      notices: [],
    },
    "function-calls.sse": {
      calls: [
        ["call_a1", "get_weather", '{"city":"Viborg"}'],
        ["call_a2", "get_weather", '{"city":"Åbo"}', { echo: { namespace: "home", id: "fc_a2" } }],
      ],
      finish: "tool_calls",
      raw: "completed",
      text: "Let me look.",
      reasoning: "Weather in two towns.",
      outputTokens: 40,
    },
    "incomplete.sse": {
      calls: [nokia, ["call_b2", "write_file", '{"path":"a","con', { status: "truncated" }]],
      finish: "length",
      raw: "incomplete",
    },
    "interleaved.sse": {
      calls: [
        ["call_i1", "get_weather", '{"city":"Ii"}'],
        ["call_i2", "read_file", '{"path":"x"}'],
        ["call_i3", "roll_die", "{}"],
      ],
      finish: "tool_calls",
    },
    "item-done-only.sse": { calls: [nokia], finish: "tool_calls", notices: [] },
    "nested-error.sse": {
      calls: [["call_b1", "get_weather", "", { status: "truncated" }]],
      finish: "error",
      raw: "failed",
      error: "context_length_exceeded",
      notices: [],
    },
    "no-item-ids.sse": { calls: [nokia], finish: "tool_calls", notices: [] },
    "not-streamed.body": { calls: [nokia], finish: "tool_calls", raw: "completed", text: "Looking.", outputTokens: 9 },
    "nothing-done.sse": { calls: [nokia], finish: "tool_calls", notices: [] },
    "refusal.sse": { calls: [], finish: "stop", text: "", refusal: "No, sorry." },
    "replayed.sse": { calls: [nokia], finish: "tool_calls", notices: ["replayed-event"] },
    "rotating-ids.sse": { calls: [nokia], finish: "tool_calls", notices: ["id-changed"] },
    "unknown-events.sse": { calls: [nokia], finish: "tool_calls" },
  });

  test("a client's calls close in the order in which the vendor closes them", () => {
    const closed = eventsOf(openaiResponses, [bodies.get("interleaved.sse") ?? ""]).flatMap((event) =>
      event.type === "call.close" ? [event.call.id] : [],
    );
    expect(closed).toEqual(["call_i3", "call_i2", "call_i1"]);
  });

  test("items that are no calls are kept as parts, to be echoed", () => {
    const parts = answerOf(openaiResponses, bodies.get("function-calls.sse") ?? "").parts.map(
      (part) => (part as { type: string }).type,
    );
    expect(parts).toContain("reasoning");
    const others = answerOf(openaiResponses, bodies.get("every-item.sse") ?? "").parts.map(
      (part) => (part as { type: string }).type,
    );
    expect(others).toEqual(expect.arrayContaining(["mcp_list_tools", "compaction", "acme:notes"]));
  });

  test("what the done text contradicts is replaced for whoever shows the call as it grows", () => {
    const events = eventsOf(openaiResponses, [bodies.get("done-differs.sse") ?? ""]);
    expect(events.flatMap((event) => (event.type === "call.replace" ? [event.text] : []))).toEqual([
      '{"city":"Nokia"}',
    ]);
  });

  test("computer actions that come as a batch are kept", () => {
    const batch = answerOf(openaiResponses, bodies.get("every-item.sse") ?? "").calls.find(
      (call) => call.id === "call_cu2",
    );
    expect(batch?.argumentsText).toContain("wait");
  });

  test("one error is said once, though two frames carry it", () => {
    const events = eventsOf(openaiResponses, [bodies.get("nested-error.sse") ?? ""]);
    expect(events.filter((event) => event.type === "error")).toHaveLength(1);
  });
});
