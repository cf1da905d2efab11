// What a client of Anthropic Messages knows, and the writing of events for it: blocks one after another, each begun and
// ended, under dense indexes; what belongs to another call than the one that is open waits for its end. Owns that state and
// that order; what a frame means is in `anthropic.ts`.

import { isWord, type Obj, objectOf, type OutFrame, without } from "./dialect.ts";
import type { CallName, Said } from "./said.ts";

/** The block that is open. */
export interface OpenBlock {
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

/** Blocks one after another. */
export class Flow {
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
        return this.#close();
      case "restate":
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

  #close(): void {
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
