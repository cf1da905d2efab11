import { describe, expect, test } from "vitest";
import { bedrockTurns } from "./bedrock.ts";
import { cohereTurns } from "./cohere.ts";
import { turnFormOf, turnForms } from "./index.ts";
import { mistralConversationsTurns } from "./mistral-conversations.ts";
import { mistralTurns } from "./mistral.ts";
import { ollamaTurns } from "./ollama.ts";
import { forSdk } from "./sdk-spelling.ts";
import { answerOf, answerWith, callOf, IMAGE, PDF, resultsFor, SOUND, TEXT } from "./turns.test-kit.ts";

describe("the table", () => {
  test("has every form under its own name", () => {
    for (const [name, form] of Object.entries(turnForms)) {
      expect(form.name).toBe(name);
      expect(turnFormOf(form)).toBe(form);
    }
  });

  test("falls back to a vendor's first form", () => {
    expect(turnFormOf({ protocol: "cohere", variant: "live" })).toBe(cohereTurns);
  });
});

describe("Bedrock's Converse", () => {
  const { assistant, results, tools, user, request } = bedrockTurns;
  const delta = (contentBlockIndex: number, value: object): object => ({
    contentBlockDelta: { contentBlockIndex, delta: value },
  });
  const stop = (contentBlockIndex: number): object => ({ contentBlockStop: { contentBlockIndex } });
  const start = (contentBlockIndex: number, value: object): object => ({
    contentBlockStart: { contentBlockIndex, start: value },
  });
  const end = { messageStop: { stopReason: "tool_use" } };

  test("takes blocks back in their places, inputs as documents", () => {
    const answer = answerOf(
      "bedrock",
      delta(0, { reasoningContent: { text: "Hm." } }),
      delta(0, { reasoningContent: { signature: "c2ln" } }),
      stop(0),
      delta(1, { text: " " }),
      stop(1),
      start(2, { toolUse: { toolUseId: "s", name: "code", type: "server_tool_use" } }),
      stop(2),
      start(3, { toolResult: { toolUseId: "s", status: "success" } }),
      delta(3, { toolResult: [{ text: "6" }] }),
      stop(3),
      start(4, { toolUse: { toolUseId: "t", name: "lookup" } }),
      delta(4, { toolUse: { input: '{"q":1}' } }),
      stop(4),
      end,
    );
    expect(assistant(answer)).toEqual([
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
          { toolUse: { toolUseId: "s", name: "code", input: {}, type: "server_tool_use" } },
          { toolResult: { toolUseId: "s", status: "success", content: [{ text: "6" }] } },
          { toolUse: { toolUseId: "t", name: "lookup", input: { q: 1 } } },
        ],
      },
    ]);
    const [result] = resultsFor(answer, [TEXT, IMAGE, PDF, SOUND]);
    const leftOut = "[file (audio/ogg) at https://example.org/a.ogg: it cannot be shown here]";
    const image = { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } };
    const document = { document: { format: "pdf", name: "a-pdf", source: { bytes: "JVBERi0=" } } };
    const inside = [{ text: "Look here." }, image, document, { text: leftOut }];
    expect(results([result!], answer)).toEqual([
      { role: "user", content: [{ toolResult: { toolUseId: "t", content: inside } }] },
    ]);
    // Claude takes nothing but text in an error.
    const behind = ["Look here.", "[image (image/png): it stands behind the results]"];
    const words = [...behind, "[file (application/pdf): it stands behind the results]", leftOut].join("\n");
    expect(results([{ ...result!, isError: true }], answer)).toEqual([
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "t", content: [{ text: words }], status: "error" } },
          { text: "Returned by the tool lookup for the call t:" },
          image,
          document,
        ],
      },
    ]);
    expect(results([{ ...result!, content: [] }])).toMatchObject([
      { content: [{ toolResult: { content: [{ text: "(no output)" }] } }] },
    ]);
  });

  test("takes what a text cites once, and no reasoning at the end", () => {
    const citation = { title: "A" };
    const answer = answerOf(
      "bedrock",
      delta(0, { text: "It is so." }),
      delta(0, { citation }),
      stop(0),
      delta(1, { reasoningContent: { text: "Hm." } }),
      stop(1),
      end,
    );
    expect(assistant(answer)).toEqual([
      {
        role: "assistant",
        content: [{ citationsContent: { content: [{ text: "It is so." }], citations: [citation] } }],
      },
    ]);
    expect(assistant(answerOf("bedrock", end))).toEqual([]);
  });

  test("takes objects in S3, and text beside a document", () => {
    const file = { type: "file", mediaType: "text/csv", url: "s3://b/k" } as const;
    expect(user([file])).toEqual([
      {
        role: "user",
        content: [
          { document: { format: "csv", name: "document", source: { s3Location: { uri: "s3://b/k" } } } },
          { text: "(no output)" },
        ],
      },
    ]);
  });

  test("gives each document of a request a name of its own, the first ones keeping theirs", () => {
    const names = (value: unknown): string[] =>
      [...JSON.stringify(value).matchAll(/"name":"([^"]*)","source"/g)].map(([, name = ""]) => name);
    const answer = answerOf(
      "bedrock",
      ...["a", "b"].flatMap((toolUseId, at) => [start(at, { toolUse: { toolUseId, name: "f" } }), stop(at)]),
      end,
    );
    const upper = { type: "file", mediaType: "application/pdf", data: "eA==", name: "A.PDF" } as const;
    const given = results(resultsFor(answer, [PDF, PDF], [upper]), answer);
    expect(names(given)).toEqual(["a-pdf", "a-pdf (2)", "A-PDF (3)"]);
    const history = [
      ...given,
      ...user([PDF]),
      ...user([TEXT, { type: "file", mediaType: "application/pdf", data: "eA==" }]),
    ];
    const { messages } = request({ messages: history }) as { messages: unknown[] };
    expect(names(messages)).toEqual(["a-pdf", "a-pdf (2)", "A-PDF (3)", "a-pdf (4)", "document"]);
    expect(messages.slice(0, 1)).toEqual(given);
    expect(request({ messages })["messages"]).toEqual(messages);
  });

  test("requests", () => {
    expect(
      request({ system: "Be.", messages: [], tools: [{ name: "a", description: "", parameters: {}, strict: true }] }),
    ).toEqual({
      system: [{ text: "Be." }],
      messages: [],
      toolConfig: {
        tools: [{ toolSpec: { name: "a", inputSchema: { json: { type: "object", properties: {} } }, strict: true } }],
      },
    });
    expect(tools([{ name: "a", description: "A.", parameters: {} }])).toMatchObject([
      { toolSpec: { description: "A." } },
    ]);
  });
});

describe("Cohere", () => {
  const { assistant, results, request, user } = cohereTurns;
  const event = (type: string, message: object, index = 0): object => ({ type, index, delta: { message } });
  const answer = answerOf(
    "cohere",
    event("tool-plan-delta", { tool_plan: "I will " }),
    event("tool-plan-delta", { tool_plan: "look." }),
    event("content-start", { content: { type: "thinking", thinking: "Hm." } }),
    event("tool-call-start", {
      tool_calls: { id: "lookup_1", type: "function", function: { name: "lookup", arguments: "" } },
    }),
    event("tool-call-delta", { tool_calls: { function: { arguments: '{"q":1}' } } }),
    { type: "tool-call-end", index: 0 },
    { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
  );

  test("takes the plan and the thinking back, each in its field", () => {
    expect(assistant(answer)).toEqual([
      {
        role: "assistant",
        tool_calls: [{ id: "lookup_1", type: "function", function: { name: "lookup", arguments: '{"q":1}' } }],
        tool_plan: "I will look.",
        content: [{ type: "thinking", thinking: "Hm." }],
      },
    ]);
    expect(assistant(answerWith("cohere", [{ type: "text", text: "Hi" }]))).toEqual([
      { role: "assistant", content: "Hi" },
    ]);
    expect(assistant(answerWith("cohere", []))).toEqual([]);
  });

  test("takes text in results, images behind them", () => {
    expect(results(resultsFor(answer, [TEXT, IMAGE, PDF]), answer)).toMatchObject([
      { role: "tool", tool_call_id: "lookup_1", content: expect.stringMatching(/it follows[^]*cannot be shown/) },
      {
        role: "user",
        content: [{ type: "text" }, { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }],
      },
    ]);
    expect(user([TEXT, IMAGE, PDF])).toMatchObject([
      { content: [{ type: "text" }, { type: "image_url" }, { type: "text" }] },
    ]);
  });

  test("is strict for all tools or for none", () => {
    const tool = { name: "a", parameters: {} };
    expect(request({ system: "Be.", messages: [], tools: [{ ...tool, strict: true }] })).toMatchObject({
      strict_tools: true,
      messages: [{ role: "system" }],
    });
    expect(
      request({
        messages: [],
        tools: [
          { ...tool, strict: true },
          { ...tool, name: "b" },
        ],
      }),
    ).not.toHaveProperty("strict_tools");
  });
});

describe("Mistral", () => {
  test("takes nine letters and digits for an id that we made, and its own as they are", () => {
    const call = callOf({ id: "call_0123456789abcdef", madeId: true });
    const answer = answerWith("mistral", [
      { type: "call", call },
      { type: "call", call: callOf({ id: "functions.x:0", index: 1 }) },
    ]);
    expect(mistralTurns.assistant(answer)).toMatchObject([
      { tool_calls: [{ id: "789abcdef" }, { id: "functions.x:0" }] },
    ]);
    expect(mistralTurns.results(resultsFor(answer), answer)).toEqual([
      { role: "tool", tool_call_id: "789abcdef", name: "lookup", content: "ok 0" },
      { role: "tool", tool_call_id: "functions.x:0", name: "lookup", content: "ok 1" },
    ]);
  });

  test("takes thinking back with its signature", () => {
    const content = (chunks: readonly object[]): object => ({
      id: "c",
      choices: [{ index: 0, delta: { content: chunks } }],
    });
    const answer = answerOf(
      "mistral",
      content([{ type: "thinking", thinking: [{ type: "text", text: "H" }] }]),
      content([{ type: "thinking", thinking: [{ type: "text", text: "m." }], signature: "c2ln" }]),
      content([{ type: "text", text: "Hi" }]),
    );
    expect(mistralTurns.assistant(answer)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm." }], closed: true, signature: "c2ln" },
          { type: "text", text: "Hi" },
        ],
      },
    ]);
  });

  test("takes media inside results", () => {
    const answer = answerWith("mistral", [{ type: "call", call: callOf() }]);
    const [result] = resultsFor(answer, [IMAGE, PDF, { type: "image", mediaType: "image/png" }]);
    expect(mistralTurns.results([{ ...result!, isError: true }], answer)).toMatchObject([
      {
        content: [
          { type: "text", text: "Error:" },
          { type: "image_url", image_url: "data:image/png;base64,iVBORw0KGgo=" },
          { type: "document_url", document_url: "data:application/pdf;base64,JVBERi0=", document_name: "a.pdf" },
          { type: "text" },
        ],
      },
    ]);
    expect(mistralTurns.assistant(answerWith("mistral", []))).toEqual([]);
    expect(
      mistralTurns.request({
        system: "Be.",
        messages: mistralTurns.user([TEXT]),
        tools: [{ name: "a", parameters: {} }],
      }),
    ).toMatchObject({
      messages: [{ role: "system" }, { role: "user", content: "Look here." }],
      tools: [{ type: "function" }],
    });
  });

  test("Conversations takes entries", () => {
    const answer = answerOf(
      "mistral",
      { type: "conversation.response.started", conversation_id: "c" },
      { type: "message.output.delta", content: { type: "thinking", thinking: [{ type: "text", text: "Hm." }] } },
      { type: "message.output.delta", content: "So. " },
      { type: "tool.execution.started", id: "te", name: "web_search", arguments: "" },
      { type: "tool.execution.delta", id: "te", arguments: '{"q":1}' },
      { type: "tool.execution.done", id: "te", info: { x: 1 } },
      { type: "function.call.delta", id: "fc", name: "lookup", tool_call_id: "Ab3dEf9Gh", arguments: '{"q":1}' },
      { type: "conversation.response.done" },
    );
    expect(mistralConversationsTurns.assistant(answer)).toMatchObject([
      { type: "message.output", role: "assistant", content: [{ type: "thinking", thinking: [{ text: "Hm." }] }] },
      { type: "message.output", role: "assistant", content: "So. " },
      { type: "tool.execution", name: "web_search", arguments: '{"q":1}', info: { x: 1 } },
      { type: "function.call", tool_call_id: "Ab3dEf9Gh", name: "lookup", arguments: '{"q":1}' },
    ]);
    const [result] = resultsFor(answer, [IMAGE]);
    expect(mistralConversationsTurns.results([{ ...result!, isError: true }], answer)).toMatchObject([
      {
        type: "function.result",
        tool_call_id: "Ab3dEf9Gh",
        result: "Error: [image (image/png): it follows in the next message]",
      },
      { type: "message.input", role: "user", content: [{ type: "text" }, { type: "image_url" }] },
    ]);
    const { request, user } = mistralConversationsTurns;
    expect(request({ system: "Be.", messages: user([TEXT]), tools: [{ name: "a", parameters: {} }] })).toMatchObject({
      instructions: "Be.",
      inputs: [{ type: "message.input", role: "user", content: "Look here." }],
      tools: [{ type: "function" }],
    });
  });
});

describe("Ollama", () => {
  const { assistant, results, user, request, tools } = ollamaTurns;
  const answer = answerOf("ollama", {
    model: "m",
    message: {
      role: "assistant",
      thinking: "Hm.",
      content: "So.",
      tool_calls: [
        { function: { name: "look up", arguments: { q: 1 } } },
        { id: "call_b", function: { name: "b", arguments: {} } },
      ],
    },
    done: true,
    done_reason: "stop",
  });

  test("takes objects, thinking, and only ids of its own", () => {
    expect(assistant(answer)).toEqual([
      {
        role: "assistant",
        content: "So.",
        thinking: "Hm.",
        tool_calls: [
          { function: { name: "look_up", arguments: { q: 1 } } },
          { id: "call_b", function: { name: "b", arguments: {} } },
        ],
      },
    ]);
    expect(results(resultsFor(answer, [TEXT, IMAGE], [SOUND]), answer)).toEqual([
      { role: "tool", tool_name: "look_up", content: "Look here.\n[image]", images: ["iVBORw0KGgo="] },
      { role: "tool", tool_name: "b", tool_call_id: "call_b", content: expect.stringContaining("cannot be shown") },
    ]);
    expect(assistant(answerWith("ollama", []))).toEqual([]);
  });

  test("requests", () => {
    expect(user([TEXT, IMAGE])).toEqual([{ role: "user", content: "Look here.\n[image]", images: ["iVBORw0KGgo="] }]);
    expect(
      request({ system: "Be.", messages: [], tools: [{ name: "a.b", parameters: {}, strict: true }] }),
    ).toMatchObject({
      messages: [{ role: "system" }],
      tools: [{ type: "function", function: { name: "a.b" } }],
    });
    expect(() => tools([{ name: "a b", parameters: {} }])).toThrow(TypeError);
  });
});

describe("forSdk", () => {
  test("writes Cohere's and Mistral's fields in camelCase, and leaves the user's keys alone", () => {
    const answer = answerWith("cohere", [{ type: "call", call: callOf() }]);
    const sdk = forSdk(cohereTurns);
    expect(sdk.assistant(answer)).toMatchObject([{ role: "assistant", toolCalls: [{ id: "call_1" }] }]);
    expect(sdk.results(resultsFor(answer), answer)).toMatchObject([{ toolCallId: "call_1" }]);
    const schema = { type: "object", properties: { two_words: { type: "string" } } };
    expect(sdk.tools([{ name: "a", parameters: schema }])).toMatchObject([{ function: { parameters: schema } }]);
    expect(sdk.request({ messages: [], tools: [{ name: "a", parameters: {}, strict: true }] })).toMatchObject({
      strictTools: true,
    });
    expect(forSdk(mistralTurns).user([IMAGE])).toMatchObject([
      { content: [{ imageUrl: "data:image/png;base64,iVBORw0KGgo=" }] },
    ]);
  });

  test("gives Bedrock bytes, and leaves documents alone", () => {
    const input = { bytes: "AAAA" };
    const call = callOf({ arguments: input, argumentsText: JSON.stringify(input) });
    const answer = answerWith("bedrock", [
      { type: "part", part: { reasoningContent: { redactedContent: "AQL/" } } },
      { type: "call", call },
    ]);
    const sdk = forSdk(bedrockTurns);
    expect(sdk.assistant(answer)).toMatchObject([
      { content: [{ reasoningContent: { redactedContent: Uint8Array.of(1, 2, 255) } }, { toolUse: { input } }] },
    ]);
    const messages = sdk.results(resultsFor(answer, [IMAGE]), answer);
    expect(messages).toMatchObject([
      { content: [{ toolResult: { content: [{ image: { source: { bytes: expect.any(Uint8Array) } } }] } }] },
    ]);
    expect(sdk.request({ messages })).toEqual({ messages });
  });

  test("gives the others back as they are", () => {
    expect(forSdk(ollamaTurns)).toBe(ollamaTurns);
  });
});
