// Requests of each vendor as those of each other: word for word where the vendors agree, with a notice where they do not.

import { describe, expect, test } from "vitest";
import { DIRECTIONS, REQUESTS, WIRES } from "./requests.test-kit.ts";
import type { RequestWire } from "./neutral-request.ts";
import { readRequest, requestPath, translateRequest, writeRequest } from "./translate.ts";

/** To be looked into freely. */
type Json = ReturnType<typeof JSON.parse>;

const GEMINI = { model: "model-1", stream: true };

function translated(body: unknown, from: RequestWire, to: RequestWire): ReturnType<typeof translateRequest> {
  return translateRequest(body, { from, to, ...(from === "gemini" ? GEMINI : {}) });
}

function codes({ notices }: { readonly notices: readonly { readonly code: string }[] }): string[] {
  return notices.map(({ code }) => code);
}

/** The request without what the way there cannot know: the flag of an error, stop words where a vendor has none. */
function comparable(body: unknown): Json {
  const { stop, stop_sequences: stops, ...copy } = structuredClone(body) as Json;
  void [stop, stops];
  delete copy.generationConfig?.stopSequences;
  for (const message of copy.messages ?? [])
    if (Array.isArray(message.content)) for (const block of message.content) delete block.is_error;
  for (const { parts } of copy.contents ?? [])
    for (const { functionResponse } of parts)
      if (functionResponse?.response.error) functionResponse.response = { output: functionResponse.response.error };
  return copy;
}

describe.each(DIRECTIONS)("$from to $to", ({ from, to }) => {
  test("one request is the other", () => {
    const { body, model, stream, includeUsage, path } = translated(REQUESTS[from], from, to);
    expect(comparable(body)).toEqual(comparable(REQUESTS[to]));
    expect({ model, stream, includeUsage }).toEqual({ model: "model-1", stream: true, includeUsage: true });
    expect(path).toBe(requestPath(to, GEMINI));
  });

  test("says what it could not carry, and nothing else", () => {
    const expected = [
      // Responses has no stop words; only two vendors flag an error.
      ...(to === "openai-responses" ? ["field-left-out"] : []),
      ...(to.startsWith("openai") && !from.startsWith("openai") ? ["field-left-out"] : []),
    ];
    expect(codes(translated(REQUESTS[from], from, to))).toEqual(expected);
  });
});

describe.each(WIRES)("%s to itself", (wire) => {
  test("keeps all that the model in the middle knows", () => {
    const options = wire === "gemini" ? GEMINI : {};
    const read = readRequest(wire, REQUESTS[wire], options);
    expect(read.notices).toEqual([]);
    const { body } = writeRequest(wire, read.request);
    expect(body).toEqual(REQUESTS[wire]);
    expect(stripPaths(readRequest(wire, body, options).request)).toEqual(stripPaths(read.request));
  });
});

function stripPaths(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, held: unknown) => (name === "path" ? undefined : held)));
}

/** The smallest request of each vendor, with more. */
function chat(more: object = {}, ...messages: object[]): object {
  return { model: "m", messages: messages.length === 0 ? [{ role: "user", content: "Hi" }] : messages, ...more };
}

describe("history", () => {
  test("ids and names that a vendor does not allow come back as they were", () => {
    const history = chat(
      { tools: [{ type: "function", function: { name: "get_weather", parameters: {} } }] },
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "functions.get_weather:0", type: "function", function: { name: "get_weather", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "functions.get_weather:0", content: "Rain" },
    );
    const there = translated(history, "openai-chat", "anthropic");
    const [, assistant, results] = there.body["messages"] as Json;
    expect(assistant.content[0].id).toBe("ub_functions_2eget_5fweather_3a0");
    expect(results.content[0].tool_use_id).toBe("ub_functions_2eget_5fweather_3a0");
    expect(codes(there)).toContain("id-mapped");
    const back = translated(there.body, "anthropic", "openai-chat").body["messages"] as Json;
    expect(back[1].tool_calls[0].id).toBe("functions.get_weather:0");
    expect(back[2].tool_call_id).toBe("functions.get_weather:0");
  });

  test("a tool's name that a vendor does not allow is the same in tools, choice and history", () => {
    const gemini = {
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ functionCall: { name: "my.tool", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "my.tool", response: { output: "1" } } }] },
      ],
      tools: [{ functionDeclarations: [{ name: "my.tool" }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["my.tool"] } },
    };
    const { body } = translated(gemini, "gemini", "openai-chat");
    expect((body["tools"] as Json)[0].function.name).toBe("ub_my_2etool");
    expect(body["tool_choice"]).toEqual({ type: "function", function: { name: "ub_my_2etool" } });
    expect((body["messages"] as Json)[1].tool_calls[0].function.name).toBe("ub_my_2etool");
  });

  test("calls of a vendor without ids get ids, and results find them by their names, in order", () => {
    const gemini = {
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        {
          role: "model",
          parts: [{ functionCall: { name: "f", args: { a: 1 } } }, { functionCall: { name: "f", args: { a: 2 } } }],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "f", response: { output: "one" } } },
            { functionResponse: { name: "f", response: { output: "two" } } },
          ],
        },
      ],
    };
    const [, assistant, first, second] = translated(gemini, "gemini", "openai-chat").body["messages"] as Json;
    const [a, b] = assistant.tool_calls;
    expect(a.id).not.toBe(b.id);
    expect([first, second]).toEqual([
      { role: "tool", tool_call_id: a.id, content: "one" },
      { role: "tool", tool_call_id: b.id, content: "two" },
    ]);
  });

  test("ids that count anew in every turn name the newest call", () => {
    const turn = (city: string, said: string): object[] => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "f:0", type: "function", function: { name: "f", arguments: `{"city":"${city}"}` } }],
      },
      { role: "tool", tool_call_id: "f:0", content: said },
    ];
    const { contents } = translated(
      chat({}, { role: "user", content: "Hi" }, ...turn("A", "one"), ...turn("B", "two")),
      "openai-chat",
      "gemini",
    ).body as Json;
    expect(contents.slice(1).flatMap(({ parts }: Json) => parts)).toMatchObject([
      { functionCall: { args: { city: "A" } } },
      { functionResponse: { response: { output: "one" } } },
      { functionCall: { args: { city: "B" } } },
      { functionResponse: { response: { output: "two" } } },
    ]);
  });

  test("arguments that are no JSON are wrapped where objects are wanted, and unwrapped again", () => {
    const history = chat(
      {},
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{a:" } }],
      },
      { role: "tool", tool_call_id: "c", content: "Error: no JSON" },
    );
    const there = translated(history, "openai-chat", "anthropic");
    expect((there.body["messages"] as Json)[1].content[0].input).toEqual({ invalid_arguments: "{a:" });
    expect(codes(there)).toContain("arguments-wrapped");
    const [read] = readRequest("anthropic", there.body).request.turns.filter(({ role }) => role === "assistant");
    expect(read).toMatchObject({ items: [{ call: { status: "malformed", argumentsText: "{a:" } }] });
  });

  test.each([
    ["a text in place of the object", "{a:"],
    ["behind a beginning that had been sent", { b: null, invalid_arguments: "{a:" }],
  ])("arguments that are no JSON come back as the proxy gave them: %s", (_, input) => {
    const body = {
      model: "m",
      max_tokens: 9,
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "Error" }] },
      ],
    };
    const [read] = readRequest("anthropic", body).request.turns.filter(({ role }) => role === "assistant");
    expect(read).toMatchObject({ items: [{ call: { status: "malformed", argumentsText: "{a:" } }] });
    expect(translated(body, "anthropic", "gemini").body).toMatchObject({
      contents: [{}, { parts: [{ functionCall: { args: { invalid_arguments: "{a:" } } }] }, {}],
    });
  });

  test("images in results go where each vendor takes them", () => {
    const anthropic = {
      model: "m",
      max_tokens: 10,
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "shoot", input: {} }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "c",
              content: [
                { type: "text", text: "Done." },
                { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
              ],
            },
            { type: "text", text: "What is it?" },
          ],
        },
      ],
    };
    const to = (wire: RequestWire): Json => translated(anthropic, "anthropic", wire).body;
    expect(to("openai-chat").messages.slice(2)).toMatchObject([
      { role: "tool", tool_call_id: "c" },
      {
        role: "user",
        content: [{ type: "text" }, { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
      },
      { role: "user", content: "What is it?" },
    ]);
    expect(codes(translated(anthropic, "anthropic", "openai-chat"))).toEqual(["order-changed"]);
    expect(to("openai-responses").input[2]).toMatchObject({
      type: "function_call_output",
      output: [
        { type: "input_text", text: "Done." },
        { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      ],
    });
    expect(JSON.stringify(to("gemini").contents[2])).toContain('"inlineData":{"mimeType":"image/png","data":"AAAA"}');
  });

  test("files and sounds go where a vendor takes them, and are named where it does not", () => {
    const parts = [
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
      { type: "input_audio", input_audio: { data: "BBBB", format: "wav" } },
    ];
    const history = chat({}, { role: "user", content: parts });
    const anthropic = translated(history, "openai-chat", "anthropic");
    expect((anthropic.body["messages"] as Json)[0].content).toMatchObject([
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" }, title: "a.pdf" },
      { type: "text", text: expect.stringContaining("audio/wav") as string },
    ]);
    expect(codes(anthropic)).toEqual(["content-left-out", "default-added"]);
    const { request } = readRequest("openai-chat", history);
    expect((writeRequest("openai-chat", request).body["messages"] as Json)[0].content).toEqual(parts);
    const gemini = translated(history, "openai-chat", "gemini");
    expect((gemini.body["contents"] as Json)[0].parts).toEqual([
      { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
      { inlineData: { mimeType: "audio/wav", data: "BBBB" } },
    ]);
  });

  test("instructions amid the history stand in front where a vendor has them only there", () => {
    const history = chat(
      {},
      { role: "system", content: "One." },
      { role: "user", content: "Hi" },
      { role: "developer", content: "Two." },
    );
    const anthropic = translated(history, "openai-chat", "anthropic");
    expect(anthropic.body["system"]).toEqual([
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
    ]);
    expect(codes(anthropic)).toEqual(["default-added", "order-changed"]);
    expect((translated(history, "openai-chat", "openai-responses").body["input"] as Json)[1]).toEqual({
      type: "message",
      role: "developer",
      content: "Two.",
    });
  });

  test("what only its own vendor can read is left out, and told", () => {
    const signed = {
      model: "m",
      max_tokens: 10,
      messages: [
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "c2ln" },
            { type: "redacted_thinking", data: "x" },
            { type: "text", text: "Yo" },
          ],
        },
      ],
    };
    const to = translated(signed, "anthropic", "openai-chat");
    expect((to.body["messages"] as Json)[1]).toEqual({ role: "assistant", content: "Yo" });
    expect(codes(to)).toEqual(["reasoning-left-out", "reasoning-left-out"]);
    const kept = translateRequest(signed, {
      from: "anthropic",
      to: "openai-chat",
      write: { reasoningField: "reasoning_content" },
    });
    expect((kept.body["messages"] as Json)[1]).toEqual({ role: "assistant", content: "Yo", reasoning_content: "Hm." });
  });

  test("free text of custom tools goes as a function of one string, and the encoder is told", () => {
    const history = chat(
      {
        tools: [
          {
            type: "custom",
            custom: { name: "sql", format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /x/" } } },
          },
        ],
        tool_choice: { type: "custom", custom: { name: "sql" } },
      },
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "custom", custom: { name: "sql", input: "select 1" } }],
      },
      { role: "tool", tool_call_id: "c", content: "1" },
    );
    const to = translated(history, "openai-chat", "anthropic");
    expect(to.customTools).toEqual(["sql"]);
    expect(to.body["tools"]).toMatchObject([
      {
        name: "sql",
        description: expect.stringContaining("start: /x/") as string,
        input_schema: { required: ["input"] },
      },
    ]);
    expect((to.body["messages"] as Json)[1].content[0].input).toEqual({ input: "select 1" });
    expect(to.body["tool_choice"]).toEqual({ type: "tool", name: "sql" });
    const responses = translated(history, "openai-chat", "openai-responses");
    expect(responses.customTools).toEqual([]);
    expect(responses.body["tools"]).toEqual([
      { type: "custom", name: "sql", format: { type: "grammar", syntax: "lark", definition: "start: /x/" } },
    ]);
    expect((responses.body["input"] as Json)[1]).toMatchObject({ type: "custom_tool_call", input: "select 1" });
    expect((responses.body["input"] as Json)[2]).toMatchObject({ type: "custom_tool_call_output", output: "1" });
  });

  test("functions from before there were tools are tools", () => {
    const old = chat(
      { functions: [{ name: "f", parameters: {} }], function_call: { name: "f" } },
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
      { role: "function", name: "f", content: "1" },
    );
    const { body } = translated(old, "openai-chat", "anthropic");
    expect(body["tools"]).toMatchObject([{ name: "f" }]);
    expect(body["tool_choice"]).toEqual({ type: "tool", name: "f" });
    expect((body["messages"] as Json)[2].content[0]).toMatchObject({ type: "tool_result", content: "1" });
  });

  test("an item of Responses on its own, in its short form, is a message", () => {
    const { body } = translated(
      { model: "m", input: [{ role: "user", content: "Hi" }] },
      "openai-responses",
      "openai-chat",
    );
    expect(body["messages"]).toEqual([{ role: "user", content: "Hi" }]);
    expect(
      (translated({ model: "m", input: "Hi" }, "openai-responses", "openai-chat").body["messages"] as Json)[0],
    ).toEqual({ role: "user", content: "Hi" });
  });

  test("Gemini is read in snake_case too, and its dialect of schemas", () => {
    const snake = {
      contents: { parts: { text: "Hi" } },
      system_instruction: { parts: [{ text: "Be brief." }] },
      tools: [
        {
          function_declarations: [
            {
              name: "f",
              parameters: {
                type: "OBJECT",
                properties: {
                  type: { type: "STRING", nullable: true },
                  list: { type: "ARRAY", items: { type: "INTEGER" } },
                },
              },
            },
          ],
        },
      ],
      generation_config: { max_output_tokens: 5, thinking_config: { thinking_budget: 0 } },
    };
    const { body, notices } = translated(snake, "gemini", "openai-chat");
    expect(notices).toEqual([]);
    expect(body).toMatchObject({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      max_tokens: 5,
      reasoning_effort: "none",
    });
    expect((body["tools"] as Json)[0].function.parameters).toEqual({
      type: "object",
      properties: { type: { type: ["string", "null"] }, list: { type: "array", items: { type: "integer" } } },
    });
  });

  test("Gemini 3 is told where a signature was lost", () => {
    const { body } = translateRequest(REQUESTS.anthropic, {
      from: "anthropic",
      to: "gemini",
      write: { model: "gemini-3-pro" },
    });
    const calls = (body["contents"] as Json)[1].parts.filter((part: Json) => part.functionCall);
    expect(calls.map(({ thoughtSignature }: Json) => thoughtSignature)).toEqual([
      "skip_thought_signature_validator",
      undefined,
    ]);
  });
});

describe("choices of tools", () => {
  const tools = ["a", "b", "c"].map((name) => ({ type: "function", function: { name, parameters: {} } }));
  const some = {
    type: "allowed_tools",
    allowed_tools: {
      mode: "required",
      tools: [
        { type: "function", function: { name: "a" } },
        { type: "function", function: { name: "b" } },
      ],
    },
  };
  const to = (wire: RequestWire, choice: unknown, more: object = {}): ReturnType<typeof translateRequest> =>
    translated(chat({ tools, tool_choice: choice, ...more }), "openai-chat", wire);

  test.each([
    ["auto", { type: "auto" }, "AUTO"],
    ["none", { type: "none" }, "NONE"],
    ["required", { type: "any" }, "ANY"],
  ])("%s", (word, anthropic, gemini) => {
    expect(to("anthropic", word).body["tool_choice"]).toEqual(anthropic);
    expect((to("gemini", word).body["toolConfig"] as Json).functionCallingConfig).toEqual({ mode: gemini });
    expect(to("openai-responses", word).body["tool_choice"]).toBe(word);
  });

  test("one tool", () => {
    const named = { type: "function", function: { name: "a" } };
    expect(to("anthropic", named, { parallel_tool_calls: false }).body["tool_choice"]).toEqual({
      type: "tool",
      name: "a",
      disable_parallel_tool_use: true,
    });
    expect((to("gemini", named).body["toolConfig"] as Json).functionCallingConfig).toEqual({
      mode: "ANY",
      allowedFunctionNames: ["a"],
    });
    expect(to("openai-responses", named).body["tool_choice"]).toEqual({ type: "function", name: "a" });
  });

  test("one of some", () => {
    expect(to("openai-responses", some).body["tool_choice"]).toEqual({
      type: "allowed_tools",
      mode: "required",
      tools: [
        { type: "function", name: "a" },
        { type: "function", name: "b" },
      ],
    });
    const anthropic = to("anthropic", some);
    expect((anthropic.body["tools"] as Json).map(({ name }: Json) => name)).toEqual(["a", "b"]);
    expect(anthropic.body["tool_choice"]).toEqual({ type: "any" });
    expect(codes(anthropic)).toContain("value-changed");
    expect((to("gemini", some).body["toolConfig"] as Json).functionCallingConfig).toEqual({
      mode: "ANY",
      allowedFunctionNames: ["a", "b"],
    });
  });
});

describe("what is asked of the answer", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const format = { type: "json_schema", json_schema: { name: "thing", schema, strict: true } };

  test("a schema", () => {
    const to = (wire: RequestWire): Json => translated(chat({ response_format: format }), "openai-chat", wire).body;
    expect(to("openai-responses").text.format).toEqual({ type: "json_schema", name: "thing", schema, strict: true });
    expect(to("anthropic").output_config).toEqual({ format: { type: "json_schema", schema } });
    expect(to("gemini").generationConfig).toEqual({ responseMimeType: "application/json", responseJsonSchema: schema });
  });

  test("any JSON", () => {
    expect(
      translated(chat({ response_format: { type: "json_object" } }), "openai-chat", "gemini").body["generationConfig"],
    ).toEqual({ responseMimeType: "application/json" });
    expect(codes(translated(chat({ response_format: { type: "json_object" } }), "openai-chat", "anthropic"))).toEqual([
      "default-added",
      "field-left-out",
    ]);
  });

  test.each([
    ["claude-sonnet-4-5", { thinking: { type: "enabled", budget_tokens: 16_384 } }],
    ["claude-opus-4-7", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
    ["claude-opus-5", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
    ["qwen3", { thinking: { type: "enabled", budget_tokens: 16_384 } }],
  ])("thinking of %s", (model, fields) => {
    const { body } = translated(chat({ model, reasoning_effort: "high", max_tokens: 100 }), "openai-chat", "anthropic");
    expect(body).toMatchObject(fields);
    // It counts among the tokens of the answer.
    if ("budget_tokens" in fields.thinking) expect(body["max_tokens"]).toBe(16_484);
  });

  test("thinking that a vendor would refuse is not asked for", () => {
    const forced = translated(
      chat({
        reasoning_effort: "high",
        tools: [{ type: "function", function: { name: "f" } }],
        tool_choice: "required",
      }),
      "openai-chat",
      "anthropic",
    );
    expect(forced.body["thinking"]).toBeUndefined();
    expect(codes(forced)).toContain("field-left-out");
    const { messages } = REQUESTS["openai-chat"] as Json;
    const amid = translated(
      { model: "m", messages: messages.slice(0, 5), reasoning_effort: "low" },
      "openai-chat",
      "anthropic",
    );
    expect(amid.body["thinking"]).toBeUndefined();
  });

  test.each([
    [{ type: "enabled", budget_tokens: 2000 }, "low"],
    [{ type: "enabled", budget_tokens: 5000 }, "medium"],
    [{ type: "enabled", budget_tokens: 50_000 }, "high"],
    [{ type: "disabled" }, "none"],
    [{ type: "adaptive" }, "medium"],
  ])("a budget is an effort elsewhere: %j", (thinking, effort) => {
    const anthropic = { model: "m", max_tokens: 60_000, messages: [{ role: "user", content: "Hi" }], thinking };
    expect(translated(anthropic, "anthropic", "openai-chat").body["reasoning_effort"]).toBe(effort);
  });

  test("an effort is a level of Gemini 3, and a budget before it", () => {
    const of = (model: string): Json =>
      (translated(chat({ model, reasoning_effort: "low" }), "openai-chat", "gemini").body["generationConfig"] as Json)
        .thinkingConfig;
    expect(of("gemini-3-pro")).toEqual({ thinkingLevel: "LOW" });
    expect(of("gemini-2.5-pro")).toEqual({ thinkingBudget: 2048 });
  });

  test("sampling that a model of Anthropic's refuses is left out", () => {
    const of = (model: string): ReturnType<typeof translateRequest> =>
      translated(chat({ model, temperature: 1.5 }), "openai-chat", "anthropic");
    expect(of("claude-haiku-4-5").body["temperature"]).toBe(1);
    expect(of("claude-opus-5").body["temperature"]).toBeUndefined();
    expect(codes(of("claude-opus-5"))).toContain("field-left-out");
  });

  test("OpenAI's newer models and the servers that only are compatible have two names for one limit", () => {
    const anthropic = { max_tokens: 7, messages: [{ role: "user", content: "Hi" }] };
    expect(translated({ ...anthropic, model: "gpt-5.2" }, "anthropic", "openai-chat").body).toMatchObject({
      max_completion_tokens: 7,
    });
    expect(translated({ ...anthropic, model: "qwen3" }, "anthropic", "openai-chat").body).toMatchObject({
      max_tokens: 7,
    });
  });

  test("what has no counterpart is told once, with its place", () => {
    const { notices } = translated(
      chat({ logit_bias: {}, logprobs: true, n: 2 }, { role: "user", content: "Hi", name: "bob" }),
      "openai-chat",
      "gemini",
    );
    expect(notices.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["logit_bias", "logprobs", "n", "messages[0].name"]),
    );
    const cached = Array.from({ length: 50 }, () => ({
      role: "user",
      content: [{ type: "text", text: "Hi", hint: 1 }],
    }));
    expect(translated(chat({}, ...cached), "openai-chat", "gemini").notices).toHaveLength(1);
  });

  test("tools that only their own vendor runs are left out, and told", () => {
    const anthropic = {
      model: "m",
      max_tokens: 5,
      messages: [{ role: "user", content: "Hi" }],
      tools: [
        { type: "web_search_20250305", name: "web_search" },
        { name: "f", input_schema: {} },
      ],
    };
    const to = translated(anthropic, "anthropic", "openai-chat");
    expect((to.body["tools"] as Json).map(({ function: named }: Json) => named.name)).toEqual(["f"]);
    expect(codes(to)).toEqual(["tool-left-out"]);
  });
});

test.each([
  ["gemini", { model: "models/gemini-3-pro", stream: true }, "/models/gemini-3-pro:streamGenerateContent?alt=sse"],
  ["gemini", { model: "a/b?c", stream: false }, "/models/a/b%3Fc:generateContent"],
  ["anthropic", { stream: true }, "/v1/messages"],
  ["openai-chat", { stream: false }, "/chat/completions"],
  ["openai-responses", { stream: false }, "/responses"],
] as const)("the path of %s", (wire, options, path) => {
  expect(requestPath(wire, options)).toBe(path);
});

test.each(["..", "../../x", "a/./b", "a/../b"])(
  "a model that leads out of the vendor's models is refused: %s",
  (model) => {
    expect(() => requestPath("gemini", { model, stream: true })).toThrow("model must be a name");
  },
);
