// Thinking in the text, and calls in the reasoning: these count only where nothing follows them.

import { describe, expect, test } from "vitest";
import { answer, ask, type Asking, chunk, piecesOf } from "./rescue.test-kit.ts";

const CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>';
const OTHER = '<tool_call>\n{"name": "list_items", "arguments": {}}\n</tool_call>';
const CUT = '<tool_call>{"name": "get_weather", "arguments": {"city": "Os';

interface Case {
  readonly name: string;
  readonly body: string;
  readonly asking?: Asking;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly string[];
}

const STRUCTURED = chunk({
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "list_items", arguments: "{}" } }],
});
const inReasoning = { field: "reasoning_content" } as const;

const CASES: readonly Case[] = [
  { name: "think", body: "<think>Hm.</think>Yes.", text: "Yes.", reasoning: "Hm.", calls: [] },
  {
    name: "think, line ends",
    body: "<think>\nHm.\nAh.\n</think>\n\nYes.\n",
    text: "Yes.\n",
    reasoning: "Hm.\nAh.\n",
    calls: [],
  },
  { name: "blanks before think", body: "\n <think>Hm.</think> Yes.", text: "Yes.", reasoning: "Hm.", calls: [] },
  { name: "empty think", body: "<think>\n\n</think>\n\nYes.", text: "Yes.", reasoning: "", calls: [] },
  { name: "think never closed", body: "<think>Hm. <b> and on", text: "", reasoning: "Hm. <b> and on", calls: [] },
  {
    name: "think in the middle is a word",
    body: "The tag <think> opens it, </think> closes it.",
    text: "The tag <think> opens it, </think> closes it.",
    reasoning: "",
    calls: [],
  },
  {
    name: "think closes though a backtick is open",
    body: "<think>the ` sign</think>Yes.",
    text: "Yes.",
    reasoning: "the ` sign",
    calls: [],
  },
  { name: "the end of thinking alone", body: "</think>\n\nYes.", text: "Yes.", reasoning: "", calls: [] },
  { name: "mistral", body: "[THINK]Hm.[/THINK]Yes.", text: "Yes.", reasoning: "Hm.", calls: [] },
  {
    name: "gemma",
    body: "<|channel>thought\nHm.<channel|>Yes.",
    text: "Yes.",
    reasoning: "Hm.",
    calls: [],
  },
  {
    name: "command",
    body: "<|START_THINKING|>Hm.<|END_THINKING|><|START_TEXT|>Yes.<|END_TEXT|>",
    text: "Yes.",
    reasoning: "Hm.",
    calls: [],
  },
  {
    name: "kimi k3",
    body: "<|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>Yes.<|close|>response<|sep|>",
    text: "Yes.",
    reasoning: "Hm.",
    calls: [],
  },
  {
    name: "harmony",
    body: "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
    text: "Yes.",
    reasoning: "Hm.",
    calls: [],
  },
  {
    name: "harmony, a preamble and a call",
    body: '<|channel|>commentary<|message|>Looking.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|>',
    text: "Looking.",
    reasoning: "",
    calls: ["get_weather"],
  },
  {
    name: "a call behind the thinking",
    body: `<think>Hm.</think>\n${CALL}`,
    text: "",
    reasoning: "Hm.",
    calls: ["get_weather"],
  },
  {
    name: "think never closed, a call last",
    body: `<think>Hm.\n${CALL}`,
    text: "",
    reasoning: "Hm.\n",
    calls: ["get_weather"],
  },
  {
    name: "think never closed, two calls last",
    body: `<think>Hm.\n${CALL}\n${OTHER}\n`,
    text: "",
    reasoning: "Hm.\n",
    calls: ["get_weather", "list_items"],
  },
  {
    name: "think never closed, a call and words",
    body: `<think>Hm. ${CALL} That is it.`,
    text: "",
    reasoning: `Hm. ${CALL} That is it.`,
    calls: [],
  },
  {
    name: "a call inside thinking that ends",
    body: `<think>Hm. ${CALL}</think>Yes.`,
    text: "Yes.",
    reasoning: `Hm. ${CALL}`,
    calls: [],
  },
  {
    name: "a call inside thinking that ends, and one behind it",
    body: `<think>Hm. ${OTHER}</think>${CALL}`,
    text: "",
    reasoning: `Hm. ${OTHER}`,
    calls: ["get_weather"],
  },
  { name: "think never closed, a cut call", body: `<think>Hm. ${CUT}`, text: "", reasoning: `Hm. ${CUT}`, calls: [] },
  {
    name: "think never closed, a call in code",
    body: `<think>Hm. \`${CALL}\``,
    text: "",
    reasoning: `Hm. \`${CALL}\``,
    calls: [],
  },
  {
    name: "reasoning, a call last",
    body: `Hm.\n${CALL}`,
    asking: inReasoning,
    text: "",
    reasoning: "Hm.\n",
    calls: ["get_weather"],
  },
  {
    name: "reasoning, a call and words",
    body: `Hm.\n${CALL}\nNo.`,
    asking: inReasoning,
    text: "",
    reasoning: `Hm.\n${CALL}\nNo.`,
    calls: [],
  },
  {
    name: "reasoning, a call last, and text behind it",
    body: `Hm.\n${CALL}`,
    asking: { ...inReasoning, after: [chunk({ content: "\n\nYes." })] },
    text: "\n\nYes.",
    reasoning: `Hm.\n${CALL}`,
    calls: [],
  },
  {
    name: "reasoning, a call last, and blanks behind it",
    body: `Hm.\n${CALL}`,
    asking: { ...inReasoning, after: [chunk({ content: "\n\n" })] },
    text: "\n\n",
    reasoning: "Hm.\n",
    calls: ["get_weather"],
  },
  {
    name: "reasoning, a call last, and the server's own call",
    body: `Hm.\n${CALL}`,
    asking: { ...inReasoning, after: [STRUCTURED] },
    text: "",
    reasoning: `Hm.\n${CALL}`,
    calls: ["list_items"],
  },
  {
    name: "reasoning, whole JSON is no call",
    body: '{"name": "get_weather", "arguments": {"city": "Oslo"}}',
    asking: inReasoning,
    text: "",
    reasoning: '{"name": "get_weather", "arguments": {"city": "Oslo"}}',
    calls: [],
  },
  {
    name: "reasoning, a partial marker",
    body: "a < b <tool",
    asking: { ...inReasoning, after: [chunk({ content: "Yes" }), chunk({ reasoning_content: "_call>" })] },
    text: "Yes",
    reasoning: "a < b <tool_call>",
    calls: [],
  },
];

describe.each(CASES)("$name", ({ body, asking, text, reasoning, calls }) => {
  test.each([1000, 1, 2, 3, 7])("in pieces of %i", (length) => {
    const got = answer(piecesOf(body, length), asking);
    expect(got.text).toBe(text);
    expect(got.reasoning).toBe(reasoning);
    expect(got.calls.map(({ name }) => name)).toEqual(calls);
    expect(got.calls.every(({ status }) => status === "complete")).toBe(true);
  });
});

describe("calls that came twice", () => {
  const structured = (args: string, after = true): Asking => ({
    [after ? "after" : "before"]: [
      chunk({
        tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: args } }],
      }),
    ],
  });

  test.each([true, false])("the server's own one stays (it comes last: %s)", (after) => {
    const got = ask(`Look.\n${CALL}`, structured('{"city":"Oslo"}', after));
    expect(got.calls.map(({ id, argumentsText }) => [id, argumentsText])).toEqual([["call_1", '{"city":"Oslo"}']]);
    expect(got.retracted).toBe(1);
    expect(got.text).toBe("Look.\n");
    expect(got.notices.map(({ code }) => code)).toContain("repeated-call");
  });

  test("other arguments are another call", () => {
    const got = ask(CALL, structured('{"city":"Rome"}'));
    expect(got.calls.map((call) => call.arguments)).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
  });

  test("two in the text, one of the server", () => {
    const got = ask(`${CALL}${CALL}`, structured('{"city":"Oslo"}'));
    expect(got.calls).toHaveLength(2);
  });

  test("one that was cut in the text", () => {
    const got = ask(CUT, structured('{"city": "Oslo"}'));
    expect(got.calls.map(({ id }) => id)).toEqual(["call_1"]);
  });

  test("without arguments", () => {
    const got = ask(OTHER, { after: [STRUCTURED] });
    expect(got.calls.map(({ id }) => id)).toEqual(["call_1"]);
  });
});

describe("behind the server's own call", () => {
  test("a closing tag that leaked is dropped", () => {
    const got = ask("\n</tool_call>", { before: [STRUCTURED] });
    expect(got.text).toBe("");
    expect(got.calls).toHaveLength(1);
    expect(got.notices.map(({ code }) => code)).toContain("rescue-cut");
  });

  test("a first word that leaked is dropped, before and behind it", () => {
    for (const leak of ["<tool_call>", "<tool_call>\n", "[TOOL_CALLS]", "<|tool_calls_section_begin|>"]) {
      expect(ask(`Look. ${leak}`, { before: [STRUCTURED] }).text).toBe("Look. ");
      expect(ask(`Look. ${leak}`, { after: [STRUCTURED] }).text).toBe("Look. ");
    }
  });

  test("other text is left as it is", () => {
    for (const text of ["\n\n Done. </tool_call>", " ", "\nYes", "<", "</tool", "</b>"])
      expect(ask(text, { before: [STRUCTURED] }).text).toBe(text);
  });
});
