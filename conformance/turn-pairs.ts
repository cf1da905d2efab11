// What every vendor asks of a turn beyond the types of its SDK: pairs, unique ids, order, arguments that are objects, names
// and texts that are taken. Owns these rules, one reading a form; throws nothing, says what is wrong.

import type { TurnFormName } from "unbraid/turns";

type Fields = Readonly<Record<string, unknown>>;

/** A call as it stands in an echo. */
interface EchoedCall {
  readonly id: unknown;
  readonly name: unknown;
  /** Undefined for free text and the vendors' own tools. */
  readonly args: unknown;
  readonly kind: string;
}

/** A result as it stands in the message that answers. */
interface EchoedResult {
  readonly id: unknown;
  readonly name: unknown;
  readonly kind: string;
}

interface Reading {
  /** The calls of an echo that want a result. */
  calls(messages: readonly Fields[]): EchoedCall[];
  results(messages: readonly Fields[]): EchoedResult[];
  /** What the vendor wants of names. */
  readonly names: RegExp;
  /** Calls without ids are answered by their names, in order. */
  readonly idsMayMiss?: true;
  /** Messages that the results may take; undefined for one each. */
  readonly oneMessage?: true;
}

const COMMON = /^[a-zA-Z0-9_-]{1,64}$/;

const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const object = (value: unknown): Fields => value as Fields;
/** The value of a JSON text; what is none fails the test. */
const parsed = (text: unknown): unknown => {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const chat: Reading = {
  calls: (messages) =>
    messages
      .flatMap((message) => list(message["tool_calls"]))
      .map((call) => {
        const custom = call["custom"] as Fields | undefined;
        if (custom !== undefined) return { id: call["id"], name: custom["name"], args: undefined, kind: "call" };
        const named = object(call["function"]);
        const text = named["arguments"];
        return {
          id: call["id"],
          name: named["name"],
          args: typeof text === "string" ? parsed(text) : null,
          kind: "call",
        };
      }),
  results: (messages) =>
    messages
      .filter((message) => message["role"] === "tool")
      .map((message) => ({ id: message["tool_call_id"], name: message["name"], kind: "call" })),
  names: COMMON,
};

/** What answers each kind of item on Responses, and by which of its fields. */
const ANSWERS: Readonly<Record<string, readonly [output: string, call: string, result: string]>> = {
  function_call: ["function_call_output", "call_id", "call_id"],
  custom_tool_call: ["custom_tool_call_output", "call_id", "call_id"],
  shell_call: ["shell_call_output", "call_id", "call_id"],
  apply_patch_call: ["apply_patch_call_output", "call_id", "call_id"],
  computer_call: ["computer_call_output", "call_id", "call_id"],
  tool_search_call: ["tool_search_output", "call_id", "call_id"],
  local_shell_call: ["local_shell_call_output", "id", "id"],
  mcp_approval_request: ["mcp_approval_response", "id", "approval_request_id"],
};

/** Items that the vendor runs itself: xAI's tools, searches and shells on the server. */
function isServers(item: Fields): boolean {
  const environment = item["environment"] as Fields | undefined | null;
  return (
    String(item["call_id"]).startsWith("xs_call") ||
    (item["type"] === "tool_search_call" && item["execution"] !== "client") ||
    String(environment?.["type"]).startsWith("container")
  );
}

const responses: Reading = {
  calls: (items) =>
    items
      .filter((item) => Object.hasOwn(ANSWERS, String(item["type"])) && !isServers(item))
      .map((item) => {
        const [kind, id] = ANSWERS[String(item["type"])] ?? ["", ""];
        const isFunction = item["type"] === "function_call";
        return {
          id: item[id],
          name: item["name"] ?? "own",
          args: isFunction ? parsed(item["arguments"]) : undefined,
          kind,
        };
      }),
  results: (items) =>
    items.flatMap((item) => {
      const by = Object.values(ANSWERS).find(([output]) => output === item["type"]);
      return by === undefined ? [] : [{ id: item[by[2]], name: undefined, kind: by[0] }];
    }),
  names: COMMON,
};

/** The items inside the messages of a socket. */
function inside(reading: Reading): Reading {
  const items = (messages: readonly Fields[]): readonly Fields[] => messages.map((message) => object(message["item"]));
  return {
    ...reading,
    calls: (messages) => reading.calls(items(messages)),
    results: (messages) => reading.results(items(messages)),
  };
}

const anthropic: Reading = {
  calls: (messages) =>
    messages
      .flatMap((message) => list(message["content"]))
      .filter((block) => block["type"] === "tool_use")
      .map((block) => ({ id: block["id"], name: block["name"], args: block["input"], kind: "call" })),
  results: (messages) =>
    messages
      .flatMap((message) => list(message["content"]))
      .filter((block) => block["type"] === "tool_result")
      .map((block) => ({ id: block["tool_use_id"], name: undefined, kind: "call" })),
  names: /^[a-zA-Z0-9_-]{1,128}$/,
  oneMessage: true,
};

const geminiNames = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

function geminiOf(
  parts: (message: Fields) => readonly Fields[],
  answers: (message: Fields) => readonly Fields[],
): Reading {
  return {
    calls: (messages) =>
      messages.flatMap(parts).flatMap((part) => {
        const call = part["functionCall"] as Fields | undefined;
        return call === undefined ? [] : [{ id: call["id"], name: call["name"], args: call["args"], kind: "call" }];
      }),
    results: (messages) =>
      messages.flatMap(answers).map((response) => ({ id: response["id"], name: response["name"], kind: "call" })),
    names: geminiNames,
    idsMayMiss: true,
    oneMessage: true,
  };
}

const bedrock: Reading = {
  calls: (messages) =>
    messages
      .flatMap((message) => list(message["content"]))
      .flatMap((block) => {
        const use = block["toolUse"] as Fields | undefined;
        if (use === undefined || use["type"] === "server_tool_use") return [];
        return [{ id: use["toolUseId"], name: use["name"], args: use["input"], kind: "call" }];
      }),
  results: (messages) =>
    messages
      .filter((message) => message["role"] === "user")
      .flatMap((message) => list(message["content"]))
      .flatMap((block) => {
        const result = block["toolResult"] as Fields | undefined;
        return result === undefined ? [] : [{ id: result["toolUseId"], name: undefined, kind: "call" }];
      }),
  names: COMMON,
  oneMessage: true,
};

const typed = (call: string, id: string, result: string, resultId: string, names: RegExp): Reading => ({
  calls: (items) =>
    items
      .filter((item) => item["type"] === call)
      .map((item) => ({ id: item[id], name: item["name"], args: parsed(item["arguments"]), kind: "call" })),
  results: (items) =>
    items
      .filter((item) => item["type"] === result)
      .map((item) => ({ id: item[resultId], name: item["name"], kind: "call" })),
  names,
});

const READINGS: Readonly<Record<TurnFormName, Reading>> = {
  "openai-chat": chat,
  text: chat,
  "bedrock/invoke-openai": chat,
  cohere: chat,
  mistral: chat,
  ollama: {
    calls: (messages) =>
      messages
        .flatMap((message) => list(message["tool_calls"]))
        .map((call) => {
          const named = object(call["function"]);
          return { id: call["id"], name: named["name"], args: named["arguments"], kind: "call" };
        }),
    results: (messages) =>
      messages
        .filter((message) => message["role"] === "tool")
        .map((message) => ({ id: message["tool_call_id"], name: message["tool_name"], kind: "call" })),
    names: /^[^\s\p{Cc}"'<>{}]{1,128}$/u,
    idsMayMiss: true,
  },
  "openai-responses": responses,
  "openai-realtime": inside(responses),
  "openai-realtime/live": inside(responses),
  anthropic,
  "bedrock/invoke-anthropic": anthropic,
  bedrock,
  gemini: geminiOf(
    (message) => list(message["parts"]),
    (message) =>
      list(message["parts"]).flatMap((part) =>
        part["functionResponse"] === undefined ? [] : [object(part["functionResponse"])],
      ),
  ),
  "gemini/live": geminiOf(
    (message) => list(object(message["clientContent"])["turns"]).flatMap((turn) => list(turn["parts"])),
    (message) => list(object(message["toolResponse"] ?? {})["functionResponses"]),
  ),
  "gemini/interactions": typed("function_call", "id", "function_result", "call_id", geminiNames),
  "mistral/conversations": typed("function.call", "tool_call_id", "function.result", "tool_call_id", COMMON),
};

/** One built turn. */
export interface BuiltTurn {
  readonly form: TurnFormName;
  readonly assistant: readonly unknown[];
  readonly results: readonly unknown[];
}

/** Everything that the vendor would refuse of a turn with a result for each call; empty for a sound one. */
export function turnFaults({ form, assistant, results }: BuiltTurn): string[] {
  const reading = READINGS[form];
  const calls = reading.calls(assistant as Fields[]);
  const answers = reading.results(results as Fields[]);
  const faults: string[] = [];
  const ids = calls.map(({ id, kind }) => JSON.stringify([kind, id]));
  if (calls.length !== answers.length) faults.push(`${calls.length} calls, ${answers.length} results`);
  for (const [at, call] of calls.entries()) {
    const answer = answers[at];
    const said = `call ${at} ${JSON.stringify([call.name, call.id])}`;
    if (call.id === undefined ? reading.idsMayMiss !== true : typeof call.id !== "string" || call.id === "")
      faults.push(`${said}: its id is none`);
    if (call.id !== undefined && ids.indexOf(JSON.stringify([call.kind, call.id])) !== at)
      faults.push(`${said}: its id comes twice`);
    if (typeof call.name !== "string" || !reading.names.test(call.name)) faults.push(`${said}: its name is refused`);
    if (call.args !== undefined && !isObject(call.args)) faults.push(`${said}: its arguments are no object`);
    if (answer === undefined) continue;
    if (answer.id !== call.id || answer.kind !== call.kind || (answer.name ?? call.name) !== call.name)
      faults.push(`${said}: answered by ${JSON.stringify(answer)}`);
  }
  if (reading.oneMessage === true && results.length > 1) faults.push(`the results are ${results.length} messages`);
  faults.push(...blankTexts(form, assistant), ...blankTexts(form, results));
  for (const message of [...assistant, ...results]) {
    if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(message))) faults.push("half a surrogate pair stands alone");
  }
  return faults;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Anthropic and Bedrock refuse texts without a word, and answers that end with thinking. */
function blankTexts(form: TurnFormName, messages: readonly unknown[]): string[] {
  if (!/anthropic|^bedrock$/.test(form)) return [];
  return (messages as Fields[]).flatMap((message) => {
    const blocks = list(message["content"]);
    const blank = blocks.some((block) => typeof block["text"] === "string" && block["text"].trim() === "");
    const last = blocks.at(-1);
    const thinks = last?.["reasoningContent"] !== undefined || String(last?.["type"]).endsWith("thinking");
    return [
      ...(blocks.length === 0 ? ["a message without content"] : []),
      ...(blank ? ["a blank text"] : []),
      ...(thinks ? ["it ends with thinking"] : []),
    ];
  });
}
