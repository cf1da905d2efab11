// The reader's events as what is true of the client's calls, with what has been sent of each. Owns holding calls back until
// they are whole, putting repairs in, and the verdict that something sent has become wrong. Knows no wire.

import type { CallIdentity, CallKind, DeclaredTool, RetractReason, StreamEvent, ToolCall } from "unbraid";
import { JsonScanner } from "unbraid/json";
import type { CallName, Ending, Said } from "./said.ts";
import { unfit } from "./unfit.ts";

/** What is done with calls. */
export interface TruthOptions {
  /** Calls are said only when they are whole. */
  readonly hold: boolean;
  /** A malformed call that has exactly one reading is said as that. Needs `hold`. */
  readonly repair: boolean;
  /** The wire may leave ids out: a call without one is said without one. */
  readonly idsOptional: boolean;
  /** Clients fail at arguments that are no object: what is held back and malformed is said in a form that they can answer. */
  readonly parses: boolean;
  /** Calls are sent whole, when they close. */
  readonly wholes: boolean;
  /** The arguments can be said again when the call ends. */
  readonly restates: boolean;
  /** What the client declared. */
  readonly tools: readonly DeclaredTool[] | undefined;
}

/** An id that is not there may come late: so many fragments, and characters, are waited for it. */
const MAX_FRAGMENTS = 32;
const MAX_CHARACTERS = 64 * 1024;

interface CallRecord {
  name: CallName;
  /** What has been sent of the arguments. */
  sent: string;
  /** What is known of them. */
  text: string;
  /** Whether anything of the call was sent. */
  opened: boolean;
  /** Whether the opening was said, sent or not. */
  said: boolean;
  closed: boolean;
  /**
   * Where clients parse while they read: follows the text. What makes it whole, or no JSON, is kept back until the call
   * closes: only then is it known which of the two it is.
   */
  readonly json: JsonScanner | undefined;
  kept: boolean;
  /** How much of the text was said. */
  given: number;
}

/** A call that waits for its id; `whole` once it closed. */
interface Pending {
  readonly record: CallRecord;
  fragments: number;
  ready: boolean;
  whole: ToolCall | undefined;
}

/** What a batch of events amounts to. */
export interface Truth {
  readonly said: readonly Said[];
  readonly ending: Ending | undefined;
  /** Keys of calls whose unsent words must be taken back. */
  readonly recalled: readonly string[];
}

const BROKEN = "contradicted-stream";

/** The calls of one response. */
export class Truths {
  readonly #options: TruthOptions;
  readonly #calls: Map<string, CallRecord> = new Map();
  /** Calls that were cut off, and were held back or must not end like this: what is done with them, the finish word tells. */
  #cut: ToolCall[] = [];
  /** By key, calls that wait for an id, and those behind them. */
  readonly #pending: Map<string, Pending> = new Map();
  /** Ids of calls that were sent, taken back and left as what nobody can run. */
  readonly #void: Set<string> = new Set();
  /** A call ended without an id: this server gives none. */
  #idless = false;

  constructor(options: TruthOptions) {
    this.#options = options;
  }

  /** Whether a call is being held back. */
  get holding(): boolean {
    for (const call of this.#calls.values()) if (!call.said) return true;
    return false;
  }

  /**
   * Takes events.
   *
   * @param taken A strict client can take the frame that they come from: a call without an id is none that it needs one for.
   */
  take(events: readonly StreamEvent[], taken: boolean): Truth {
    const said: Said[] = [];
    const recalled: string[] = [];
    let ending: Ending | undefined;
    for (const event of events) {
      switch (event.type) {
        case "text":
          said.push({ kind: "text", lane: event.refusal ? "refusal" : "text", choice: event.choice, text: event.text });
          break;
        case "reasoning":
          said.push({ kind: "text", lane: "reasoning", choice: event.choice, text: event.text });
          break;
        case "call.start":
          this.#open(event.call, taken, said);
          break;
        case "call.append":
          this.#identify(event.call);
          this.#add(event.call.key, event.text, said);
          break;
        case "call.replace":
          this.#replace(event.call.key, event.text, said, recalled);
          break;
        case "call.close":
          this.#close(event.call, said);
          break;
        case "call.retract":
          if (event.reason === "fallback") this.#fallBack(event.call.key, said);
          else this.#retract(event.call.key, event.reason, said, recalled);
          break;
        case "error":
          this.#giveAll(said);
          said.push({ kind: "error", error: event.error });
          break;
        case "finish":
          ending = { reason: event.reason, raw: event.raw };
          this.#end(ending, said);
          break;
        case "response":
        case "usage":
        case "part":
        case "notice":
        case "call.answered":
      }
    }
    return { said, ending, recalled };
  }

  /** Says that words have been sent. */
  sent(said: Said): void {
    if (said.kind === "text" || said.kind === "error") return;
    const call = this.#calls.get(said.kind === "open" ? said.call.key : said.key);
    if (call === undefined) return;
    if (this.#options.wholes) {
      if (said.kind !== "close") return;
      call.opened = true;
      call.sent = call.text;
    } else if (said.kind === "open") {
      call.opened = true;
    } else if (said.kind === "add") {
      call.sent += said.text;
    } else if (said.kind === "restate") {
      call.sent = said.text;
    }
  }

  #open(call: CallIdentity, taken: boolean, said: Said[]): void {
    if (!isMendable(call.kind)) return;
    const { hold, parses, wholes, idsOptional } = this.#options;
    const name = nameOf(call, idsOptional);
    const json = parses && !wholes && !hold && call.kind === "function" ? new JsonScanner() : undefined;
    const record = { name, sent: "", text: "", opened: false, said: false, closed: false, json, kept: false, given: 0 };
    this.#calls.set(call.key, record);
    // A name that is not there may come late, and nothing can be sent without it.
    if (hold || call.name === "") return;
    const needsId = call.madeId === true && !taken && !wholes && !this.#idless;
    if (!needsId && this.#pending.size === 0) return this.#say(record, said);
    this.#pending.set(call.key, { record, fragments: 0, ready: !needsId, whole: undefined });
  }

  /** Says the opening of a call, and what is known of it. */
  #say(record: CallRecord, said: Said[]): void {
    record.said = true;
    // Two calls under one id cannot be answered.
    if (this.#void.has(record.name.answerId ?? ""))
      return void said.push({ kind: "error", error: contradiction(record.name.name) });
    said.push({ kind: "open", call: record.name });
    this.#give(record, said);
  }

  /** Says what has not been said of a call's text; of what a client parses, as far as it is the beginning of a value. */
  #give(record: CallRecord, said: Said[]): void {
    const { json, text, given, name } = record;
    if (given === text.length || record.kept) return;
    const fresh = text.slice(given);
    if (json !== undefined) {
      json.feed(fresh);
      record.kept = json.state === "closed" || json.state === "broken";
      if (record.kept) return;
    }
    record.given = text.length;
    said.push({ kind: "add", key: name.key, text: fresh });
  }

  #add(key: string, text: string, said: Said[]): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    call.text += text;
    if (call.said) return this.#give(call, said);
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    pending.fragments++;
    pending.ready ||= pending.fragments > MAX_FRAGMENTS || call.text.length > MAX_CHARACTERS;
    this.#release(said);
  }

  /** The id may have come. */
  #identify(call: CallIdentity): void {
    const pending = this.#pending.get(call.key);
    if (pending === undefined || call.madeId === true) return;
    pending.record.name = nameOf(call, this.#options.idsOptional);
    pending.ready = true;
  }

  /** Says the calls that waited, in their order, as far as nothing is waited for. */
  #release(said: Said[]): void {
    for (const [key, { record, ready, whole }] of this.#pending) {
      if (!ready) return;
      this.#pending.delete(key);
      this.#say(record, said);
      if (whole !== undefined) this.#over(record, whole, said);
    }
  }

  /** Nothing that was kept back will be better known: the response has failed. */
  #giveAll(said: Said[]): void {
    for (const record of this.#calls.values()) {
      if (!record.kept || record.closed) continue;
      said.push({ kind: "add", key: record.name.key, text: record.text.slice(record.given) });
      record.given = record.text.length;
    }
  }

  #replace(key: string, text: string, said: Said[], recalled: string[]): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    call.text = text;
    if (!call.said) return;
    if (!text.startsWith(call.sent)) {
      if (this.#options.restates) said.push({ kind: "restate", key, text });
      else said.push({ kind: "error", error: contradiction(call.name.name) });
      call.given = text.length;
      return;
    }
    recalled.push(key);
    takeBack(said, key, false);
    call.given = call.sent.length;
    this.#give(call, said);
  }

  #close(call: ToolCall, said: Said[]): void {
    const record = this.#calls.get(call.key);
    if (record === undefined) return;
    const whole = this.#options.repair ? repaired(call) : call;
    const pending = this.#pending.get(call.key);
    if (record.said) {
      this.#over(record, whole, said);
    } else if (pending !== undefined) {
      this.#identify(call);
      this.#idless ||= call.madeId === true;
      pending.whole = whole;
      pending.ready = true;
      this.#release(said);
    } else if (whole.status === "truncated") {
      this.#cut.push(whole);
    } else {
      record.said = true;
      this.#whole(whole, said);
    }
  }

  /** A call that has been opened is over. */
  #over(record: CallRecord, whole: ToolCall, said: Said[]): void {
    if (record.json === undefined || whole.status === "complete") this.#last(record, whole, said);
    else if (whole.status === "truncated") this.#cut.push(whole);
    else this.#spoil(record, whole, said);
  }

  /** The rest of the text, as the model wrote it. */
  #last(record: CallRecord, whole: ToolCall, said: Said[]): void {
    const text = record.text.slice(record.given);
    if (text !== "") said.push({ kind: "add", key: whole.key, text });
    this.#ended(record, whole, said);
  }

  /** A call that must not run, in front of a client that parses whatever it gets and fails, or runs the half of it. */
  #spoil(record: CallRecord, whole: ToolCall, said: Said[]): void {
    const text = unfit(whole, record.text.slice(0, record.given), this.#options.tools);
    if (text === undefined) return this.#last(record, whole, said);
    said.push({ kind: "add", key: whole.key, text });
    this.#ended(record, whole, said);
  }

  #ended(record: CallRecord, whole: ToolCall, said: Said[]): void {
    record.closed = true;
    said.push({ kind: "close", key: whole.key, whole });
  }

  #whole(call: ToolCall, said: Said[]): void {
    said.push({ kind: "open", call: nameOf(call, this.#options.idsOptional) });
    const other = this.#options.parses && call.arguments === null ? unfit(call, "", this.#options.tools) : undefined;
    const text = other ?? call.argumentsText;
    if (text !== "") said.push({ kind: "add", key: call.key, text });
    said.push({ kind: "close", key: call.key, whole: call });
  }

  /**
   * Of a response that says it is whole, a call that is not must reach the client, to be answered; where the finish word
   * tells that something is missing, the client needs no half of a call beside it.
   */
  #end({ reason }: Ending, said: Said[]): void {
    for (const pending of this.#pending.values()) pending.ready = true;
    this.#release(said);
    const well = reason === "tool_calls" || reason === "stop";
    for (const call of this.#cut) {
      const record = this.#calls.get(call.key);
      if (record === undefined) continue;
      if (!record.said && well) this.#whole(call, said);
      else if (record.said && well) this.#spoil(record, call, said);
      else if (record.said) this.#last(record, call, said);
    }
    this.#cut = [];
  }

  /** The vendor's own word to its clients: its block passes, and they know what to do. What is open only ends. */
  #fallBack(key: string, said: Said[]): void {
    const call = this.#calls.get(key);
    this.#forget(key, said);
    if (call?.said !== true || call.closed) return;
    const text = call.text.slice(call.given);
    if (text !== "") said.push({ kind: "add", key, text });
    said.push({ kind: "close", key, whole: undefined });
  }

  /**
   * What was sent cannot be unsent. Where clients parse only at the end, and nothing that they have of the call parses, it
   * stays as one that nobody can run; else the response has failed for them.
   */
  #retract(key: string, reason: RetractReason, said: Said[], recalled: string[]): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    this.#forget(key, said);
    if (!call.said) return;
    if (!call.opened) {
      recalled.push(key);
      takeBack(said, key, true);
      return;
    }
    const { parses, wholes } = this.#options;
    if (parses || wholes || call.closed || call.name.kind === "custom" || isWhole(call.sent)) {
      said.push({ kind: "error", error: contradiction(call.name.name) });
      return;
    }
    recalled.push(key);
    takeBack(said, key, true);
    this.#void.add(call.name.answerId ?? "");
    said.push({ kind: "add", key, text: `"<"<taken back: ${reason}>` }, { kind: "close", key, whole: undefined });
  }

  #forget(key: string, said: Said[]): void {
    this.#calls.delete(key);
    this.#pending.delete(key);
    this.#release(said);
  }
}

/** Whether a client may have run it already. */
function isWhole(text: string): boolean {
  const json = new JsonScanner();
  json.feed(text);
  return json.state === "closed";
}

/** Removes what was said of a call: its arguments, or all. */
export function takeBack(said: Said[], key: string, all: boolean): void {
  for (let at = said.length - 1; at >= 0; at--) {
    const each = said[at];
    if (each === undefined) continue;
    const about = each.kind === "open" ? each.call.key : "key" in each ? each.key : undefined;
    if (about === key && (all || each.kind === "add")) said.splice(at, 1);
  }
}

function isMendable(kind: CallKind): kind is "function" | "custom" {
  return kind === "function" || kind === "custom";
}

function nameOf(call: CallIdentity, idsOptional: boolean): CallName {
  const { key, name, choice } = call;
  const kind = call.kind === "custom" ? "custom" : "function";
  const id = idsOptional && call.madeId === true ? undefined : call.id;
  return { key, id, name, kind, choice, answerId: call.id };
}

function repaired(call: ToolCall): ToolCall {
  const { repair } = call;
  if (call.status !== "malformed" || repair === undefined) return call;
  const { problem: _, repair: __, ...rest } = call;
  return { ...rest, status: "complete", argumentsText: repair.argumentsText, arguments: repair.arguments };
}

function contradiction(name: string): { readonly code: string; readonly message: string } {
  return {
    code: BROKEN,
    message: `The upstream took back what it had streamed of a call of ${JSON.stringify(name)}. Ask again, or let the proxy hold calls until they are whole (--hold).`,
  };
}
