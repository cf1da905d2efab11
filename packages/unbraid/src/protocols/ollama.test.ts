// Ollama's native wire over bodies that we composed (conformance/cases-wires), and over single lines.

import { describe, expect, test } from "vitest";
import { collected, eventsOf } from "./reading.test-kit.ts";
import { ollama } from "./ollama.ts";
import { wireSuite } from "./wires.test-kit.ts";

wireSuite(ollama);

function read(...lines: readonly object[]): ReturnType<typeof collected> {
  return collected(
    eventsOf(
      ollama,
      lines.map((line) => `${JSON.stringify(line)}\n`),
    ),
  );
}

const call = (args: unknown, id?: string): object => ({
  model: "m",
  message: {
    role: "assistant",
    content: "",
    tool_calls: [{ ...(id === undefined ? {} : { id }), function: { name: "lookup", arguments: args } }],
  },
  done: false,
});
const done = (done_reason?: string): object => ({
  model: "m",
  message: { role: "assistant", content: "" },
  done: true,
  ...(done_reason === undefined ? {} : { done_reason }),
});

describe("calls", () => {
  test("with equal arguments are two, for nothing says that they are one; under one id they are one", () => {
    expect(read(call({ a: 1 }), call({ a: 1 }), done("stop")).calls).toHaveLength(2);
    expect(read(call({ a: 1 }, "x"), call({ a: 1 }, "x"), done("stop"))).toMatchObject({
      calls: [{ id: "x" }],
      dropped: [{ reason: "repeated-call" }],
    });
  });

  test("have their arguments as an object, whatever is in it", () => {
    const args = { __proto__: 1, deep: [{ "": null }], text: 'quote " and \u2028', big: 1e21 };
    expect(read(call(JSON.parse(JSON.stringify(args)))).calls).toMatchObject([
      { arguments: JSON.parse(JSON.stringify(args)) as object, status: "complete" },
    ]);
  });

  test.each([
    ["null", null, {}],
    ["no", undefined, {}],
    ["text for", '{"a":1}', { a: 1 }],
  ])("with %s arguments", (_, args, value) => {
    expect(read(call(args), done("stop")).calls).toMatchObject([{ arguments: value, status: "complete" }]);
  });

  test("with a list for arguments are malformed", () => {
    expect(read(call([1]), done("stop")).calls).toMatchObject([{ status: "malformed", arguments: null }]);
  });
});

describe("how it ends", () => {
  test.each([
    ["stop", "tool_calls"],
    ["length", "length"],
    ["load", "tool_calls"],
    ["something new", "tool_calls"],
  ])("%s is %s where there is a call", (word, finish) => {
    expect(read(call({}), done(word))).toMatchObject({ finish, rawFinish: word });
  });

  test("without a call it stopped, with or without a word", () => {
    expect(read(done("stop"))).toMatchObject({ finish: "stop", rawFinish: "stop", notices: [] });
    expect(read(done())).toMatchObject({ finish: "stop", rawFinish: null, notices: [] });
  });

  test.each([
    [{ error: "model not found" }, "model not found", null],
    [{ error: "unauthorized", status_code: 401 }, "unauthorized", 401],
    [{ error: { code: "rate", message: "slow down" } }, "slow down", "rate"],
    [{ "error parsing tool call": "invalid character" }, "error parsing tool call: invalid character", null],
    [{ failure: { of: "something" } }, "failure", null],
  ])("%j is an error", (line, message, code) => {
    expect(read(call({ a: 1 }), line)).toMatchObject({
      finish: "error",
      error: { message, code },
      calls: [{ status: "complete" }],
    });
  });

  test("a line that is nothing known is passed over with a notice", () => {
    expect(read({ model: "m" }, done("stop")).notices).toMatchObject([{ code: "unknown-frame" }]);
  });

  test("an answer that speaks of errors is none", () => {
    expect(
      read({ model: "m", message: { role: "assistant", content: '{"error":"x"}' }, done: false }, done("stop")),
    ).toMatchObject({ error: null, text: '{"error":"x"}' });
  });
});

test("counts are those of the last line", () => {
  const { usage } = read({ ...done("stop"), prompt_eval_count: 26, eval_count: 290, eval_duration: 4 });
  expect(usage).toMatchObject({
    inputTokens: 26,
    outputTokens: 290,
    raw: { prompt_eval_count: 26, eval_count: 290, eval_duration: 4 },
  });
});
