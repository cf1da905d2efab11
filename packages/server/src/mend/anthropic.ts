// Anthropic Messages for clients that take it at its word. Owns what such a client understands of an event, and how events
// are written anew: blocks one after another, each begun and ended, with dense indexes; blocks that are no calls keep every
// field.

import type { FinishReason, ToolCall } from "unbraid";
import {
  type Anew,
  type Claims,
  type Dialect,
  isWord,
  type Obj,
  objectOf,
  type OutFrame,
  type Seen,
  without,
  type Written,
} from "./dialect.ts";
import type { CallName, Ending, Said } from "./said.ts";

/** The block that is open. */
interface OpenBlock {
  /** Its index at the client, and at the server where it has one. */
  readonly index: number;
  readonly up: number | undefined;
  readonly type: string;
  /** The call's number, where it is one of the client's. */
  readonly call: string | undefined;
  /** The call has got text. */
  readonly begun: boolean;
}

/** What waits until the open call is over. */
type Later = { readonly said: Said } | { readonly frame: Obj };

/** What a client knows of a response. */
export interface AnthropicState {
  readonly started: boolean;
  readonly next: number;
  readonly open: OpenBlock | undefined;
  readonly calls: number;
  /** The stop reason that was told. */
  readonly word: string | undefined;
  readonly stopped: boolean;
  readonly later: readonly Later[];
  /** The `message_delta` that waits for the end. */
  readonly ending: Obj | undefined;
}

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

/** Blocks one after another. */
class Flow {
  readonly frames: OutFrame[] = [];
  state: AnthropicState;

  constructor(state: AnthropicState) {
    this.state = state;
  }

  /** The message begins, once. */
  begin(message?: Obj): void {
    if (this.state.started) return;
    this.state = { ...this.state, started: true };
    const usage = { input_tokens: 0, output_tokens: 0 };
    const own = { id: "msg_mended", type: "message", role: "assistant", model: "", usage, ...message };
    const bare = { ...own, content: [], stop_reason: null, stop_sequence: null };
    this.frames.push({ event: "message_start", value: { type: "message_start", message: bare } });
  }

  /** Whether a block under this index is open that calls something at the server. */
  takesInput(up: unknown): boolean {
    const { open } = this.state;
    return open !== undefined && open.call === undefined && open.up === up && open.type.endsWith("tool_use");
  }

  /** A frame of a block that is no call. */
  other(frame: Obj): void {
    this.flush();
    const { open, later } = this.state;
    if (open?.call !== undefined || later.length > 0) {
      this.state = { ...this.state, later: [...later, { frame }] };
      return;
    }
    this.#other(frame);
  }

  #other(frame: Obj): void {
    const { type, index } = frame;
    if (type === "content_block_start") {
      this.#enter(
        objectOf(frame["content_block"]) ?? {},
        undefined,
        typeof index === "number" ? index : undefined,
        frame,
      );
      return;
    }
    const { open } = this.state;
    const delta = objectOf(frame["delta"]);
    if (open !== undefined && open.call === undefined && open.up === index) {
      if (type === "content_block_stop") this.leave();
      else this.frames.push({ event: "content_block_delta", value: { ...frame, index: open.index } });
    } else if (delta?.["type"] === "text_delta" || delta?.["type"] === "thinking_delta") {
      const lane = delta["type"] === "text_delta" ? "text" : "thinking";
      this.#text(lane, String(delta[lane]));
    }
  }

  keepEnding(frame: Obj): void {
    const word = objectOf(frame["delta"])?.["stop_reason"];
    const merged = this.state.ending === undefined ? frame : { ...this.state.ending, ...frame };
    this.state = { ...this.state, ending: merged, word: this.state.word ?? (isWord(word) ? word : undefined) };
  }

  /** Says what is true; what belongs to another call than the one that is open waits for its end. */
  say(said: Said): void {
    this.flush();
    const { open, later } = this.state;
    const about = said.kind === "add" || said.kind === "close" ? said.key : undefined;
    if (open?.call !== undefined && about !== open.call) {
      this.state = { ...this.state, later: [...later, { said }] };
      return;
    }
    this.#say(said);
    if (said.kind === "close") this.flush();
  }

  /** Says what had to wait, as far as it can be said now. */
  flush(): void {
    const { later } = this.state;
    if (later.length === 0 || this.state.open?.call !== undefined) return;
    this.state = { ...this.state, later: [] };
    for (const each of later) {
      if ("frame" in each) this.other(each.frame);
      else this.say(each.said);
    }
  }

  #say(said: Said): void {
    switch (said.kind) {
      case "text":
        return this.#text(said.lane === "reasoning" ? "thinking" : "text", said.text);
      case "open":
        return this.#open(said.call);
      case "add":
        return this.#add(said.text);
      case "close":
        return this.#close(said.whole);
      case "error":
    }
  }

  #open({ name, answerId = "" }: CallName): void {
    const block = { type: "tool_use", id: answerId, name, input: {} };
    this.#enter(block, String(this.state.calls), undefined);
    this.state = { ...this.state, calls: this.state.calls + 1 };
  }

  #add(text: string): void {
    const { open } = this.state;
    if (open === undefined || text === "") return;
    const value = {
      type: "content_block_delta",
      index: open.index,
      delta: { type: "input_json_delta", partial_json: text },
    };
    this.frames.push({ event: "content_block_delta", value });
    this.state = { ...this.state, open: { ...open, begun: true } };
  }

  #close(_whole: ToolCall | undefined): void {
    this.leave();
  }

  #text(type: "text" | "thinking", text: string): void {
    if (text === "") return;
    if (this.state.open?.type !== type)
      this.#enter(type === "text" ? { type, text: "" } : { type, thinking: "", signature: "" }, undefined, undefined);
    const index = this.state.open?.index ?? 0;
    this.frames.push({
      event: "content_block_delta",
      value: { type: "content_block_delta", index, delta: { type: `${type}_delta`, [type]: text } },
    });
  }

  #enter(block: Obj, call: string | undefined, up: number | undefined, own?: Obj): void {
    this.begin();
    this.leave();
    const index = this.state.next;
    const open = { index, up, type: String(block["type"]), call, begun: false };
    this.state = { ...this.state, next: index + 1, open };
    this.frames.push({
      event: "content_block_start",
      value: { ...without(own ?? {}, "type"), type: "content_block_start", index, content_block: block },
    });
  }

  /** Ends the block that is open. */
  leave(): void {
    const { open } = this.state;
    if (open === undefined) return;
    this.frames.push({ event: "content_block_stop", value: { type: "content_block_stop", index: open.index } });
    this.state = { ...this.state, open: undefined };
  }
}
