// Gemini generateContent over bodies that we composed, as SSE and as a JSON array, with whole and with partial arguments
//.

import { describe, expect, test } from "vitest";
import { gemini } from "./gemini.ts";
import { answerOf, eventsOf, meaningOf } from "./reading.test-kit.ts";
import { fixturesOf, protocolSuite, type Answer } from "./suite.test-suite.ts";

const bodies = fixturesOf("gemini");
const plan =
  '{"title":"Aurora \\"","days":3,"indoor":false,"note":null,"stops":[{"name":"Levi","pos":[67.8,24.8]},{"name":"Yäs"}],"tags":[],"opts":{}}';
const sequence: Answer = {
  calls: [
    ["a1b2c3d4", "get_weather", '{"city":"Pello"}', { echo: { thoughtSignature: "c2lnQQ==" } }],
    ["e5f6a7b8", "get_weather", '{"city":"Pello"}'],
  ],
  finish: "tool_calls",
  raw: "STOP",
  text: "Let me check.",
  reasoning: "Planning.",
  outputTokens: 31,
};

describe("gemini", () => {
  protocolSuite(gemini, {
    "array.body": sequence,
    "candidates.sse": {
      calls: [
        [null, "get_weather", '{"city":"A"}'],
        [null, "get_weather", '{"city":"B"}', { choice: 1 }],
        [null, "read_file", '{"path":"y"}'],
        [null, "read_file", '{"path":"x"}', { choice: 1 }],
      ],
      finish: "tool_calls",
      notices: ["id-missing"],
    },
    "error.sse": {
      calls: [
        [null, "get_weather", '{"city":"Muonio"}'],
        [null, "get_weather", "", { status: "truncated" }],
      ],
      finish: "error",
      raw: null,
      error: 503,
      notices: ["id-missing"],
    },
    "malformed-function-call.sse": {
      calls: [],
      finish: "error",
      raw: "MALFORMED_FUNCTION_CALL",
      text: "I'll call.",
      notices: ["provider-malformed-call"],
    },
    "max-tokens.sse": {
      calls: [[null, "get_weather", '{"city":"Muonio"}']],
      finish: "length",
      raw: "MAX_TOKENS",
      notices: ["id-missing"],
    },
    "not-streamed.body": {
      calls: [["z9", "get_weather", '{"city":"Enontekiö"}']],
      finish: "tool_calls",
      text: "Checking.",
      reasoning: "Hm.",
      outputTokens: 12,
    },
    "one-call-a-chunk.sse": sequence,
    "one-chunk-no-ids.sse": {
      calls: [
        [null, "get_weather", '{"city":"Ivalo"}', { echo: { thoughtSignature: "c2lnQg==" } }],
        [null, "get_weather", '{"city":"Ivalo"}'],
        [null, "roll_die", "{}"],
      ],
      finish: "tool_calls",
      notices: ["id-missing"],
    },
    "partial-arguments.sse": {
      calls: [
        ["pp01", "plan", plan, { echo: { thoughtSignature: "c2lnQw==" } }],
        [null, "roll_die", "{}"],
      ],
      finish: "tool_calls",
      notices: ["id-missing"],
    },
    "partial-cut-by-length.sse": {
      calls: [[null, "write_file", '{"path":"a","content":"Once upon', { status: "truncated" }]],
      finish: "length",
      notices: ["id-missing"],
    },
    "partial-cut-off.sse": {
      calls: [
        [null, "get_weather", '{"city":"Salla"}'],
        [null, "write_file", '{"path":"a","content":"Once', { status: "truncated" }],
      ],
      finish: null,
      notices: ["id-missing", "unterminated-stream"],
    },
    "partial-end-in-finish-chunk.sse": {
      calls: [[null, "get_weather", '{"city":"Sodankylä"}']],
      finish: "tool_calls",
      notices: ["id-missing"],
    },
    "partial-ends-without-a-sign.sse": {
      calls: [
        [null, "get_weather", '{"city":"Utsjoki"}'],
        [null, "read_file", '{"path":"u"}'],
      ],
      finish: "tool_calls",
      notices: ["id-missing"],
    },
    "prompt-blocked.sse": { calls: [], finish: "content_filter", raw: "PROHIBITED_CONTENT" },
    "safety.sse": {
      calls: [[null, "get_weather", '{"city":"Muonio"}']],
      finish: "content_filter",
      raw: "SAFETY",
      notices: ["id-missing"],
    },
    "server-parts.sse": {
      calls: [
        [null, "code_execution", "*", { kind: "server" }],
        ["st1", "GOOGLE_SEARCH_WEB", '{"query":"ski"}', { kind: "server" }],
      ],
      finish: "stop",
      text: "Done.",
      notices: ["id-missing"],
    },
    "snake-case.sse": {
      calls: [
        [null, "get_weather", '{"city":"Kolari"}', { echo: { thoughtSignature: "c2ln" } }],
        [null, "read_file", '{"path":"k"}'],
      ],
      finish: "tool_calls",
      raw: "STOP",
      outputTokens: 5,
      notices: ["id-missing"],
    },
    "stop-comes-first.sse": {
      calls: [[null, "get_weather", '{"city":"Kolari"}']],
      finish: "tool_calls",
      notices: ["id-missing"],
    },
    "wrapped.sse": {
      calls: [[null, "get_weather", '{"city":"Kolari"}']],
      finish: "tool_calls",
      notices: ["id-missing"],
    },
  });

  test("partial arguments are given out as they come, as one JSON text that only grows", () => {
    const events = eventsOf(gemini, [bodies.get("partial-arguments.sse") ?? ""]);
    const texts = events.flatMap((event) =>
      event.type === "call.append" && event.call.id === "pp01" ? [event.text] : [],
    );
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.join("")).toBe(plan);
    expect(events.some((event) => event.type === "call.replace")).toBe(false);
  });

  test("the text of a refused call stands in its notice", () => {
    const [notice] = answerOf(gemini, bodies.get("malformed-function-call.sse") ?? "").notices;
    expect(notice?.message).toContain("default_api.get_weather(city='Muonio')");
  });

  test("the parts of server tools are kept to be echoed", () => {
    const { parts, calls } = answerOf(gemini, bodies.get("server-parts.sse") ?? "");
    expect(JSON.stringify(parts)).toContain("OUTCOME_OK");
    expect(JSON.stringify(parts)).toContain("toolResponse");
    expect(JSON.stringify(calls[1]?.echo)).toContain("c2lnRA==");
  });

  test("an array and an event stream of the same chunks say the same", () => {
    const said = (name: string): unknown[] => meaningOf(eventsOf(gemini, [bodies.get(name) ?? ""]));
    expect(said("array.body")).toEqual(said("one-call-a-chunk.sse"));
  });
});
