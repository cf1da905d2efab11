// What a client of Responses knows, and the writing of events for it: items under dense indexes, events numbered in order.
// Owns that state and the pen; what a frame means is in `responses.ts`.

import type { ToolCall } from "unbraid";
import { type Obj, type OutFrame, without } from "./dialect.ts";
import type { CallName, Said } from "./said.ts";

/** A call that the client knows of. */
export interface KnownCall {
  readonly name: CallName;
  readonly id: string;
  /** Its item's id and index at the client. */
  readonly item: string;
  readonly index: number;
  /** What the client has got of the arguments. */
  readonly text: string;
  readonly argumentsDone: boolean;
  readonly done: boolean;
}

/** What a client knows of a response. */
export interface ResponsesState {
  readonly started: boolean;
  readonly sequence: number;
  readonly next: number;
  readonly calls: readonly KnownCall[];
  /** Items that are no calls of the client's: by the server's index, the client's. */
  readonly others: ReadonlyMap<unknown, number>;
  /** Those that are done, by the client's index. */
  readonly items: ReadonlyMap<number, Obj>;
  /** Places whose text came in pieces. */
  readonly texts: ReadonlySet<string>;
  readonly over: boolean;
  readonly response: Obj | undefined;
  /** The event that tells of the end, while it waits. */
  readonly ending: Obj | undefined;
}

/** Where a piece of text belongs. */
export function placeOf({ output_index: index, content_index: part }: Obj): string {
  return JSON.stringify([index ?? null, part ?? 0]);
}

/** The state with one call changed. */
export function withCall(call: KnownCall, state: ResponsesState): ResponsesState {
  return { ...state, calls: state.calls.map((each) => (each.name.key === call.name.key ? call : each)) };
}

/** A call as an item. */
export function itemOf({ name, id, item, text }: KnownCall, status: string): Obj {
  return name.kind === "custom"
    ? { type: "custom_tool_call", id: item, call_id: id, name: name.name, input: text, status }
    : { type: "function_call", id: item, call_id: id, name: name.name, arguments: text, status };
}

/** Writes events in order, numbered. */
export class Pen {
  readonly frames: OutFrame[] = [];
  state: ResponsesState;

  constructor(state: ResponsesState) {
    this.state = state;
  }

  write(type: string, value: Obj): void {
    const sequence = this.state.sequence + 1;
    this.state = { ...this.state, sequence };
    this.frames.push({ event: type, value: { ...value, type, sequence_number: sequence } });
  }

  response(): Obj {
    const own = this.state.response ?? {};
    return { id: "resp_mended", object: "response", created_at: 0, model: "", ...own };
  }

  begin(response: Obj, own: Obj = {}): void {
    if (this.state.started) return;
    this.state = { ...this.state, started: true, response };
    const bare = { ...this.response(), status: "in_progress", output: [] };
    this.write("response.created", { ...own, response: bare });
  }

  keepEnding(value: Obj): void {
    this.state = { ...this.state, over: true, ending: this.state.ending ?? value };
  }

  /** The beginning or the end of an item that is no call of the client's. */
  item(type: string, value: Obj, item: Obj): void {
    this.begin({});
    const { output_index: up } = value;
    const known = this.state.others.get(up);
    const index = known ?? this.state.next;
    if (known === undefined) {
      this.state = { ...this.state, next: index + 1, others: new Map(this.state.others).set(up, index) };
      if (type === "response.output_item.done") this.write("response.output_item.added", { output_index: index, item });
    }
    if (type === "response.output_item.done")
      this.state = { ...this.state, items: new Map(this.state.items).set(index, item) };
    this.write(type, { ...value, output_index: index });
  }

  /** An event of such an item, or of none. */
  other(type: string, value: Obj): void {
    this.begin({});
    const { output_index: up } = value;
    if (up === undefined) return this.write(type, value);
    const index = this.state.others.get(up);
    // An event of an item that never began; what it says of text is said as text.
    if (index === undefined) return;
    const texts = /text\.delta$|refusal\.delta$/.test(type)
      ? new Set(this.state.texts).add(placeOf({ ...value, output_index: index }))
      : this.state.texts;
    this.state = { ...this.state, texts };
    this.write(type, { ...value, output_index: index });
  }

  say(said: Said): void {
    switch (said.kind) {
      case "text":
        return this.#text(said.lane, said.text);
      case "open":
        return this.#open(said.call);
      case "add":
        return this.#add(said.key, said.text);
      case "restate":
        return this.#restate(said.key, said.text);
      case "close":
        return this.#close(said.key, said.whole);
      case "error":
    }
  }

  /** Text that came without an item of its own becomes a message. */
  #text(lane: string, text: string): void {
    if (text === "") return;
    this.begin({});
    const index = this.state.next;
    const id = `msg_mended_${index}`;
    const reasoning = lane === "reasoning";
    const kind =
      lane === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
    const item: Obj = reasoning
      ? { type: "reasoning", id, summary: [{ type: "summary_text", text }] }
      : { type: "message", id, role: "assistant", status: "completed", content: [kind] };
    const empty = reasoning ? { ...item, summary: [] } : { ...item, status: "in_progress", content: [] };
    const place = { output_index: index, item_id: id };
    this.state = { ...this.state, next: index + 1, items: new Map(this.state.items).set(index, item) };
    this.write("response.output_item.added", { output_index: index, item: empty });
    if (reasoning) {
      const part = { type: "summary_text", text: "" };
      this.write("response.reasoning_summary_part.added", { ...place, summary_index: 0, part });
      this.write("response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta: text });
    } else {
      const part = lane === "refusal" ? { type: "refusal", refusal: "" } : { ...kind, text: "" };
      const at = { ...place, content_index: 0 };
      this.state = { ...this.state, texts: new Set(this.state.texts).add(placeOf(at)) };
      this.write("response.content_part.added", { ...at, part });
      if (lane === "refusal") this.write("response.refusal.delta", { ...at, delta: text });
      else this.write("response.output_text.delta", { ...at, delta: text, logprobs: [] });
      this.write("response.content_part.done", { ...at, part: kind });
    }
    this.write("response.output_item.done", { output_index: index, item });
  }

  #open(name: CallName): void {
    this.begin({});
    const index = this.state.next;
    const item = `fc_mended_${index}`;
    const id = name.answerId ?? name.id ?? "";
    const key = String(this.state.calls.length);
    const call = { name: { ...name, key }, id, item, index, text: "", argumentsDone: false, done: false };
    this.state = { ...this.state, next: index + 1, calls: [...this.state.calls, call] };
    this.write("response.output_item.added", { output_index: index, item: itemOf(call, "in_progress") });
  }

  #add(key: string, delta: string): void {
    const call = this.state.calls[Number(key)];
    if (call === undefined || delta === "") return;
    this.state = withCall({ ...call, text: call.text + delta }, this.state);
    this.write(
      call.name.kind === "custom" ? "response.custom_tool_call_input.delta" : "response.function_call_arguments.delta",
      { output_index: call.index, item_id: call.item, delta },
    );
  }

  /** What the call's end will say. */
  #restate(key: string, text: string): void {
    const call = this.state.calls[Number(key)];
    if (call !== undefined) this.state = withCall({ ...call, text }, this.state);
  }

  #close(key: string, whole: ToolCall | undefined): void {
    const call = this.state.calls[Number(key)];
    if (call === undefined || call.done) return;
    const { index, item, name, text } = call;
    const place = { output_index: index, item_id: item };
    if (!call.argumentsDone && name.kind === "custom")
      this.write("response.custom_tool_call_input.done", { ...place, input: text });
    else if (!call.argumentsDone)
      this.write("response.function_call_arguments.done", { ...place, name: name.name, arguments: text });
    // What must go back with the call: a namespace, a caller.
    const echo = without(whole?.echo ?? {}, "id", "type", "status");
    const status = whole?.status === "truncated" ? "incomplete" : "completed";
    const final = { ...echo, ...itemOf(call, status) };
    this.state = withCall({ ...call, argumentsDone: true, done: true }, this.state);
    this.state = { ...this.state, items: new Map(this.state.items).set(index, final) };
    this.write("response.output_item.done", { output_index: index, item: final });
  }
}
