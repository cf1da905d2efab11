// What keeps the rules of its wire is read.

import { describe, expect, test } from "vitest";
import { wires } from "../any-wire.ts";
import { bytesOf } from "../protocols/reading.test-kit.ts";
import {
  answer,
  block,
  chat,
  data,
  finished,
  fragment,
  header,
  item,
  json,
  message,
  responses,
  stop,
} from "./bodies.test-kit.ts";
import { anthropic, gemini, ollama, openaiChat, openaiResponses, runnable } from "./index.ts";
import { read } from "./strict.test-kit.ts";

describe("what keeps its rules", () => {
  test("parallel calls, one fragment each in turn", () => {
    const body = chat(header(0, "a"), header(1, "b"), fragment(0, '{"q":'), fragment(1, '{"q":'), fragment(0, "1}"));
    const { calls, finish, error } = answer(openaiChat, body + chat(fragment(1, "2}")) + finished);
    expect(calls.map(({ id, arguments: values, status }) => [id, values, status])).toEqual([
      ["a", { q: 1 }, "complete"],
      ["b", { q: 2 }, "complete"],
    ]);
    expect([finish, error]).toEqual(["tool_calls", null]);
  });

  test("a call without text has no arguments where the response ended well, and else is cut", () => {
    expect(answer(openaiChat, chat(header(0, "a")) + finished).calls[0]).toMatchObject({
      status: "complete",
      argumentsText: "{}",
    });
    expect(answer(openaiChat, chat(header(0, "a"))).calls[0]).toMatchObject({ status: "truncated", argumentsText: "" });
  });

  test("the old function_call, which has no id", () => {
    const delta = (call: object): string => data({ choices: [{ index: 0, delta: { function_call: call } }] });
    const body = delta({ name: "search", arguments: "" }) + delta({ arguments: "{}" }) + finished;
    expect(answer(openaiChat, body).calls).toMatchObject([{ name: "search", madeId: true, status: "complete" }]);
  });

  test("a whole answer in one document, printed or not, behind a byte order mark", () => {
    const whole = {
      object: "chat.completion",
      choices: [{ message: { tool_calls: [header(0, "a", "search", "{}")] } }],
    };
    for (const body of [JSON.stringify(whole), JSON.stringify(whole, null, 2), `\uFEFF${JSON.stringify(whole)}\n`])
      expect(runnable({ ...answer(openaiChat, body), finish: "tool_calls" }), body).toEqual(["a"]);
  });

  test("an error body", () => {
    expect(answer(openaiChat, '{"error":{"message":"no key","code":"auth"}}').error).toMatchObject({ code: "auth" });
  });

  test("blocks of Anthropic, with the text between them", () => {
    const text = data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    const said = data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } });
    const body = message(`${text}${said}${stop(0)}${block(1, "a")}${json(1, '{"q":')}${json(1, "1}")}${stop(1)}`);
    expect(answer(anthropic, body)).toMatchObject({
      text: "Hi",
      calls: [{ id: "a", arguments: { q: 1 } }],
      error: null,
    });
  });

  test("a block that is not closed is not whole", () => {
    expect(answer(anthropic, message(`${block(0, "a")}${json(0, "{}")}`)).calls[0]?.status).toBe("truncated");
  });

  test("a fallback of Anthropic takes back what came before it", () => {
    const fallback = data({ type: "content_block_start", index: 1, content_block: { type: "fallback" } });
    const body = message(`${block(0, "a")}${json(0, "{}")}${stop(0)}${fallback}${stop(1)}${block(2, "b")}${stop(2)}`);
    expect(answer(anthropic, body)).toMatchObject({ calls: [{ id: "b" }], error: null });
  });

  test("deltas, a last word that says them again, and the whole item once more", () => {
    const body = responses(
      ["output_item.added", { output_index: 0, item: item("a", "") }],
      ["function_call_arguments.delta", { output_index: 0, item_id: "fc_a", delta: '{"q":1}' }],
      ["function_call_arguments.done", { output_index: 0, item_id: "fc_a", arguments: '{"q":1}' }],
      ["output_item.done", { output_index: 0, item: item("a", '{"q":1}') }],
    );
    expect(answer(openaiResponses, body)).toMatchObject({ calls: [{ id: "a", status: "complete" }], error: null });
  });

  test("lines of JSON, from a wire that has them, and from another where it is said", () => {
    const line = { model: "m", message: { tool_calls: [{ function: { name: "search", arguments: { q: 1 } } }] } };
    const body = `${JSON.stringify({ ...line, done: false })}\n\n${JSON.stringify({ model: "m", done: true, done_reason: "stop" })}`;
    expect(answer(ollama, body)).toMatchObject({ calls: [{ arguments: { q: 1 } }], error: null });
    const lines = chat(header(0, "a", "search", "{}")).replace("data: ", "") + finished.split("\n")[0]?.slice(6);
    expect(answer(openaiChat, lines).error?.code).toBe("non-json-frame");
    expect(answer(openaiChat, lines, { framing: "ndjson" }).calls).toMatchObject([{ id: "a" }]);
  });

  test("a call that its last words mark as incomplete is cut, and that breaks no rule", () => {
    const cut = { ...(item("a", '{"q":1}') as object), status: "incomplete" };
    const body = responses(
      ["output_item.added", { output_index: 0, item: item("a", "") }],
      ["function_call_arguments.delta", { output_index: 0, item_id: "fc_a", delta: '{"q":1}' }],
      ["function_call_arguments.done", { output_index: 0, item_id: "fc_a", arguments: '{"q":1}' }],
      ["incomplete", { response: { id: "resp_1", status: "incomplete", output: [cut] } }],
    );
    expect(answer(openaiResponses, body)).toMatchObject({
      calls: [{ id: "a", status: "truncated" }],
      finish: "length",
      error: null,
    });
  });

  test("a block's own input is all of its arguments", () => {
    const own = block(0, "a").replace('"input":{}', '"input":{"q":1}');
    expect(answer(anthropic, message(`${own}${json(0, "")}${stop(0)}`)).calls).toMatchObject([{ arguments: { q: 1 } }]);
    const { calls, error } = answer(anthropic, message(`${own}${json(0, " ")}${stop(0)}`));
    expect([error?.message, calls[0]?.status]).toEqual([expect.stringContaining("behind arguments in"), "truncated"]);
  });

  test("parallel calls of a custom tool, each whole in its header", () => {
    const custom = (index: number, input: string): unknown => ({
      index,
      id: `c${index}`,
      type: "custom",
      custom: { name: "shell", input },
    });
    const body = chat(custom(0, "ls"), custom(1, "pwd")) + finished;
    for (const wire of [openaiChat, wires["openai-chat"]])
      expect(answer(wire, body).calls.map(({ argumentsText }) => argumentsText)).toEqual(["ls", "pwd"]);
  });

  test("objects of an SDK", () => {
    const reader = gemini.reader();
    const part = { functionCall: { name: "search", args: { q: 1 } } };
    const events = [
      ...reader.push({ candidates: [{ content: { parts: [part] }, finishReason: "STOP" }] }),
      ...reader.end(),
    ];
    expect(events.find(({ type }) => type === "call.close")).toMatchObject({ call: { arguments: { q: 1 } } });
  });

  test("comments, fields that the standard passes over, CR LF and a last event without its blank line", () => {
    const body = `: hi\r\nid: 4\r\nretry: 10\r\nx-trace: 1\r\nevent: message\r\n${chat(header(0, "a", "search", "{}")).trim()}`;
    expect(answer(openaiChat, `${body}\r\n\r\n${finished}`)).toMatchObject({
      calls: [{ status: "complete" }],
      error: null,
    });
    expect(answer(openaiChat, body).notices.map(({ code }) => code)).toContain("final-event-unterminated");
  });

  test("offsets are those of the body", () => {
    const body = `: é\n${chat(header(0, "a", "search", "{}"))}`;
    const start = read(openaiChat, bytesOf(body), {}, 1).find(({ type }) => type === "call.start");
    const length = bytesOf(body).length;
    expect(start?.at).toEqual({ frame: 0, start: 5, end: length });
  });
});
