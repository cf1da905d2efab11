// Streams that are written to harm whoever looks at them: nothing in them may reach the terminal as it stands.

import { describe, expect, it } from "vitest";
import { columnsOfLine, hostileCharacter, run } from "./io.test-kit.ts";

const NASTY = [
  "\u001b[2J\u001b[31m",
  "\u001b]0;title\u0007",
  "\u001b]8;;https://example.org\u001b\\x",
  "\u009b31m\u0090\u009c",
  "\u202eabc\u2066\u200f",
  "\r\n\b\u000b\u000c\u0000",
  "\u2028\u2029\u200b\ufeff",
  "天気予報😀👩\u200d💻☀️",
  `e${"\u0301".repeat(40)}`,
  "\u{e0041}\u{e0042}\ufe0f",
  "\ud83d",
  "x".repeat(300),
  "a b ".repeat(80),
];

/** One piece of each kind everywhere that a vendor may put text. */
function chat(nasty: string): string {
  const call = { index: 0, id: `id${nasty}`, function: { name: `name${nasty}`, arguments: `{"a":"${nasty}` } };
  const frames = [
    {
      id: `resp${nasty}`,
      model: `model${nasty}`,
      choices: [{ index: 0, delta: { content: nasty, reasoning_content: nasty } }],
    },
    { choices: [{ index: 0, delta: { content: nasty } }] },
    { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
    {
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: `${nasty}"} tail ${nasty}` } }] } },
      ],
    },
    {
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 1, id: `${nasty}2`, function: { name: nasty, arguments: "{}" } }] },
        },
      ],
    },
    { choices: [{ index: 0, delta: { refusal: nasty }, finish_reason: `stop${nasty}` }] },
    { error: { code: `code${nasty}`, message: `message ${nasty}`, type: nasty } },
  ];
  return `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("")}data: not json ${nasty.replaceAll(/[\r\n]/g, "")}\n\n`;
}

function anthropic(nasty: string): string {
  const events = [
    { type: "message_start", message: { id: nasty, model: nasty, usage: { input_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: nasty, name: nasty, input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: nasty } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: nasty } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

describe.each(NASTY.map((nasty) => [JSON.stringify(nasty).slice(0, 40), nasty]))("%s", (_, nasty) => {
  it.each([
    ["trace", chat(nasty)],
    ["trace", anthropic(nasty)],
    ["calls", chat(nasty)],
    ["calls", anthropic(nasty)],
  ])("%s writes nothing that a terminal would obey, and keeps to its columns", async (command, body) => {
    for (const columns of [80, 47, 200]) {
      const { out, err } = await run([command, "-"], { stdin: [body], terminal: columns });
      expect(hostileCharacter(out)).toBeUndefined();
      expect(hostileCharacter(err)).toBeUndefined();
      for (const line of out.split("\n")) expect(columnsOfLine(line), line).toBeLessThanOrEqual(columns);
    }
  });

  it("trace --json stays one JSON value a line", async () => {
    const { out } = await run(["trace", "--json", "-"], { stdin: [chat(nasty)] });
    for (const line of out.trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });
});
