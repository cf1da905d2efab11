import { describe, expect, test } from "vitest";
import { anthropicTurns } from "./anthropic.ts";
import { answerOf, answerWith, callOf, IMAGE, PDF, resultsFor, SOUND, TEXT } from "./turns.test-kit.ts";

const { assistant, results, tools, user, request } = anthropicTurns;

const begin = { type: "message_start", message: { id: "m", model: "claude", content: [] } };
const block = (index: number, content_block: object, ...deltas: readonly object[]): object[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const stop = (reason: string): object[] => [
  { type: "message_delta", delta: { stop_reason: reason } },
  { type: "message_stop" },
];
const thinking = (index: number): object[] =>
  block(
    index,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "Hm." },
    { type: "signature_delta", signature: "c2ln" },
  );
const use = (index: number, id: string, json: string, more: object = {}): object[] =>
  block(
    index,
    { type: "tool_use", id, name: "lookup", input: {}, ...more },
    { type: "input_json_delta", partial_json: json },
  );
const text = (index: number, words: string): object[] =>
  block(index, { type: "text", text: "" }, { type: "text_delta", text: words });
const content = (frames: readonly object[]): unknown[] =>
  (assistant(answerOf("anthropic", begin, ...frames))[0] as { content: unknown[] } | undefined)?.content ?? [];

const signed = { type: "thinking", thinking: "Hm.", signature: "c2ln" };

describe("the echo", () => {
  test("has every block in its place, thinking with its signature", () => {
    const redacted = { type: "redacted_thinking", data: "eA==" };
    const caller = { type: "direct" };
    const frames = [
      thinking(0),
      block(1, redacted),
      text(2, "So. "),
      use(3, "toolu_1", '{"q":1}', { caller }),
      stop("tool_use"),
    ].flat();
    expect(content(frames)).toEqual([
      signed,
      redacted,
      { type: "text", text: "So. " },
      { type: "tool_use", id: "toolu_1", name: "lookup", input: { q: 1 }, caller },
    ]);
  });

  test("has the server's tools with what they gave", () => {
    const server = block(
      0,
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      { type: "input_json_delta", partial_json: '{"query":"x"}' },
    );
    const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    const mcp = block(2, { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "s", input: {} });
    const given = { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [] };
    const answer = answerOf(
      "anthropic",
      begin,
      ...server,
      ...block(1, result),
      ...mcp,
      ...block(3, given),
      ...text(4, "Hi"),
      ...stop("end_turn"),
    );
    expect(assistant(answer)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
          result,
          { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", input: {}, server_name: "s" },
          given,
          { type: "text", text: "Hi" },
        ],
      },
    ]);
    expect(resultsFor(answer)).toEqual([]);
  });

  test("leaves out a server's call that broke off without its result, and keeps one that the vendor goes on with", () => {
    const server = block(0, { type: "server_tool_use", id: "s1", name: "web_search", input: {} });
    expect(content([...server, ...text(1, "x")])).toEqual([{ type: "text", text: "x" }]);
    expect(content([...server, ...stop("pause_turn")])).toMatchObject([{ type: "server_tool_use", id: "s1" }]);
    expect(content([...server, ...use(1, "t", "{}"), ...stop("tool_use")])).toMatchObject([{ id: "s1" }, { id: "t" }]);
  });

  test("has what a text cites, once", () => {
    const citation = { type: "web_search_result_location", url: "https://example.org", encrypted_index: "eA==" };
    const cites = block(
      1,
      { type: "text", text: "" },
      { type: "text_delta", text: "It is " },
      { type: "citations_delta", citation },
      { type: "text_delta", text: "so." },
    );
    expect(content([...text(0, "Plain. "), ...cites, ...stop("end_turn")])).toEqual([
      { type: "text", text: "Plain. " },
      { type: "text", text: "It is so.", citations: [citation] },
    ]);
  });

  test("has no blank text, no thinking without its signature, none at the end, and nothing instead of an empty message", () => {
    expect(content([...text(0, " \n"), ...use(1, "t", "{}"), ...stop("tool_use")])).toMatchObject([
      { type: "tool_use" },
    ]);
    const unsigned = block(0, { type: "thinking", thinking: "" }, { type: "thinking_delta", thinking: "Hm." });
    expect(content([...unsigned, ...text(1, "Hi"), ...stop("end_turn")])).toEqual([{ type: "text", text: "Hi" }]);
    expect(content([...text(0, "Hi"), ...thinking(1), ...stop("max_tokens")])).toEqual([{ type: "text", text: "Hi" }]);
    expect(assistant(answerOf("anthropic", begin, ...thinking(0), ...stop("max_tokens")))).toEqual([]);
    expect(content([...text(0, "Hi"), ...thinking(1), ...stop("pause_turn")])).toHaveLength(2);
  });

  test.each([
    ["claude-opus-4-5", "", false],
    ["claude-opus-4-5", undefined, false],
    [undefined, "", false],
    ["qwen3", "", true],
    ["qwen3", undefined, false],
    ["deepseek-v4-pro", undefined, true],
    ["kimi-k2-thinking", undefined, true],
  ])("thinking of %j with the signature %j goes back: %j", (model, signature, goesBack) => {
    const start = { type: "message_start", message: { id: "m", model, content: [] } };
    const thought = { type: "thinking", thinking: "Hm.", ...(signature === undefined ? {} : { signature }) };
    const [said] = assistant(
      answerOf("anthropic", start, ...block(0, thought), ...use(1, "t", "{}"), ...stop("tool_use")),
    );
    const blocks = (said as { content: object[] }).content;
    expect(blocks[0]).toEqual(goesBack ? thought : expect.objectContaining({ type: "tool_use" }));
  });

  test("leaves out the calls before a fallback, and keeps the fallback in its place", () => {
    const fallback = { type: "fallback", from: "a", to: "b" };
    expect(
      content([...use(0, "old", "{}"), ...block(1, fallback), ...use(2, "new", "{}"), ...stop("tool_use")]),
    ).toMatchObject([fallback, { id: "new" }]);
  });
});

describe("results", () => {
  const answer = answerOf(
    "anthropic",
    begin,
    ...use(0, "a", "{}"),
    ...use(1, "b", "{}", { toolset_name: "browser" }),
    ...stop("tool_use"),
  );

  test("are one message, with their flags and toolsets", () => {
    const [first, second] = resultsFor(answer);
    expect(results([{ ...second!, isError: true }, first!], answer)).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "ok 0" },
          { type: "tool_result", tool_use_id: "b", content: "ok 1", is_error: true, toolset_name: "browser" },
        ],
      },
    ]);
  });

  test("hold images and documents", () => {
    const plain = { type: "file", mediaType: "text/csv", data: "YSxi", name: "t" } as const;
    const [message] = results(resultsFor(answer, [TEXT, IMAGE, PDF, plain, SOUND], []), answer) as {
      content: { content: unknown }[];
    }[];
    expect(message?.content.map((each) => each.content)).toEqual([
      [
        { type: "text", text: "Look here." },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
          title: "a.pdf",
        },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "a,b" }, title: "t" },
        { type: "text", text: "[file (audio/ogg) at https://example.org/a.ogg: it cannot be shown here]" },
      ],
      "(no output)",
    ]);
  });

  test("of errors hold text alone, as the vendor wants it, and their media stand behind all results", () => {
    const [first, second] = resultsFor(answer, [TEXT, IMAGE, SOUND], [IMAGE]);
    expect(results([{ ...first!, isError: true }, second!], answer)).toEqual([
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content:
              "Look here.\n[image (image/png): it stands behind the results]\n[file (audio/ogg) at https://example.org/a.ogg: it cannot be shown here]",
            is_error: true,
          },
          expect.objectContaining({ tool_use_id: "b", content: [expect.objectContaining({ type: "image" })] }),
          { type: "text", text: "Returned by the tool lookup for the call a:" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        ],
      },
    ]);
  });

  test.each([
    [
      { type: "image", mediaType: "image/png", url: "https://example.org/a" },
      { type: "image", source: { type: "url", url: "https://example.org/a" } },
    ],
    [
      { type: "file", mediaType: "application/pdf", url: "https://example.org/a" },
      { type: "document", source: { type: "url", url: "https://example.org/a" } },
    ],
    [{ type: "image", mediaType: "image/tiff", data: "eA==" }, { type: "text" }],
    [{ type: "file", mediaType: "text/plain", data: "/w==" }, { type: "text" }],
  ] as const)("hold %j as %j", (part, expected) => {
    expect(user([part])).toMatchObject([{ content: [expected] }]);
  });
});

test("requests name the schema input_schema, and have the instructions beside the messages", () => {
  expect(tools([{ name: "a", description: "A.", parameters: {}, strict: true }])).toEqual([
    { name: "a", description: "A.", input_schema: { type: "object", properties: {} }, strict: true },
  ]);
  expect(request({ system: "Be.", messages: user([TEXT]), tools: [] })).toEqual({
    system: "Be.",
    messages: [{ role: "user", content: [{ type: "text", text: "Look here." }] }],
  });
});

test("a call without a name gets one", () => {
  const answer = answerWith("anthropic", [
    { type: "call", call: callOf({ name: "", status: "malformed", arguments: null }) },
  ]);
  expect(assistant(answer)).toMatchObject([
    { content: [{ name: "unnamed_tool", input: { invalid_arguments: '{"q":1}' } }] },
  ]);
});
