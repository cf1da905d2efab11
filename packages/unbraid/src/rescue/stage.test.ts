// The stage among its neighbours: several choices, a session's responses, restarts, limits, a model's raw output, and
// sources that end badly.

import { describe, expect, test } from "vitest";
import { createReader } from "../any-wire.ts";
import type { StreamEvent } from "../events.ts";
import { liveValues } from "../parts/live-values.ts";
import { openaiChat } from "../protocols/openai-chat.ts";
import { text as rawText } from "../protocols/text.ts";
import type { Reader, ReaderOptions } from "../reader.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import { rescue } from "./index.ts";
import { ask, chunk, fold, piecesOf, TOOLS } from "./rescue.test-kit.ts";
import { WRITERS } from "./writers.test-kit.ts";

const CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>';

function reader(options: ReaderOptions = {}): Reader {
  return new TolerantReader(openaiChat, { tools: TOOLS, rescue, liveValues, ...options });
}

function choices(...texts: readonly (string | undefined)[]): object {
  return {
    object: "chat.completion.chunk",
    choices: texts.flatMap((content, index) => (content === undefined ? [] : [{ index, delta: { content } }])),
  };
}

test("choices are read apart", () => {
  const stream = reader();
  const events = [
    ...stream.push(choices("a <tool_", 'b <tool_call>{"name": "list')),
    ...stream.push(choices(CALL.slice(6), '_items", "arguments": {}}')),
    ...stream.push(choices(" c", "</tool_call>")),
    ...stream.end(),
  ];
  const texts = [0, 1].map((of) =>
    events.flatMap((event) => (event.type === "text" && event.choice === of ? [event.text] : [])).join(""),
  );
  expect(texts).toEqual(["a  c", "b "]);
  expect(fold(events).calls.map(({ name, choice }) => [name, choice])).toEqual([
    ["get_weather", 0],
    ["list_items", 1],
  ]);
});

test("a call starts as soon as its name is known, and its text comes as it streams", () => {
  const stream = reader();
  const seen: string[] = [];
  for (const piece of ["<tool_call>", '{"name": "write_', 'file", "argu', 'ments": {"con', 'tent": "a', 'b"}}']) {
    const types = stream.push(chunk({ content: piece })).map((event) => {
      return event.type === "call.append" ? event.text : event.type;
    });
    seen.push(types.filter((type) => type !== "notice" && type !== "response").join(" "));
  }
  expect(seen).toEqual(["", "", "", 'call.start {"con', 'tent": "a', 'b"} call.close']);
});

test("a string between tags comes as it streams", () => {
  const stream = reader();
  const seen: string[] = [];
  for (const piece of [
    "<function=write_file>",
    "<parameter=content>",
    "one ",
    "two\n",
    "three </para",
    "meter>",
    "</function>",
  ]) {
    const types = stream.push(chunk({ content: piece })).map((event) => {
      return event.type === "call.append" ? event.text : event.type;
    });
    seen.push(types.filter((type) => type !== "notice" && type !== "response").join(" "));
  }
  expect(seen).toEqual(["", 'call.start {"content":', '"one ', "two", "\\nthree ", "", '"} call.close']);
});

test("fields of recovered calls can be followed, and their values looked at", () => {
  const stream = reader();
  const heard: string[] = [];
  stream.follow("write_file", "$.content", (text) => heard.push(text));
  stream.push(chunk({ content: '<tool_call>{"name": "write_file", "arguments": {"content": "ab' }));
  expect(stream.partial("call-0")).toEqual({ content: "ab" });
  stream.push(chunk({ content: 'cd"}}</tool_call>' }));
  stream.end();
  expect(heard.join("|")).toContain("ab|cd");
});

test("positions are those of the frame that completed the markup", () => {
  const stream = reader();
  stream.push(chunk({ content: "<tool_call>" }));
  const events = stream.push(chunk({ content: CALL.slice(11) }));
  expect(events.find(({ type }) => type === "call.close")?.at.frame).toBe(1);
});

test("a refusal is not looked into", () => {
  const stream = reader();
  const events = [...stream.push(chunk({ refusal: CALL })), ...stream.end()];
  expect(fold(events).calls).toEqual([]);
});

test("a restart takes recovered calls back too", () => {
  const stream = reader();
  const events: StreamEvent[] = [];
  events.push(...stream.push(chunk({ content: 'Hm <tool_call>{"name": "get_weather", "arguments": {"ci' })));
  events.push(
    ...stream.push({
      id: "c2",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta: { role: "assistant", content: "" } }],
    }),
  );
  events.push(...stream.push(chunk({ content: `Again. ${CALL}` })), ...stream.push(chunk({}, "stop")), ...stream.end());
  const got = fold(events);
  expect(got.retracted).toBe(1);
  expect(got.calls.map(({ argumentsText, status }) => [argumentsText, status])).toEqual([
    ['{"city": "Oslo"}', "complete"],
  ]);
});

describe("endings", () => {
  const open = 'So <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}';

  test("a body that stops", () => {
    const stream = reader();
    const events = [...stream.push(chunk({ content: `${open}} <` })), ...stream.end()];
    expect(fold(events).calls.map(({ status }) => status)).toEqual(["complete"]);
    expect(fold(events).finish).toBeNull();
    expect(events.at(-1)?.type).toBe("finish");
  });

  test.each(["fail", "cancel"] as const)("a source that is over: %s", (how) => {
    const stream = reader();
    const events = [...stream.push(chunk({ content: open }))];
    events.push(...(how === "fail" ? stream.fail(new Error("gone")) : stream.cancel()));
    const got = fold(events);
    expect(got.calls.map(({ status, name }) => [name, status])).toEqual([["get_weather", "truncated"]]);
    expect(got.text).toBe("So ");
    expect(events.at(-1)?.type).toBe("finish");
  });

  test("what was held back is said before the finish", () => {
    const stream = reader();
    const events = [...stream.push(chunk({ content: "a <tool" })), ...stream.fail(new Error("gone"))];
    expect(fold(events).text).toBe("a <tool");
    expect(events.at(-1)?.type).toBe("finish");
  });

  test("an argument limit ends the reading", () => {
    const stream = reader({ limits: { maxArgumentBytes: 100 } });
    const events = [
      ...stream.push(chunk({ content: "Hm <function=write_file><parameter=content>x" })),
      ...stream.push(chunk({ content: `${"x".repeat(200)}</parameter></function> and ${CALL}` })),
      ...stream.end(),
    ];
    const got = fold(events);
    expect(got.calls.map(({ problem }) => problem?.code)).toEqual(["argument-limit"]);
    expect(got.finish).toBe("error");
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
  });

  test("a limit that the last words pass", () => {
    const stream = reader({ limits: { maxArgumentBytes: 10 } });
    const events = [
      ...stream.push(chunk({ content: '{"name": "get_weather", "arguments": {"city": "Oslo, Norway"}}' })),
      ...stream.end(),
    ];
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
    expect(fold(events).calls.map(({ status }) => status)).toEqual(["truncated"]);
  });
});

describe("arguments that are wrong", () => {
  const problem = (body: string): unknown =>
    ask(body).calls.map(({ status, argumentsText }) => [status, argumentsText]);

  test("broken JSON is kept as it stands", () => {
    const args = '{"path": "a", "content": "say "hi" }"}';
    expect(problem(`<tool_call>\n{"name": "write_file", "arguments": ${args}}\n</tool_call>`)).toEqual([
      ["malformed", args],
    ]);
    expect(problem(`[TOOL_CALLS][{"name": "write_file", "arguments": ${args}}]</s>`)).toEqual([["malformed", args]]);
    expect(problem(`<|tool_call_begin|>write_file:0<|tool_call_argument_begin|>${args}<|tool_call_end|>`)).toEqual([
      ["malformed", args],
    ]);
    expect(problem(`<tool_call>{"name": "write_file", "arguments": ${args}}`)).toEqual([["malformed", `${args}}`]]);
  });

  test("broken code is kept as it stands", () => {
    expect(problem("<|python_start|>[get_weather(city=Oslo)]<|python_end|>")).toEqual([
      ["malformed", '{"city":Oslo)]'],
    ]);
    expect(problem('<|tool_call>call:get_weather{city:<|"|>a<|"|> b}<tool_call|>')).toEqual([
      ["malformed", '{"city":"a"b}'],
    ]);
  });

  test("arguments as a string that holds the object", () => {
    const got = ask('<tool_call>{"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}</tool_call>');
    expect(got.calls.map((call) => call.arguments)).toEqual([{ city: "Oslo" }]);
    expect(got.notices.map(({ code }) => code)).toContain("double-encoded");
  });

  test("no arguments at all", () => {
    for (const body of [
      '<tool_call>{"name": "list_items"}</tool_call>',
      '<tool_call>{"name": "list_items", "arguments": null}</tool_call>',
      "<tool_call>\nlist_items\n</tool_call>",
      "<function=list_items></function>",
      "<|tool_call_begin|>list_items:0<|tool_call_argument_begin|><|tool_call_end|>",
      "[TOOL_CALLS]list_items[ARGS]{}",
    ])
      expect(ask(body).calls.map((call) => [call.name, call.arguments, call.status])).toEqual([
        ["list_items", {}, "complete"],
      ]);
  });

  test("the name behind the arguments", () => {
    const got = ask('<tool_call>{"arguments": {"city": "Oslo"}, "name": "get_weather"}</tool_call>');
    expect(got.calls.map(({ argumentsText, status }) => [argumentsText, status])).toEqual([
      ['{"city": "Oslo"}', "complete"],
    ]);
  });

  test("an undeclared tool in a list of others is dropped with a notice", () => {
    const got = ask(
      '[TOOL_CALLS] [{"name": "list_items", "arguments": {}}, {"name": "nope", "arguments": {"a": 1}}, {"name": "list_items", "arguments": {}}]',
    );
    expect(got.calls.map(({ name }) => name)).toEqual(["list_items", "list_items"]);
    expect(got.text).toBe("");
    expect(got.notices.find(({ code }) => code === "unknown-tool")?.dropped?.argumentsText).toContain("nope");
  });

  test("markup inside the call of an undeclared tool stays text", () => {
    const body =
      "<function=nope>\n<parameter=x>\n<function=list_items>\n</function>\n</parameter>\n</function>\n</tool_call>";
    const got = ask(body);
    expect(got.calls).toEqual([]);
    expect(got.text).toBe(body);
  });

  test("words between arguments end the call", () => {
    const got = ask("<function=get_weather><parameter=city>Oslo</parameter>\n<parameter=\nand so on");
    expect(got.calls.map(({ status }) => status)).toEqual(["truncated"]);
    expect(got.text).toBe("<parameter=\nand so on");
  });
});

describe("details of forms", () => {
  const only = (body: string): unknown => {
    const got = ask(body);
    expect(got.text).toBe("");
    expect(got.calls.map(({ status }) => status)).toEqual(got.calls.map(() => "complete"));
    return got.calls.map(({ name, argumentsText }) => [name, argumentsText]);
  };

  test("values take the types of the schema", () => {
    const body = (value: string, key: string): string =>
      `<function=get_weather><parameter=${key}>${value}</parameter></function>`;
    expect(only(body("3", "days"))).toEqual([["get_weather", '{"days":3}']]);
    expect(only(body(" 3 ", "days"))).toEqual([["get_weather", '{"days":3}']]);
    expect(only(body("three", "days"))).toEqual([["get_weather", '{"days":"three"}']]);
    expect(only(body("TRUE", "detailed"))).toEqual([["get_weather", '{"detailed":true}']]);
    expect(only(body("False", "detailed"))).toEqual([["get_weather", '{"detailed":false}']]);
    expect(only(body("None", "unit"))).toEqual([["get_weather", '{"unit":null}']]);
    expect(only(body("none of these words", "unit"))).toEqual([["get_weather", '{"unit":"none of these words"}']]);
    expect(only(body("None", "city"))).toEqual([["get_weather", '{"city":"None"}']]);
    expect(only(body("5", "city"))).toEqual([["get_weather", '{"city":"5"}']]);
    expect(only(body("5", "unknown"))).toEqual([["get_weather", '{"unknown":"5"}']]);
    expect(only(body("12345678901234567890", "days"))).toEqual([["get_weather", '{"days":12345678901234567890}']]);
  });

  test("objects and lists between tags, as JSON and as Python", () => {
    const body = (value: string): string => `<function=search><parameter=filter>\n${value}\n</parameter></function>`;
    expect(only(body('{"tags": ["a"]}'))).toEqual([["search", '{"filter":{"tags": ["a"]}}']]);
    expect(only(body("{'tags': ['a', \"b\"], 'deep': {'n': None}}"))).toEqual([
      ["search", '{"filter":{"tags":["a","b"],"deep":{"n":null}}}'],
    ]);
    expect(only(body("{'tags': "))).toEqual([["search", `{"filter":${JSON.stringify("{'tags': ")}}`]]);
  });

  test("line ends around a value", () => {
    expect(only("<function=write_file><parameter=content>\n\na\n\n</parameter></function>")).toEqual([
      ["write_file", '{"content":"\\na\\n"}'],
    ]);
    const glm = (value: string): string =>
      `<tool_call>write_file<arg_key>content</arg_key><arg_value>${value}</arg_value></tool_call>`;
    expect(only(glm("\na\n"))).toEqual([["write_file", '{"content":"a"}']]);
    expect(only(glm("a\n"))).toEqual([["write_file", '{"content":"a\\n"}']]);
    expect(only(glm("\r\na\r\n"))).toEqual([["write_file", '{"content":"a"}']]);
  });

  test("a closing tag of the call forgotten before the next", () => {
    expect(
      only(
        "<tool_call><function=get_weather><parameter=city>A</parameter></tool_call><function=get_weather><parameter=city>B</parameter><function=list_items></function>",
      ),
    ).toEqual([
      ["get_weather", '{"city":"A"}'],
      ["get_weather", '{"city":"B"}'],
      ["list_items", "{}"],
    ]);
  });

  test("DSML: JSON in place of arguments, and a parameter that wraps all", () => {
    const dsml = (body: string): string =>
      `<｜DSML｜tool_calls><｜DSML｜invoke name="get_weather">${body}</｜DSML｜invoke></｜DSML｜tool_calls>`;
    expect(only(dsml('\n{"city": "Oslo"}\n'))).toEqual([["get_weather", '{"city": "Oslo"}']]);
    expect(
      only(dsml('<｜DSML｜parameter name="arguments" string="false">{"city": "Oslo"}</｜DSML｜parameter>')),
    ).toEqual([["get_weather", '{"city": "Oslo"}']]);
    expect(only(dsml('<｜DSML｜parameter name="city" string="true">5</｜DSML｜parameter>'))).toEqual([
      ["get_weather", '{"city":"5"}'],
    ]);
    expect(only(dsml('<｜DSML｜parameter name="city" string="false">"5"</｜DSML｜parameter>'))).toEqual([
      ["get_weather", '{"city":"5"}'],
    ]);
  });

  test("Kimi K2: ids byte for byte, the section's end missing", () => {
    const call = (id: string): string =>
      `<|tool_calls_section_begin|><|tool_call_begin|>${id}<|tool_call_argument_begin|>{}<|tool_call_end|>`;
    for (const id of ["functions.list_items:0", "functions_list_items_3", "list_items:12", "functions.list_items"])
      expect(ask(call(id)).calls.map((of) => [of.id, of.name])).toEqual([[id, "list_items"]]);
    expect(ask(call("list_items")).calls.map(({ madeId }) => madeId)).toEqual([true]);
  });

  test("Kimi K3: attributes are unescaped, typed values are JSON", () => {
    const argument = (key: string, type: string, value: string): string =>
      `<|open|>argument key="${key}" type="${type}"<|sep|>${value}<|close|>argument<|sep|>`;
    const body = `<|open|>tools<|sep|><|open|>call tool="search" index="1"<|sep|>${argument("query", "string", '"a" & <b>\n')}${argument("a&amp;&quot;b", "number", "1.5")}${argument("filter", "object", '{"tags": []}')}<|close|>call<|sep|><|close|>tools<|sep|>`;
    expect(only(body)).toEqual([["search", '{"query":"\\"a\\" & <b>\\n","a&\\"b":1.5,"filter":{"tags": []}}']]);
  });

  test("MiniMax M3: nested tags take the types of the schema", () => {
    const t = "]<]minimax[>[";
    const body = `${t}<tool_call>\n${t}<invoke name="search">${t}<query>x${t}</query>${t}<filter>${t}<tags>${t}<item>a${t}</item>${t}<item>5${t}</item>${t}</tags>${t}<deep>${t}<n>5${t}</n>${t}</deep>${t}</filter>${t}</invoke>${t}</tool_call>`;
    expect(only(body)).toEqual([["search", '{"query":"x","filter":{"tags":["a","5"],"deep":{"n":5}}}']]);
  });

  test("Python: keywords, escapes, tuples, numbers, a trailing comma", () => {
    const body =
      "<|python_start|>[search(query=\"a\\n\\u00e9\\x41\\U0001F600\\101 \\q\", limit=-1_000.5, filter={'t': (1, 0x1F, .5, 1e3), 'r': r'\\n', 'l': '''a'b''', 'n': [None, True,],},)]<|python_end|>";
    expect(ask(body).calls.map((call) => call.arguments)).toEqual([
      {
        query: "a\néA😀A \\q",
        limit: -1000.5,
        filter: { t: [1, 31, 0.5, 1000], r: "\\n", l: "a'b", n: [null, true] },
      },
    ]);
  });

  test("Gemma: bare words, nested objects, spaces", () => {
    expect(
      only(
        '<|tool_call>call:search{query: New York , limit: 5, filter:{tags:[<|"|>a<|"|>, b],deep:{n:null}}}<tool_call|>',
      ),
    ).toEqual([["search", '{"query":"New York","limit":5,"filter":{"tags":["a","b"],"deep":{"n":null}}}']]);
  });

  test("harmony: no constraint, the analysis channel, a token behind the name", () => {
    for (const head of [
      "<|channel|>commentary to=functions.get_weather<|message|>",
      "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>",
      "<|channel|>analysis to=functions.get_weather code<|message|>",
      "<|start|>assistant<|channel|>commentary to=get_weather json<|message|>",
      "<|start|>assistant to=functions.get_weather<|channel|>commentary<|message|>",
      "assistantcommentary to=functions.get_weather json",
      "commentary to=functions.get_weather",
      "assistant to=functions.get_weathercommentary json",
    ])
      expect(only(`${head}{"city":"Oslo"}`)).toEqual([["get_weather", '{"city":"Oslo"}']]);
  });

  test("white space around markup", () => {
    expect(ask(`\n\n${CALL}\n\n`).text).toBe("");
    expect(ask(`Look:\n\n${CALL}\n\n${CALL}\n\nDone.\n`).text).toBe("Look:\n\n\nDone.\n");
    expect(ask(`${CALL}\n\nDone.`).text).toBe("Done.");
    expect(ask(`a ${CALL} b`).text).toBe("a  b");
  });
});

describe("a model's raw output", () => {
  const read = (body: string, options: ReaderOptions = {}, length = 1000): ReturnType<typeof fold> => {
    const stream = new TolerantReader(rawText, { rescue, ...options });
    const events: StreamEvent[] = [];
    for (const piece of piecesOf(body, length)) events.push(...stream.push(piece));
    events.push(...stream.end());
    return fold(events);
  };

  test("without rescue it is text", () => {
    const stream = new TolerantReader(rawText);
    const got = fold([...stream.push(`a ${CALL}`), ...stream.end()]);
    expect([got.text, got.calls, got.finish]).toEqual([`a ${CALL}`, [], "stop"]);
    expect(got.notices).toEqual([]);
  });

  test.each(WRITERS.filter(({ wholeMessage }) => !wholeMessage))("without declared tools: $form", (writer) => {
    const calls = [
      { name: "any_tool", args: { a: "x", b: "y < z" } },
      { name: "no_arguments", args: {} },
    ];
    for (const length of [1000, 1, 3]) {
      const got = read(writer.write(calls), {}, length);
      expect(got.calls.map((call) => [call.name, call.arguments, call.status])).toEqual(
        calls.map(({ name, args }) => [name, args, "complete"]),
      );
      expect([got.text, got.finish]).toEqual(["", "tool_calls"]);
    }
  });

  test("whole JSON needs declared tools", () => {
    const body = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
    expect(read(body).text).toBe(body);
    expect(read(body, { tools: TOOLS }).calls).toHaveLength(1);
  });

  test("a conversation in harmony", () => {
    const body =
      '<|start|>user<|message|>Hi <b><|end|><|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=browser.search code<|message|>{"q": 1}<|call|><|start|>browser.search to=assistant<|channel|>commentary<|message|>{"r": 2}<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|><|start|>assistant';
    for (const length of [1000, 1, 2, 5]) {
      const got = read(body, {}, length);
      expect([got.text, got.reasoning]).toEqual(["Yes.", "Hm."]);
      expect(got.calls.map(({ name, kind, argumentsText }) => [name, kind, argumentsText])).toEqual([
        ["browser.search", "builtin", '{"q": 1}'],
      ]);
    }
  });

  test("end tokens are no words", () => {
    expect(read("Yes.<|im_end|>\n").text).toBe("Yes.");
    expect(read("Yes.</s>").text).toBe("Yes.");
    expect(read("Yes.<|eot_id|>", { tools: TOOLS }).text).toBe("Yes.");
  });

  test("bytes are cut anywhere", () => {
    const bytes = new TextEncoder().encode(`Zürich 🌧️ ${CALL}`);
    const stream = new TolerantReader(rawText, { rescue, tools: TOOLS });
    const events: StreamEvent[] = [];
    for (const byte of bytes) events.push(...stream.push(Uint8Array.of(byte)));
    events.push(...stream.end());
    expect(fold(events).text).toBe("Zürich 🌧️ ");
    expect(fold(events).calls).toHaveLength(1);
    expect(events.at(-1)?.at.end).toBe(bytes.length);
  });

  test("an empty body, and one that fails", () => {
    expect(read("").finish).toBe("stop");
    const stream = new TolerantReader(rawText, { rescue });
    const got = fold([...stream.push("a <"), ...stream.fail(new Error("gone"))]);
    expect([got.text, got.finish]).toEqual(["a <", "error"]);
  });

  test("by name", () => {
    const stream = createReader({ protocol: "text", rescue, tools: TOOLS });
    expect(fold([...stream.push(CALL), ...stream.end()]).calls).toHaveLength(1);
  });
});
