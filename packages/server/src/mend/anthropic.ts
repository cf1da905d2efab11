// Anthropic Messages for clients that take it at its word. Owns what such a client understands of an event, and how events
// are written anew: blocks one after another, each begun and ended, with dense indexes; blocks that are no calls keep every
// field.

import type { FinishReason } from "unbraid";
import {
  type Anew,
  type Claims,
  type Dialect,
  isWord,
  type Obj,
  objectOf,
  type OutFrame,
  type Seen,
  type Written,
} from "./dialect.ts";
import { type AnthropicState, Flow, type OpenBlock } from "./anthropic-flow.ts";
import type { Ending, Said } from "./said.ts";

const WORDS = new Set([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "compaction",
  "model_context_window_exceeded",
]);
const WORD_OF: Readonly<Record<FinishReason, string | undefined>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
  error: undefined,
  cancelled: undefined,
};
/** Words that say the same as another of ours, and more exactly. */
const SAME: Readonly<Record<string, FinishReason>> = {
  stop_sequence: "stop",
  pause_turn: "stop",
  compaction: "stop",
  model_context_window_exceeded: "length",
};

/** See the file's head. */
export const anthropic: Dialect<AnthropicState> = {
  protocol: "anthropic",
  idsOptional: false,
  parses: true,
  wholes: false,
  restates: false,
  closes: true,
  start: () => ({
    started: false,
    next: 0,
    open: undefined,
    calls: 0,
    word: undefined,
    stopped: false,
    later: [],
    ending: undefined,
  }),
  claims,
  ending: ({ word, stopped }) => word !== undefined || stopped,
  sound,
  anew,
  conclude,
  failure: ({ message }) => [{ event: "error", value: { type: "error", error: { type: "api_error", message } } }],
};

// ── as a strict client reads ────────────────────────────────────────────────────────────────────────────────────────────

function claims({ value, event }: Seen, state: AnthropicState): Claims<AnthropicState> | undefined {
  const type = value?.["type"];
  // The SDKs go by the name of the event.
  if (value === undefined || typeof type !== "string" || event !== type || state.later.length > 0) return undefined;
  switch (type) {
    case "message_start": {
      const message = objectOf(value["message"]);
      const bare = Array.isArray(message?.["content"]) && message["content"].length === 0;
      return state.started || !bare ? undefined : { said: [], state: { ...state, started: true } };
    }
    case "content_block_start":
      return startClaims(value, state);
    case "content_block_delta":
      return deltaClaims(value, state);
    case "content_block_stop":
      return stopClaims(value, state);
    case "message_delta": {
      const word = objectOf(value["delta"])?.["stop_reason"];
      if (word === undefined || word === null) return { said: [], state };
      if (typeof word !== "string" || !WORDS.has(word) || state.open !== undefined || !state.started) return undefined;
      return (state.word ?? word) === word ? { said: [], state: { ...state, word } } : undefined;
    }
    case "message_stop":
      return state.stopped ? undefined : { said: [], state: { ...state, stopped: true } };
    case "error":
      return objectOf(value["error"]) === undefined
        ? undefined
        : { said: [{ kind: "error", error: { code: null, message: "" } }], state };
    default:
      return { said: [], state };
  }
}

function startClaims(value: Obj, state: AnthropicState): Claims<AnthropicState> | undefined {
  const { index } = value;
  const block = objectOf(value["content_block"]);
  if (index !== state.next || state.open !== undefined || block === undefined || !state.started) return undefined;
  const type = String(block["type"]);
  const open: OpenBlock = { index: state.next, up: state.next, type, call: undefined, begun: false };
  const next = { ...state, next: state.next + 1, open };
  if (type === "text" || type === "thinking") {
    const text = block[type];
    return { said: typeof text === "string" ? [words(type, text)] : [], state: next };
  }
  if (type !== "tool_use") return { said: [], state: next };
  const { id, name, input } = block;
  const empty = objectOf(input) !== undefined && Object.keys(input as object).length === 0;
  if (!isWord(id) || !isWord(name) || !empty) return undefined;
  const key = String(state.calls);
  return {
    said: [{ kind: "open", call: { key, id, name, kind: "function", choice: 0 } }],
    state: { ...next, calls: state.calls + 1, open: { ...open, call: key } },
  };
}

function deltaClaims(value: Obj, state: AnthropicState): Claims<AnthropicState> | undefined {
  const { open } = state;
  const delta = objectOf(value["delta"]);
  if (open === undefined || value["index"] !== open.index || delta === undefined) return undefined;
  const { type, text, thinking, partial_json: json } = delta;
  if (open.call !== undefined) {
    if (type !== "input_json_delta" || typeof json !== "string") return undefined;
    if (json === "") return { said: [], state };
    return {
      said: [{ kind: "add", key: open.call, text: json }],
      state: open.begun ? state : { ...state, open: { ...open, begun: true } },
    };
  }
  if (type === "text_delta")
    return open.type === "text" && typeof text === "string" ? { said: [words("text", text)], state } : undefined;
  if (type === "thinking_delta")
    return open.type === "thinking" && typeof thinking === "string"
      ? { said: [words("thinking", thinking)], state }
      : undefined;
  // Only blocks that call something have input.
  if (type === "input_json_delta" && !open.type.endsWith("tool_use")) return undefined;
  return { said: [], state };
}

function stopClaims(value: Obj, state: AnthropicState): Claims<AnthropicState> | undefined {
  const { open } = state;
  if (open === undefined || value["index"] !== open.index) return undefined;
  const next = { ...state, open: undefined };
  if (open.call === undefined) return { said: [], state: next };
  // A block without any text is a call without arguments.
  const empty: readonly Said[] = open.begun ? [] : [{ kind: "add", key: open.call, text: "{}" }];
  return { said: [...empty, { kind: "close", key: open.call, whole: undefined }], state: next };
}

function words(type: "text" | "thinking", text: string): Said {
  return { kind: "text", lane: type === "text" ? "text" : "reasoning", choice: 0, text };
}

// ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function sound(ending: Ending, state: AnthropicState): Written<AnthropicState> | undefined {
  const { word, open, ending: kept, later } = state;
  if (word === undefined || word !== rightWord(word, ending) || open !== undefined) return undefined;
  if (kept !== undefined || later.length > 0) return undefined;
  const frames = state.stopped ? [] : [MESSAGE_STOP];
  return { frames, state: { ...state, stopped: true } };
}

const MESSAGE_STOP: OutFrame = { event: "message_stop", value: { type: "message_stop" } };

function rightWord(word: string | undefined, { reason }: Ending): string | undefined {
  if (word !== undefined && reason !== null && SAME[word] === reason) return word;
  return WORD_OF[reason ?? "error"];
}

function conclude(ending: Ending, state: AnthropicState): Written<AnthropicState> {
  const flow = new Flow(state);
  flow.flush();
  const word = rightWord(state.word, ending);
  if (word === undefined) {
    const message =
      ending.reason === null
        ? "The upstream's answer ended before it was whole."
        : `The upstream ended its answer with ${JSON.stringify(ending.raw ?? ending.reason)}.`;
    return { frames: [...flow.frames, ...anthropic.failure({ code: null, message }, state)], state: flow.state };
  }
  flow.begin();
  flow.leave();
  const own = state.ending ?? { type: "message_delta", delta: {}, usage: { output_tokens: 0 } };
  const delta = { stop_sequence: null, ...objectOf(own["delta"]), stop_reason: word };
  flow.frames.push({ event: "message_delta", value: { ...own, delta } }, MESSAGE_STOP);
  return { frames: flow.frames, state: { ...flow.state, word, stopped: true, ending: undefined } };
}

// ── written anew ────────────────────────────────────────────────────────────────────────────────────────────────────────

function anew({ value, event, said, textStands }: Anew, state: AnthropicState): Written<AnthropicState> {
  const flow = new Flow(state);
  const failed = said.find((each) => each.kind === "error");
  if (value !== undefined && failed === undefined) rest(value, event, textStands, flow);
  for (const each of said) if (each.kind !== "error") flow.say(each);
  if (failed !== undefined) {
    const own = value?.["type"] === "error" && objectOf(value["error"]) !== undefined ? value : undefined;
    flow.frames.push(
      ...(own === undefined ? anthropic.failure(failed.error, state) : [{ event: "error", value: own }]),
    );
  }
  return { frames: flow.frames, state: flow.state };
}

/** What a frame says beside calls, texts and the end. */
function rest(value: Obj, event: string | undefined, textStands: boolean, flow: Flow): void {
  const type = typeof value["type"] === "string" ? value["type"] : (event ?? "");
  const block = objectOf(value["content_block"]);
  const delta = objectOf(value["delta"]);
  switch (type) {
    case "message_start":
      return flow.begin(objectOf(value["message"]));
    case "content_block_start":
      if (block?.["type"] === "tool_use") return;
      return flow.other(textStands ? value : { ...value, content_block: emptied(block ?? {}) });
    case "content_block_delta":
      if (delta?.["type"] === "input_json_delta" && !flow.takesInput(value["index"])) return;
      if (!textStands && (delta?.["type"] === "text_delta" || delta?.["type"] === "thinking_delta")) return;
      return flow.other(value);
    case "content_block_stop":
      return flow.other(value);
    case "message_delta":
      return flow.keepEnding(value);
    case "message_stop":
    case "message":
    case "error":
      return;
    default:
      if (type !== "") flow.frames.push({ event: type, value: { type, ...value } });
  }
}

function emptied(block: Obj): Obj {
  const { type } = block;
  return type === "text" || type === "thinking" ? { ...block, [type]: "" } : block;
}
