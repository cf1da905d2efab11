import { expect, test } from "vitest";
import { createReader } from "unbraid";
import { Translating } from "./translating.ts";

/** Chat fragments as the text of the calls that an Anthropic client gets, and its stop reason. */
function asAnthropic(fragments: readonly string[], options: { hold?: boolean; more?: readonly object[] } = {}) {
  const { hold = false, more = [] } = options;
  const flow = new Translating({
    client: "anthropic",
    server: "openai-chat",
    array: false,
    includeUsage: false,
    encode: { from: "openai-chat", hold },
    repair: false,
    oneChoice: true,
    reader: {
      tools: [
        {
          name: "f",
          parameters: { type: "object", properties: { a: { type: ["string", "number"] } }, required: ["a"] },
        },
      ],
    },
    onEvents: () => {},
  });
  const chunk = (delta: object, finish: string | null = null, id = "x"): object => ({
    id,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const call = (at: number, text: string): object =>
    chunk({
      tool_calls: [
        at === 0
          ? { index: 0, id: "c", type: "function", function: { name: "f", arguments: text } }
          : { index: 0, function: { arguments: text } },
      ],
    });
  const frames = [
    chunk({ role: "assistant" }),
    ...fragments.map((text, at) => call(at, text)),
    ...more,
    chunk({}, "tool_calls"),
  ];
  const out = frames.map((frame) =>
    Buffer.concat([...flow.push(Buffer.from(`data: ${JSON.stringify(frame)}\n\n`))]).toString(),
  );
  out.push(Buffer.concat([...flow.push(Buffer.from("data: [DONE]\n\n")), ...flow.end()]).toString());
  const reader = createReader({ protocol: "anthropic" });
  const events = [...reader.push(Buffer.from(out.join(""))), ...reader.end()];
  const calls = events.flatMap((event) => (event.type === "call.close" ? [event.call] : []));
  return { out, calls, word: /"stop_reason":"(\w+)"/.exec(out.at(-1) ?? "")?.[1] };
}

test("sound calls go on as they come, but the fragment that ends them", () => {
  const { out, calls, word } = asAnthropic(['{"a":', '"b', 'c"}']);
  expect(out.slice(2, 4).map((text) => text.includes("input_json_delta"))).toEqual([true, false]);
  expect(calls).toMatchObject([{ id: "c", status: "complete", argumentsText: '{"a":"bc"}' }]);
  expect(word).toBe("tool_use");
});

test.each([false, true])("a malformed call is an object that its tool refuses, held: %s", (hold) => {
  for (const [fragments, text] of [
    [["{nope}"], "{nope}"],
    [['{"a":1', '}{"a":2}'], '{"a":1}{"a":2}'],
    [['{"a":[', "1,,"], '{"a":[1,,'],
  ] as const) {
    const { calls, word } = asAnthropic(fragments, { hold });
    expect(calls).toMatchObject([{ status: "complete", arguments: { invalid_arguments: text } }]);
    expect(calls[0]?.arguments?.["a"] ?? null).toBeNull();
    // Nothing is missing: other calls of the answer may run.
    expect(word).toBe("tool_use");
  }
});

test("a call that is taken back is one that its tool refuses", () => {
  const more = [
    { id: "y", choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
    {
      id: "y",
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [{ index: 0, id: "d", type: "function", function: { name: "f", arguments: '{"a":2}' } }],
          },
          finish_reason: null,
        },
      ],
    },
  ];
  const { calls } = asAnthropic(['{"a":"on'], { more });
  expect(calls).toMatchObject([
    { arguments: { a: null, invalid_arguments: "taken back: superseded-by-restart" } },
    { arguments: { a: 2 } },
  ]);
});
