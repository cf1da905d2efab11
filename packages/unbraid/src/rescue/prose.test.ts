// What must stay text: prose about markup, code, quotations, undeclared tools, and everything that only looks alike.

import { describe, expect, test } from "vitest";
import { answer, ask, type Asking, piecesOf } from "./rescue.test-kit.ts";
import { FORMS } from "./forms.ts";
import { type Writer, WRITERS } from "./writers.test-kit.ts";

const CALL = { name: "get_weather", args: { city: "Oslo" } };
const UNKNOWN = { name: "delete_everything", args: { path: "/", force: true } };

/** The text must come out as it went in, however it is cut, and nothing else with it. */
function expectText(text: string, asking: Asking = {}): void {
  for (const length of [text.length, 1, 2, 5]) {
    const got = answer(piecesOf(text, Math.max(length, 1)), asking);
    expect(got.calls, text).toEqual([]);
    expect(got.retracted).toBe(0);
    expect(got.text, text).toBe(text);
    expect(got.reasoning).toBe("");
  }
}

/** The literals that begin a form. */
function openersOf(form: string): readonly string[] {
  return FORMS.filter(({ name }) => name === form).flatMap(({ open, lead }) => [...(lead ?? []), ...open]);
}

function prose(writer: Writer): Record<string, string> {
  const one = writer.write([CALL]);
  const [opener = ""] = openersOf(writer.form);
  const named = one.slice(0, one.indexOf(CALL.name) + CALL.name.length);
  const fence = one.includes("```") ? "````" : "```";
  const quoted = one
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
  return {
    "a fenced block": `Like this:\n\n${fence}\n${one}\n${fence}\n\nThat is all.`,
    "a fenced block with a language": `Like this:\n${fence}xml\n${one}\n${fence}`,
    "an open fenced block": `Like this:\n\n${fence}text\n${one}`,
    "a fence of tildes": `Like this:\n~~~\n${one}\n~~~\nYes.`,
    "a quotation by the line": `He wrote:\n${quoted}\nand left.`,
    "an undeclared tool": `I call ${writer.write([UNKNOWN])}`,
    "an undeclared tool before more": `${writer.write([UNKNOWN])}\nThat is what it would look like.`,
    "the first word alone": `The word ${opener} begins it.`,
    "the first word at the end": `It begins with ${opener}`,
    "the first word, twice": `${opener}${opener} and ${opener}`,
    "the first word, cut": `It begins with ${opener.slice(0, -1)}`,
    "the first word and other brackets": `${opener} {x} [y] (z) <b>`,
    "up to the name, then prose": `You write ${named} and then the arguments.`,
    ...(one.includes("\n\n") || one.includes("`")
      ? {}
      : {
          "a code span": `You write \`${one}\` for that.`,
          "a code span of two": `You write \`\`${one}\`\` for that.`,
        }),
    ...(one.includes("\n") ? {} : { "typographic quotes": `He wrote “${one}” and «${one}» then.` }),
    ...(one.includes("\n") || one.includes('"') ? {} : { quotes: `He wrote "${one}" then.` }),
  };
}

describe.each(WRITERS.map((writer, i) => ({ name: `${writer.form} (${i})`, writer })))("$name", ({ writer }) => {
  test.each(Object.entries(prose(writer)))("%s", (_, text) => expectText(text));

  test("there are at least ten", () => {
    expect(Object.keys(prose(writer)).length).toBeGreaterThanOrEqual(10);
  });
});

const TEXTS: readonly string[] = [
  "",
  " ",
  "\n\n",
  "Hello.",
  "  Hello, indented.\n\n",
  "If a < b and b < c then a < c; if a > b, no.",
  "a <b> c </b> <br/> <!-- <tool> --> &lt;tool_call&gt;",
  '<html><body><div class="x">1 < 2</div></body></html>',
  '<?xml version="1.0"?>\n<function name="get_weather"/>\n<parameter>5</parameter>',
  "x = [get_weather, 1]; y = [1, 2, 3]; z = {}",
  "[get_weather] is the tool.",
  "[1, 2, 3]",
  "[]",
  "{}",
  "{",
  "[",
  "`",
  "``````",
  "Use [TOOL_CALLS] to begin. Or [TOOL_CALLS]: that is it.",
  "The tokens are <|im_start|>, <|im_end|>, <|eot_id|> and </s>.",
  "A model that thinks writes <think> and </think> around it.",
  "The tag </tool_call> closes it, </function> too.",
  "Between <tool_call> and </tool_call> stands JSON.",
  "<tool_call></tool_call>",
  "<tool_call>\n</tool_call>",
  '<tool_call>{"name": 5}</tool_call>',
  '<tool_call>{"name": "get_weather", "arguments": [1]}</tool_call>',
  '<tool_call>{"name": "get_weather", "age": 30}</tool_call>',
  '<tool_call>{"tool": "get_weather", "arguments": {}}</tool_call>',
  '<tool_call>{"name": "get_weather_2", "arguments": {}}</tool_call>',
  '<tool_call>{"arguments": {"city": "Oslo"}}</tool_call>',
  "<tool_call>Not JSON at all</tool_call>",
  "<tool_call>get_weather is a tool</tool_call>",
  "The form is <tool_call>name<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>.",
  "<function=get_weather> is how it begins.",
  "<function= get_weather>\n<parameter=city>Oslo</parameter></function>",
  '<invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke>',
  '{"name": "search", "age": 30}',
  '{"name": "get_weather", "arguments": {"city": "Oslo"}, "why": "because"}',
  '{"name": "get_weather", "arguments": "Oslo"}',
  '{"name": "get_weather", "arguments": null}',
  '{"name": "get_weather"}',
  '{"arguments": {"city": "Oslo"}}',
  '{"name": "unknown", "arguments": {"city": "Oslo"}}',
  '{"name": "get_weather", "arguments": {"city": "Oslo"}}\n\nThat is what I would send.',
  'Here: {"name": "get_weather", "arguments": {"city": "Oslo"}}',
  '{"name": "get_weather", "arguments": {"city": "Oslo"}} {"x": 1}',
  '[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "x"}]',
  '[{"name": "get_weather", "age": 3}]',
  '```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```\nRun this.',
  'First:\n```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
  '```json\n{"name": "Ada", "age": 36}\n```',
  '```js\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
  '```\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
  '[get_weather(city="Oslo")] is Python.',
  '[get_weather("Oslo")]',
  "[get_weather(city=Oslo)]",
  '[unknown(city="Oslo")]',
  'get_weather(city="Oslo")',
  "The header is commentary to=functions.get_weather json and then the arguments.",
  'It wrote commentary to=functions.get_weather json{"city":"Oslo"} there.',
  "assistant: the assistant commentary is to=functions",
  "cost, count, coast; as, assist, assistant",
  "<｜end▁of▁sentence｜> ends it, <｜tool▁calls▁begin｜> begins.",
  '{"a": "<tool_call>{\\"name\\": \\"get_weather\\", \\"arguments\\": {}}</tool_call>"}',
  'I\'d say \'it\'s <tool_call>{"name": "get_weather", "arguments": {}}</tool_call>\' there.',
  'A 5" disk, a 6\' man, and a "word" in quotes.',
  "$a < $b && c[0] > d{1} <| x |> y",
  "F# pipes: xs <| f |> g; <|> is an operator; <|name|> too",
  "| a | b |\n|---|---|\n| <tool_call> | x |",
  "1. one\n2. two\n   - three `x < y`\n",
  '# Title\n\n> quoted <tool_call>{"name": "get_weather", "arguments": {}}</tool_call>\n\nText.',
  "Ends with a partial <tool",
  "Ends with a partial [TOOL_CA",
  "Ends with a partial <｜DSML",
  "Ends with a partial commentary to=func",
  "Ends with <",
];

test.each(TEXTS)("stays text: %j", (text) => expectText(text));

test("without declared tools nothing is looked for", () => {
  const text = '<think>x</think><tool_call>{"name": "get_weather", "arguments": {}}</tool_call>';
  const got = ask(text, { tools: [] });
  expect(got.calls).toEqual([]);
});
