// The table of forms: every way of writing calls into text that is recovered, and the markup around thinking. Data only;
// a new form is a row. The spellings are those of the models' chat templates.

import type { DocumentForm, Form, LiteralForm, NamedForm, Span, TaggedForm } from "./form.ts";
import { PYTHON } from "./literal.ts";
import { ATTRIBUTES, KEY, NAME, SPACE, type Step } from "./pattern.ts";

const hermes: DocumentForm = {
  kind: "documents",
  name: "hermes",
  models: "Hermes, Qwen2.5, Qwen3; as a list Granite, Hunyuan, Jamba",
  example: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
  open: ["<tool_call>", "<tool_calls>"],
  closers: ["</tool_call>", "</tool_calls>"],
};

const qwen3Coder: TaggedForm = {
  kind: "tagged",
  name: "qwen3-coder",
  models: "Qwen3-Coder, Qwen3.5 and later, Nemotron 3 Nano",
  example: "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
  lead: ["<tool_call>"],
  open: ["<function="],
  head: [NAME, SPACE, ">"],
  parameter: ["<parameter=", KEY, ">"],
  valueEnd: ["</parameter>"],
  callEnd: ["</function>"],
  closers: ["</tool_call>"],
  lineEnds: "each",
};

const minimaxM2: TaggedForm = {
  kind: "tagged",
  name: "minimax-m2",
  models: "MiniMax M2, M2.5",
  example:
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>\n</invoke>\n</minimax:tool_call>',
  lead: ["<minimax:tool_call>", "<function_calls>", "<tool_call>"],
  open: ['<invoke name="'],
  needsLead: true,
  head: [NAME, '"', ATTRIBUTES, ">"],
  parameter: ['<parameter name="', KEY, '"', ATTRIBUTES, ">"],
  valueEnd: ["</parameter>"],
  callEnd: ["</invoke>"],
  closers: ["</minimax:tool_call>", "</function_calls>", "</tool_call>"],
  lineEnds: "both",
};

/** The token that stands before every tag of MiniMax M3. */
const M3 = "]<]minimax[>[";

const minimaxM3: TaggedForm = {
  kind: "tagged",
  name: "minimax-m3",
  models: "MiniMax M3",
  example: `${M3}<tool_call>\n${M3}<invoke name="get_weather">${M3}<city>Oslo${M3}</city>${M3}</invoke>\n${M3}</tool_call>`,
  lead: [`${M3}<tool_call>`],
  open: [`${M3}<invoke name="`],
  head: [NAME, '"', ATTRIBUTES, ">"],
  parameter: [M3, SPACE, "<", KEY, ">"],
  valueEnd: [`${M3}</{key}>`],
  callEnd: [`${M3}</invoke>`],
  closers: [`${M3}</tool_call>`],
  lineEnds: "none",
  nested: M3,
};

const glm: TaggedForm = {
  kind: "tagged",
  name: "glm",
  models: "GLM 4.5 to 5.x, Laguna",
  example: "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
  open: ["<tool_call>"],
  head: [SPACE, NAME],
  parameter: ["<arg_key>", KEY, "</arg_key>", SPACE, "<arg_value>"],
  valueEnd: ["</arg_value>"],
  callEnd: ["</tool_call>"],
  closers: [],
  lineEnds: "both",
};

const llamaJson: DocumentForm = {
  kind: "documents",
  name: "llama-json",
  models: "Llama 3.1, 3.2, 3.3",
  example: '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}',
  open: ["<|python_tag|>"],
  separator: ";",
  closers: ["<|eom_id|>", "<|eot_id|>"],
};

const pythonic: LiteralForm = {
  kind: "literal",
  name: "pythonic",
  models: "Llama 3.2, Llama 4, LFM2",
  example: '<|python_start|>[get_weather(city="Oslo")]<|python_end|>',
  open: ["<|python_start|>", "<|python_tag|>", "<|tool_call_start|>"],
  head: [SPACE, "[", SPACE, NAME, SPACE, "("],
  list: true,
  notation: PYTHON,
  closers: ["<|python_end|>", "<|tool_call_end|>", "<|eom|>", "<|eot|>", "<|eom_id|>", "<|eot_id|>"],
};

const lfm2Json: DocumentForm = {
  kind: "documents",
  name: "lfm2-json",
  models: "LFM2, asked for JSON",
  example: '<|tool_call_start|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]<|tool_call_end|>',
  open: ["<|tool_call_start|>"],
  closers: ["<|tool_call_end|>"],
};

const barePythonic: LiteralForm = {
  kind: "literal",
  name: "pythonic-bare",
  models: "Llama 3.2, Llama 4, when it is the whole message",
  example: '[get_weather(city="Oslo")]',
  where: "start",
  last: true,
  open: ["["],
  keepsOpen: true,
  head: ["[", SPACE, NAME, SPACE, "("],
  list: true,
  notation: PYTHON,
  closers: [],
};

const olmo3: LiteralForm = {
  kind: "literal",
  name: "olmo3",
  models: "OLMo 3",
  example: '<function_calls>get_weather(city="Oslo")</function_calls>',
  open: ["<function_calls>"],
  head: [SPACE, NAME, SPACE, "("],
  list: true,
  notation: PYTHON,
  closers: ["</function_calls>"],
};

const mistralList: DocumentForm = {
  kind: "documents",
  name: "mistral-list",
  models: "Mistral, to tokenizer v7",
  example: '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
  open: ["[TOOL_CALLS]"],
  closers: ["[/TOOL_CALLS]", "</s>"],
};

const mistral: NamedForm = {
  kind: "named",
  name: "mistral",
  models: "Mistral Small 3.2, Ministral, Devstral, Magistral",
  example: '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}',
  open: ["[TOOL_CALLS]"],
  head: [SPACE, NAME, { maybe: ["[ARGS]"] }],
  closers: ["[/TOOL_CALLS]", "</s>"],
};

const mistralWithId: NamedForm = {
  ...mistral,
  name: "mistral-id",
  models: "Mistral, tokenizer v11",
  example: '[TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Oslo"}',
  head: [SPACE, NAME, "[CALL_ID]", KEY, "[ARGS]"],
};

const DEEPSEEK_CLOSERS = ["<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>", "<｜end▁of▁sentence｜>"];

const deepseekV3: NamedForm = {
  kind: "named",
  name: "deepseek-v3",
  models: "DeepSeek V3, R1",
  example:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  lead: ["<｜tool▁calls▁begin｜>"],
  open: ["<｜tool▁call▁begin｜>"],
  head: ["function<｜tool▁sep｜>", NAME, SPACE, "```json"],
  closers: ["```", ...DEEPSEEK_CLOSERS],
};

const deepseekV31: NamedForm = {
  kind: "named",
  name: "deepseek-v3.1",
  models: "DeepSeek V3.1",
  example:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  lead: ["<｜tool▁calls▁begin｜>"],
  open: ["<｜tool▁call▁begin｜>"],
  head: [NAME, "<｜tool▁sep｜>"],
  closers: DEEPSEEK_CLOSERS,
};

/** Tags of DeepSeek's markup language, in both spellings: V4.1 puts a space before the name. */
function dsml(...tags: readonly string[]): readonly string[] {
  return tags.flatMap((tag) => [tag.replace("|", "｜DSML｜"), tag.replace("|", "｜DSML｜ ")]);
}

const deepseekDsml: TaggedForm = {
  kind: "tagged",
  name: "deepseek-dsml",
  models: "DeepSeek V3.2 (function_calls), V4 (tool_calls), V4.1 (calls, with a space before every tag's name)",
  example:
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  lead: dsml("<|function_calls>", "<|tool_calls>", "<|calls>"),
  open: dsml('<|invoke name="'),
  head: [NAME, '"', ATTRIBUTES, ">"],
  parameter: [{ one: dsml('<|parameter name="') }, KEY, '"', ATTRIBUTES, ">"],
  valueEnd: dsml("</|parameter>"),
  callEnd: dsml("</|invoke>"),
  closers: [...dsml("</|function_calls>", "</|tool_calls>", "</|calls>"), "<｜end▁of▁sentence｜>"],
  lineEnds: "both",
  mayBeJson: true,
};

const kimiK2: NamedForm = {
  kind: "named",
  name: "kimi-k2",
  models: "Kimi K2",
  example:
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
  lead: ["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"],
  open: ["<|tool_call_begin|>"],
  head: [SPACE, NAME, SPACE, "<|tool_call_argument_begin|>"],
  names: "counted",
  closers: ["<|tool_call_end|>", "<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
};

const kimiK3: TaggedForm = {
  kind: "tagged",
  name: "kimi-k3",
  models: "Kimi K3",
  example:
    '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Oslo<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  lead: ["<|open|>tools<|sep|>"],
  open: ['<|open|>call tool="'],
  head: [NAME, '"', ATTRIBUTES, "<|sep|>"],
  parameter: ['<|open|>argument key="', KEY, '"', ATTRIBUTES, "<|sep|>"],
  valueEnd: ["<|close|>argument<|sep|>"],
  callEnd: ["<|close|>call<|sep|>"],
  closers: ["<|close|>tools<|sep|>", "<|close|>message<|sep|>"],
  lineEnds: "none",
};

/** How the arguments of a message to a tool are announced. */
const CONSTRAINT: readonly Step[] = [
  SPACE,
  { maybe: ["<|constrain|>json", "<|constrain|>code", "json", "code"] },
  SPACE,
];
const HARMONY_CLOSERS = ["<|call|>", "<|end|>", "<|return|>"];

const harmony: NamedForm = {
  kind: "named",
  name: "harmony",
  models: "gpt-oss",
  example:
    '<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
  open: [
    "<|start|>assistant<|channel|>commentary to=",
    "<|start|>assistant<|channel|>analysis to=",
    "<|channel|>commentary to=",
    "<|channel|>analysis to=",
  ],
  head: [NAME, ...CONSTRAINT, "<|message|>"],
  names: "addressed",
  closers: HARMONY_CLOSERS,
};

const harmonyRecipient: NamedForm = {
  ...harmony,
  name: "harmony-recipient",
  models: "gpt-oss, the recipient beside the role",
  example:
    '<|start|>assistant to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
  open: ["<|start|>assistant to="],
  head: [NAME, "<|channel|>", { one: ["commentary", "analysis"] }, ...CONSTRAINT, "<|message|>"],
};

const harmonyStripped: NamedForm = {
  kind: "named",
  name: "harmony-stripped",
  models: "gpt-oss, its tokens lost, when the arguments end the message",
  example: 'assistantcommentary to=functions.get_weather json{"city": "Oslo"}',
  last: true,
  open: ["assistantcommentary to=functions.", "commentary to=functions.", "assistant to=functions."],
  head: [NAME, SPACE, { maybe: ["json", "code"] }],
  names: "addressed",
  closers: [],
};

const gemma4: LiteralForm = {
  kind: "literal",
  name: "gemma4",
  models: "Gemma 4",
  example: '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>',
  open: ["<|tool_call>"],
  head: [SPACE, "call:", NAME, SPACE, "{"],
  notation: { quotes: ['<|"|>'], python: false },
  closers: ["<tool_call|>", "<|tool_response>"],
};

const functionGemma: LiteralForm = {
  kind: "literal",
  name: "functiongemma",
  models: "FunctionGemma",
  example: "<start_function_call>call:get_weather{city:<escape>Oslo<escape>}<end_function_call>",
  open: ["<start_function_call>"],
  head: [SPACE, "call:", NAME, SPACE, "{"],
  notation: { quotes: ["<escape>"], python: false },
  closers: ["<end_function_call>", "<start_function_response>"],
};

const granite: DocumentForm = {
  kind: "documents",
  name: "granite",
  models: "Granite 3, Phi-4-mini",
  example: '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
  open: ["<|tool_call|>"],
  closers: ["<|/tool_call|>", "<|end_of_text|>"],
};

const command: DocumentForm = {
  kind: "documents",
  name: "command",
  models: "Command A, North",
  example:
    '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Oslo"}}]<|END_ACTION|>',
  open: ["<|START_ACTION|>"],
  closers: ["<|END_ACTION|>", "<|END_OF_TURN_TOKEN|>"],
};

const muse: TaggedForm = {
  kind: "tagged",
  name: "muse",
  models: "Muse, Glimmer",
  example:
    '<atem:function_calls><atem:invoke name="get_weather"><atem:parameter name="city">Oslo</atem:parameter></atem:invoke></atem:function_calls>',
  lead: ["<atem:function_calls>"],
  open: ['<atem:invoke name="'],
  head: [NAME, '"', ATTRIBUTES, ">"],
  parameter: ['<atem:parameter name="', KEY, '"', ATTRIBUTES, ">"],
  valueEnd: ["</atem:parameter>"],
  callEnd: ["</atem:invoke>"],
  closers: ["</atem:function_calls>", "<|eom|>", "<|eot|>"],
  lineEnds: "both",
};

const internlm: DocumentForm = {
  kind: "documents",
  name: "internlm",
  models: "InternLM 2.5, 3",
  example: '<|action_start|><|plugin|>{"name": "get_weather", "parameters": {"city": "Oslo"}}<|action_end|>',
  open: ["<|action_start|><|plugin|>"],
  closers: ["<|action_end|>", "<|im_end|>"],
};

const bareJson: DocumentForm = {
  kind: "documents",
  name: "json",
  models: "any, when it is the whole message",
  example: '{"name": "get_weather", "arguments": {"city": "Oslo"}}',
  where: "start",
  last: true,
  strict: true,
  open: ["{", "["],
  keepsOpen: true,
  separator: ";",
  closers: [],
};

const fencedJson: DocumentForm = {
  kind: "documents",
  name: "json-fenced",
  models: "any, when it is the whole message",
  example: '```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
  where: "start",
  last: true,
  strict: true,
  open: ["```json"],
  closers: ["```"],
};

/** Every form. Of two that begin alike, the first one that fits is taken. */
export const FORMS: readonly Form[] = [
  hermes,
  qwen3Coder,
  minimaxM2,
  glm,
  minimaxM3,
  llamaJson,
  pythonic,
  lfm2Json,
  olmo3,
  mistralList,
  mistralWithId,
  mistral,
  deepseekV3,
  deepseekV31,
  deepseekDsml,
  kimiK2,
  kimiK3,
  harmony,
  harmonyRecipient,
  harmonyStripped,
  gemma4,
  functionGemma,
  granite,
  command,
  muse,
  internlm,
  bareJson,
  barePythonic,
  fencedJson,
];

/** Tokens that end a turn; behind a call they belong to the markup, in a model's raw output wherever they stand. */
export const END_TOKENS: readonly string[] = [
  "<|im_end|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|eot|>",
  "<|eom|>",
  "<|end|>",
  "<|call|>",
  "<|return|>",
  "<|end_of_text|>",
  "<|endoftext|>",
  "<|END_OF_TURN_TOKEN|>",
  "<｜end▁of▁sentence｜>",
  "<end_of_turn>",
  "<turn|>",
  "</s>",
  "<eos>",
];

/** Thinking and channels. They begin where a message or other markup does. */
export const SPANS: readonly Span[] = [
  { name: "think", open: ["<think>"], close: ["</think>"], holds: "reasoning" },
  { name: "mistral-think", open: ["[THINK]"], close: ["[/THINK]"], holds: "reasoning" },
  { name: "gemma4-thought", open: ["<|channel>thought"], close: ["<channel|>"], holds: "reasoning" },
  { name: "command-thinking", open: ["<|START_THINKING|>"], close: ["<|END_THINKING|>"], holds: "reasoning" },
  {
    name: "command-text",
    open: ["<|START_TEXT|>", "<|START_RESPONSE|>"],
    close: ["<|END_TEXT|>", "<|END_RESPONSE|>"],
    holds: "text",
  },
  { name: "kimi-k3-think", open: ["<|open|>think<|sep|>"], close: ["<|close|>think<|sep|>"], holds: "reasoning" },
  { name: "kimi-k3-response", open: ["<|open|>response<|sep|>"], close: ["<|close|>response<|sep|>"], holds: "text" },
  {
    name: "harmony-analysis",
    open: ["<|start|>assistant<|channel|>analysis<|message|>", "<|channel|>analysis<|message|>"],
    close: ["<|end|>", "<|return|>"],
    holds: "reasoning",
  },
  {
    name: "harmony-final",
    open: [
      "<|start|>assistant<|channel|>final<|message|>",
      "<|start|>assistant<|channel|>commentary<|message|>",
      "<|start|>assistant<|message|>",
      "<|channel|>final<|message|>",
      "<|channel|>commentary<|message|>",
    ],
    close: ["<|end|>", "<|return|>"],
    holds: "text",
  },
  {
    name: "harmony-other",
    open: ["<|start|>"],
    head: [KEY, { maybe: ["<|channel|>commentary", "<|channel|>analysis", "<|channel|>final"] }, "<|message|>"],
    close: ["<|end|>", "<|call|>", "<|return|>"],
    holds: "nothing",
    rawOnly: true,
  },
  // A server that took the beginning of the thinking away may have left its end.
  { name: "think-end", open: ["</think>", "[/THINK]"], close: [], holds: "text" },
  { name: "end", open: END_TOKENS, close: [], holds: "text", rawOnly: true },
];
