// Gemini's generateContent for clients that take it at its word. Owns what such a client understands of a chunk, and how a
// chunk is written anew: each call whole in a part of its own, every other part as it was.

import type { FinishReason, ToolCall } from "unbraid";
import { answerable } from "./answerable.ts";
import {
  type Anew,
  type Claims,
  type Dialect,
  isWord,
  type Obj,
  objectOf,
  objectsOf,
  type Seen,
  without,
  type Written,
} from "./dialect.ts";
import type { CallName, Ending, Said } from "./said.ts";

/** What a client knows of a response. */
export interface GeminiState {
  readonly calls: number;
  /** The finish word. */
  readonly word: string | undefined;
  /** A chunk whose outer fields new ones take. */
  readonly like: Obj | undefined;
  /** The chunk that tells of the end, less its parts. */
  readonly ending: Obj | undefined;
  /** Calls that have been opened and are not over. */
  readonly open: ReadonlyMap<string, CallName>;
}

const WORD_OF: Readonly<Record<FinishReason, string | undefined>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  error: undefined,
  cancelled: undefined,
};
/** Words that servers made up. */
const UNKNOWN = new Set(["FUNCTION_CALL", "TOOL_CALLS", "TOOL_CALL"]);

/** See the file's head. */
export const gemini: Dialect<GeminiState> = {
  protocol: "gemini",
  idsOptional: true,
  parses: true,
  wholes: true,
  restates: false,
  closes: true,
  start: () => ({ calls: 0, word: undefined, like: undefined, ending: undefined, open: new Map() }),
  claims,
  // Chunks with usage or another word may follow, and there is no marker: the end of the body tells.
  ending: () => false,
  sound: (ending, state) =>
    state.word !== undefined &&
    state.ending === undefined &&
    state.open.size === 0 &&
    !UNKNOWN.has(state.word.toUpperCase()) &&
    ending.reason !== null
      ? { frames: [], state }
      : undefined,
  anew,
  conclude,
  failure: ({ code, message }) => [
    { value: { error: { code: typeof code === "number" ? code : 502, message, status: "UNAVAILABLE" } } },
  ],
};

// ── as a strict client reads ────────────────────────────────────────────────────────────────────────────────────────────

function claims({ value }: Seen, state: GeminiState): Claims<GeminiState> | undefined {
  if (value === undefined) return undefined;
  if (objectOf(value["error"]) !== undefined)
    return { said: [{ kind: "error", error: { code: null, message: "" } }], state };
  const said: Said[] = [];
  const pieces: { begun: number | undefined } = { begun: undefined };
  let next: GeminiState = { ...state, like: value };
  const blocked = objectOf(value["promptFeedback"])?.["blockReason"];
  if (isWord(blocked)) next = { ...next, word: blocked };
  const { candidates = [] } = value;
  if (!Array.isArray(candidates)) return undefined;
  for (const candidate of candidates as unknown[]) {
    const after = candidateClaims(objectOf(candidate), next, said, pieces);
    if (after === undefined) return undefined;
    next = after;
  }
  return pieces.begun === undefined ? { said, state: next } : { said, state: next, pieces: pieces.begun };
}

function candidateClaims(
  candidate: Obj | undefined,
  state: GeminiState,
  said: Said[],
  pieces: { begun: number | undefined },
): GeminiState | undefined {
  if (candidate === undefined) return undefined;
  const choice = candidate["index"] ?? 0;
  const parts = objectOf(candidate["content"])?.["parts"] ?? [];
  if (typeof choice !== "number" || !Array.isArray(parts)) return undefined;
  let calls = state.calls;
  for (const part of parts as unknown[]) {
    const claimed = partClaims(objectOf(part), choice, String(calls), said);
    if (claimed === undefined) return undefined;
    if (claimed === "call") calls++;
    if (claimed === "begun" || claimed === "piece") pieces.begun = (pieces.begun ?? 0) + (claimed === "begun" ? 1 : 0);
  }
  const word = candidate["finishReason"] ?? candidate["finish_reason"];
  if (word !== undefined && typeof word !== "string") return undefined;
  if (word !== undefined && UNKNOWN.has(word.toUpperCase())) return undefined;
  return { ...state, calls, word: word ?? state.word };
}

/** What the part is; undefined where a strict client cannot take it. */
function partClaims(
  part: Obj | undefined,
  choice: number,
  key: string,
  said: Said[],
): "call" | "begun" | "piece" | "other" | undefined {
  if (part === undefined || part["function_call"] !== undefined) return undefined;
  const { text, thought, functionCall } = part;
  if (functionCall === undefined || functionCall === null) {
    const lane = thought === true ? "reasoning" : "text";
    if (typeof text === "string") said.push({ kind: "text", lane, choice, text });
    return "other";
  }
  const call = objectOf(functionCall);
  const { name, id, args, partialArgs, willContinue } = call ?? {};
  // Partial arguments come to clients that asked for them: such a client puts them together itself.
  if (partialArgs !== undefined || willContinue !== undefined || (name === undefined && args === undefined))
    return isWord(name) ? "begun" : "piece";
  if (!isWord(name) || (args !== undefined && objectOf(args) === undefined) || (id !== undefined && !isWord(id)))
    return undefined;
  said.push(
    { kind: "open", call: { key, id, name, kind: "function", choice } },
    { kind: "add", key, text: JSON.stringify(args ?? {}) },
    { kind: "close", key, whole: undefined },
  );
  return "call";
}

// ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function conclude(ending: Ending, state: GeminiState): Written<GeminiState> {
  const { word, ending: kept } = state;
  const known = word !== undefined && !UNKNOWN.has(word.toUpperCase()) ? word : undefined;
  const right = known ?? (ending.reason === null ? undefined : WORD_OF[ending.reason]);
  if (ending.reason === null || right === undefined) {
    const message = "The upstream's answer ended before it was whole.";
    return { frames: gemini.failure({ code: null, message }, state), state };
  }
  if (known !== undefined && kept === undefined) return { frames: [], state };
  const chunk = kept ?? { ...without(chunkLike(state), "usageMetadata"), candidates: [] };
  const [first = { index: 0, content: { role: "model", parts: [] } }, ...others] = objectsOf(chunk["candidates"]);
  return {
    frames: [{ value: { ...chunk, candidates: [{ ...first, finishReason: right }, ...others] } }],
    state: { ...state, word: right, ending: undefined },
  };
}

// ── written anew ────────────────────────────────────────────────────────────────────────────────────────────────────────

function anew({ value, said, textStands }: Anew, state: GeminiState): Written<GeminiState> {
  const failed = said.find((each) => each.kind === "error");
  const chunk = value !== undefined && objectOf(value["error"]) === undefined ? value : undefined;
  let next: GeminiState = chunk === undefined ? state : { ...state, like: chunk };
  const parts = new Map<number, Obj[]>();
  const partsOf = (choice: number): Obj[] => parts.get(choice) ?? (parts.set(choice, []).get(choice) as Obj[]);
  const candidates = objectsOf(chunk?.["candidates"]);
  let finishes = false;
  for (const candidate of candidates) {
    const choice = typeof candidate["index"] === "number" ? candidate["index"] : 0;
    for (const part of objectsOf(objectOf(candidate["content"])?.["parts"]))
      if (stays(part, textStands)) partsOf(choice).push(part);
    const word = candidate["finishReason"] ?? candidate["finish_reason"];
    if (typeof word === "string") {
      finishes = true;
      next = { ...next, word: next.word ?? word };
    }
  }
  next = put(said, partsOf, next);
  const frames: Obj[] = [];
  const outer = without(chunk ?? without(chunkLike(next), "usageMetadata"), "candidates");
  const written = [...parts].filter(([, list]) => list.length > 0);
  if (written.length > 0) {
    const list = written.map(([index, each]) => ({
      ...without(candidates.find((one) => (one["index"] ?? 0) === index) ?? {}, "finishReason", "finish_reason"),
      index,
      content: { role: "model", parts: each },
    }));
    frames.push({ ...(finishes ? without(outer, "usageMetadata") : outer), candidates: list });
  } else if (chunk !== undefined && !finishes && candidates.length === 0) {
    frames.push(chunk);
  }
  if (finishes) {
    const bare = candidates.map((each) => ({ ...each, content: { role: "model", parts: [] } }));
    next = { ...next, ending: { ...outer, candidates: bare } };
  }
  const out = frames.map((each) => ({ value: each }));
  if (failed === undefined) return { frames: out, state: next };
  const own = objectOf(value?.["error"]) === undefined ? gemini.failure(failed.error, next) : [{ value: value as Obj }];
  return { frames: [...out, ...own], state: next };
}

function stays(part: Obj, textStands: boolean): boolean {
  if (part["functionCall"] !== undefined || part["function_call"] !== undefined) return false;
  return textStands || part["text"] === undefined;
}

function put(said: readonly Said[], partsOf: (choice: number) => Obj[], state: GeminiState): GeminiState {
  let { calls } = state;
  const open = new Map(state.open);
  for (const each of said) {
    if (each.kind === "text" && each.text !== "") {
      partsOf(each.choice).push(each.lane === "reasoning" ? { text: each.text, thought: true } : { text: each.text });
    } else if (each.kind === "open") {
      open.set(String(calls++), each.call);
    } else if (each.kind === "close") {
      const call = open.get(each.key);
      open.delete(each.key);
      if (call !== undefined && each.whole !== undefined) partsOf(call.choice).push(partOf(call, each.whole));
    }
  }
  return { ...state, calls, open };
}

function partOf({ id, name }: CallName, whole: ToolCall): Obj {
  const functionCall = { ...(id === undefined ? {} : { id }), name, args: answerable(whole) };
  return { functionCall, ...without(whole.echo ?? {}, "part") };
}

function chunkLike({ like }: GeminiState): Obj {
  return without(like ?? {}, "candidates", "promptFeedback", "error");
}
