import { describe, expect, test } from "vitest";
import type { ToolCall } from "../events.ts";
import { openaiLiveTurns, openaiRealtimeTurns } from "./openai-realtime.ts";
import { openaiResponsesTurns } from "./openai-responses.ts";
import { answerOf, answersOf, answerWith, callOf, IMAGE, PDF, resultsFor, SOUND, TEXT } from "./turns.test-kit.ts";

const { assistant, results, tools, user, request } = openaiResponsesTurns;

const item = (output_index: number, done: object): object[] => [
  {
    type: "response.output_item.added",
    output_index,
    item: { ...done, arguments: "", input: "", status: "in_progress" },
  },
  { type: "response.output_item.done", output_index, item: done },
];
const completed = { type: "response.completed", response: { id: "r", status: "completed" } };
const read = (...items: readonly object[]) =>
  answerOf("openai-responses", ...items.flatMap((each, at) => item(at, each)), completed);

const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "eA==" };
const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  phase: "commentary",
  content: [{ type: "output_text", text: "So.", annotations: [] }],
};
const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "lookup",
  arguments: '{"q": 1}',
  status: "completed",
};

describe("the echo", () => {
  test("has items as they came: reasoning, the message with its id, calls with namespace and caller", () => {
    const caller = { type: "program", caller_id: "p" };
    const called = { ...call, namespace: "home", caller };
    const answer = read(reasoning, message, called);
    expect(assistant(answer)).toEqual([reasoning, message, called]);
    expect(results(resultsFor(answer), answer)).toEqual([
      { type: "function_call_output", call_id: "call_1", output: "ok 0", caller },
    ]);
  });

  test("has text that came without its item as a plain message", () => {
    const answer = answerOf("openai-responses", { type: "response.output_text.delta", output_index: 0, delta: "So" });
    expect(assistant(answer)).toEqual([{ type: "message", role: "assistant", content: "So" }]);
  });

  test("has no reasoning that led to nothing", () => {
    expect(assistant(read(message, reasoning))).toEqual([message]);
    expect(assistant(read(reasoning))).toEqual([]);
  });

  test("has custom calls with their text", () => {
    const custom = { type: "custom_tool_call", id: "ct_1", call_id: "c", name: "sql", input: "select 1" };
    const answer = read(custom);
    expect(assistant(answer)).toEqual([custom]);
    expect(results(resultsFor(answer, [TEXT, IMAGE]), answer)).toMatchObject([
      { type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_text" }, { type: "input_image" }] },
    ]);
  });

  test("has what the server ran, and no result for it", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } };
    const mcp = { type: "mcp_call", id: "mcp_1", server_label: "s", name: "f", arguments: "{}", output: "y" };
    const answer = read(search, mcp, message);
    expect(assistant(answer)).toEqual([search, mcp, message]);
    expect(resultsFor(answer)).toEqual([]);
  });

  test("has a malformed call with an object, and a cut one of the vendor's own as a function", () => {
    expect(assistant(read({ ...call, arguments: "{q" }))).toEqual([
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "lookup", arguments: '{"invalid_arguments":"{q"}' },
    ]);
    const shell = {
      type: "shell_call",
      id: "sh_1",
      call_id: "call_s",
      status: "incomplete",
      action: { commands: ["ls"] },
    };
    const answer = read(shell);
    const [echoed] = assistant(answer);
    expect(echoed).toMatchObject({ type: "function_call", call_id: "call_s", name: "shell" });
    expect(echoed).not.toHaveProperty("id");
    expect(results(resultsFor(answer), answer)).toMatchObject([{ type: "function_call_output", call_id: "call_s" }]);
  });
});

describe("results of the vendor's own tools", () => {
  test.each<[string, object, object, object]>([
    [
      "shell_call",
      { call_id: "c", status: "completed", action: { commands: ["ls"] } },
      {
        type: "shell_call_output",
        call_id: "c",
        output: [{ stdout: "ok 0", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
      },
      {
        type: "shell_call_output",
        call_id: "c",
        output: [{ stdout: "", stderr: "ok 0", outcome: { type: "exit", exit_code: 1 } }],
      },
    ],
    [
      "apply_patch_call",
      { call_id: "c", status: "completed", operation: { type: "delete_file", path: "a" } },
      { type: "apply_patch_call_output", call_id: "c", status: "completed", output: "ok 0" },
      { type: "apply_patch_call_output", call_id: "c", status: "failed", output: "ok 0" },
    ],
    [
      "local_shell_call",
      { call_id: "c", status: "completed", action: { type: "exec", command: ["ls"], env: {} } },
      { type: "local_shell_call_output", id: "i", output: "ok 0" },
      { type: "local_shell_call_output", id: "i", output: "Error: ok 0" },
    ],
  ])("answer a %s", (type, fields, good, bad) => {
    const own = { type, id: "i", ...fields };
    const answer = read(own);
    expect(assistant(answer)).toEqual([own]);
    const [result] = resultsFor(answer);
    expect(results([result!], answer)).toEqual([good]);
    expect(results([{ ...result!, isError: true }], answer)).toEqual([bad]);
  });

  test("answer a computer with a screenshot, and acknowledge its checks only when somebody did", () => {
    const pending_safety_checks = [{ id: "sc_1" }];
    const own = {
      type: "computer_call",
      id: "i",
      call_id: "c",
      status: "completed",
      action: { type: "screenshot" },
      pending_safety_checks,
    };
    const answer = read(own);
    const [result] = resultsFor(answer, [IMAGE]);
    const output = {
      type: "computer_call_output",
      call_id: "c",
      output: { type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    };
    expect(results([result!], answer)).toEqual([output]);
    expect(results([{ ...result!, approve: true }])).toEqual([
      { ...output, acknowledged_safety_checks: pending_safety_checks },
    ]);
    const failed = { ...result!, content: [TEXT], isError: true as const };
    expect(results([failed])).toMatchObject([
      { type: "computer_call_output", output: { image_url: expect.stringMatching(/^data:image\/png;base64,/) } },
      { role: "user", content: [{ type: "input_text", text: expect.stringContaining("Error: Look here.") }] },
    ]);
  });

  test("answer a search for tools with a list, or with none and words", () => {
    const own = {
      type: "tool_search_call",
      id: "i",
      call_id: "c",
      execution: "client",
      status: "completed",
      arguments: { q: 1 },
    };
    const answer = read(own);
    const found = [{ type: "function", name: "f", parameters: {}, strict: false }];
    expect(results(resultsFor(answer, [{ type: "text", text: JSON.stringify(found) }]), answer)).toMatchObject([
      { type: "tool_search_output", call_id: "c", execution: "client", tools: found },
    ]);
    expect(results(resultsFor(answer, [TEXT]), answer)).toMatchObject([
      { type: "tool_search_output", tools: [] },
      { role: "user", content: [{ text: expect.stringContaining("Look here.") }] },
    ]);
  });

  test("let the vendor run a tool only on a plain yes", () => {
    const own = { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "pay", arguments: "{}" };
    const answer = read(own);
    expect(assistant(answer)).toEqual([own]);
    const [result] = resultsFor(answer);
    const asked = { type: "mcp_approval_response", approval_request_id: "mcpr_1" };
    expect(results([result!], answer)).toEqual([{ ...asked, approve: false, reason: "ok 0" }]);
    expect(results([{ ...result!, approve: false }])).toMatchObject([{ approve: false }]);
    expect(results([{ ...result!, approve: true }])).toEqual([{ ...asked, approve: true }]);
  });
});

test("results hold images and files, and say that they are errors", () => {
  const answer = read(call);
  const [result] = resultsFor(answer, [TEXT, IMAGE, PDF, SOUND]);
  expect(results([{ ...result!, isError: true }], answer)).toMatchObject([
    {
      output: [
        { type: "input_text", text: "Error:" },
        { type: "input_text", text: "Look here." },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
        { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
        { type: "input_file", file_url: "https://example.org/a.ogg" },
      ],
    },
  ]);
});

test("requests say of each tool whether it is strict", () => {
  expect(
    tools([
      { name: "a", parameters: {} },
      { name: "b", parameters: {}, custom: { type: "text" } },
    ]),
  ).toEqual([
    { type: "function", name: "a", parameters: { type: "object", properties: {} }, strict: false },
    { type: "custom", name: "b", format: { type: "text" } },
  ]);
  expect(request({ system: "Be.", messages: user([TEXT]) })).toEqual({
    instructions: "Be.",
    input: [{ type: "message", role: "user", content: "Look here." }],
  });
});

describe("sockets", () => {
  test("Realtime takes items one by one, images behind the results", () => {
    const [answer] = answersOf("openai-realtime", [
      { type: "response.created", event_id: "e", response: { id: "r" } },
      { type: "response.output_item.done", event_id: "e", response_id: "r", output_index: 0, item: call },
      { type: "response.done", event_id: "e", response: { id: "r", status: "completed", output: [call] } },
    ]);
    expect(openaiRealtimeTurns.assistant(answer!)).toEqual([
      {
        type: "conversation.item.create",
        item: { type: "function_call", call_id: "call_1", name: "lookup", arguments: '{"q": 1}' },
      },
    ]);
    expect(openaiRealtimeTurns.results(resultsFor(answer!, [TEXT, IMAGE, PDF]), answer)).toMatchObject([
      {
        item: {
          type: "function_call_output",
          call_id: "call_1",
          output: expect.stringMatching(/it follows[^]*cannot be shown/),
        },
      },
      { item: { type: "message", role: "user", content: [{ type: "input_text" }, { type: "input_image" }] } },
    ]);
    expect(
      openaiRealtimeTurns.request({ system: "Be.", messages: [], tools: [{ name: "a", parameters: {} }] }),
    ).toEqual({
      instructions: "Be.",
      tools: [{ type: "function", name: "a", parameters: { type: "object", properties: {} } }],
    });
    expect(openaiRealtimeTurns.user([TEXT, IMAGE, PDF])).toMatchObject([
      { item: { content: [{ type: "input_text" }, { type: "input_image" }, { type: "input_text" }] } },
    ]);
  });

  test("Realtime's questions are answered with an item that has an id", () => {
    const own = { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "pay", arguments: "{}" };
    const asking: ToolCall = callOf({ kind: "mcp-approval", id: "mcpr_1", echo: { item: own } });
    const answer = answerWith("openai-realtime", [
      { type: "text", text: "May I?" },
      { type: "call", call: asking },
    ]);
    expect(openaiRealtimeTurns.assistant(answer)).toMatchObject([
      { item: { content: [{ text: "May I?" }] } },
      { item: own },
    ]);
    const [result] = resultsFor(answer);
    const asked = { type: "mcp_approval_response", id: "res_mcpr_1", approval_request_id: "mcpr_1" };
    expect(openaiRealtimeTurns.results([{ ...result!, approve: true }], answer)).toEqual([
      { type: "conversation.item.create", item: { ...asked, approve: true } },
    ]);
    expect(openaiRealtimeTurns.results([result!])).toMatchObject([{ item: { approve: false, reason: "ok 0" } }]);
  });

  test("Live takes Responses' items", () => {
    const answer = read(message, call);
    expect(openaiLiveTurns.assistant(answer)).toEqual(
      [message, call].map((each) => ({ type: "response.item.create", item: each })),
    );
    expect(openaiLiveTurns.results(resultsFor(answer), answer)).toMatchObject([
      { type: "response.item.create", item: { type: "function_call_output" } },
    ]);
    expect(openaiLiveTurns.user([TEXT])).toMatchObject([{ type: "response.item.create", item: { role: "user" } }]);
    expect(openaiLiveTurns.request({ system: "Be.", messages: [] })).toEqual({ instructions: "Be." });
  });
});
