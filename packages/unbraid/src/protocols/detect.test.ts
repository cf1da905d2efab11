// How a wire is found from its frames.

import { describe, expect, test } from "vitest";
import { createReader } from "../any-wire.ts";
import { detect } from "./index.ts";
import { fixturesOf } from "./suite.test-suite.ts";

describe.each(["openai-chat", "openai-responses", "anthropic", "gemini"] as const)("%s", (name) => {
  test.each([...fixturesOf(name)])("%s is found from its bytes, whole and byte by byte", (_, body) => {
    for (const size of [body.length, 1]) {
      const reader = createReader();
      for (let at = 0; at < body.length; at += size) reader.push(body.slice(at, at + size));
      reader.end();
      expect(reader.protocol).toBe(name);
    }
  });
});

describe("one frame", () => {
  const sure = (value: unknown, event?: string): [string, number] | undefined => {
    const found = detect(value, event);
    return found === undefined ? undefined : [found.protocol.name, found.sure];
  };

  test("that can be of one wire only is sure", () => {
    expect(sure({ object: "chat.completion.chunk", choices: [] })).toEqual(["openai-chat", 1]);
    expect(sure({ type: "response.created", response: {} })).toEqual(["openai-responses", 1]);
    expect(sure({ type: "message_start", message: {} })).toEqual(["anthropic", 1]);
    expect(sure({ candidates: [] })).toEqual(["gemini", 1]);
  });

  test.each([null, 5, "x", [], true, undefined])("%j is of none", (value) => {
    expect(detect(value)).toBeUndefined();
  });

  test("an error alone is of no certain wire", () => {
    expect(sure({ error: { message: "x" } })?.[1] ?? 0).toBeLessThan(0.7);
    expect(sure({ type: "error", error: { type: "overloaded_error", message: "x" } })?.[1] ?? 0).toBeLessThan(0.7);
  });
});
