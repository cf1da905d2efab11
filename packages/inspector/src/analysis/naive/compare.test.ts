import type { CallStatus, ToolCall } from "unbraid";
import { describe, expect, it } from "vitest";
import { compare, type Comparison, type OwnCall } from "./compare.ts";
import { grouped } from "./group.ts";
import type { NaiveCall } from "./readers.ts";

function row(id: string, text: string, status: CallStatus = "complete", more: Partial<ToolCall> = {}): OwnCall {
  const args = status === "complete" ? (JSON.parse(text) as Record<string, unknown>) : null;
  const call: ToolCall = {
    key: id,
    id,
    name: "f",
    kind: "function",
    choice: 0,
    index: 0,
    status,
    argumentsText: text,
    arguments: args,
    ...more,
  };
  return { number: 1, call, retracted: undefined, text };
}

function naive(id: string | undefined, text: string, name = "f"): NaiveCall {
  return { id, name, text, free: false };
}

function one(ours: OwnCall, theirs: NaiveCall, mayRun = true): Comparison | undefined {
  return compare([ours], [theirs], new Set(mayRun ? [ours.call.id] : []))[0];
}

describe("compare", () => {
  it("finds the same where the value is the same, however it is spelled", () => {
    expect(one(row("a", '{"x":1}'), naive("a", '{"x": 1}'))).toMatchObject({
      verdict: "same",
      words: "",
      offset: undefined,
    });
    expect(one(row("a", "{}"), naive("a", ""))).toMatchObject({ verdict: "same" });
  });

  it("finds what throws, and where the text goes wrong", () => {
    const found = one(row("a", "{}"), naive("a", "{}{}"));
    expect(found).toMatchObject({ verdict: "differs", harm: false, offset: 2 });
    expect(found?.words).toMatch(/^throws /);
  });

  it.each([
    ["other arguments", row("a", '{"x":1}'), naive("a", "{}"), true, "runs it with other arguments"],
    ["a call that was cut", row("a", "", "truncated"), naive("a", ""), false, "runs it, though it is truncated"],
    ["another tool", row("a", "{}"), naive("a", "{}", "g"), true, "runs it under the name g"],
    [
      "a response that failed",
      row("a", "{}"),
      naive("a", "{}"),
      false,
      "runs it, though the response did not end well",
    ],
    [
      "a call taken back",
      { ...row("a", "{}"), retracted: "fallback" as const },
      naive("a", "{}"),
      false,
      "runs it, though it was taken back",
    ],
  ])("finds the harm: %s", (_, ours, theirs, mayRun, words) => {
    expect(one(ours, theirs, mayRun)).toMatchObject({ verdict: "differs", harm: true, words });
  });

  it("finds a result that would go under another id", () => {
    expect(one(row("a", "{}"), naive("b", "{}"))).toMatchObject({
      verdict: "differs",
      harm: false,
      words: "answers under the id b",
    });
    expect(one(row("a", "{}"), naive(undefined, "{}"))?.words).toBe("answers under no id");
  });

  it("pairs by id before it pairs by name", () => {
    const list = compare([row("a", "{}"), row("b", "{}")], [naive("b", "{}")], new Set(["a", "b"]));
    expect(list.map(({ verdict }) => verdict)).toEqual(["missed", "same"]);
  });

  it("finds calls that there are not", () => {
    const [first, second] = compare([], [naive("x", "{}"), naive("y", "{")], new Set());
    expect(first).toMatchObject({ verdict: "extra", harm: true });
    expect(second).toMatchObject({ verdict: "extra", harm: false });
  });

  it("leaves calls out that neither may run", () => {
    expect(compare([row("a", "{", "truncated")], [], new Set())).toEqual([]);
    expect(compare([{ ...row("a", "{}"), retracted: "fallback" }], [], new Set())).toEqual([]);
  });

  it("leaves the vendor's own calls out", () => {
    expect(compare([row("a", "{}", "complete", { kind: "server" })], [], new Set())).toEqual([]);
  });
});

describe("grouped", () => {
  it("folds what says the same of no call of ours", () => {
    const list = compare(
      [row("a", "{}")],
      [naive("a", "{}"), naive("x", "{}", "g"), naive("y", "{}", "g"), naive("z", "{}", "h")],
      new Set(["a"]),
    );
    expect(grouped(list).map(({ count }) => count)).toEqual([1, 2, 1]);
  });
});
