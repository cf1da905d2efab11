// Chat Completions for clients that take it at its word. Owns what such a client understands of a chunk, and how a chunk is
// written anew with all its other fields kept: logprobs, usage, service tiers, signatures, whatever a server adds.

import type { FinishReason } from "unbraid";
import {
  type Anew,
  type Claims,
  type Dialect,
  DONE,
  isWord,
  type Obj,
  objectOf,
  objectsOf,
  type OutFrame,
  type Seen,
  without,
  type Written,
} from "./dialect.ts";
import { chunkOfOne } from "./one-choice.ts";
import type { CallName, Ending, Said, SaidAdd, SaidOpen } from "./said.ts";

interface KnownCall {
  readonly choice: number;
  /** The number in its choice. */
  readonly index: number;
  readonly kind: CallName["kind"];
  /** The old `function_call`, which has neither index nor id. */
  readonly legacy: boolean;
}

/** What a client knows of a response. */
export interface ChatState {
  readonly calls: readonly KnownCall[];
  /** Each choice that was seen, and its finish word. */
  readonly finish: ReadonlyMap<number, string | undefined>;
  /** The choices whose role is known. */
  readonly roles: ReadonlySet<number>;
  readonly done: boolean;
  /** A chunk whose outer fields new ones take. */
  readonly like: Obj | undefined;
  /** Chunks that wait for the end, because they tell of it: by choice those with a finish word, then the rest. */
  readonly finishing: ReadonlyMap<number, Obj>;
  readonly trailing: readonly Obj[];
  /** The server answers in the old form: `function_call`, without index and id. */
  readonly legacy: boolean;
  /** Fields beside calls whose call has not been said yet. */
  readonly extras: readonly Obj[];
}

/** The words that clients know. */
const WORDS = new Set(["stop", "length", "tool_calls", "content_filter", "function_call"]);

/** Those that say that something is missing. */
const CUT = new Set(["length", "content_filter"]);

const WORD_OF: Readonly<Record<FinishReason, string | undefined>> = {
  stop: "stop",
  tool_calls: "tool_calls",
  length: "length",
  content_filter: "content_filter",
  error: undefined,
  cancelled: undefined,
};

/** See the file's head. */
export const chat: Dialect<ChatState> = {
  protocol: "openai-chat",
  // The old `function_call` has none; that the others need one is for `claims`.
  idsOptional: true,
  parses: false,
  wholes: false,
  restates: false,
  closes: false,
  start: () => ({
    calls: [],
    finish: new Map(),
    roles: new Set(),
    done: false,
    like: undefined,
    finishing: new Map(),
    trailing: [],
    legacy: false,
    extras: [],
  }),
  claims,
  joined: chunkOfOne,
  ending: ({ finish, done }) => done || [...finish.values()].some((word) => word !== undefined),
  sound,
  anew,
  conclude,
  failure: ({ code, message }) => [{ value: { error: { message, type: "upstream_error", param: null, code } } }],
};

// ── as a strict client reads ────────────────────────────────────────────────────────────────────────────────────────────

function claims({ value, done }: Seen, state: ChatState): Claims<ChatState> | undefined {
  if (done) return { said: [], state: { ...state, done: true } };
  if (value === undefined) return undefined;
  if (objectOf(value["error"]) !== undefined)
    return { said: [{ kind: "error", error: { code: null, message: "" } }], state };
  if (!Array.isArray(value["choices"])) return undefined;
  const said: Said[] = [];
  let next: ChatState = { ...state, like: value };
  for (const choice of value["choices"] as unknown[]) {
    const after = choiceClaims(objectOf(choice), next, said);
    if (after === undefined) return undefined;
    next = after;
  }
  return { said, state: next };
}

function choiceClaims(choice: Obj | undefined, state: ChatState, said: Said[]): ChatState | undefined {
  const { index, delta, message, finish_reason: word } = choice ?? {};
  const fragment = objectOf(delta);
  if (typeof index !== "number" || fragment === undefined || (message !== undefined && message !== null))
    return undefined;
  // Clients take a choice's role from its first delta.
  if (!state.roles.has(index) && !isWord(fragment["role"])) return undefined;
  textClaims(fragment, index, said);
  let after: ChatState | undefined = state.roles.has(index)
    ? state
    : {
        ...state,
        roles: new Set(state.roles).add(index),
        finish: new Map(state.finish).set(index, state.finish.get(index)),
      };
  const list = fragment["tool_calls"] ?? [];
  if (!Array.isArray(list)) return undefined;
  for (const entry of list as unknown[]) {
    after = callClaims(objectOf(entry), index, after, said);
    if (after === undefined) return undefined;
  }
  const legacy = fragment["function_call"];
  if (legacy !== undefined && legacy !== null) {
    after = legacyClaims(objectOf(legacy), index, after, said);
    if (after === undefined) return undefined;
  }
  if (word === undefined || word === null) return after;
  // Another word is one too many; OpenRouter says the same one again beside the token counts.
  const before = after.finish.get(index) ?? word;
  if (typeof word !== "string" || !WORDS.has(word) || before !== word) return undefined;
  return { ...after, finish: new Map(after.finish).set(index, word) };
}

/** As the reader takes them: one spelling of reasoning, content as text or as parts. */
function textClaims(delta: Obj, choice: number, said: Said[]): void {
  const reasoning = [delta["reasoning_content"], delta["reasoning"], delta["thinking"]].find(
    (each) => typeof each === "string" && each !== "",
  );
  if (typeof reasoning === "string") said.push({ kind: "text", lane: "reasoning", choice, text: reasoning });
  const { content, refusal } = delta;
  if (typeof content === "string") said.push({ kind: "text", lane: "text", choice, text: content });
  for (const part of objectsOf(content)) partClaims(part, choice, said);
  if (typeof refusal === "string") said.push({ kind: "text", lane: "refusal", choice, text: refusal });
}

function partClaims(part: Obj, choice: number, said: Said[]): void {
  const { type, thinking, text } = part;
  if (type === "thinking") {
    for (const thought of objectsOf(thinking))
      if (typeof thought["text"] === "string")
        said.push({ kind: "text", lane: "reasoning", choice, text: thought["text"] });
    if (typeof thinking === "string") said.push({ kind: "text", lane: "reasoning", choice, text: thinking });
  } else if (typeof text === "string") {
    said.push({ kind: "text", lane: "text", choice, text });
  }
}

function callClaims(entry: Obj | undefined, choice: number, state: ChatState, said: Said[]): ChatState | undefined {
  if (entry === undefined) return undefined;
  const { index, id, type } = entry;
  const custom = objectOf(entry["custom"]);
  const named = custom ?? objectOf(entry["function"]);
  const text = (custom === undefined ? named?.["arguments"] : custom["input"]) ?? "";
  if (typeof index !== "number" || typeof text !== "string") return undefined;
  const at = state.calls.findLastIndex((call) => call.choice === choice && call.index === index && !call.legacy);
  if (at >= 0) {
    // An id or a name that comes again is doubled by clients that add up every string they get.
    if (isWord(id) || (named?.["name"] ?? "") !== "") return undefined;
    if (id !== undefined && id !== null && id !== "") return undefined;
    if (text !== "") said.push({ kind: "add", key: String(at), text });
    return state;
  }
  const name = named?.["name"];
  const fresh = state.calls.filter((call) => call.choice === choice && !call.legacy).length;
  if (index !== fresh || !isWord(id) || !isWord(name) || (type !== "function" && type !== "custom")) return undefined;
  const key = String(state.calls.length);
  const kind = custom === undefined ? "function" : "custom";
  if (kind !== type) return undefined;
  said.push({ kind: "open", call: { key, id, name, kind, choice } });
  if (text !== "") said.push({ kind: "add", key, text });
  return { ...state, calls: [...state.calls, { choice, index, kind, legacy: false }] };
}

/** Clients that send `functions` want the answer in the same old form. Its id is ours, and stays with us. */
function legacyClaims(call: Obj | undefined, choice: number, state: ChatState, said: Said[]): ChatState | undefined {
  if (call === undefined) return undefined;
  const { name, arguments: text = "" } = call;
  if (typeof text !== "string") return undefined;
  const at = state.calls.findLastIndex((each) => each.choice === choice && each.legacy);
  if (at < 0 && !isWord(name)) return undefined;
  if (at >= 0 && isWord(name)) return undefined;
  const key = String(at < 0 ? state.calls.length : at);
  let next = state;
  if (at < 0) {
    said.push({ kind: "open", call: { key, id: undefined, name: String(name), kind: "function", choice } });
    next = { ...state, calls: [...state.calls, { choice, index: 0, kind: "function", legacy: true }] };
  }
  if (text !== "") said.push({ kind: "add", key, text });
  return next;
}

// ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function sound(ending: Ending, state: ChatState): Written<ChatState> | undefined {
  if (ending.reason === null || WORD_OF[ending.reason] === undefined) return undefined;
  for (const [choice, word] of state.finish)
    if (word === undefined || word !== rightWord(word, choice, state, ending)) return undefined;
  // What was taken out of its frame must be written.
  if (state.finish.size === 0 || state.finishing.size + state.trailing.length > 0) return undefined;
  return state.done ? { frames: [], state } : { frames: [{ value: DONE }], state: { ...state, done: true } };
}

/** The word that fits the choice's calls, and what was said of it. */
function rightWord(word: string | undefined, choice: number, state: ChatState, { reason }: Ending): string {
  const calls = state.calls.filter((call) => call.choice === choice);
  const known = word !== undefined && WORDS.has(word) ? word : undefined;
  const ours = WORD_OF[reason ?? "stop"];
  // Of one choice the reader knows the strongest word that was said.
  const said = state.finish.size < 2 && CUT.has(ours ?? "") ? ours : (known ?? ours);
  if (said !== undefined && CUT.has(said)) return said;
  if (calls.length === 0) return "stop";
  return calls.every(({ legacy }) => legacy) ? "function_call" : "tool_calls";
}

function conclude(ending: Ending, state: ChatState): Written<ChatState> {
  const word = ending.reason === null ? undefined : WORD_OF[ending.reason];
  if (word === undefined) {
    const message =
      ending.reason === null
        ? "The upstream's answer ended before it was whole."
        : `The upstream ended its answer with ${JSON.stringify(ending.raw ?? ending.reason)}.`;
    return { frames: chat.failure({ code: "upstream_incomplete", message }, state), state };
  }
  const choices = state.finish.size === 0 ? [0] : [...state.finish.keys()];
  const frames: OutFrame[] = choices.map((choice) => {
    const chunk = state.finishing.get(choice) ?? chunkLike(state);
    const own = objectsOf(chunk["choices"]).find(({ index }) => index === choice);
    const right = rightWord(state.finish.get(choice), choice, state, ending);
    return {
      value: { ...chunk, choices: [{ delta: {}, ...own, index: choice, finish_reason: right }] },
    };
  });
  frames.push(...state.trailing.map((value) => ({ value })), { value: DONE });
  return { frames, state: { ...state, done: true, finishing: new Map(), trailing: [] } };
}

// ── written anew ────────────────────────────────────────────────────────────────────────────────────────────────────────

function anew(frame: Anew, state: ChatState): Written<ChatState> {
  const { value, said } = frame;
  const failed = said.find((each) => each.kind === "error");
  if (failed !== undefined) {
    const words = said.filter((each) => each.kind !== "error");
    const before =
      words.length === 0 ? { frames: [], state } : anew({ ...frame, value: undefined, said: words }, state);
    const own = objectOf(value?.["error"]) === undefined ? undefined : value;
    return {
      frames: [...before.frames, ...(own === undefined ? chat.failure(failed.error, state) : [{ value: own }])],
      state: before.state,
    };
  }
  const usable = value !== undefined && Array.isArray(value["choices"]) ? value : undefined;
  if (usable === undefined && said.length === 0) return { frames: [], state };
  let next = usable === undefined ? state : { ...state, like: usable };
  const rests = new Map<number, Record<string, unknown>>();
  const counts = objectOf(usable?.["usage"]) !== undefined;
  let finishes = false;
  for (const choice of objectsOf(usable?.["choices"])) {
    const kept = choiceRest(choice, frame.textStands, counts, next);
    finishes ||= kept.finishes;
    next = kept.state;
    if (kept.rest !== undefined) rests.set(kept.index, kept.rest);
    if (kept.finishes)
      next = { ...next, finishing: new Map(next.finishing).set(kept.index, tail(usable ?? {}, choice)) };
  }
  next = put(said, rests, next);
  // A chunk without choices tells of the whole response, at its end.
  if (usable !== undefined && (usable["choices"] as unknown[]).length === 0)
    return { frames: [], state: { ...next, trailing: [...next.trailing, usable] } };
  if (rests.size === 0) return { frames: [], state: next };
  const outer = chunkLike(next, usable);
  // Token counts that come with the finish word stay with it.
  if (finishes) delete outer["usage"];
  return { frames: [{ value: { ...outer, choices: [...rests.values()] } }], state: next };
}

/** The chunk of a finish word, less what the rest of it says. */
function tail(chunk: Obj, choice: Obj): Obj {
  return { ...chunk, choices: [{ ...without(choice, "message", "logprobs"), delta: {} }] };
}

interface Kept {
  readonly index: number;
  /** Undefined where the choice said nothing else. */
  readonly rest: Record<string, unknown> | undefined;
  readonly finishes: boolean;
  readonly state: ChatState;
}

function choiceRest(choice: Obj, textStands: boolean, counts: boolean, state: ChatState): Kept {
  const { finish_reason: word } = choice;
  const index = typeof choice["index"] === "number" ? choice["index"] : 0;
  const delta = without(objectOf(choice["delta"]) ?? {}, "tool_calls", "function_call");
  if (!textStands)
    for (const name of ["content", "refusal", "reasoning", "reasoning_content", "thinking"]) delete delta[name];
  const extras = [
    ...objectsOf(objectOf(choice["delta"])?.["tool_calls"]),
    ...objectsOf(objectOf(choice["message"])?.["tool_calls"]),
  ]
    .map((entry) => without(entry, "index", "id", "type", "function", "custom", "name", "arguments"))
    .filter((entry) => Object.keys(entry).length > 0);
  const finishes = typeof word === "string" && state.finish.get(index) === undefined;
  const said = typeof word === "string" ? word : undefined;
  const given = objectOf(choice["delta"]) ?? {};
  const next: ChatState = {
    ...state,
    legacy: state.legacy || (objectOf(given["function_call"]) !== undefined && given["tool_calls"] === undefined),
    finish: new Map(state.finish).set(index, state.finish.get(index) ?? said),
    extras: [...state.extras, ...extras],
  };
  const rest = { ...without(choice, "message", "delta", "finish_reason"), index, delta, finish_reason: null };
  const quiet =
    Object.values(delta).every((each) => each === null || each === "") &&
    Object.entries(without(choice, "index", "delta", "message", "finish_reason")).every(
      ([name, each]) => each === null || (finishes && name !== "logprobs"),
    );
  // A role alone is worth keeping when nothing was sent yet.
  const first = !state.roles.has(index) && delta["role"] !== undefined;
  return { index, rest: quiet && !first && (!counts || finishes) ? undefined : rest, finishes, state: next };
}

/** Puts what is true into the choices. */
function put(said: readonly Said[], rests: Map<number, Record<string, unknown>>, state: ChatState): ChatState {
  const deltaOf = (choice: number): Record<string, unknown> => {
    const rest = rests.get(choice) ?? { index: choice, delta: {}, finish_reason: null };
    rests.set(choice, rest);
    return rest["delta"] as Record<string, unknown>;
  };
  let next = state;
  for (const each of said) {
    if (each.kind === "text") {
      const name = each.lane === "text" ? "content" : each.lane === "refusal" ? "refusal" : reasoningName(state);
      const delta = deltaOf(each.choice);
      delta[name] = `${typeof delta[name] === "string" ? delta[name] : ""}${each.text}`;
    } else if (each.kind === "open" || each.kind === "add") {
      next = putCall(each, deltaOf, next);
    }
  }
  for (const [choice, rest] of rests) {
    if (next.roles.has(choice)) continue;
    next = { ...next, roles: new Set(next.roles).add(choice) };
    const delta = rest["delta"] as Record<string, unknown>;
    rest["delta"] = isWord(delta["role"]) ? delta : { role: "assistant", ...delta };
  }
  for (const choice of rests.keys())
    if (!next.finish.has(choice)) next = { ...next, finish: new Map(next.finish).set(choice, undefined) };
  return next;
}

/** The spelling of reasoning that the server uses itself. */
function reasoningName({ like }: ChatState): string {
  const delta = objectOf(objectsOf(like?.["choices"])[0]?.["delta"]);
  return delta?.["reasoning"] === undefined ? "reasoning_content" : "reasoning";
}

function putCall(
  each: SaidOpen | SaidAdd,
  deltaOf: (choice: number) => Record<string, unknown>,
  state: ChatState,
): ChatState {
  if (each.kind === "open") {
    const { call } = each;
    const others = state.calls.filter(({ choice }) => choice === call.choice);
    const index = others.filter(({ legacy }) => !legacy).length;
    const id = call.answerId ?? call.id ?? "";
    const [extra, ...extras] = state.extras;
    // The old form has room for one.
    if (state.legacy && others.length === 0) {
      deltaOf(call.choice)["function_call"] = { name: call.name, arguments: "" };
      const known = { choice: call.choice, index: 0, kind: call.kind, legacy: true };
      return { ...state, calls: [...state.calls, known] };
    }
    entriesOf(deltaOf(call.choice)).push({ ...extra, ...entryOf(call, index, id) });
    return {
      ...state,
      extras,
      calls: [...state.calls, { choice: call.choice, index, kind: call.kind, legacy: false }],
    };
  }
  const known = state.calls[Number(each.key)];
  if (known === undefined) return state;
  if (known.legacy) {
    const delta = deltaOf(known.choice);
    const call = (delta["function_call"] ??= { arguments: "" }) as { arguments: string };
    call.arguments += each.text;
    return state;
  }
  const entries = entriesOf(deltaOf(known.choice));
  const there = entries.find(({ index }) => index === known.index);
  const target =
    there ??
    (known.kind === "custom"
      ? { index: known.index, custom: { input: "" } }
      : { index: known.index, function: { arguments: "" } });
  if (there === undefined) entries.push(target);
  const custom = objectOf(target["custom"]) as { input: string } | undefined;
  if (custom === undefined) (target["function"] as { arguments: string }).arguments += each.text;
  else custom.input += each.text;
  return state;
}

function entriesOf(delta: Record<string, unknown>): Record<string, unknown>[] {
  return (delta["tool_calls"] ??= []) as Record<string, unknown>[];
}

function entryOf({ kind, name }: CallName, index: number, id: string): Record<string, unknown> {
  return kind === "custom"
    ? { index, id, type: "custom", custom: { name, input: "" } }
    : { index, id, type: "function", function: { name, arguments: "" } };
}

/** The outer fields of a chunk. */
function chunkLike({ like }: ChatState, own?: Obj): Record<string, unknown> {
  if (own !== undefined) return without(own, "choices");
  const seen = without(like ?? {}, "choices", "usage", "error", "obfuscation");
  return { id: "chatcmpl-mended", object: "chat.completion.chunk", created: 0, model: "", ...seen };
}
