import { describe, expect, it } from "vitest";
import { bytesOf, CASE_FOLDERS, caseBodies, chatBody, fragment } from "./bodies.test-kit.ts";
import { Recording } from "./recording.ts";
import { turnsOf } from "./turn.ts";

function turns(body: Uint8Array<ArrayBuffer>): ReturnType<typeof turnsOf> {
  const { events, protocol } = Recording.of([{ bytes: body, time: Number.NaN }]);
  return protocol === undefined ? [] : turnsOf(events, protocol);
}

describe("the turn", () => {
  it("echoes the calls, and has a place for the result of each that could run", () => {
    const [turn] = turns(bytesOf(chatBody([{ content: "hi" }, fragment(0, '{"a":1}', "c", "f")])));
    expect(turn).toMatchObject({
      form: "openai-chat",
      assistant: {
        role: "assistant",
        content: "hi",
        tool_calls: [{ id: "c", function: { name: "f", arguments: '{"a":1}' } }],
      },
      results: [{ role: "tool", tool_call_id: "c", content: "… what the tool gave …" }],
      problem: undefined,
    });
    expect(turn?.runnable.map(({ id }) => id)).toEqual(["c"]);
    expect(turn?.corrected).toEqual([]);
  });

  it("tells the model why a call cannot run", () => {
    const [turn] = turns(bytesOf(chatBody([fragment(0, '{"a":', "c", "f")], null)));
    expect(turn?.corrected.map(({ id }) => id)).toEqual(["c"]);
    expect(JSON.stringify(turn?.results)).toMatch(/"tool_call_id":"c"/);
    expect(JSON.stringify(turn?.results)).not.toContain("what the tool gave");
  });

  it("holds nothing where nothing was said", () => {
    expect(turns(new Uint8Array())).toEqual([]);
  });

  it("can be made of every body", () => {
    for (const { name, bytes } of caseBodies(...CASE_FOLDERS))
      for (const turn of turns(bytes)) expect([turn.problem, turn.form], name).toEqual([undefined, expect.any(String)]);
  });
});
