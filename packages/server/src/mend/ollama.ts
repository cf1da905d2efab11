// Ollama's chat for clients that take it at its word. Owns what such a client understands of a line, and how a line is
// written anew.

import type { FinishReason } from "unbraid";
import { answerable } from "./answerable.ts";
import {
  type Anew,
  type Claims,
  type Dialect,
  isWord,
  type Obj,
  objectOf,
  type Seen,
  without,
  type Written,
} from "./dialect.ts";
import type { CallName, Ending, Said } from "./said.ts";

/** What a client knows of a response. */
export interface OllamaState {
  readonly calls: number;
  readonly done: boolean;
  readonly word: string | undefined;
  readonly like: Obj | undefined;
  /** The line that says `done`, less its message. */
  readonly ending: Obj | undefined;
  readonly open: ReadonlyMap<string, CallName>;
}

const WORD_OF: Readonly<Record<FinishReason, string | undefined>> = {
  stop: "stop",
  tool_calls: "stop",
  length: "length",
  content_filter: "stop",
  error: undefined,
  cancelled: undefined,
};

/** See the file's head. */
export const ollama: Dialect<OllamaState> = {
  protocol: "ollama",
  idsOptional: true,
  parses: true,
  wholes: true,
  restates: false,
  closes: true,
  start: () => ({ calls: 0, done: false, word: undefined, like: undefined, ending: undefined, open: new Map() }),
  claims,
  ending: ({ done }) => done,
  sound: (ending, state) =>
    state.done && state.ending === undefined && ending.reason !== null ? { frames: [], state } : undefined,
  anew,
  conclude,
  failure: ({ message }) => [{ value: { error: message } }],
};

function claims({ value }: Seen, state: OllamaState): Claims<OllamaState> | undefined {
  if (value === undefined) return undefined;
  const { error, done, done_reason: word } = value;
  if (typeof error === "string" && error !== "")
    return { said: [{ kind: "error", error: { code: null, message: "" } }], state };
  const message = objectOf(value["message"]) ?? {};
  const said: Said[] = [];
  const thinking = message["thinking"] ?? value["thinking"];
  const text = message["content"] ?? value["response"];
  if (typeof thinking === "string") said.push({ kind: "text", lane: "reasoning", choice: 0, text: thinking });
  if (typeof text === "string") said.push({ kind: "text", lane: "text", choice: 0, text });
  const list = message["tool_calls"] ?? [];
  if (!Array.isArray(list)) return undefined;
  let calls = state.calls;
  for (const entry of list as unknown[]) {
    const call = objectOf(objectOf(entry)?.["function"]);
    const id = objectOf(entry)?.["id"];
    const args = call?.["arguments"] ?? {};
    if (!isWord(call?.["name"]) || objectOf(args) === undefined || (id !== undefined && !isWord(id))) return undefined;
    const key = String(calls++);
    said.push(
      { kind: "open", call: { key, id, name: call["name"], kind: "function", choice: 0 } },
      { kind: "add", key, text: JSON.stringify(args) },
      { kind: "close", key, whole: undefined },
    );
  }
  const over = done === true;
  if (over && state.done) return undefined;
  return {
    said,
    state: { ...state, calls, like: value, done: over || state.done, word: isWord(word) ? word : state.word },
  };
}

function anew({ value, said, textStands }: Anew, state: OllamaState): Written<OllamaState> {
  const failed = said.find((each) => each.kind === "error");
  const line = value !== undefined && failed === undefined ? value : undefined;
  const over = line?.["done"] === true;
  let next: OllamaState = line === undefined ? state : { ...state, like: line };
  const message = without(objectOf(line?.["message"]) ?? {}, "tool_calls");
  if (!textStands) for (const name of ["content", "thinking"]) if (message[name] !== undefined) message[name] = "";
  const calls: Obj[] = [];
  const open = new Map(state.open);
  let count = state.calls;
  for (const each of said) {
    if (each.kind === "text") {
      const name = each.lane === "reasoning" ? "thinking" : "content";
      message[name] = `${typeof message[name] === "string" ? message[name] : ""}${each.text}`;
    } else if (each.kind === "open") {
      open.set(String(count++), each.call);
    } else if (each.kind === "close") {
      const call = open.get(each.key);
      open.delete(each.key);
      if (call === undefined || each.whole === undefined) continue;
      const id = call.id === undefined ? {} : { id: call.id };
      calls.push({ ...id, function: { name: call.name, arguments: answerable(each.whole) } });
    }
  }
  next = { ...next, calls: count, open };
  const word = line?.["done_reason"];
  if (over) next = { ...next, done: true, word: isWord(word) ? word : next.word, ending: next.ending ?? line };
  const speaks = calls.length > 0 || Object.entries(message).some(([name, each]) => name !== "role" && !!each);
  const frames: Obj[] = [];
  if (speaks) {
    const outer = over ? { ...lineLike(next), done: false } : (line ?? lineLike(next));
    const list = calls.length > 0 ? { tool_calls: calls } : {};
    frames.push({ ...outer, message: { role: "assistant", content: "", ...message, ...list } });
  }
  if (failed !== undefined) frames.push(typeof value?.["error"] === "string" ? value : { error: failed.error.message });
  return { frames: frames.map((each) => ({ value: each })), state: next };
}

function conclude(ending: Ending, state: OllamaState): Written<OllamaState> {
  const word = ending.reason === null ? undefined : WORD_OF[ending.reason];
  if (word === undefined)
    return {
      frames: ollama.failure({ code: null, message: "The upstream's answer ended before it was whole." }, state),
      state,
    };
  const last = { done_reason: word, ...(state.ending ?? lineLike(state)), done: true };
  return {
    frames: [{ value: { ...last, message: { role: "assistant", content: "" } } }],
    state: { ...state, done: true, ending: undefined },
  };
}

/** The outer fields of a line. */
function lineLike({ like }: OllamaState): Obj {
  const seen = Object.entries(like ?? {}).filter(([name]) => name === "model" || name === "created_at");
  return { model: "", created_at: new Date(0).toISOString(), ...Object.fromEntries(seen), done: false };
}
