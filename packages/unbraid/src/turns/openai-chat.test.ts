import { describe, expect, test } from "vitest";
import { openaiChatTurns, textTurns } from "./openai-chat.ts";
import { reasoningDetails } from "./reasoning-details.ts";
import { answerOf, answerWith, callOf, IMAGE, PDF, resultsFor, SOUND, TEXT } from "./turns.test-kit.ts";

const { assistant, results, tools, user, request } = openaiChatTurns;

const chunk = (delta: object, more: object = {}): object => ({
  id: "c1",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});
const call = (index: number, id: string, args: string, more: object = {}): object => ({
  tool_calls: [{ index, id, type: "function", function: { name: "lookup", arguments: args }, ...more }],
});
const finish = { id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };

describe("the echo", () => {
  test("has text, calls with their ids and the model's own argument text", () => {
    const answer = answerOf(
      "openai-chat",
      chunk({ content: "So. " }),
      chunk(call(0, "functions.lookup:0", '{"q": 1}')),
      finish,
    );
    expect(assistant(answer)).toEqual([
      {
        role: "assistant",
        content: "So. ",
        tool_calls: [
          { id: "functions.lookup:0", type: "function", function: { name: "lookup", arguments: '{"q": 1}' } },
        ],
      },
    ]);
  });

  test("has null for text only beside calls", () => {
    expect(assistant(answerOf("openai-chat", chunk(call(0, "a", "{}")), finish))).toMatchObject([{ content: null }]);
    expect(assistant(answerOf("openai-chat", chunk({ role: "assistant" })))).toEqual([]);
    expect(assistant(answerOf("openai-chat", chunk({ reasoning: "Hm." })))).toEqual([]);
  });

  test("says a refusal in its own field", () => {
    expect(assistant(answerOf("openai-chat", chunk({ refusal: "No." })))).toEqual([
      { role: "assistant", content: null, refusal: "No." },
    ]);
  });

  test.each(["reasoning_content", "reasoning", "thinking"])("gives reasoning back under the name %s", (field) => {
    const answer = answerOf(
      "openai-chat",
      chunk({ [field]: "H" }),
      chunk({ [field]: "m." }),
      chunk(call(0, "a", "{}")),
      finish,
    );
    expect(assistant(answer)).toMatchObject([{ [field]: "Hm." }]);
  });

  test("has DeepSeek's key beside calls even without reasoning, and none without calls", () => {
    const model = { model: "deepseek-v4" };
    const called = answerOf("openai-chat", chunk(call(0, "a", "{}"), model), finish);
    expect(assistant(called)).toMatchObject([{ reasoning_content: "" }]);
    const said = answerOf("openai-chat", chunk({ reasoning_content: "Hm." }, model), chunk({ content: "Hi" }, model));
    expect(assistant(said)).toEqual([{ role: "assistant", content: "Hi" }]);
    expect(assistant(answerOf("openai-chat", chunk(call(0, "a", "{}")), finish))[0]).not.toHaveProperty(
      "reasoning_content",
    );
  });

  test("has OpenRouter's details whole, and then not the same reasoning again", () => {
    const detail = (more: object): object =>
      chunk({ reasoning: "x", reasoning_details: [{ type: "reasoning.text", index: 0, format: "f", ...more }] });
    const answer = answerOf(
      "openai-chat",
      detail({ text: "Let " }),
      detail({ text: "me." }),
      detail({ signature: "c2ln" }),
      chunk({ reasoning_details: [{ type: "reasoning.encrypted", data: "ZA==", index: 1, id: "call_1" }] }),
      chunk(call(0, "a", "{}")),
      finish,
    );
    const [message] = assistant(answer);
    expect(message).toMatchObject({
      reasoning_details: [
        { type: "reasoning.text", index: 0, format: "f", text: "Let me.", signature: "c2ln" },
        { type: "reasoning.encrypted", data: "ZA==", index: 1, id: "call_1" },
      ],
    });
    expect(message).not.toHaveProperty("reasoning");
  });

  test("has Gemini's signature on the call that bore it, and on an answer without calls", () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const called = answerOf(
      "openai-chat",
      chunk(call(0, "a", "{}", { extra_content })),
      chunk(call(1, "b", "{}")),
      finish,
    );
    const [message] = assistant(called) as { tool_calls: object[] }[];
    expect(message?.tool_calls[0]).toMatchObject({ id: "a", extra_content });
    expect(message?.tool_calls[1]).not.toHaveProperty("extra_content");
    expect(assistant(answerOf("openai-chat", chunk({ content: "Hi", extra_content })))).toMatchObject([
      { extra_content },
    ]);
  });

  test("has a custom call's text as it is", () => {
    const custom = { tool_calls: [{ index: 0, id: "a", type: "custom", custom: { name: "sql", input: "select 1" } }] };
    const answer = answerOf("openai-chat", chunk(custom), finish);
    expect(assistant(answer)).toMatchObject([
      { tool_calls: [{ id: "a", type: "custom", custom: { name: "sql", input: "select 1" } }] },
    ]);
    expect(results(resultsFor(answer), answer)).toEqual([{ role: "tool", tool_call_id: "a", content: "ok 0" }]);
  });

  test("leaves out what the server ran, and calls that are answered", () => {
    const executed_tools = [{ index: 0, type: "search", arguments: "{}", output: "x" }];
    const answer = answerOf("openai-chat", chunk({ content: "Hi", executed_tools }));
    expect(assistant(answer)).toEqual([{ role: "assistant", content: "Hi" }]);
    const called = answerWith("openai-chat", [{ type: "call", call: callOf() }], { answered: ["k"] });
    expect(assistant(called)).toEqual([]);
  });

  test("has no half of a surrogate pair in its text", () => {
    expect(assistant(answerWith("openai-chat", [{ type: "text", text: "a\ud800" }]))).toMatchObject([
      { content: "a\ufffd" },
    ]);
  });
});

describe("results", () => {
  const answer = answerOf("openai-chat", chunk(call(0, "a", "{}")), chunk(call(1, "b", "{}")), finish);

  test("are one message each, and say that they are errors", () => {
    const [first, second] = resultsFor(answer, [TEXT], [{ type: "text", text: "no such file" }]);
    expect(results([{ ...second!, isError: true }, first!], answer)).toEqual([
      { role: "tool", tool_call_id: "a", content: "Look here." },
      { role: "tool", tool_call_id: "b", content: "Error: no such file" },
    ]);
    const said = { ...first!, content: [{ type: "text", text: "Error 404" } as const], isError: true as const };
    expect(results([said])).toMatchObject([{ content: "Error 404" }]);
    expect(results([{ ...first!, content: [] }])).toMatchObject([{ content: "(no output)" }]);
  });

  test("hold text alone: images and files follow all of them, what cannot follow is named", () => {
    expect(results(resultsFor(answer, [TEXT, IMAGE, SOUND], [PDF]), answer)).toEqual([
      {
        role: "tool",
        tool_call_id: "a",
        content:
          "Look here.\n[image (image/png): it follows in the next message]\n[file (audio/ogg) at https://example.org/a.ogg: it cannot be shown here]",
      },
      { role: "tool", tool_call_id: "b", content: '[file "a.pdf" (application/pdf): it follows in the next message]' },
      {
        role: "user",
        content: [
          { type: "text", text: "Returned by the tool lookup for the call a:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
          { type: "text", text: "Returned by the tool lookup for the call b:" },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
        ],
      },
    ]);
  });

  test("of other calls, of the vendor's own and of too many are refused", () => {
    const other = { call: callOf({ key: "x" }), content: [TEXT] };
    expect(() => results([...resultsFor(answer), other], answer)).toThrow("is no pending call of this answer");
    expect(() => results([{ call: callOf({ kind: "server" }), content: [] }])).toThrow("The vendor ran the call");
    expect(() => results([other, other])).toThrow("two results");
    expect(results([])).toEqual([]);
  });
});

describe("requests", () => {
  test("declare functions and custom tools", () => {
    expect(
      tools([
        { name: "a", description: "A.", parameters: { $schema: "x", type: "object", properties: {} }, strict: true },
        { name: "b", parameters: {}, custom: { type: "grammar", syntax: "lark", definition: "start: /x/" } },
      ]),
    ).toEqual([
      {
        type: "function",
        function: { name: "a", description: "A.", parameters: { type: "object", properties: {} }, strict: true },
      },
      {
        type: "custom",
        custom: { name: "b", format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /x/" } } },
      },
    ]);
    expect(() => tools([{ name: "a.b", parameters: {} }])).toThrow(TypeError);
  });

  test("begin with the instructions", () => {
    expect(request({ system: "Be.", messages: user([TEXT]), tools: [] })).toEqual({
      messages: [
        { role: "system", content: "Be." },
        { role: "user", content: "Look here." },
      ],
    });
    expect(request({ messages: [], tools: [{ name: "a", parameters: {} }] })).toMatchObject({
      tools: [{ type: "function" }],
    });
    expect(user([TEXT, IMAGE, SOUND])).toMatchObject([
      { content: [{ type: "text" }, { type: "image_url" }, { type: "text" }] },
    ]);
  });
});

test("a model's raw output goes back as chat", () => {
  const answer = answerWith("text", [
    { type: "text", text: "So. " },
    { type: "call", call: callOf({ madeId: true }) },
  ]);
  expect(textTurns.assistant(answer)).toMatchObject([{ content: "So. ", tool_calls: [{ id: "call_1" }] }]);
});

describe("reasoning details", () => {
  test("are joined only where they are of one text", () => {
    const text = (words: string, more: object = {}): object => ({ type: "reasoning.text", text: words, ...more });
    const joined = (...details: object[]): readonly object[] =>
      reasoningDetails(details.map((detail) => ({ reasoning_details: [detail] })));
    expect(joined(text("a", { index: 0 }), text("b", { index: 1 }))).toHaveLength(2);
    expect(joined(text("a", { id: "x" }), text("b", { id: "y" }))).toHaveLength(2);
    expect(joined(text("a", { id: "x" }), text("b", { id: null }), text("c"))).toEqual([
      { type: "reasoning.text", text: "abc", id: "x" },
    ]);
    const sealed = { type: "reasoning.encrypted", data: "ZA==" };
    expect(joined(sealed, sealed)).toEqual([sealed, sealed]);
    expect(reasoningDetails([{ reasoning_details: "x" }, { reasoning_details: [null, 1] }, {}])).toEqual([]);
  });
});
