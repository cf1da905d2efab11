// Every composed case through the harness: what may run runs, everything else of the client's is answered, each call once
// and in the order of the calls.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Collected, ToolCall } from "unbraid";
import { Dispatch, tool, ToolSet, type Tool } from "unbraid/harness";
import { answerOf, type Case, composedCases, eventsOf, shouldRun } from "./compare.ts";

const folders = ["./cases/", "./cases-more/", "./cases-wires/", "./cases-text/"].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);

/** Texts are for a model's context: none may be long, whatever the wire held. */
const LONGEST = 3_000;

/** The declared tools; without any, one for each name that was called, which takes anything. */
function toolsOf(one: Case, got: Collected, execute: (call: ToolCall) => Promise<string>): readonly Tool[] {
  if (one.tools !== undefined)
    return one.tools.map(({ name, parameters = {} }) =>
      tool({ name, schema: { ...parameters }, execute: (_, { call }) => execute(call) }),
    );
  return [...new Set(got.calls.map(({ name }) => name).filter((name) => name !== ""))].map((name) => ({
    name,
    parameters: { type: "object" },
    validate: (value) => ({ ok: true, value }),
    execute: (_, { call }) => execute(call),
  }));
}

describe.each(folders.flatMap(composedCases))("$name", (one) => {
  test("runs what may run and answers the rest", async () => {
    const got = answerOf(eventsOf(one));
    const ran: string[] = [];
    let left = got.calls.length;
    const execute = async (call: ToolCall): Promise<string> => {
      ran.push(call.id);
      // The later a call came, the sooner it ends.
      for (let turn = left--; turn > 0; turn--) await Promise.resolve();
      return call.argumentsText;
    };
    const dispatch = new Dispatch({ tools: new ToolSet(toolsOf(one, got, execute)) });
    const results = await dispatch.finish(got);

    expect(ran.toSorted()).toEqual(shouldRun(one.expected, got, one.tools).toSorted());
    const ours = got.calls.filter(
      ({ kind, key }) => ["function", "custom", "builtin"].includes(kind) && !got.answered.includes(key),
    );
    expect(results.map(({ call }) => call.key)).toEqual(ours.map(({ key }) => key));
    for (const { call, content, isError, reason } of results) {
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      if (ran.includes(call.id)) expect(text).toBe(call.argumentsText);
      else {
        expect([isError, typeof reason]).toEqual([true, "string"]);
        expect(text.length).toBeLessThan(LONGEST);
        expect(text).toMatch(/\.$/);
      }
      const { mustQuote } = one.expected.corrective?.find(({ id }) => id === call.id) ?? {};
      if (mustQuote !== undefined) expect(text).toContain(mustQuote);
    }
    const order = one.expected.resultOrder;
    if (order !== undefined)
      expect(results.map(({ content }) => JSON.stringify(content))).toEqual(
        order.map((value) => expect.stringContaining(value) as string),
      );
  });
});
