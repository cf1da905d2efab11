// OpenAI Responses, streamed. Owns the writing of its events and of the response that ends them. Calls may interleave; a
// `done` has the last word on what its deltas said.

import type { CallKind, RetractReason, ToolCall, WireError } from "../events.ts";
import type { BlockWriter, CallBlock, TextBlock, TextKind } from "./blocks.ts";
import type { EncodeOptions, Encoder } from "./encoder.ts";
import { IDENTIFIER_RULES } from "./identifiers.ts";
import { voided } from "./faults.ts";
import { type Item, ResponseState } from "./openai-responses-items.ts";
import { namedSse, SSE_HEADERS, SSE_KEEP_ALIVE, SSE_TYPE } from "./sse.ts";
import { type Ending, WireEncoder, type WireTraits } from "./wire-encoder.ts";

export const RESPONSES_TRAITS: WireTraits = {
  wire: "openai-responses",
  contentType: SSE_TYPE,
  headers: SSE_HEADERS,
  order: {
    sequential: false,
    hold: false,
    // Items come whole when they are done: with encrypted reasoning, with annotations of a text.
    belongs: (part, run) => (typeOf(part) === (run === "reasoning" ? "reasoning" : "message") ? "end" : undefined),
  },
  kinds: new Set<CallKind>(["function", "custom"]),
  ...IDENTIFIER_RULES["openai-responses"],
  // An item of a kind that is this vendor's alone was echoed whole.
  hasOwnForm: (kind, echo) => itemOf(echo) !== undefined || fieldOf(kind, echo) !== undefined,
};

/** An item while it is written. */
interface Open {
  readonly index: number;
  readonly item: Item;
  /** The text of it that counts: `done` says it whole. */
  text: string;
}

class ResponsesEncoder extends WireEncoder implements BlockWriter {
  #state: ResponseState | undefined;
  #sequence = 0;
  readonly #texts: Map<TextBlock, Open> = new Map();
  readonly #calls: Map<CallBlock, Open> = new Map();

  keepAlive(): string {
    return SSE_KEEP_ALIVE;
  }

  protected writer(): BlockWriter {
    return this;
  }

  openText(block: TextBlock): void {
    const reasoning = block.type === "reasoning";
    const id = block.item ?? this.#response().itemId(reasoning ? "rs" : "msg");
    const item: Item = reasoning
      ? { id, type: "reasoning", summary: [] }
      : { id, type: "message", role: "assistant", status: "in_progress", content: [] };
    const open = this.#add(item);
    this.#texts.set(block, open);
    if (reasoning) this.#send("reasoning_summary_part.added", { ...placeIn(open, "summary"), part: summaryOf("") });
    else this.#send("content_part.added", { ...placeIn(open, "content"), part: contentOf(block.type, "") });
  }

  text(block: TextBlock, text: string): void {
    const open = this.#texts.get(block);
    if (open === undefined) return;
    open.text += text;
    switch (block.type) {
      case "reasoning":
        return this.#send("reasoning_summary_text.delta", { ...placeIn(open, "summary"), delta: text });
      case "refusal":
        return this.#send("refusal.delta", { ...placeIn(open, "content"), delta: text });
      default:
        return this.#send("output_text.delta", { ...placeIn(open, "content"), delta: text, logprobs: [] });
    }
  }

  closeText(block: TextBlock): void {
    const open = this.#texts.get(block);
    if (open === undefined) return;
    this.#texts.delete(block);
    const { item, text } = open;
    const own = block.parts[0] as Item | undefined;
    if (block.type === "reasoning") {
      this.#send("reasoning_summary_text.done", { ...placeIn(open, "summary"), text });
      this.#send("reasoning_summary_part.done", { ...placeIn(open, "summary"), part: summaryOf(text) });
      return this.#done(open, own === undefined ? { ...item, summary: [summaryOf(text)] } : { ...own, id: item["id"] });
    }
    const part = contentOf(block.type, text);
    if (block.type === "refusal") this.#send("refusal.done", { ...placeIn(open, "content"), refusal: text });
    else this.#send("output_text.done", { ...placeIn(open, "content"), text, logprobs: [] });
    this.#send("content_part.done", { ...placeIn(open, "content"), part });
    this.#done(
      open,
      own === undefined ? { ...item, status: "completed", content: [part] } : { ...own, id: item["id"] },
    );
  }

  part(part: unknown, run: TextBlock | undefined): void {
    if (typeof part !== "object" || part === null) return;
    if (run === undefined) this.#done(this.#add({ ...part }), { ...part });
    else if (!run.parts.includes(part)) run.parts.push(part);
  }

  openCall(block: CallBlock): void {
    if (fieldOf(block.call.kind, block.echo) === undefined) return;
    this.#calls.set(block, this.#add({ ...this.#callItem(block), status: "in_progress" }));
  }

  append(block: CallBlock, text: string): void {
    const open = this.#calls.get(block);
    if (open === undefined) return;
    open.text += text;
    const event =
      fieldOf(block.call.kind, block.echo) === "input"
        ? "custom_tool_call_input.delta"
        : "function_call_arguments.delta";
    this.#send(event, { ...placeOf(open), delta: text });
  }

  closeCall(block: CallBlock, closed: ToolCall): void {
    const open = this.#calls.get(block);
    if (open === undefined) return this.#ownCall(closed);
    // The close has the last word, as `done` has here.
    open.text = closed.argumentsText;
    if (closed.status !== "complete")
      this.notice(
        "arguments-faulty",
        `The call is ${closed.status}; its arguments were written as they are.`,
        closed.key,
      );
    if (closed.id !== block.call.id || closed.kind !== block.call.kind)
      this.notice("identity-changed", "The call's id or kind changed after its start was written.", closed.key);
    this.#callDone(open, block, closed.status === "truncated", this.nameOf(closed), this.own ? closed.echo : undefined);
  }

  replace(block: CallBlock, text: string): void {
    const open = this.#calls.get(block);
    if (open !== undefined) open.text = text;
  }

  retract(block: CallBlock, reason: RetractReason): void {
    this.notice("retracted-call", `The call was taken back (${reason}) after it had been written.`, block.call.key);
    const open = this.#calls.get(block);
    if (open === undefined) return;
    this.#response().drop(open.index);
    if (block.closed !== undefined) return;
    open.text += voided(reason);
    this.#callDone(open, block, true, this.nameOf(block.call), undefined);
  }

  protected complete({ reason }: Ending): void {
    const response = this.#response().end(reason, this.usage);
    this.#send(String(response["status"]), { response });
  }

  protected fail({ code, message }: WireError): void {
    const state = this.#response();
    const said = code === null ? "server_error" : String(code);
    this.#send("error", { code: said, message, param: null }, "");
    this.#send("failed", { response: state.fail({ code: said, message }, this.usage) });
  }

  #callItem({ call, echo, closed }: CallBlock): Item {
    const field = fieldOf(call.kind, echo) ?? "arguments";
    const custom = field === "input";
    return {
      id: this.#response().itemId(custom ? "ctc" : "fc"),
      type: custom ? "custom_tool_call" : "function_call",
      // What was held is known to its end; the item's own id is among it.
      ...(echo ?? (this.own ? closed?.echo : undefined)),
      status: "in_progress",
      call_id: this.idOf(call),
      name: this.nameOf(call),
      [field]: "",
    };
  }

  #callDone(open: Open, block: CallBlock, cut: boolean, name: string, echo: Item | undefined): void {
    const { item, text } = open;
    const field = fieldOf(block.call.kind, block.echo) ?? "arguments";
    const event = field === "input" ? "custom_tool_call_input.done" : "function_call_arguments.done";
    this.#send(event, { ...placeOf(open), ...(field === "input" ? {} : { name }), [field]: text });
    const status = cut ? "incomplete" : "completed";
    this.#done(open, { ...item, ...echo, id: item["id"], name, call_id: item["call_id"], status, [field]: text });
  }

  /** A call of a kind that is this vendor's alone: its item, as it came. */
  #ownCall({ echo }: ToolCall): void {
    const item = itemOf(echo);
    if (item !== undefined) this.#done(this.#add(item), item);
  }

  #response(): ResponseState {
    if (this.#state !== undefined) return this.#state;
    const state = new ResponseState({
      id: this.responseId ?? `resp_${crypto.randomUUID().replaceAll("-", "")}`,
      created: this.options.created ?? Math.floor(Date.now() / 1000),
      model: this.model ?? "",
    });
    this.#state = state;
    const response = state.snapshot("in_progress");
    this.#send("created", { response });
    this.#send("in_progress", { response });
    return state;
  }

  #add(item: Item): Open {
    const index = this.#response().add(item);
    this.#send("output_item.added", { output_index: index, item });
    return { index, item, text: "" };
  }

  #done({ index }: Open, item: Item): void {
    this.#response().set(index, item);
    this.#send("output_item.done", { output_index: index, item });
  }

  #send(name: string, fields: Item, prefix = "response."): void {
    const type = prefix + name;
    this.write(namedSse(type, JSON.stringify({ type, sequence_number: this.#sequence++, ...fields })));
  }
}

/** The whole item that a call came as, where the reader kept it. */
export function itemOf(echo: Item | undefined): Item | undefined {
  const item = echo?.["item"];
  return typeof item === "object" && item !== null ? (item as Item) : undefined;
}

function typeOf(part: unknown): unknown {
  return (part as { type?: unknown } | null)?.type;
}

/** The field that holds a call's input; undefined for items of the vendor's own. xAI names tools that it runs as custom calls. */
export function fieldOf(kind: CallKind, echo: Item | undefined): "arguments" | "input" | undefined {
  if (itemOf(echo) !== undefined) return undefined;
  if (kind === "custom" || echo?.["type"] === "custom_tool_call") return "input";
  return kind === "function" || kind === "builtin" || echo?.["type"] === "function_call" ? "arguments" : undefined;
}

function placeOf({ index, item }: Open): Item {
  return { item_id: item["id"], output_index: index };
}

function placeIn(open: Open, list: "content" | "summary"): Item {
  return { ...placeOf(open), [`${list}_index`]: 0 };
}

/** A summary of reasoning. */
export function summaryOf(text: string): Item {
  return { type: "summary_text", text };
}

/** A piece of a message's content. */
export function contentOf(type: TextKind, text: string): Item {
  return type === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
}

/**
 * Writes a response as the events of OpenAI Responses.
 *
 * @param options See {@link EncodeOptions}.
 * @returns The encoder; one serves one response.
 * @example
 * const encoder = encodeOpenaiResponses({ from: "gemini", model: "my-model" });
 * for await (const event of read(response)) write(encoder.push(event));
 * write(encoder.end());
 */
export function encodeOpenaiResponses(options: EncodeOptions = {}): Encoder {
  return new ResponsesEncoder(options, RESPONSES_TRAITS);
}
