// The bodies to judge by, and what should run of each. Owns the choice of cases and the reading of the two kinds of
// answer (composed cases in conformance/cases, recordings in shared/conformance/corpus where that folder is there).

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filledIn } from "./filled-in.ts";
import { WIRES, type Tool, type Wire } from "./peer.ts";

/** A call that the right answer names. */
export interface ExpectedCall {
  /** Null where the wire gave none, or the same one twice: any will do. */
  readonly id: string | null;
  readonly name: string;
  readonly text: string;
  readonly value: unknown;
  readonly status: "complete" | "truncated" | "malformed";
  /** Numbers that no JSON parser of this platform keeps: the value is not compared. */
  readonly lossy?: true;
}

/** One body and its right answer. */
export interface Case {
  readonly id: string;
  readonly wire: Wire;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly tools: readonly Tool[];
  readonly calls: readonly ExpectedCall[];
  /** The calls that may run, in order. */
  readonly toRun: readonly ExpectedCall[];
  /** Whether throwing is right: the response failed or was cut off, and nothing may run. */
  readonly mayThrow: boolean;
}

interface WireCall {
  readonly id?: string | null;
  readonly idSynthesized?: boolean;
  readonly name?: string;
  readonly kind?: string;
  readonly providerExecuted?: boolean;
  readonly argumentsText?: string;
  readonly arguments?: unknown;
  readonly status?: ExpectedCall["status"];
  readonly complete?: boolean;
  readonly lossyNumbers?: boolean;
}

interface Answer {
  readonly protocol?: string;
  readonly kind?: string;
  readonly calls: readonly WireCall[];
  readonly dispatch?: readonly string[];
  readonly finish: string | null;
  readonly tools?: boolean;
}

/** Families that ask for calls out of text, which is another task than reading a stream. */
const OTHER_TASK = new Set(["text-leak", "reasoning"]);

/** Bodies that some of the readers could not have asked for. */
const NEVER_ASKED = new Map([
  ["C190", "two choices: most readers cannot ask for more than one"],
  ["H062", "a JSON array: Google's SDK and all others ask for server-sent events"],
  ["H063", "Gemini's Interactions API, another endpoint"],
]);

const TYPES: Readonly<Record<string, string>> = {
  sse: "text/event-stream",
  ndjson: "application/x-ndjson",
  txt: "application/json",
};

const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** The composed cases. */
export function composedCases(folder: string): Case[] {
  const declared = json(join(folder, "tools.json")) as Tool[];
  const names = readdirSync(folder);
  return names
    .filter((name) => name.endsWith(".expected.json"))
    .flatMap((name) => {
      const id = name.slice(0, 4);
      const answer = json(join(folder, name)) as Answer;
      const body = names.find(
        (each) => each.startsWith(`${id}.${answer.protocol}.`) && /^\w+\.[\w-]+\.\w+$/.test(each),
      );
      if (body === undefined || !isWire(answer.protocol)) return [];
      if (OTHER_TASK.has(answer.kind ?? "") || NEVER_ASKED.has(id)) return [];
      const tools = answer.tools === false ? [] : declared;
      const calls = answer.calls.map(expectedCall);
      const mayRun = (call: WireCall): boolean =>
        answer.dispatch ? answer.dispatch.includes(call.id ?? "") : answer.finish === "tool_calls";
      return {
        id,
        wire: answer.protocol,
        bytes: filledIn(readFileSync(join(folder, body)), answer.protocol),
        contentType: TYPES[body.split(".").at(-1) ?? ""] ?? "text/event-stream",
        tools: withNames(tools, calls),
        ...judged(calls, (at) => mayRun(answer.calls[at] ?? {}) && fits(answer.calls[at] ?? {}, tools), answer.finish),
      };
    });
}

/** The recordings that hold calls of the client's own functions; empty where the folder is missing. */
export function recordings(folder: string): Case[] {
  return WIRES.filter((wire) => existsSync(join(folder, wire))).flatMap((wire) =>
    readdirSync(join(folder, wire))
      .filter((name) => name.endsWith(".sse.expected.json"))
      .flatMap((name) => {
        const answer = json(join(folder, wire, name)) as Answer;
        const own = answer.calls.filter(isClients);
        const finish = RECORDED_FINISH[answer.finish ?? ""];
        if (finish === undefined || own.length === 0 || own.some(({ kind }) => kind !== "function")) return [];
        const calls = own.map(expectedCall);
        return {
          id: `${wire}/${basename(name, ".sse.expected.json")}`,
          wire,
          bytes: readFileSync(join(folder, wire, name.slice(0, -".expected.json".length))),
          contentType: "text/event-stream",
          tools: withNames([], calls),
          ...judged(calls, () => finish === "tool_calls", finish),
        };
      }),
  );
}

const isWire = (name: string | undefined): name is Wire => WIRES.includes(name as Wire);
const isClients = (call: WireCall): boolean =>
  ["function", "custom", "client_builtin"].includes(call.kind ?? "function") && call.providerExecuted !== true;

/** How recordings, which keep the vendor's word, ended; those with other words are left out. */
const RECORDED_FINISH: Readonly<Record<string, string>> = {
  tool_calls: "tool_calls",
  stop: "tool_calls",
  tool_use: "tool_calls",
  end_turn: "tool_calls",
  completed: "tool_calls",
  STOP: "tool_calls",
  length: "length",
  max_tokens: "length",
  incomplete: "length",
};

function expectedCall(call: WireCall): ExpectedCall {
  const status = call.complete === false ? "truncated" : "complete";
  return {
    id: call.idSynthesized === true ? null : (call.id ?? null),
    name: call.name ?? "",
    text: call.argumentsText ?? "",
    value: call.arguments,
    // A recording's `status` is the vendor's word for the item; ours it calls `complete`.
    status: call.complete === undefined ? (call.status ?? status) : status,
    ...(call.lossyNumbers === true ? { lossy: true as const } : {}),
  };
}

function judged(
  calls: readonly ExpectedCall[],
  runs: (at: number) => boolean,
  finish: string | null,
): Pick<Case, "calls" | "toRun" | "mayThrow"> {
  const toRun = calls.filter((call, at) => call.status === "complete" && runs(at));
  return { calls, toRun, mayThrow: toRun.length === 0 && (finish === "error" || finish === null) };
}

/** The declared tools and, without a schema, those whose names occur only in the case. */
function withNames(tools: readonly Tool[], calls: readonly ExpectedCall[]): Tool[] {
  const known = new Set(tools.map(({ name }) => name));
  const others = new Set(calls.map(({ name }) => name).filter((name) => name !== "" && !known.has(name)));
  return [...tools, ...[...others].map((name) => ({ name, parameters: { type: "object", properties: {} } }))];
}

function fits(call: WireCall, tools: readonly Tool[]): boolean {
  const tool = tools.find(({ name }) => name === call.name);
  return tool === undefined ? tools.length === 0 : matches(tool.parameters, call.arguments);
}

/** Whether a value fits the small part of JSON Schema that tools.json uses. */
export function matches(schema: Readonly<Record<string, unknown>>, value: unknown): boolean {
  const types = schema["type"] === undefined ? [] : [schema["type"]].flat();
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type) && !(type === "integer" && types.includes("number"))) return false;
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) return false;
  if (Array.isArray(value)) return value.every((item) => matches((schema["items"] ?? {}) as typeof schema, item));
  if (typeof value !== "object" || value === null) return true;
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, typeof schema>>;
  return (
    ((schema["required"] ?? []) as string[]).every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, item]) => matches(properties[key] ?? {}, item))
  );
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
