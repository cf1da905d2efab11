// Writes calls in the exact spelling of each form, as the models' templates do: the other half of the table, made without
// it. Also what the arguments must come out as.

/** A call to write. */
export interface Written {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One form. */
export interface Writer {
  readonly form: string;
  /** Several calls as one message holds them. */
  write(calls: readonly Written[]): string;
  /** The argument text that must come out; by default JSON without spaces. */
  argumentsText?(args: Readonly<Record<string, unknown>>): string;
  /** The ids that must come out, where the form has any. */
  id?(call: Written, index: number): string;
  /** It is read only as the whole message. */
  readonly wholeMessage?: true;
  /** The form holds one call only. */
  readonly single?: true;
  /** Texts that a value of this form cannot hold. */
  readonly cannotHold?: readonly string[];
}

/** JSON as Python writes it: a space behind each comma and colon. */
export function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, of]) => `${JSON.stringify(key)}: ${spaced(of)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

/** A Python literal. */
function python(value: unknown): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") {
    const text = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("'", "\\'");
    return `'${text}'`;
  }
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, of]) => `${python(key)}: ${python(of)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

/** A value in Gemma's notation. */
function gemma(value: unknown, quote: string): string {
  if (typeof value === "string") return quote + value + quote;
  if (Array.isArray(value)) return `[${value.map((of) => gemma(of, quote)).join(",")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, of]) => `${key}:${gemma(of, quote)}`)
      .join(",")}}`;
  return String(value);
}

/** A value as bare text between tags. */
function bare(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function members(args: Readonly<Record<string, unknown>>, write: (key: string, value: unknown) => string): string {
  return Object.entries(args)
    .map(([key, value]) => write(key, value))
    .join("");
}

/** One JSON object that names the tool. */
function document({ name, args }: Written, argsKey = "arguments"): string {
  return `{"name": "${name}", "${argsKey}": ${spaced(args)}}`;
}

const keywords = (args: Readonly<Record<string, unknown>>): string =>
  Object.entries(args)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(", ");

const M3 = "]<]minimax[>[";

function m3(key: string, value: unknown): string {
  if (Array.isArray(value)) return `${M3}<${key}>${value.map((of) => m3("item", of)).join("")}${M3}</${key}>`;
  if (typeof value === "object" && value !== null) return `${M3}<${key}>${members(value as never, m3)}${M3}</${key}>`;
  return `${M3}<${key}>${bare(value)}${M3}</${key}>`;
}

const dsml =
  (block: string, space: string) =>
  (calls: readonly Written[]): string => {
    const tag = (name: string): string => `｜DSML｜${space}${name}`;
    const one = ({ name, args }: Written): string =>
      `<${tag("invoke")} name="${name}">\n${members(
        args,
        (key, value) =>
          `<${tag("parameter")} name="${key}" string="${typeof value === "string"}">${bare(value)}</${tag("parameter")}>\n`,
      )}</${tag("invoke")}>\n`;
    return `<${tag(block)}>\n${calls.map(one).join("")}</${tag(block)}>`;
  };

export const WRITERS: readonly Writer[] = [
  {
    form: "hermes",
    write: (calls) => calls.map((call) => `<tool_call>\n${document(call)}\n</tool_call>`).join("\n"),
    argumentsText: spaced,
  },
  {
    form: "hermes",
    write: (calls) => `<tool_call>[${calls.map((call) => document(call)).join(", ")}]</tool_call>`,
    argumentsText: spaced,
  },
  {
    form: "qwen3-coder",
    write: (calls) =>
      calls
        .map(
          ({ name, args }) =>
            `<tool_call>\n<function=${name}>\n${members(args, (key, value) => `<parameter=${key}>\n${bare(value)}\n</parameter>\n`)}</function>\n</tool_call>`,
        )
        .join("\n"),
  },
  {
    form: "qwen3-coder",
    write: (calls) =>
      calls
        .map(
          ({ name, args }) =>
            `<function=${name}>\n${members(args, (key, value) => `<parameter=${key}>\n${bare(value)}\n</parameter>\n`)}</function>\n</tool_call>`,
        )
        .join("\n"),
  },
  {
    form: "minimax-m2",
    write: (calls) =>
      `<minimax:tool_call>\n${calls
        .map(
          ({ name, args }) =>
            `<invoke name="${name}">\n${members(args, (key, value) => `<parameter name="${key}">${bare(value)}</parameter>\n`)}</invoke>\n`,
        )
        .join("")}</minimax:tool_call>`,
  },
  {
    form: "minimax-m3",
    write: (calls) =>
      `${M3}<tool_call>\n${calls
        .map(({ name, args }) => `${M3}<invoke name="${name}">${members(args, m3)}${M3}</invoke>\n`)
        .join("")}${M3}</tool_call>`,
  },
  {
    form: "glm",
    write: (calls) =>
      calls
        .map(({ name, args }) =>
          Object.keys(args).length === 0
            ? `<tool_call>${name}</tool_call>`
            : `<tool_call>${name}\n${members(args, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${bare(value)}</arg_value>\n`)}</tool_call>`,
        )
        .join("\n"),
  },
  {
    form: "llama-json",
    write: (calls) => `<|python_tag|>${calls.map((call) => document(call, "parameters")).join("; ")}<|eom_id|>`,
    argumentsText: spaced,
  },
  {
    form: "pythonic",
    write: (calls) =>
      `<|python_start|>[${calls.map(({ name, args }) => `${name}(${keywords(args)})`).join(", ")}]<|python_end|>`,
  },
  {
    form: "pythonic",
    write: (calls) =>
      `<|tool_call_start|>[${calls.map(({ name, args }) => `${name}(${keywords(args)})`).join(", ")}]<|tool_call_end|>`,
  },
  {
    form: "pythonic-bare",
    write: (calls) => `[${calls.map(({ name, args }) => `${name}(${keywords(args)})`).join(", ")}]`,
    wholeMessage: true,
  },
  {
    form: "lfm2-json",
    write: (calls) => `<|tool_call_start|>[${calls.map((call) => document(call)).join(", ")}]<|tool_call_end|>`,
    argumentsText: spaced,
  },
  {
    form: "olmo3",
    write: (calls) =>
      `<function_calls>\n${calls.map(({ name, args }) => `${name}(${keywords(args)})`).join("\n")}\n</function_calls>`,
  },
  {
    form: "mistral-list",
    write: (calls) => `[TOOL_CALLS] [${calls.map((call) => document(call)).join(", ")}]`,
    argumentsText: spaced,
  },
  {
    form: "mistral",
    write: (calls) => calls.map(({ name, args }) => `[TOOL_CALLS]${name}[ARGS]${spaced(args)}`).join(""),
    argumentsText: spaced,
  },
  {
    form: "mistral-id",
    write: (calls) =>
      calls.map(({ name, args }, i) => `[TOOL_CALLS]${name}[CALL_ID]a1b2c3d4${i}[ARGS]${spaced(args)}`).join(""),
    argumentsText: spaced,
    id: (_, i) => `a1b2c3d4${i}`,
  },
  {
    form: "deepseek-v3",
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map(
          ({ name, args }) =>
            `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${spaced(args)}\n\`\`\`<｜tool▁call▁end｜>`,
        )
        .join("\n")}<｜tool▁calls▁end｜>`,
    argumentsText: spaced,
  },
  {
    form: "deepseek-v3.1",
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map(({ name, args }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${spaced(args)}<｜tool▁call▁end｜>`)
        .join("")}<｜tool▁calls▁end｜>`,
    argumentsText: spaced,
  },
  { form: "deepseek-dsml", write: dsml("function_calls", "") },
  { form: "deepseek-dsml", write: dsml("tool_calls", "") },
  { form: "deepseek-dsml", write: dsml("calls", " ") },
  {
    form: "kimi-k2",
    write: (calls) =>
      `<|tool_calls_section_begin|>${calls
        .map(
          ({ name, args }, i) =>
            `<|tool_call_begin|>functions.${name}:${i}<|tool_call_argument_begin|>${spaced(args)}<|tool_call_end|>`,
        )
        .join("")}<|tool_calls_section_end|>`,
    argumentsText: spaced,
    id: ({ name }, i) => `functions.${name}:${i}`,
  },
  {
    form: "kimi-k2",
    write: (calls) =>
      `<|tool_call_section_begin|>\n${calls
        .map(
          ({ name, args }, i) =>
            `<|tool_call_begin|>functions_${name}_${i}<|tool_call_argument_begin|>${spaced(args)}<|tool_call_end|>\n`,
        )
        .join("")}`,
    argumentsText: spaced,
    id: ({ name }, i) => `functions_${name}_${i}`,
  },
  {
    form: "kimi-k3",
    write: (calls) =>
      `<|open|>tools<|sep|>${calls
        .map(
          ({ name, args }, i) =>
            `<|open|>call tool="${name}" index="${i + 1}"<|sep|>${members(
              args,
              (key, value) =>
                `<|open|>argument key="${key}" type="${value === null ? "null" : typeof value}"<|sep|>${bare(value)}<|close|>argument<|sep|>`,
            )}<|close|>call<|sep|>`,
        )
        .join("")}<|close|>tools<|sep|>`,
  },
  {
    form: "harmony",
    write: (calls) =>
      calls
        .map(
          ({ name, args }) =>
            `<|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(args)}<|call|>`,
        )
        .join(""),
  },
  {
    form: "harmony",
    write: (calls) =>
      calls
        .map(
          ({ name, args }) =>
            `<|channel|>commentary to=functions.${name} json<|message|>${JSON.stringify(args)}<|call|>`,
        )
        .join("<|start|>assistant"),
  },
  {
    form: "harmony-recipient",
    write: (calls) =>
      calls
        .map(
          ({ name, args }) =>
            `<|start|>assistant to=functions.${name}<|channel|>commentary <|constrain|>json<|message|>${JSON.stringify(args)}<|call|>`,
        )
        .join(""),
  },
  {
    form: "harmony-stripped",
    write: ([call]) =>
      call === undefined ? "" : `assistantcommentary to=functions.${call.name} json${JSON.stringify(call.args)}`,
    wholeMessage: true,
    single: true,
  },
  {
    form: "gemma4",
    write: (calls) =>
      calls
        .map(
          ({ name, args }) =>
            `<|tool_call>call:${name}{${Object.entries(args)
              .map(([key, value]) => `${key}:${gemma(value, '<|"|>')}`)
              .join(",")}}<tool_call|>`,
        )
        .join(""),
    cannotHold: ['<|"|>'],
  },
  {
    form: "functiongemma",
    write: (calls) =>
      calls
        .map(
          ({ name, args }) =>
            `<start_function_call>call:${name}{${Object.entries(args)
              .map(([key, value]) => `${key}:${gemma(value, "<escape>")}`)
              .join(",")}}<end_function_call>`,
        )
        .join(""),
    cannotHold: ["<escape>"],
  },
  {
    form: "granite",
    write: (calls) => `<|tool_call|>[${calls.map((call) => document(call)).join(", ")}]`,
    argumentsText: spaced,
  },
  {
    form: "command",
    write: (calls) =>
      `<|START_ACTION|>[\n${calls
        .map(
          ({ name, args }, i) => `    {"tool_call_id": "${i}", "tool_name": "${name}", "parameters": ${spaced(args)}}`,
        )
        .join(",\n")}\n]<|END_ACTION|>`,
    argumentsText: spaced,
    id: (_, i) => String(i),
  },
  {
    form: "muse",
    write: (calls) =>
      calls
        .map(
          ({ name, args }) =>
            `<atem:function_calls>\n<atem:invoke name="${name}">\n${members(args, (key, value) => `<atem:parameter name="${key}">${bare(value)}</atem:parameter>\n`)}</atem:invoke>\n</atem:function_calls>`,
        )
        .join("\n"),
  },
  {
    form: "internlm",
    write: (calls) =>
      calls.map((call) => `<|action_start|><|plugin|>\n${document(call, "parameters")}<|action_end|>`).join("\n"),
    argumentsText: spaced,
  },
  {
    form: "json",
    write: (calls) => calls.map((call) => document(call)).join("; "),
    argumentsText: spaced,
    wholeMessage: true,
  },
  {
    form: "json",
    write: (calls) => `[${calls.map((call) => document(call, "parameters")).join(", ")}]`,
    argumentsText: spaced,
    wholeMessage: true,
  },
  {
    form: "json-fenced",
    write: (calls) =>
      `\`\`\`json\n${calls.length === 1 ? document(calls[0] as Written) : `[${calls.map((call) => document(call)).join(", ")}]`}\n\`\`\``,
    argumentsText: spaced,
    wholeMessage: true,
  },
];

/** Calls whose arguments hold what readers of markup trip over. */
export const AWKWARD: readonly Written[] = [
  { name: "get_weather", args: { city: "Oslo" } },
  { name: "list_items", args: {} },
  { name: "write_file", args: { path: "q.txt", content: `say "hi" and 'bye', \\ done \\n, {ok} [x] (y)` } },
  {
    name: "write_file",
    args: { path: "n.md", content: "line 1\nline 2\n\n  line 4: `code`\n```js\nlet a;\n```\nend" },
  },
  { name: "get_weather", args: { city: "Zürich 東京 🌧️ é\u2028Ω" } },
  { name: "get_weather", args: { city: "Bergen", days: 3, unit: null, detailed: true } },
  { name: "get_weather", args: { city: "Rome", unit: "celsius", detailed: false } },
  {
    name: "search",
    args: { query: "a < b && c > d <|x|>", limit: 2.5, filter: { tags: ["x", "y,z"], deep: { n: 1.5 } } },
  },
  { name: "write_file", args: { path: "j.json", content: '{"a": [1, 2], "b": null}' } },
  { name: "write_file", args: { path: "5", content: "true" } },
  {
    name: "write_file",
    args: { path: "c.md", content: 'x <tool_call>{"name": "get_weather", "arguments": {}}</tool_call> y' },
  },
  { name: "write_file", args: { path: "e", content: "" } },
];
