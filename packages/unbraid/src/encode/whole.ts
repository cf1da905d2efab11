// A response that is not streamed: events in, one JSON body out. Owns the gathering of the pieces; the bodies are those of
// the wires.

import type { CallIdentity, RetractReason, StreamEvent, ToolCall, WireError } from "../events.ts";
import type { BlockWriter, CallBlock, TextBlock, TextKind } from "./blocks.ts";
import type { EncodeNotice, EncodeOptions, WholeResponse } from "./encoder.ts";
import type { Usage } from "./usage.ts";
import { type Ending, WireEncoder, type WireTraits } from "./wire-encoder.ts";

/** A piece of an answer. */
export type WholeItem =
  | { readonly type: TextKind; text: string; readonly item: string | undefined; readonly parts: unknown[] }
  | { readonly type: "part"; readonly part: unknown }
  | { readonly type: "call"; readonly call: ToolCall };

/** What a wire makes a body of. */
export interface WholeAnswer {
  readonly id: string | undefined;
  readonly model: string;
  /** In seconds since 1970. */
  readonly created: number;
  readonly ending: Ending;
  /** The word for the end of one choice. */
  settled(choice: number): Ending["reason"];
  /** Among the calls is free text, of which nothing shows that it was cut off. */
  readonly truncatedText: boolean;
  readonly usage: Usage;
  /** By choice; the first is always there. */
  readonly choices: ReadonlyMap<number, readonly WholeItem[]>;
  idOf(call: CallIdentity): string;
  nameOf(call: CallIdentity): string;
  /** The vendor's own fields beside a call, where the wire is its own. */
  echoOf(call: ToolCall): Readonly<Record<string, unknown>>;
  notice(code: EncodeNotice["code"], message: string, call?: string): void;
}

/** One wire's body. */
export interface WholeForm {
  readonly traits: WireTraits;
  /** The body of an answer. */
  body(answer: WholeAnswer): Readonly<Record<string, unknown>>;
  /** The body of an error. */
  error(error: WireError): Readonly<Record<string, unknown>>;
}

type Body = Readonly<Record<string, unknown>>;

class WholeEncoder extends WireEncoder {
  readonly #form: WholeForm;
  readonly #choices: Map<number, Gatherer> = new Map([[0, new Gatherer()]]);
  body: Body = {};
  status = 200;

  constructor(form: WholeForm, options: EncodeOptions) {
    // Each call keeps the place of its start; nothing is written before its end anyway.
    super(
      { ...options, hold: false },
      { ...form.traits, order: { ...form.traits.order, sequential: false, hold: false } },
    );
    this.#form = form;
  }

  keepAlive(): string {
    return "";
  }

  protected writer(choice: number): BlockWriter {
    const gatherer = this.#choices.get(choice) ?? new Gatherer();
    this.#choices.set(choice, gatherer);
    return gatherer;
  }

  protected complete(ending: Ending): void {
    this.body = this.#form.body({
      id: this.responseId,
      model: this.model ?? "",
      created: this.options.created ?? Math.floor(Date.now() / 1000),
      ending,
      settled: (choice) => this.settled(ending.reason, [choice]),
      truncatedText: this.truncatedText,
      usage: this.usage,
      choices: new Map([...this.#choices].map(([choice, gatherer]) => [choice, gatherer.items])),
      idOf: (call) => this.idOf(call),
      nameOf: (call) => this.nameOf(call),
      echoOf: ({ echo }) => (this.own ? (echo ?? {}) : {}),
      notice: (code, message, call) => this.notice(code, message, call),
    });
  }

  protected fail(error: WireError): void {
    const { status, code } = error;
    const told = status ?? (typeof code === "number" ? code : Number(code));
    // What went wrong behind us is a bad gateway's answer, unless the vendor gave a status of its own.
    this.status = Number.isInteger(told) && told >= 400 && told < 600 ? told : 502;
    this.body = this.#form.error(error);
  }
}

type Run = Extract<WholeItem, { type: TextKind }>;

/** Gathers the pieces of one choice. */
class Gatherer implements BlockWriter {
  /** A call that is not closed, or was taken back, is no piece. */
  readonly #places: (Exclude<WholeItem, { type: "call" }> | CallBlock)[] = [];
  readonly #gone: Set<CallBlock> = new Set();
  readonly #runs: Map<TextBlock, Run> = new Map();

  /** The pieces, in the order in which they began. */
  get items(): readonly WholeItem[] {
    return this.#places.flatMap((place): WholeItem[] => {
      if (place.type !== "call") return [place];
      return place.closed === undefined || this.#gone.has(place) ? [] : [{ type: "call", call: place.closed }];
    });
  }

  openText(block: TextBlock): void {
    const run: Run = { type: block.type, text: "", item: block.item, parts: [] };
    this.#runs.set(block, run);
    this.#places.push(run);
  }

  text(block: TextBlock, text: string): void {
    const run = this.#runs.get(block);
    if (run !== undefined) run.text += text;
  }

  closeText(block: TextBlock): void {
    this.#runs.delete(block);
  }

  part(part: unknown, block: TextBlock | undefined): void {
    const run = block === undefined ? undefined : this.#runs.get(block);
    if (run === undefined) this.#places.push({ type: "part", part });
    else run.parts.push(part);
  }

  openCall(block: CallBlock): void {
    this.#places.push(block);
  }

  append(): void {}

  closeCall(): void {}

  replace(): void {}

  retract(block: CallBlock, _reason: RetractReason): void {
    this.#gone.add(block);
  }
}

/** Events as one body. */
export function wholeOf(form: WholeForm, events: Iterable<StreamEvent>, options: EncodeOptions): WholeResponse {
  const encoder = new WholeEncoder(form, options);
  for (const event of events) encoder.push(event);
  encoder.end();
  const { body, status, notices } = encoder;
  return { status, contentType: "application/json; charset=utf-8", body, notices };
}

/** All text of some kinds in a choice. */
export function textOf(items: readonly WholeItem[], ...kinds: readonly TextKind[]): string {
  return items.map((item) => ("text" in item && kinds.includes(item.type) ? item.text : "")).join("");
}
