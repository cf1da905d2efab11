// What every encoder does: which events its wire can say, in which order, and how a response ends. Owns that; the words
// are those of the wires, one file each beside it.

import type {
  CallIdentity,
  CallKind,
  CallStartEvent,
  FinishReason,
  ReasoningEvent,
  RetractReason,
  StreamEvent,
  TextEvent,
  ToolCall,
  WireError,
  WireVariant,
} from "../events.ts";
import { idSeed, makeId } from "../assembly/make-id.ts";
import { isClientKind } from "../kinds.ts";
import { Blocks, type BlockOrder, type BlockWriter, type TextKind } from "./blocks.ts";
import { EncodeNotices, type EncodedWire, type EncodeNotice, type EncodeOptions, type Encoder } from "./encoder.ts";
import { fitIdentifier, originalIdentifier, type IdentifierRule } from "./identifiers.ts";
import { Usage } from "./usage.ts";

/** What is fixed for a wire. */
export interface WireTraits {
  readonly wire: EncodedWire;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** It carries several candidate answers. */
  readonly choices?: true;
  readonly order: BlockOrder;
  /** The kinds of calls that it has a form for, whoever they come from. */
  readonly kinds: ReadonlySet<CallKind>;
  readonly ids: IdentifierRule;
  readonly names: IdentifierRule;
  /** Whether it has a form for calls of another kind where they were read from it, with these fields beside them. */
  readonly hasOwnForm?: (kind: CallKind, echo: Readonly<Record<string, unknown>>) => boolean;
}

/** How a response ended, where it ended well or in a way that the wire has a word for. */
export interface Ending {
  readonly reason: Exclude<FinishReason, "error" | "cancelled">;
  /** The vendor's own word, where the wire is its own. */
  readonly raw: string | null;
}

/** A name for a call that has none: the client answers it like any tool that it does not know. */
const NAMELESS = "unnamed_tool";

/** The part that is common to all. */
export abstract class WireEncoder implements Encoder {
  readonly #traits: WireTraits;
  readonly #notices: EncodeNotices = new EncodeNotices();
  readonly #choices: Map<number, Blocks> = new Map();
  /** Calls that were left out. */
  readonly #skipped: Set<string> = new Set();
  readonly #customTools: ReadonlySet<string>;
  /** By choice, the client's calls that were not taken back. */
  readonly #clientCalls: Map<number, Set<string>> = new Map();
  /** By key, the ids that were written; and all of them, with their choice. */
  readonly #ids: Map<string, string> = new Map();
  readonly #usedIds: Set<string> = new Set();
  /** The client's calls that are not whole and were not taken back, with their kinds. */
  readonly #truncated: Map<string, CallKind> = new Map();
  #error: WireError | undefined;
  #variant: WireVariant | undefined;
  #lane: { readonly name: string | undefined } | undefined;
  #over = false;
  #text = "";
  protected readonly options: EncodeOptions;
  protected readonly usage: Usage;
  protected responseId: string | undefined;
  protected model: string | undefined;

  constructor(options: EncodeOptions, traits: WireTraits) {
    this.#traits = options.hold === true ? { ...traits, order: { ...traits.order, hold: true } } : traits;
    this.#customTools = new Set(traits.kinds.has("custom") ? options.customTools : []);
    this.options = options;
    this.usage = new Usage(options.from);
    this.responseId = options.id;
    this.model = options.model;
  }

  get wire(): EncodedWire {
    return this.#traits.wire;
  }

  get contentType(): string {
    return this.#traits.contentType;
  }

  get headers(): Readonly<Record<string, string>> {
    return { "content-type": this.#traits.contentType, ...this.#traits.headers };
  }

  get notices(): readonly EncodeNotice[] {
    return this.#notices.list;
  }

  get over(): boolean {
    return this.#over;
  }

  push(event: StreamEvent): string {
    if (!this.#isOfThis(event)) this.notice("response-left-out", "Events of another response were left out.");
    else if (!this.#over) this.#event(event);
    else if (event.type !== "notice")
      this.notice("late-event", `An event of type "${event.type}" came after the finish.`);
    return this.#take();
  }

  end(): string {
    if (!this.#over) this.#finish(null, null);
    return this.#take();
  }

  abstract keepAlive(): string;

  /** What writes the pieces of a choice. */
  protected abstract writer(choice: number): BlockWriter;
  /** The response is over. */
  protected abstract complete(ending: Ending): void;
  /** The response failed. */
  protected abstract fail(error: WireError): void;

  /** The pieces of a choice are all there, and the response is about to end. Nothing by default. */
  protected closing(): void {}

  /** Puts text behind what was written. */
  protected write(text: string): void {
    this.#text += text;
  }

  protected notice(code: EncodeNotice["code"], message: string, call?: string): void {
    this.#notices.say(code, message, call);
  }

  /** True where the events were read from the wire that is written; a variant of it is another. */
  protected get own(): boolean {
    return this.options.from === this.#traits.wire && this.#variant === undefined;
  }

  /** The choices that have said something, in order. */
  protected get choices(): number[] {
    return [...this.#choices.keys()].toSorted((a, b) => a - b);
  }

  /** Whether a choice holds a call for the client. */
  protected hasCalls(choice: number): boolean {
    return (this.#clientCalls.get(choice)?.size ?? 0) > 0;
  }

  /** A call that a client would run was written, and its arguments are not whole. */
  protected get truncated(): boolean {
    return this.#truncated.size > 0;
  }

  /** Among these is free text, of which nothing shows that it was cut off. */
  protected get truncatedText(): boolean {
    for (const kind of this.#truncated.values()) if (kind === "custom") return true;
    return false;
  }

  /** The id, as the wire may have it: the same as long as the call lives, and no other call's. */
  protected idOf({ id, key, choice }: CallIdentity): string {
    const given = this.#ids.get(key);
    if (given !== undefined) return given;
    let fitting = fitIdentifier(id, this.#traits.ids);
    if (fitting !== id) this.notice("id-mapped", `The id "${id.slice(0, 100)}" is not one that this wire allows.`, key);
    // What takes the place of a call that was taken back may bear its id.
    for (let attempt = 1; this.#usedIds.has(`${choice} ${fitting}`); attempt++) {
      fitting = makeId(idSeed(id), attempt);
      this.notice("id-mapped", `The id "${id.slice(0, 100)}" was that of another call.`, key);
    }
    this.#usedIds.add(`${choice} ${fitting}`);
    this.#ids.set(key, fitting);
    return fitting;
  }

  /** The name, as the wire may have it. What the request translator had to spell otherwise gets its own name back. */
  protected nameOf({ name, key }: CallIdentity): string {
    if (name === "") {
      this.notice("name-made", `The call has no name; it is called "${NAMELESS}".`, key);
      return NAMELESS;
    }
    const declared = originalIdentifier(name);
    const fitting = fitIdentifier(declared, this.#traits.names);
    if (fitting !== declared)
      this.notice("name-mapped", `The name "${declared.slice(0, 100)}" is not one that this wire allows.`, key);
    return fitting;
  }

  /** One encoder writes one response: on a socket that carries several, that of the first event. */
  #isOfThis({ type, at }: StreamEvent): boolean {
    if (type === "notice") return true;
    this.#lane ??= { name: at.lane };
    return this.#lane.name === at.lane;
  }

  #take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #event(event: StreamEvent): void {
    switch (event.type) {
      case "response":
        this.responseId ??= event.id;
        this.model ??= event.model;
        this.#variant ??= event.variant;
        return;
      case "text":
        return this.#textual(event.refusal === true ? "refusal" : "text", event);
      case "reasoning":
        return this.#textual("reasoning", event);
      case "part":
        return this.#part(event.part, event.choice);
      case "call.start":
        return this.#start(event);
      case "call.append":
        return this.#of(event.call)?.append(event.call.key, event.text);
      case "call.replace":
        return this.#of(event.call)?.replace(event.call.key, event.text);
      case "call.close":
        return this.#close(event.call);
      case "call.retract":
        return this.#retract(event.call, event.reason);
      case "usage":
        return this.usage.add(event);
      case "error":
        this.#error ??= event.error;
        return;
      case "finish":
        return this.#finish(event.reason, event.raw);
      case "notice":
      case "call.answered":
    }
  }

  #textual(type: TextKind, event: TextEvent | ReasoningEvent): void {
    const { text, choice, item } = event;
    const field = event.type === "reasoning" ? event.field : undefined;
    if (text === "") return;
    if (this.own) this.#blocks(choice)?.text(type, text, item, field);
    else this.#blocks(choice)?.text(type, text);
  }

  /** The pieces of a choice, undefined where the wire has no room for it. */
  #blocks(choice: number): Blocks | undefined {
    if (choice !== 0 && this.#traits.choices === undefined) {
      this.notice("choice-left-out", "This wire carries one answer: further choices were left out.");
      return undefined;
    }
    let blocks = this.#choices.get(choice);
    if (blocks === undefined) {
      blocks = new Blocks(this.writer(choice), this.#traits.order);
      this.#choices.set(choice, blocks);
    }
    return blocks;
  }

  #of(call: CallIdentity): Blocks | undefined {
    return this.#skipped.has(call.key) ? undefined : this.#choices.get(call.choice);
  }

  #part(part: unknown, choice: number): void {
    if (this.own) this.#blocks(choice)?.part(part);
    else this.notice("part-left-out", "A part that only its own vendor understands was left out.");
  }

  #start({ call, echo }: CallStartEvent): void {
    const blocks = this.#blocks(call.choice);
    const written = blocks === undefined ? undefined : this.#writable(call, echo);
    if (blocks === undefined || written === undefined) {
      this.#skipped.add(call.key);
      return;
    }
    const custom = this.#isCustom(call);
    blocks.start(written, this.own ? echo : undefined, custom ? true : undefined);
    if (!isClientKind(written.kind)) return;
    const calls = this.#clientCalls.get(call.choice) ?? new Set();
    this.#clientCalls.set(call.choice, calls.add(call.key));
  }

  #isCustom(call: CallIdentity): boolean {
    return call.kind === "function" && this.#customTools.has(originalIdentifier(call.name));
  }

  /** The call in a kind that the wire has; undefined where it has none. */
  #writable(call: CallIdentity, echo: Readonly<Record<string, unknown>> = {}): CallIdentity | undefined {
    if (this.#traits.kinds.has(call.kind) || (this.own && this.#traits.hasOwnForm?.(call.kind, echo) === true))
      return call;
    if (call.kind === "custom" || call.kind === "builtin") {
      this.notice(
        "kind-changed",
        `This wire has no calls of kind "${call.kind}"; it was written as a function's.`,
        call.key,
      );
      return call;
    }
    this.notice(
      "call-left-out",
      `The call of "${call.name.slice(0, 100)}" runs at its vendor; this wire has no form for it.`,
      call.key,
    );
    return undefined;
  }

  #close(call: ToolCall): void {
    const blocks = this.#of(call);
    if (blocks === undefined) return;
    if (call.status !== "complete" && isClientKind(call.kind)) this.#truncated.set(call.key, call.kind);
    blocks.close(this.#isCustom(call) ? asCustom(call) : call);
  }

  #retract(call: CallIdentity, reason: RetractReason): void {
    this.#of(call)?.retract(call.key, reason);
    this.#clientCalls.get(call.choice)?.delete(call.key);
    this.#truncated.delete(call.key);
  }

  #finish(reason: FinishReason | null, raw: string | null): void {
    for (const blocks of this.#choices.values()) blocks.end();
    this.closing();
    this.#over = true;
    if (reason === null || reason === "error" || reason === "cancelled") {
      this.fail(this.#error ?? failureOf(reason, raw));
      return;
    }
    if (this.#error !== undefined)
      this.notice(
        "error-left-out",
        `An error that did not end the response was left out: ${this.#error.message.slice(0, 200)}`,
      );
    this.complete({ reason: this.settled(reason, this.choices), raw: this.own ? raw : null });
  }

  /** `stop` and `tool_calls` as the calls tell that were written: a caller may have taken them all back. */
  protected settled(reason: Ending["reason"], choices: readonly number[]): Ending["reason"] {
    if (reason !== "stop" && reason !== "tool_calls") return reason;
    return choices.some((choice) => this.hasCalls(choice)) ? "tool_calls" : "stop";
  }
}

function failureOf(reason: "error" | "cancelled" | null, raw: string | null): WireError {
  if (reason === "cancelled") return { code: "cancelled", message: "The response was cancelled." };
  if (reason === "error")
    return { code: raw ?? "error", message: "The model's server ended the response with an error." };
  return { code: "interrupted", message: "The response was cut off: it ended without a terminal signal." };
}

/** A function call of the one string `input`, as the custom call that it stands for; itself where it is none. */
function asCustom(call: ToolCall): ToolCall {
  const input = call.arguments?.["input"];
  if (typeof input !== "string") return call;
  return { ...call, kind: "custom", argumentsText: input, arguments: null };
}
