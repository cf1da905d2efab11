// What each encoder writes, word for word, where it matters; and what all of them promise.

import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../events.ts";
import {
  append,
  call,
  calling,
  close,
  closed,
  failed,
  finish,
  part,
  reasoning,
  refusal,
  replace,
  response,
  retract,
  start,
  text,
  usage,
} from "./events.test-kit.ts";
import {
  encodeAgUi,
  encodeAiSdkUi,
  encodeAnthropic,
  encodeGemini,
  encodeOllama,
  encodeOpenaiChat,
  encodeOpenaiResponses,
  type EncodeOptions,
  type Encoder,
} from "./index.ts";
import { bodyOf } from "./round-trip.test-kit.ts";

const ALL: readonly (readonly [string, (options?: EncodeOptions) => Encoder])[] = [
  ["openai-chat", encodeOpenaiChat],
  ["openai-responses", encodeOpenaiResponses],
  ["anthropic", encodeAnthropic],
  ["gemini", encodeGemini],
  ["ollama", encodeOllama],
  ["ai-sdk-ui", encodeAiSdkUi],
  ["ag-ui", encodeAgUi],
];

/** A message, to be looked into freely. */
type Json = ReturnType<typeof JSON.parse>;

/** The JSON of each message of a body. */
function messages(body: string): Json[] {
  return body
    .split("\n")
    .filter((line) => line.startsWith("data: {") || line.startsWith("{"))
    .map((line) => JSON.parse(line.replace(/^data: /, "")) as unknown);
}

const a = call("call_a");
const b = call("call_b", "read_file", { index: 1 });

describe.each(ALL)("%s", (name, make) => {
  test("says of itself what it is", () => {
    const encoder = make();
    expect(encoder.wire).toBe(name);
    expect(encoder.headers["content-type"]).toBe(encoder.contentType);
    expect(Object.keys(encoder.headers).every((header) => header === header.toLowerCase())).toBe(true);
  });

  test("ends once, whatever comes behind", () => {
    const encoder = make();
    let body = "";
    for (const event of [text("Hi"), finish("stop")]) body += encoder.push(event);
    expect(encoder.over).toBe(true);
    expect(body).toContain("Hi");
    expect(encoder.push(text("more"))).toBe("");
    expect(encoder.push(finish("stop"))).toBe("");
    expect(encoder.end()).toBe("");
    expect(encoder.notices.map(({ code }) => code)).toEqual(["late-event"]);
  });

  test("tells the client that a response was cut off", () => {
    expect(bodyOf(make(), [text("Hi")])).toContain("cut off");
    expect(bodyOf(make(), [])).toContain("cut off");
    expect(bodyOf(make(), [text("Hi"), finish(null)])).toContain("cut off");
    expect(bodyOf(make(), [text("Hi"), finish("cancelled")])).toContain("cancelled");
    expect(bodyOf(make(), [text("Hi"), failed("oops", "It broke."), finish("error")])).toContain("It broke.");
  });

  test("writes an empty answer", () => {
    const body = bodyOf(make(), [finish("stop")]);
    expect(messages(body).length).toBeGreaterThan(0);
    expect(body).not.toContain("cut off");
  });

  test("writes one response of several on a socket", () => {
    const encoder = make();
    const other = { ...text("Other"), at: { frame: 0, start: 0, end: 0, lane: "b" } };
    const lane = (event: StreamEvent): StreamEvent => ({ ...event, at: { ...event.at, lane: "a" } });
    const body = bodyOf(encoder, [lane(text("Mine")), other, lane(finish("stop"))]);
    expect(body).toContain("Mine");
    expect(body).not.toContain("Other");
    expect(encoder.notices.map(({ code }) => code)).toEqual(["response-left-out"]);
  });

  test("gives out at once what the wire can have, and holds nothing of a text", () => {
    const encoder = make();
    for (const words of ["one", "two", "three"]) expect(encoder.push(text(words))).toContain(words);
  });

  test("writes a fragment for what it costs", () => {
    const encoder = make();
    encoder.push(start(a));
    encoder.push(append(a, '{"a":"'));
    let longest = 0;
    for (let n = 0; n < 20_000; n++) longest = Math.max(longest, encoder.push(append(a, "xyz")).length);
    expect(longest).toBeLessThan(400);
  });

  test("holds calls where it is told to, and takes the arguments of the close", () => {
    const encoder = make({ hold: true });
    let body = "";
    for (const event of [start(a), append(a, '{"city":"Wrong'), start(b), append(b, "{}")]) body += encoder.push(event);
    expect(body).not.toContain("get_weather");
    // The caller has judged: one was repaired, the other is left out.
    body += encoder.push(close(closed(a, '{"city":"Right"}')));
    body += encoder.push(retract(b));
    body += encoder.push(finish("tool_calls"));
    expect(body).toContain("Right");
    expect(body).not.toContain("Wrong");
    expect(body).not.toContain("read_file");
  });

  test("says that it stopped where all calls were left out", () => {
    const encoder = make({ hold: true });
    const body = bodyOf(encoder, [text("Hm."), start(a), retract(a), finish("tool_calls")]);
    expect(body).not.toMatch(/"tool_calls"|tool_use|tool-calls|pendingToolCallIds/);
  });

  test("keeps its notices in bounds, each once a call", () => {
    const encoder = make();
    for (let n = 0; n < 1_500; n++) {
      const one = call(`c${n}`, "", { index: n });
      for (const event of calling(one, "{}")) encoder.push(event);
    }
    encoder.push(finish("tool_calls"));
    expect(encoder.notices).toHaveLength(1_000);
    expect(encoder.notices.at(-1)?.code).toBe("limit");
    expect(encoder.notices.filter(({ call: key }) => key === "c1").map(({ code }) => code)).toEqual(["name-made"]);
  });

  test("closes what nobody closed", () => {
    const body = bodyOf(make(), [start(a), append(a, '{"city":'), finish("length")]);
    expect(body).toContain("get_weather");
  });
});

test("keep-alives are what the wires have for them", () => {
  expect(encodeOpenaiChat().keepAlive()).toBe(": keep-alive\n\n");
  expect(encodeAnthropic().keepAlive()).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  expect(encodeGemini({ framing: "json-array" }).keepAlive().trim()).toBe("");
  expect(encodeOllama().keepAlive()).toBe("");
});

describe("OpenAI Chat", () => {
  test("writes what OpenAI writes", () => {
    const events = [
      response("chatcmpl-1", "gpt"),
      text("Hi"),
      ...calling(a, '{"city":"Oslo"}'),
      ...calling(b, "{}"),
      usage({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }, 3, 2),
      finish("tool_calls"),
    ];
    const list = messages(bodyOf(encodeOpenaiChat({ from: "openai-chat", created: 7 }), events));
    expect(list[0]).toEqual({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 7,
      model: "gpt",
      choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null }],
    });
    expect(list.flatMap(({ choices }) => choices.map((choice: Json) => choice.delta.tool_calls?.[0]))).toEqual([
      undefined,
      { index: 0, id: "call_a", type: "function", function: { name: "get_weather", arguments: "" } },
      { index: 0, function: { arguments: '{"city":"Oslo"}' } },
      { index: 1, id: "call_b", type: "function", function: { name: "read_file", arguments: "" } },
      { index: 1, function: { arguments: "{}" } },
      undefined,
    ]);
    expect(list.at(-2).choices).toEqual([{ index: 0, delta: {}, finish_reason: "tool_calls" }]);
    expect(list.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
  });

  test("says [DONE] once, behind all, and not behind an error", () => {
    expect(bodyOf(encodeOpenaiChat(), [text("Hi"), finish("stop")]).match(/\[DONE\]/g)).toHaveLength(1);
    expect(bodyOf(encodeOpenaiChat(), [text("Hi")])).not.toContain("[DONE]");
  });

  test("ends each choice with its own word", () => {
    const second = call("call_2", "get_weather", { choice: 1 });
    const body = bodyOf(encodeOpenaiChat(), [text("One", 0), ...calling(second, "{}"), finish("tool_calls")]);
    const ends = messages(body).flatMap(({ choices }) =>
      choices.filter((choice: Json) => choice.finish_reason !== null),
    );
    expect(ends).toEqual([
      { index: 0, delta: {}, finish_reason: "stop" },
      { index: 1, delta: {}, finish_reason: "tool_calls" },
    ]);
  });

  test("leaves token counts out for clients that did not ask for them", () => {
    const body = bodyOf(encodeOpenaiChat({ includeUsage: false }), [usage({}, 1, 2), text("Hi"), finish("stop")]);
    expect(body).not.toContain("usage");
  });

  test("spells reasoning as it is told to", () => {
    expect(bodyOf(encodeOpenaiChat({ reasoningField: "reasoning" }), [reasoning("Hm"), finish("stop")])).toContain(
      '"reasoning":"Hm"',
    );
    expect(bodyOf(encodeOpenaiChat(), [reasoning("Hm"), finish("stop")])).toContain('"reasoning_content":"Hm"');
  });

  test("keeps a signature on its call", () => {
    const echo = { extra_content: { google: { thought_signature: "c2ln" } } };
    const body = bodyOf(encodeOpenaiChat({ from: "openai-chat" }), [
      start(a, echo),
      close(closed(a, "{}", "complete", { echo })),
      finish("tool_calls"),
    ]);
    expect(messages(body)[0].choices[0].delta.tool_calls[0]).toMatchObject({ id: "call_a", ...echo });
    expect(body.match(/thought_signature/g)).toHaveLength(1);
    // Another vendor's fields are nothing to this one.
    expect(
      bodyOf(encodeOpenaiChat({ from: "gemini" }), [start(a, echo), close(closed(a, "{}")), finish("tool_calls")]),
    ).not.toContain("c2ln");
  });

  test("writes free text as a custom call again, where the client declared it so", () => {
    const sql = call("call_s", "sql");
    const encoder = encodeOpenaiChat({ from: "anthropic", customTools: ["sql"] });
    const body = bodyOf(encoder, [
      start(sql),
      append(sql, '{"input":"sel'),
      append(sql, 'ect 1"}'),
      close(closed(sql, '{"input":"select 1"}')),
      finish("tool_calls"),
    ]);
    const entries = messages(body).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(entries).toEqual([
      { index: 0, id: "call_s", type: "custom", custom: { name: "sql", input: "" } },
      { index: 0, custom: { input: "select 1" } },
    ]);
  });
});

describe("what cannot be taken back is never run", () => {
  const argumentsIn = (body: string): string =>
    messages(body)
      .map(
        (message) =>
          message.choices?.[0]?.delta.tool_calls?.[0].function?.arguments ?? message.delta?.partial_json ?? "",
      )
      .join("");

  test.each([
    ["whole", '{"city":"Oslo"}'],
    ["inside a string", '{"city":"Os'],
    ["behind a backslash", '{"city":"Os\\'],
    ["in front of a value", '{"city":'],
    ["empty", ""],
  ])("%s", (_, written) => {
    for (const make of [encodeOpenaiChat, encodeAnthropic]) {
      const encoder = make();
      const events = [start(a), ...(written === "" ? [] : [append(a, written)]), retract(a), finish("stop")];
      const body = argumentsIn(bodyOf(encoder, events));
      expect(body.startsWith(written)).toBe(true);
      expect(() => JSON.parse(body) as unknown).toThrow();
      // Nor would a reader of partial JSON complete it: behind the mark stands what can be in no JSON.
      expect(body.slice(written.length)).toBe('"<"<taken back: repeated-call>');
      expect(encoder.notices.map(({ code }) => code)).toContain("retracted-call");
    }
  });

  test.each([
    ["the vendor marked it as incomplete", '{"city":"Oslo"}'],
    ["no arguments had come", ""],
  ])("a call that is not whole: %s", (_, written) => {
    for (const make of [encodeOpenaiChat, encodeAnthropic]) {
      const events = [
        start(a),
        ...(written === "" ? [] : [append(a, written)]),
        close(closed(a, written, "truncated")),
        finish("tool_calls"),
      ];
      expect(argumentsIn(bodyOf(make(), events))).toBe(`${written}"<"<not whole>`);
    }
  });

  test("what was contradicted is no JSON any more", () => {
    for (const make of [encodeOpenaiChat, encodeAnthropic]) {
      const encoder = make();
      const body = bodyOf(encoder, [
        start(a),
        append(a, '{"city":"Nokkia"}'),
        replace(a, '{"city":"Nokia"}'),
        close(closed(a, '{"city":"Nokia"}')),
        finish("tool_calls"),
      ]);
      expect(argumentsIn(body)).toBe('{"city":"Nokkia"}{"city":"Nokia"}');
      expect(encoder.notices.map(({ code }) => code)).toEqual(["replaced-call"]);
    }
  });

  test("Responses says the right one at the end", () => {
    const encoder = encodeOpenaiResponses();
    const list = messages(
      bodyOf(encoder, [
        start(a),
        append(a, '{"city":"Nokkia"}'),
        replace(a, '{"city":"Nokia"}'),
        close(closed(a, '{"city":"Nokia"}')),
        finish("tool_calls"),
      ]),
    );
    expect(list.find(({ type }) => type === "response.function_call_arguments.done").arguments).toBe(
      '{"city":"Nokia"}',
    );
    expect(list.at(-1).response.output[0].arguments).toBe('{"city":"Nokia"}');
    expect(encoder.notices).toEqual([]);
  });

  test("Responses leaves a call that was taken back out of its list", () => {
    const list = messages(
      bodyOf(encodeOpenaiResponses(), [
        ...calling(a, "{}"),
        start(b),
        retract(b),
        retract(a),
        text("Hm."),
        finish("stop"),
      ]),
    );
    expect(list.at(-1).response.output.map(({ type }: Json) => type)).toEqual(["message"]);
    const done = list.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item.status);
    expect(done).toEqual(["completed", "incomplete", "completed"]);
  });
});

describe("Anthropic", () => {
  const blocks = (body: string): unknown[] =>
    messages(body)
      .filter(({ type }) => type.startsWith("content_block"))
      .map(({ type, index, content_block: block, delta }) => [
        type.slice("content_block_".length),
        index,
        block?.type ?? delta?.text ?? delta?.partial_json ?? delta?.thinking ?? delta?.signature ?? "",
      ]);

  test("has one block open at a time: what interleaves waits for its turn", () => {
    const events = [
      start(a),
      append(a, '{"a"'),
      start(b),
      append(b, '{"b"'),
      append(a, ":1}"),
      text("Between."),
      append(b, ":2}"),
      close(closed(a, '{"a":1}')),
      append(b, " "),
      close(closed(b, '{"b":2} ')),
      finish("tool_calls"),
    ];
    expect(blocks(bodyOf(encodeAnthropic(), events))).toEqual([
      ["start", 0, "tool_use"],
      ["delta", 0, '{"a"'],
      ["delta", 0, ":1}"],
      ["stop", 0, ""],
      ["start", 1, "tool_use"],
      ["delta", 1, '{"b":2}'],
      ["delta", 1, " "],
      ["stop", 1, ""],
      ["start", 2, "text"],
      ["delta", 2, "Between."],
      ["stop", 2, ""],
    ]);
  });

  test("forgets a call that was taken back before its turn", () => {
    const encoder = encodeAnthropic();
    const body = bodyOf(encoder, [
      start(a),
      start(b),
      append(b, "{}"),
      retract(b),
      close(closed(a, "{}")),
      finish("tool_calls"),
    ]);
    expect(body).not.toContain("read_file");
    expect(encoder.notices).toEqual([]);
  });

  test("keeps a signature where the thinking was its own", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const redacted = { type: "redacted_thinking", data: "x" };
    const events = [
      reasoning("H"),
      reasoning("m."),
      part(thinking),
      part(redacted),
      text("Hi"),
      finish("stop", "end_turn"),
    ];
    expect(blocks(bodyOf(encodeAnthropic({ from: "anthropic" }), events))).toEqual([
      ["start", 0, "thinking"],
      ["delta", 0, "H"],
      ["delta", 0, "m."],
      ["delta", 0, "c2ln"],
      ["stop", 0, ""],
      ["start", 1, "redacted_thinking"],
      ["stop", 1, ""],
      ["start", 2, "text"],
      ["delta", 2, "Hi"],
      ["stop", 2, ""],
    ]);
    const foreign = encodeAnthropic({ from: "openai-responses" });
    expect(blocks(bodyOf(foreign, events)).filter((each) => (each as unknown[])[0] === "start")).toHaveLength(2);
    expect(foreign.notices.map(({ code }) => code)).toEqual(["part-left-out"]);
  });

  test("keeps the signature of thinking that had to wait", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const events = [
      start(a),
      reasoning("Hm."),
      part(thinking),
      text("Hi"),
      close(closed(a, "{}")),
      finish("tool_calls"),
    ];
    expect(blocks(bodyOf(encodeAnthropic({ from: "anthropic" }), events)).slice(2)).toEqual([
      ["start", 1, "thinking"],
      ["delta", 1, "Hm."],
      ["delta", 1, "c2ln"],
      ["stop", 1, ""],
      ["start", 2, "text"],
      ["delta", 2, "Hi"],
      ["stop", 2, ""],
    ]);
  });

  test("says the vendor's own word where it means the same", () => {
    const stop = (events: StreamEvent[], from?: "anthropic"): unknown =>
      messages(bodyOf(encodeAnthropic(from === undefined ? {} : { from }), events)).at(-2).delta.stop_reason;
    expect(stop([text("Hi"), finish("stop", "pause_turn")], "anthropic")).toBe("pause_turn");
    expect(stop([text("Hi"), finish("stop", "pause_turn")])).toBe("end_turn");
    expect(stop([...calling(a, "{}"), finish("tool_calls", "end_turn")], "anthropic")).toBe("tool_use");
    expect(stop([refusal("No."), finish("stop")])).toBe("refusal");
    expect(stop([start(a), close(closed(a, '{"a":', "truncated")), finish("tool_calls")])).toBe("max_tokens");
  });

  test("maps an id that it does not allow", () => {
    const kimi = call("functions.get_weather:0");
    const encoder = encodeAnthropic();
    expect(bodyOf(encoder, [...calling(kimi, "{}"), finish("tool_calls")])).toContain(
      '"id":"ub_functions_2eget_5fweather_3a0"',
    );
    expect(encoder.notices.map(({ code }) => code)).toEqual(["id-mapped"]);
  });

  test("writes free text as the one string of an object, as it comes", () => {
    const sql = call("call_s", "sql", { kind: "custom" });
    const events = [
      start(sql),
      append(sql, 'a"'),
      append(sql, "\n\ud83d"),
      append(sql, "\ude00"),
      close(closed(sql, 'a"\n😀')),
      finish("tool_calls"),
    ];
    const json = messages(bodyOf(encodeAnthropic(), events))
      .map(({ delta }) => delta?.partial_json ?? "")
      .join("");
    expect(JSON.parse(json)).toEqual({ input: 'a"\n😀' });
    const empty = messages(bodyOf(encodeAnthropic(), [start(sql), close(closed(sql, "")), finish("tool_calls")]));
    expect(empty.map(({ delta }) => delta?.partial_json ?? "").join("")).toBe('{"input":""}');
  });
});

describe("wires that carry objects", () => {
  test.each([
    ["gemini", encodeGemini, (list: Json[]) => list[0].candidates[0].content.parts[0].functionCall.args],
    ["ollama", encodeOllama, (list: Json[]) => list[0].message.tool_calls[0].function.arguments],
    [
      "anthropic, held",
      () => encodeAnthropic({ hold: true }),
      (list: Json[]) => JSON.parse(list.map(({ delta }) => delta?.partial_json ?? "").join("")),
    ],
  ])("%s wraps what is none", (_, make, args) => {
    const encoder = make();
    expect(
      args(
        messages(
          bodyOf(encoder, [start(a), append(a, "{a:"), close(closed(a, "{a:", "malformed")), finish("tool_calls")]),
        ),
      ),
    ).toEqual({ invalid_arguments: "{a:" });
    expect(encoder.notices.map(({ code }) => code)).toEqual(["arguments-wrapped"]);
  });

  test.each([
    ["gemini", encodeGemini],
    ["ollama", encodeOllama],
  ])("%s keeps the text of numbers, and keys that come twice", (_, make) => {
    const args = '{\n "n": 12345678901234567890,\r\n "n": 1.0}';
    expect(bodyOf(make(), [start(a), close(closed(a, args)), finish("tool_calls")])).toContain(
      '{  "n": 12345678901234567890,  "n": 1.0}',
    );
  });
});

describe("usage in each spelling", () => {
  const anthropicCounts = usage(
    { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 7 },
    10,
    5,
  );

  test("Anthropic leaves cached tokens out of its input; the others do not", () => {
    const of = (encoder: Encoder): Json[] => messages(bodyOf(encoder, [text("Hi"), anthropicCounts, finish("stop")]));
    expect(of(encodeOpenaiChat({ from: "anthropic" })).at(-1).usage).toEqual({
      prompt_tokens: 107,
      completion_tokens: 5,
      total_tokens: 112,
      prompt_tokens_details: { cached_tokens: 90 },
    });
    expect(of(encodeOpenaiResponses({ from: "anthropic" })).at(-1).response.usage).toMatchObject({
      input_tokens: 107,
      input_tokens_details: { cached_tokens: 90 },
    });
    expect(of(encodeGemini({ from: "anthropic" })).at(-1).usageMetadata).toMatchObject({
      promptTokenCount: 107,
      cachedContentTokenCount: 90,
    });
    expect(of(encodeOllama({ from: "anthropic" })).at(-1)).toMatchObject({ prompt_eval_count: 107, eval_count: 5 });
  });

  test("and back", () => {
    const chat = usage(
      { prompt_tokens: 107, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 90 } },
      107,
      5,
    );
    const list = messages(bodyOf(encodeAnthropic({ from: "openai-chat" }), [text("Hi"), chat, finish("stop")]));
    expect(list.at(-2).usage).toEqual({ input_tokens: 17, output_tokens: 5, cache_read_input_tokens: 90 });
  });

  test("Gemini does not count reasoning among the answer", () => {
    const gemini = usage({ promptTokenCount: 3, candidatesTokenCount: 4, thoughtsTokenCount: 6 }, 3, 4);
    const list = messages(bodyOf(encodeOpenaiChat({ from: "gemini" }), [text("Hi"), gemini, finish("stop")]));
    expect(list.at(-1).usage).toEqual({
      prompt_tokens: 3,
      completion_tokens: 10,
      total_tokens: 13,
      completion_tokens_details: { reasoning_tokens: 6 },
    });
  });

  test("what a later event leaves out stays", () => {
    const events = [
      usage({ input_tokens: 10, cache_read_input_tokens: 2 }, 10),
      text("Hi"),
      usage({ output_tokens: 5 }, undefined, 5),
      finish("stop"),
    ];
    const list = messages(bodyOf(encodeAnthropic({ from: "anthropic" }), events));
    expect(list.at(-2).usage).toEqual({ input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2 });
  });
});

describe("errors in each form", () => {
  const of = (encoder: Encoder, error: StreamEvent): Json => messages(bodyOf(encoder, [error, finish("error")])).at(-1);

  test("Chat", () => {
    expect(of(encodeOpenaiChat(), failed("overloaded_error", "Busy."))).toEqual({
      error: { message: "Busy.", type: "upstream_error", param: null, code: "overloaded_error" },
    });
  });

  test.each([
    [failed("overloaded_error", "Busy."), { type: "overloaded_error", message: "Busy." }],
    [failed("rate_limited", "Slow.", 429), { type: "rate_limit_error", message: "Slow.", code: "rate_limited" }],
    [failed(401, "Who?"), { type: "authentication_error", message: "Who?", code: 401 }],
    [failed(null, "Hm."), { type: "api_error", message: "Hm." }],
  ])("Anthropic %#", (error, body) => {
    expect(of(encodeAnthropic(), error)).toEqual({ type: "error", error: body });
  });

  test("Gemini", () => {
    expect(of(encodeGemini(), failed("rate_limit_error", "Slow.", 429)).error).toMatchObject({
      code: 429,
      status: "RESOURCE_EXHAUSTED",
      message: "Slow.",
      details: [{ reason: "rate_limit_error" }],
    });
  });

  test("Responses", () => {
    const list = messages(
      bodyOf(encodeOpenaiResponses(), [text("Hi"), failed("server_error", "Oh."), finish("error")]),
    );
    expect(list.slice(-2)).toMatchObject([
      { type: "error", code: "server_error", message: "Oh." },
      { type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "Oh." } } },
    ]);
    expect(list.map(({ sequence_number: number }) => number)).toEqual([...list.keys()]);
  });
});

test("calls that run at their vendor are left out for another one, with a notice", () => {
  const search = call("srv_1", "web_search", { kind: "server" });
  for (const [name, make] of ALL) {
    if (name === "ai-sdk-ui" || name === "ag-ui") continue;
    const encoder = make({ from: "bedrock" });
    const body = bodyOf(encoder, [
      start(search),
      append(search, "{}"),
      close(closed(search, "{}")),
      text("Found."),
      finish("stop"),
    ]);
    expect(body).not.toContain("web_search");
    expect(encoder.notices.map(({ code }) => code)).toEqual(["call-left-out"]);
  }
});
