// The stage between a protocol and the assembler: everything passes through, but text and reasoning go through a scanner
// for calls that a server left in them. Owns the channels of each choice and what is known of the server's own calls;
// what markup is, channel.ts knows.

import { isClientKind } from "../kinds.ts";
import type { DeclaredTool } from "../assembly/declared-tools.ts";
import type { CallTable } from "../assembly/call-table.ts";
import { append, close, open } from "../assembly/keyed-calls.ts";
import type { CallDelta, CallKey, SessionSink } from "../assembly/sink.ts";
import { wholeIndex } from "../wire-values.ts";
import type { Dropped, FinishReason, NoticeCode, RetractReason } from "../events.ts";
import { Channel, type ChannelKind } from "./channel.ts";
import type { ChannelHost } from "./channel-calls.ts";
import type { Form, KnownTool } from "./form.ts";
import { doublesOf } from "./doubles.ts";
import { KnownTools } from "./tools.ts";

/** What the stage speaks to: the assembler. */
interface RescueTarget extends SessionSink {
  /** Called before the response closes, for whatever reason. */
  closing: (() => void) | undefined;
  /** True once the response is finished: nothing is said of it any more. */
  readonly over: boolean;
  /** True once reading must stop: a limit was passed. */
  readonly stopped: boolean;
  /** The calls of the response, which are changed in `word`. */
  readonly calls: CallTable;
  word(act: () => void): void;
  lane(name: unknown): RescueTarget;
}

/** What the stage is told by the reader. */
export interface RescueSettings {
  /** The tools that the request declared; undefined only on a model's raw output, where every name is known. */
  readonly tools: readonly DeclaredTool[] | undefined;
  /** The text is a model's raw output, special tokens and all. */
  readonly raw: boolean;
}

/**
 * Makes the stage for one response or session; goes into `ReaderOptions.rescue`. What it takes and gives is the reader's
 * own affair.
 */
export type RescueStage = (target: object, settings: RescueSettings) => object;

/**
 * Recovers calls that a server left in the text or the reasoning, as they stream, for the tools that the request declared.
 *
 * @example
 * import { createReader } from "unbraid";
 * import { rescue } from "unbraid/rescue";
 *
 * const reader = createReader({ tools, rescue });
 */
export function rescue(target: object, { tools, raw }: RescueSettings): object {
  // The reader gives its assembler, which takes at least the words that the protocol behind it says.
  return new RescueSink(target as RescueTarget, new KnownTools(tools), raw);
}

/** The channels of one choice. */
interface Choice {
  text: Channel | undefined;
  reasoning: Channel | undefined;
  /** The wire's name for the reasoning. */
  field: string | undefined;
  /** The server sent a client's call in its own field. */
  hasCalls: boolean;
  /** A call was recovered from it. */
  hasRecovered: boolean;
}

class RescueSink implements SessionSink {
  readonly #target: RescueTarget;
  readonly #tools: KnownTools;
  readonly #raw: boolean;
  readonly #choices: Map<number, Choice> = new Map();
  readonly #lanes: Map<RescueTarget, RescueSink> = new Map();
  /** The keys of the calls that were recovered in this response. */
  #keys: CallKey[] = [];
  #count = 0;
  #closing = false;

  constructor(target: RescueTarget, tools: KnownTools, raw: boolean) {
    this.#target = target;
    this.#tools = tools;
    this.#raw = raw;
    target.closing = () => this.#close();
  }

  get midCall(): boolean {
    return this.#target.midCall;
  }

  text(text: unknown, choice?: unknown, refusal?: boolean, item?: unknown): void {
    if (typeof text !== "string" || text === "" || refusal === true)
      return this.#target.text(text, choice, refusal, item);
    const state = this.#choice(choice);
    // Reasoning that is followed by words did not end in a call.
    if (state.reasoning !== undefined && text.trim() !== "") state.reasoning.interrupt();
    if (state.text === undefined) {
      state.text = this.#channel(choice, "text");
      if (state.hasCalls) state.text.behindCall();
    }
    state.text.feed(text);
  }

  reasoning(text: unknown, choice?: unknown, field?: string): void {
    if (typeof text !== "string" || text === "") return;
    const state = this.#choice(choice);
    state.field ??= field;
    (state.reasoning ??= this.#channel(choice, "reasoning")).feed(text);
  }

  delta(delta: CallDelta): void {
    this.#calls(delta);
    this.#target.delta(delta);
  }

  open(delta: CallDelta): void {
    this.#calls(delta);
    this.#target.open(delta);
  }

  append(key: CallKey, text: unknown, headerMayFollow?: boolean): void {
    this.#target.append(key, text, headerMayFollow);
  }

  final(delta: CallDelta, unsure?: boolean): void {
    this.#calls(delta);
    this.#target.final(delta, unsure);
  }

  close(delta: CallDelta, cut?: boolean): void {
    this.#target.close(delta, cut);
  }

  whole(delta: CallDelta): void {
    this.#calls(delta);
    this.#target.whole(delta);
  }

  list(calls: readonly CallDelta[]): void {
    for (const call of calls) this.#calls(call);
    this.#target.list(calls);
  }

  /** Notes that the server sent a call itself. */
  #calls(delta: CallDelta): void {
    if (typeof delta.name !== "string" || delta.name === "" || !isClientKind(delta.kind ?? "function")) return;
    const state = this.#choice(delta.choice);
    state.hasCalls = true;
    state.text?.behindCall();
  }

  retract(reason: RetractReason, which?: CallKey): void {
    if (which === undefined) {
      for (const { text, reasoning } of this.#choices.values()) {
        reasoning?.interrupt();
        text?.interrupt();
      }
      this.#choices.clear();
      this.#keys = [];
    }
    this.#target.retract(reason, which);
  }

  knows(key: CallKey): boolean {
    return this.#target.knows(key);
  }

  response(id: unknown, model?: unknown): void {
    this.#target.response(id, model);
  }

  part(part: unknown, choice?: unknown): void {
    this.#target.part(part, choice);
  }

  usage(raw: unknown, inputTokens?: unknown, outputTokens?: unknown): void {
    this.#target.usage(raw, inputTokens, outputTokens);
  }

  finish(raw: string, reason: FinishReason | null, choice?: unknown): void {
    this.#target.finish(raw, reason, choice);
  }

  error(code: unknown, message: unknown, raw: unknown, passing?: boolean): void {
    this.#target.error(code, message, raw, passing);
  }

  notice(code: NoticeCode, message: string, dropped?: Dropped): void {
    this.#target.notice(code, message, dropped);
  }

  end(reason?: FinishReason | null): void {
    this.#target.end(reason);
  }

  begin(): void {
    this.#target.begin();
  }

  answered(id: unknown): void {
    this.#target.answered(id);
  }

  lane(name: unknown): SessionSink {
    const target = this.#target.lane(name);
    if (target === this.#target) return this;
    let lane = this.#lanes.get(target);
    if (lane === undefined) this.#lanes.set(target, (lane = new RescueSink(target, this.#tools, this.#raw)));
    return lane;
  }

  /** The response is about to close: what is held is decided, and calls that came twice are taken back. */
  #close(): void {
    if (this.#closing) return;
    this.#closing = true;
    for (const { text, reasoning } of this.#choices.values()) {
      reasoning?.end();
      text?.end();
    }
    if (this.#keys.length > 0 && [...this.#choices.values()].some((choice) => choice.hasCalls))
      for (const call of doublesOf(this.#target.calls, this.#keys)) this.#target.calls.retract(call, "repeated-call");
    this.#choices.clear();
    this.#keys = [];
    this.#closing = false;
  }

  #choice(choice: unknown): Choice {
    const number = wholeIndex(choice) ?? 0;
    let state = this.#choices.get(number);
    if (state === undefined) {
      state = { text: undefined, reasoning: undefined, field: undefined, hasCalls: false, hasRecovered: false };
      this.#choices.set(number, state);
    }
    return state;
  }

  #channel(choice: unknown, kind: ChannelKind): Channel {
    const target = this.#target;
    const key = (item: string): CallKey => ({ choice, item });
    // What a channel says may pass a limit, which ends the response amid its words.
    const say = (act: () => void): void => {
      if (!target.over) act();
    };
    const state = this.#choice(choice);
    const host: ChannelHost = {
      get hasCalls() {
        return state.hasCalls;
      },
      get hasRecovered() {
        return state.hasRecovered;
      },
      raw: this.#raw,
      tools: this.#tools,
      text: (text) => say(() => target.text(text, choice)),
      reasoning: (text) => say(() => target.reasoning(text, choice, state.field)),
      open: (tool, form, id) => {
        const item = `rescued ${this.#count++}`;
        say(() => this.#open({ choice, item, id }, tool, form));
        return item;
      },
      append: (item, json) => target.word(() => append(target.calls, key(item), json)),
      close: (item, id) => target.word(() => close(target.calls, { ...key(item), id })),
      cut: (item) => {
        // Where a limit ended the response, that is what was wrong with the call.
        if (!target.stopped) target.word(() => close(target.calls, key(item), true));
      },
      notice: (code, message, dropped) => say(() => target.notice(code, message, dropped)),
    };
    return new Channel(host, kind);
  }

  #open(key: CallKey, tool: KnownTool, form: Form): void {
    this.#choice(key.choice).hasRecovered = true;
    this.#keys.push({ choice: key.choice, item: key.item });
    this.#target.notice(
      "rescued-call",
      `The server left a call to "${tool.name}" in the text, in the form "${form.name}"; it was recovered.`,
    );
    this.#target.word(() =>
      open(this.#target.calls, {
        ...key,
        name: tool.name,
        ...(tool.builtin === true ? { kind: "builtin" as const } : {}),
      }),
    );
  }
}
