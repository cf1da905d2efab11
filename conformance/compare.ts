// Bodies with right answers, and what a reader makes of them compared with these. Owns the comparison; see README.md for
// what each field of an answer means.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  Collector,
  createReader,
  runnable,
  type Collected,
  type DeclaredTool,
  type Limits,
  type NoticeCode,
  type StreamEvent,
} from "unbraid";
import { rescue } from "unbraid/rescue";

/** The wires that these tests read. */
export const PROTOCOLS = [
  "openai-chat",
  "openai-responses",
  "openai-realtime",
  "anthropic",
  "gemini",
  "bedrock",
  "cohere",
  "mistral",
  "ollama",
] as const;
export type Tested = (typeof PROTOCOLS)[number] | "text";

interface ExpectedCall {
  readonly id?: string | null;
  readonly idSynthesized?: boolean;
  readonly name: string;
  readonly kind?: string;
  readonly choice?: number;
  readonly argumentsText?: string | null;
  readonly arguments?: unknown;
  readonly status?: string;
  readonly repair?: { readonly argumentsText: string; readonly arguments: unknown } | null;
  /** Recordings only. */
  readonly complete?: boolean;
  readonly providerExecuted?: boolean;
  readonly argumentsOmitted?: boolean;
  readonly lossyNumbers?: boolean;
}

/** A right answer. */
interface Expected {
  readonly id?: string;
  readonly kind?: string;
  readonly variant?: string;
  readonly protocol?: string;
  readonly notes?: string;
  readonly calls: readonly ExpectedCall[];
  readonly dropped?: readonly { readonly id?: string; readonly argumentsText?: string; readonly reason: string }[];
  readonly finish?: string | null;
  readonly rawFinish?: string | null;
  readonly content?: string;
  readonly reasoning?: string;
  readonly error?: { readonly code?: string | number; readonly message?: string } | null;
  readonly dispatch?: readonly string[];
  /** What the answers to calls that do not run must say. */
  readonly corrective?: readonly { readonly id: string; readonly isError: boolean; readonly mustQuote: string }[];
  /** A value of each result's call, in the order in which the results must go back. */
  readonly resultOrder?: readonly string[];
  readonly notices?: readonly string[];
  readonly events?: readonly string[];
  readonly splits?: readonly number[] | string;
  readonly limits?: Partial<Limits>;
  readonly tools?: boolean;
  readonly second?: Expected;
  /** Recordings only: who says so. */
  readonly oracle?: string;
}

/** A body and its answer. */
export interface Case {
  readonly name: string;
  readonly protocol: Tested;
  readonly bytes: Uint8Array;
  readonly expected: Expected;
  readonly tools: readonly (DeclaredTool & { readonly parameters?: Schema })[] | undefined;
}

/** The small part of JSON Schema that tools.json uses. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
}

const BODY =
  /^(?<name>.+?)\.(?<protocol>openai-chat|openai-responses|openai-realtime|anthropic|gemini|bedrock|cohere|mistral|ollama|text)\.(?:(?<part>\d+)\.)?(?:sse|ndjson|json|eventstream|txt|body)$/;

/** The composed cases of a folder that are of a protocol which is tested here. */
export function composedCases(folder: string): Case[] {
  const declared = existsSync(join(folder, "tools.json"))
    ? (read(join(folder, "tools.json")) as Case["tools"])
    : undefined;
  const files = readdirSync(folder).toSorted();
  const bodies = new Set(files.map((file) => BODY.exec(file)?.groups?.["name"]));
  for (const file of files) {
    const [, name] = /^(.+)\.expected\.json$/.exec(file) ?? [];
    if (name !== undefined && !bodies.has(name))
      throw new Error(`${file}: there is no body ${name}.<protocol>.<ending>`);
  }
  return files.flatMap((file) => {
    const found = BODY.exec(file)?.groups;
    // A body whose name is misspelt would never be read.
    if (found === undefined && !/\.expected\.json$|^tools\.json$|\.md$|\.ts$/.test(file)) {
      throw new Error(`${file}: no protocol and ending of a body; see conformance/README.md`);
    }
    if (found === undefined) return [];
    const first = answerIn(folder, found["name"] ?? "");
    const expected = found["part"] === "2" ? { ...first.second, tools: first.tools, dropped: [], notices: [] } : first;
    return [
      {
        name: file,
        protocol: found["protocol"] as Tested,
        bytes: readFileSync(join(folder, file)),
        expected: expected as Expected,
        tools: expected.tools === false ? undefined : declared,
      },
    ];
  });
}

/** The recordings of a folder, of the protocols that are tested here. */
export function recordings(folder: string): Case[] {
  return PROTOCOLS.flatMap((protocol) =>
    readdirSync(join(folder, protocol))
      .toSorted()
      .filter((file) => file.endsWith(".expected.json"))
      .map((file) => {
        const body = join(folder, protocol, file.slice(0, -".expected.json".length));
        return {
          name: `${protocol}/${basename(body)}`,
          protocol,
          bytes: readFileSync(body),
          expected: read(join(folder, protocol, file)) as Expected,
          tools: undefined,
        };
      }),
  );
}

/** A case's answer, with words for what is commonly forgotten in one. */
function answerIn(folder: string, name: string): Expected {
  const file = `${name}.expected.json`;
  if (!existsSync(join(folder, file))) throw new Error(`${file} is missing beside the body of ${name}`);
  const answer = read(join(folder, file)) as Partial<Expected>;
  if (!Array.isArray(answer.calls)) throw new Error(`${file}: "calls" must be a list, empty where there is no call`);
  return answer as Expected;
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${basename(path)}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Everything that a reader says of a case, its bytes cut into pieces that end at these offsets. */
export function eventsOf(one: Case, cuts: Iterable<number> = []): StreamEvent[] {
  const { tools, expected, protocol, bytes } = one;
  const reader = createReader({
    protocol,
    ...(tools === undefined ? {} : { tools }),
    rescue,
    ...(expected.limits === undefined ? {} : { limits: expected.limits }),
  });
  const events: StreamEvent[] = [];
  let from = 0;
  for (const to of cuts) {
    events.push(...reader.push(bytes.subarray(from, to)));
    from = to;
  }
  events.push(...reader.push(bytes.subarray(from)), ...reader.end());
  return events;
}

/** Folds events. */
export function answerOf(events: Iterable<StreamEvent>): Collected {
  const collector = new Collector();
  for (const event of events) collector.add(event);
  return collector.result;
}

/** Offsets that cut a body every `size` bytes. */
export function every(size: number, length: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil(length / size) - 1) }, (_, i) => (i + 1) * size);
}

/** Offsets that cut a body at random, many of them close together. */
export function atRandom(seed: number, length: number): number[] {
  const cuts: number[] = [];
  let state = seed;
  for (let at = 0; ;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    at += 1 + Math.floor((state / 0x7fff_ffff) ** 4 * 300);
    if (at >= length) return cuts;
    cuts.push(at);
  }
}

/** Kinds whose names and texts have one spelling; what a vendor's own tool was given has none. */
const EXACT = new Set(["function", "custom", "mcp"]);

/** The words in which the answers ask for a notice, and the codes of this library that say it. */
const NOTICES: Readonly<Record<string, readonly NoticeCode[]>> = {
  "argument-limit": ["limit"],
  "control-character": ["malformed-arguments"],
  "final-disagrees-with-deltas": ["final-disagrees"],
  "glued-values": ["malformed-arguments"],
  "index-drift": ["index-drift", "identity-guessed"],
  "invalid-escape": ["malformed-arguments"],
  "item-id-unstable": ["id-changed"],
  "json-syntax": ["malformed-arguments"],
  "markdown-fence": ["malformed-arguments"],
  "missing-block-stop": ["missing-close"],
  "missing-message-start": ["missing-start"],
  "nameless-update": ["placeholder-arguments", "final-disagrees"],
  "not-an-object": ["malformed-arguments"],
  "trailing-data": ["malformed-arguments", "control-token-after-arguments"],
  "unparseable-frame": ["non-json-frame", "cut-frame"],
};

/**
 * Words in the answers that ask for no notice of ours: a first index of 1 is legal, so is whole input at the start of a
 * block, an error in the stream has an event of its own, and a word that stands for no id says nothing.
 */
const NO_NOTICE = new Set(["index-sparse", "input-in-start", "stream-error", "placeholder-id"]);

/** Every difference between what was expected and what was read, in words; empty when the answer is right. */
export function differences(one: Case, got: Collected, events: readonly StreamEvent[]): string[] {
  const { expected } = one;
  const found: string[] = [];
  const check = (what: string, have: unknown, want: unknown): void => {
    if (canonical(have) !== canonical(want)) found.push(`${what} ${short(have)}, expected ${short(want)}`);
  };
  const calls = comparedCalls(one, got);
  if (expected.calls.length !== got.calls.length) {
    found.push(
      `${got.calls.length} calls, expected ${expected.calls.length}: ${got.calls.map((call) => `${call.name}(${call.argumentsText}) ${call.status}`).join("; ")}`,
    );
    return found;
  }
  for (const { what, have, want } of calls) check(what, have, want);

  const ids = got.calls.map((call) => `${call.choice} ${call.id}`);
  if (new Set(ids).size !== ids.length) found.push(`ids are not unique: ${ids.join(", ")}`);

  for (const { what, have, want } of ending(one, got)) check(what, have, want);
  if (typeof expected.content === "string") check("text", got.text, expected.content);
  if (typeof expected.reasoning === "string") check("reasoning", got.reasoning, expected.reasoning);
  if (isGiven(expected.error)) {
    if (got.error === null) found.push("the error inside the stream was not reported");
    else if (expected.error.code !== undefined)
      check("error code", String(got.error.code), String(expected.error.code));
    if (expected.error.message !== undefined) check("error message", got.error?.message, expected.error.message);
  }
  found.push(...droppedDifferences(expected, got), ...noticeDifferences(one, got));
  if (expected.events !== undefined) check("events", order(events), expected.events);
  return found;
}

interface Comparison {
  readonly what: string;
  readonly have: unknown;
  readonly want: unknown;
}

function comparedCalls({ expected }: Case, got: Collected): Comparison[] {
  const recorded = expected.oracle !== undefined;
  return expected.calls.flatMap((want, at) => {
    const have = got.calls[at];
    if (have === undefined) return [];
    const compared: Comparison[] = [];
    const add = (what: string, mine: unknown, right: unknown): number =>
      compared.push({ what: `call ${at}: ${what}`, have: mine, want: right });
    const kind = (want.kind ?? (want.providerExecuted === true ? "server" : "function"))
      .replace("client_builtin", "builtin")
      .replace("_", "-");
    add("kind", have.kind, kind);
    if (!isGiven(want.id) || want.idSynthesized === true) add("made id", have.madeId, true);
    else add("id", have.id, want.id);
    if (isGiven(want.choice)) add("choice", have.choice, want.choice);
    if (!EXACT.has(kind)) return compared;
    add("name", have.name, want.name);
    const status = recorded ? (want.complete === false ? "truncated" : "complete") : want.status;
    add("status", have.status, status);
    if (status !== "complete") add("arguments of a call that is not complete", have.arguments, null);
    const compareText =
      isGiven(want.argumentsText) && want.argumentsOmitted !== true && !(recorded && want.argumentsText === "");
    if (compareText) add("argumentsText", have.argumentsText.trim(), want.argumentsText?.trim());
    if (isGiven(want.arguments) && want.lossyNumbers !== true) add("arguments", have.arguments, want.arguments);
    if (want.repair === null) add("repair", have.repair ?? null, null);
    if (isGiven(want.repair)) {
      add("repaired argumentsText", have.repair?.argumentsText, want.repair.argumentsText);
      add("repaired arguments", have.repair?.arguments, want.repair.arguments);
    }
    return compared;
  });
}

/** How the response ended, and what may run. */
function ending(one: Case, got: Collected): Comparison[] {
  const { expected, tools } = one;
  const recorded = expected.oracle !== undefined;
  const compared: Comparison[] = [];
  const raw = recorded ? expected.finish : expected.rawFinish;
  if (raw !== undefined && !(recorded && raw === null))
    compared.push({ what: "rawFinish", have: got.rawFinish, want: raw });
  const finish = recorded ? normalised(one) : expected.finish;
  if (finish !== undefined) compared.push({ what: "finish", have: got.finish, want: finish });
  if (!recorded)
    compared.push({
      what: "runnable",
      have: mayRun(got, tools).toSorted(),
      want: shouldRun(expected, got, tools).toSorted(),
    });
  return compared;
}

/** The normalised finish of a recording's own word; undefined where it does not say. */
function normalised({ expected, protocol }: Case): string | undefined {
  if (isGiven(expected.error) || expected.calls.some((call) => call.kind === "mcp_approval")) return undefined;
  // A session's word is that of its last response, and its calls are those of all.
  if (protocol === "openai-realtime") return undefined;
  const ended = expected.calls.some(isClientCall) ? "tool_calls" : "stop";
  const words: Record<string, string> = {
    length: "length",
    max_tokens: "length",
    MAX_TOKENS: "length",
    incomplete: "length",
    error: "error",
  };
  for (const word of ["tool_calls", "tool_use", "function_call", "TOOL_CALL", "stop", "end_turn", "STOP", "completed"])
    words[word] = ended;
  return words[String(expected.finish)];
}

function isClientCall(call: ExpectedCall): boolean {
  return (
    ["function", "custom", "builtin", "client_builtin"].includes(call.kind ?? "function") &&
    call.providerExecuted !== true
  );
}

/** What the library lets run; whether arguments fit a schema it leaves to the harness, so that is looked at here. */
function mayRun(got: Collected, tools: Case["tools"]): string[] {
  return runnable(got).filter((id) => {
    const call = got.calls.find((each) => each.id === id);
    return tools === undefined || call === undefined || fitsTools(tools, call.name, call.arguments);
  });
}

/** The ids of the calls that may run, by the right answer. */
export function shouldRun(expected: Expected, got: Collected, tools: Case["tools"]): string[] {
  if (expected.dispatch !== undefined) return [...expected.dispatch];
  if (expected.finish !== "tool_calls") return [];
  return expected.calls.flatMap((call, at) =>
    isClientCall(call) &&
    call.status === "complete" &&
    (tools === undefined || fitsTools(tools, call.name, call.arguments))
      ? [got.calls[at]?.id ?? ""]
      : [],
  );
}

function fitsTools(tools: NonNullable<Case["tools"]>, name: string, values: unknown): boolean {
  const tool = tools.find((each) => each.name === name);
  return tool !== undefined && fits(tool.parameters ?? {}, values);
}

function fits(schema: Schema, value: unknown): boolean {
  const type =
    value === null ? "null" : Array.isArray(value) ? "array" : Number.isInteger(value) ? "integer" : typeof value;
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.includes(type) && !(type === "integer" && types.includes("number"))) return false;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (Array.isArray(value)) return value.every((item) => fits(schema.items ?? {}, item));
  if (typeof value !== "object" || value === null) return true;
  return (
    (schema.required ?? []).every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, item]) => fits(schema.properties?.[key] ?? {}, item))
  );
}

function droppedDifferences(expected: Expected, got: Collected): string[] {
  return (expected.dropped ?? []).flatMap((want) => {
    const held = got.dropped.some(
      (have) =>
        (want.id === undefined || want.id === null || have.id === want.id) &&
        (want.argumentsText === undefined || have.argumentsText?.trim() === want.argumentsText.trim()),
    );
    return held || (!isGiven(want.id) && got.dropped.length + got.notices.length > 0)
      ? []
      : [`${want.id ?? "something"} was dropped (${want.reason}) and is not in 'dropped'`];
  });
}

function noticeDifferences({ expected, tools }: Case, got: Collected): string[] {
  return (expected.notices ?? []).flatMap((word) => {
    // Where no tools are declared, none is unknown.
    if (NO_NOTICE.has(word) || (word === "unknown-tool" && tools === undefined)) return [];
    const codes = NOTICES[word] ?? [word as NoticeCode];
    return got.notices.some((notice) => codes.includes(notice.code))
      ? []
      : [
          `no notice for "${word}" (${codes.join(" or ")}); said: ${got.notices.map((notice) => notice.code).join(", ")}`,
        ];
  });
}

/** `start:id`, `append:id`, …, appends side by side as one. */
function order(events: readonly StreamEvent[]): string[] {
  const words = events.flatMap((event) =>
    event.type.startsWith("call.") && "call" in event && typeof event.call === "object"
      ? [`${event.type.slice(5)}:${event.call.id}`]
      : [],
  );
  return words.filter((word, at) => word !== words[at - 1] || !word.startsWith("append"));
}

/** Whether an answer says anything in a field. */
function isGiven<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()}}`;
  }
  return JSON.stringify(value) ?? "undefined";
}

function short(value: unknown): string {
  const text = canonical(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
