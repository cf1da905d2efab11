// What a call comes to at its close: the vendor's own signal, the end of the response, and how that ended .

import { describe, expect, test } from "vitest";
import { assemble, delta, end, finish, toolCalls } from "./assembling.test-kit.ts";
import type { SessionAssembler } from "./session-assembler.ts";

const oslo = '{"city":"Oslo"}';
const header = delta(0, "a", "f", "");
const text = (args: string): ((sink: SessionAssembler) => void) => delta(0, undefined, undefined, args);
const status = (...told: ((sink: SessionAssembler) => void)[]): string | undefined => assemble(told).calls[0]?.status;

describe("a call without a signal of its own", () => {
  test("is complete once the response has ended", () => {
    expect(status(header, text(oslo), toolCalls)).toBe("complete");
    expect(status(header, text(oslo), finish("stop", "stop"))).toBe("complete");
    expect(status(header, text(oslo), end)).toBe("complete");
    expect(status(header, text(oslo), finish("a new word", null))).toBe("complete");
  });

  test("is truncated without a terminal signal, though its text parses", () => {
    const answer = assemble([header, text(oslo)]);
    expect(answer).toMatchObject({
      finish: null,
      calls: [{ status: "truncated", arguments: null, problem: { code: "never-closed" } }],
      codes: ["unterminated-stream"],
    });
  });

  test("is truncated when an error ends the response, though its text parses", () => {
    const failed = (sink: SessionAssembler): void => sink.error("overloaded", "Too busy", {});
    expect(status(header, text(oslo), failed)).toBe("truncated");
    expect(status(header, text(oslo), failed, end)).toBe("truncated");
    expect(status(header, text(oslo), failed, toolCalls, end)).toBe("truncated");
    expect(status(header, text(oslo), finish("error", "error"), end)).toBe("truncated");
  });

  test("keeps what a finish word had closed, when an error comes after it", () => {
    const answer = assemble([header, text(oslo), toolCalls, (sink) => sink.error(500, "late", {})]);
    expect(answer).toMatchObject({ finish: "error", calls: [{ status: "complete" }] });
  });

  test("closes with its own choice", () => {
    const answer = assemble([
      (sink) => sink.delta({ choice: 0, index: 0, id: "a", name: "f", args: oslo }),
      (sink) => sink.delta({ choice: 1, index: 0, id: "b", name: "f", args: oslo }),
      finish("tool_calls", "tool_calls", 0),
    ]);
    expect(answer.calls.map((call) => call.status)).toEqual(["complete", "truncated"]);
  });
});

describe("a call that the vendor closes", () => {
  const open = (sink: SessionAssembler): void => sink.open({ index: 0, id: "a", name: "f" });
  const append =
    (args: string): ((sink: SessionAssembler) => void) =>
    (sink) =>
      sink.append({ index: 0 }, args);
  const close = (sink: SessionAssembler): void => sink.close({ index: 0 });

  test("is complete, however the response ends", () => {
    expect(status(open, append(oslo), close)).toBe("complete");
    expect(status(open, append(oslo), close, finish("length", "length"))).toBe("complete");
    expect(status(open, append(oslo), close, (sink) => sink.error(1, "x", {}))).toBe("complete");
  });

  test("is closed at once, and once", () => {
    const { events } = assemble([open, append(oslo), close, close, toolCalls, end]);
    const closes = events.filter((event) => event.type === "call.close");
    expect(closes).toHaveLength(1);
    expect(closes[0]?.at.frame).toBe(2);
  });

  test("is truncated when its text is a proper prefix", () => {
    for (const cut of ["{", '{"a', '{"a":', '{"a":1', '{"a":[', '{"a":"\\', '{"a":"\\u00', '{"a":tr', '{"a":-', '"{']) {
      expect(assemble([open, append(cut), close, toolCalls]).calls, cut).toMatchObject([
        { status: "truncated", arguments: null, problem: { code: "unexpected-end" } },
      ]);
    }
  });

  test("is truncated when the vendor says that it is cut, though its text parses", () => {
    expect(status(open, append(oslo), (sink) => sink.close({ index: 0 }, true), end)).toBe("truncated");
  });
});

describe("no text, and the text null", () => {
  test.each(["", " ", "\n\t", "null", " null "])("%j is {} once the response has ended well", (args) => {
    for (const how of [toolCalls, finish("stop", "stop"), end]) {
      const [call] = assemble([delta(0, "a", "f", args), how]).calls;
      expect(call).toMatchObject({ status: "complete", arguments: {} });
      expect(call?.argumentsText.trim()).toBe("{}");
    }
  });

  test.each(["", " ", "null"])("%j is truncated when it has not", (args) => {
    const bad: ((sink: SessionAssembler) => void)[] = [
      () => {},
      finish("length", "length"),
      finish("content_filter", "content_filter"),
      finish("error", "error"),
      (sink): void => sink.error(1, "x", {}),
    ];
    for (const how of bad)
      expect(assemble([delta(0, "a", "f", args), how]).calls).toMatchObject([{ status: "truncated", arguments: null }]);
  });

  test("waits for the end of the response, though the vendor has closed the call", () => {
    const open = (sink: SessionAssembler): void => sink.open({ index: 0, id: "a", name: "f" });
    const close = (sink: SessionAssembler): void => sink.close({ index: 0 });
    expect(status(open, close, finish("max_tokens", "length"), end)).toBe("truncated");
    expect(status(open, close, finish("tool_use", "tool_calls"), end)).toBe("complete");
    expect(status(open, close)).toBe("truncated");
  });

  test("an empty object that the model wrote is whole", () => {
    expect(status(delta(0, "a", "f", "{}"), finish("length", "length"))).toBe("complete");
  });
});

describe("what cannot become an object is malformed, and never handed over", () => {
  test.each([
    ["[1]", "not-an-object"],
    ["5", "not-an-object"],
    ["true", "not-an-object"],
    ['"text"', "not-an-object"],
    ["[", "not-an-object"],
    ["12", "not-an-object"],
    ['{"a": Oslo}', "invalid-json"],
    ["{'a':1}", "invalid-json"],
    ['{"a":1,}', "invalid-json"],
    ['{"a" 1}', "invalid-json"],
    ["None", "invalid-json"],
    ["call f", "invalid-json"],
    ['{"a":"b\nc"}', "control-character"],
    ['{"a":"\\x"}', "invalid-escape"],
    ['{"a":"\\u12G4"}', "invalid-escape"],
    ['{"a":1} and so on', "trailing-text"],
    ['{"a":1}}', "trailing-text"],
    ['{"a":1}{"b":2}', "glued-values"],
    ['{"a":1}\n{"b":2}', "glued-values"],
    ['{"a":1}[2]', "glued-values"],
  ])("%j: %s", (args, code) => {
    const answer = assemble([header, text(args), toolCalls]);
    expect(answer.calls).toMatchObject([
      { status: "malformed", arguments: null, argumentsText: args, problem: { code } },
    ]);
    expect(answer.codes).toContain("malformed-arguments");
  });

  test("a call without a name, where there is an id to answer", () => {
    expect(assemble([delta(0, "a", undefined, oslo), toolCalls]).calls).toMatchObject([
      { id: "a", name: "", status: "malformed", problem: { code: "no-name" } },
    ]);
  });

  test("text without id and name is no call", () => {
    expect(assemble([delta(0, undefined, undefined, oslo), toolCalls])).toMatchObject({
      calls: [],
      dropped: [{ reason: "orphan-fragment", argumentsText: oslo }],
      codes: expect.arrayContaining(["orphan-fragment"]),
    });
  });

  test("an entry that never said anything is no call", () => {
    expect(assemble([delta(0), delta(1, "", "", ""), finish("stop", "stop")])).toMatchObject({
      calls: [],
      dropped: [],
    });
  });

  test("the fault's place is told", () => {
    expect(assemble([header, text('{\n "a": 1,\n "b": x}'), toolCalls]).calls[0]?.problem).toMatchObject({
      offset: 17,
      line: 3,
      column: 7,
    });
  });

  test("while the response has not ended, broken text is truncated and no more", () => {
    expect(status(header, text('{"a": Oslo'))).toBe("truncated");
  });
});

describe("free text", () => {
  const custom =
    (args: string): ((sink: SessionAssembler) => void) =>
    (sink) =>
      sink.delta({ index: 0, id: "a", name: "sql", kind: "custom", format: "text", args });

  test.each(["select 1", "", "{", "null", '{"a":1}{"a":1}'])(
    "%j is complete when the response ended well, and has no arguments",
    (args) => {
      expect(assemble([custom(args), toolCalls]).calls).toMatchObject([
        { status: "complete", argumentsText: args, arguments: null, kind: "custom" },
      ]);
    },
  );

  test("is truncated when it did not, for no grammar tells", () => {
    for (const how of [(): void => {}, finish("length", "length"), finish("content_filter", "content_filter")]) {
      expect(assemble([custom("select 1"), how]).calls).toMatchObject([{ status: "truncated" }]);
    }
  });
});

describe("safety: what was lost is not taken for nothing", () => {
  test("a call whose arguments may be among fragments that named no call is not complete with {}", () => {
    const answer = assemble([
      delta(undefined, "a", "f", ""),
      delta(undefined, "b", "g", ""),
      delta(undefined, undefined, undefined, oslo),
      toolCalls,
    ]);
    expect(answer.codes).toContain("orphan-fragment");
    expect(answer.calls.filter((call) => call.status === "complete" && call.argumentsText === "{}")).toEqual([]);
  });
});
