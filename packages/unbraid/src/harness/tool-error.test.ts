import { describe, expect, test } from "vitest";
import { isToolError, messageOfThrown, ToolError } from "./tool-error.ts";

describe("messageOfThrown", () => {
  test("is the message alone", () => {
    const error = new Error("connect ECONNREFUSED");
    expect(messageOfThrown(error)).toBe("connect ECONNREFUSED");
    expect(messageOfThrown("plain text")).toBe("plain text");
    expect(messageOfThrown({ message: "of an object" })).toBe("of an object");
    expect(messageOfThrown(17)).toBe("17");
  });

  test.each([
    ["V8", "boom\n    at run (/srv/app/tool.js:10:5)\n    at async Promise.all (index 0)\n    at /srv/x.js:1:2"],
    ["V8, native", "boom\n    at Array.map (<anonymous>)\n    at new Promise (<anonymous>)\n    at f (native)"],
    ["Firefox", "boom\nrun@file:///srv/app/tool.js:10:5\n@http://h/x.js:1:2"],
    ["Python", 'boom\n  File "/srv/app/tool.py", line 10, in run'],
  ])("leaves out the frames of a stack: %s", (_, text) => {
    expect(messageOfThrown(new Error(text))).not.toMatch(/srv|line 10|<anonymous>|native/);
    expect(messageOfThrown(new Error(text))).toContain("boom");
  });

  test("keeps lines that only look a little like one", () => {
    expect(messageOfThrown(new Error("looked\nat the door"))).toBe("looked\nat the door");
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["an empty message", new Error("")],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["an object", {}],
    ["a message that is no text", { message: { a: 1 } }],
    [
      "a getter that throws",
      {
        get message(): string {
          throw new Error("no");
        },
      },
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("no");
          },
        },
      ),
    ],
  ])("has words for %s", (_, thrown) => {
    expect(messageOfThrown(thrown)).toBe("an error without a message");
  });

  test("is bounded and masked", () => {
    expect(messageOfThrown(new Error("x".repeat(1 << 20))).length).toBe(601);
    expect(messageOfThrown(new Error("GET postgres://u:hunter2@db"))).not.toContain("hunter2");
    // What is cut away may not leave half a secret behind: it is masked first.
    expect(messageOfThrown(new Error(`${"x".repeat(590)} Bearer hunter2hunter2hunter2`))).not.toContain("hunter2");
  });
});

describe("ToolError", () => {
  test("is known, also from another copy of the library", () => {
    const cause = new Error("inner");
    const error = new ToolError("for the model", { cause });
    expect(error).toMatchObject({ name: "ToolError", message: "for the model", cause });
    expect(isToolError(error)).toBe(true);
    const other = new Error("x");
    Object.defineProperty(other, Symbol.for("unbraid.ToolError"), { value: true });
    expect(isToolError(other)).toBe(true);
  });

  test("is nothing else", () => {
    for (const thrown of [new Error("x"), { name: "ToolError" }, undefined, "ToolError"])
      expect(isToolError(thrown)).toBe(false);
  });
});
