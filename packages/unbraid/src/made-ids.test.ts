// Ids for calls that came without one: the same for the same bytes, others for another response.

import { describe, expect, test } from "vitest";
import { openaiChat } from "./protocols/openai-chat.ts";
import { answerOf } from "./protocols/reading.test-kit.ts";

const chunk = (choice: object, id = "c1"): string =>
  `data: ${JSON.stringify({ id, choices: [{ index: 0, ...choice }] })}\n\n`;
const call = (index: number, rest: object): object => ({ delta: { tool_calls: [{ index, ...rest }] } });
const end = `${chunk({ delta: {}, finish_reason: "tool_calls" })}data: [DONE]\n\n`;
const idsOf = (body: string): string[] => answerOf(openaiChat, body).calls.map((each) => each.id);
const nameless = (...names: string[]): string =>
  names.map((name, index) => chunk(call(index, { function: { name, arguments: "{}" } }))).join("");

describe("in a response", () => {
  test("they are the same whenever the same bytes are read", () => {
    expect(idsOf(nameless("f", "g") + end)).toEqual(idsOf(nameless("f", "g") + end));
  });

  test("they are all different, and marked", () => {
    const { calls } = answerOf(openaiChat, nameless("f", "f", "f") + end);
    expect(new Set(calls.map((each) => each.id)).size).toBe(3);
    expect(calls.every((each) => each.madeId === true)).toBe(true);
  });

  test("they differ from those of another response", () => {
    const other = idsOf(nameless("f", "g").replaceAll('"c1"', '"c2"') + end);
    for (const id of idsOf(nameless("f", "g") + end)) expect(other).not.toContain(id);
  });

  test("they differ from those of another response that begins with the same frame", () => {
    const first = chunk({ delta: { role: "assistant", content: "" } }, "");
    const one = idsOf(first + chunk(call(0, { function: { name: "f", arguments: '{"a":1}' } }), "") + end);
    const two = idsOf(first + chunk(call(0, { function: { name: "f", arguments: '{"a":2}' } }), "") + end);
    expect(one).not.toEqual(two);
  });

  test("none is an id that the wire has given to another call before", () => {
    const [made] = idsOf(nameless("f", "g").replaceAll("zz", "") + end);
    const body =
      chunk(call(0, { id: made, function: { name: "f", arguments: "{}" } })) +
      chunk(call(1, { function: { name: "g", arguments: "{}" } })) +
      end;
    expect(new Set(idsOf(body)).size).toBe(2);
  });

  test("an id that comes late, or that another call has already, is not lost from sight", () => {
    const late =
      chunk(call(0, { function: { name: "f", arguments: '{"a"' } })) +
      chunk(call(0, { id: "real", function: { arguments: ":1}" } })) +
      end;
    expect(answerOf(openaiChat, late).calls).toMatchObject([{ id: "real" }]);
    expect(answerOf(openaiChat, late).calls[0]?.madeId).toBeUndefined();
  });

  test("a long first frame is not read again for each id", () => {
    const first = chunk({ delta: { content: "x".repeat(300_000) } });
    const many = first + nameless(...Array.from({ length: 300 }, () => "f")) + end;
    expect(new Set(idsOf(many)).size).toBe(300);
  });
});
