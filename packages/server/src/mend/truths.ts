// The reader's events as what is true of the client's calls, with what has been sent of each. Owns holding calls back until
// they are whole, putting repairs in, and the verdict that something sent has become wrong. Knows no wire.

import type { CallIdentity, CallKind, StreamEvent, ToolCall } from "unbraid";
import { answerable } from "./answerable.ts";
import type { CallName, Ending, Said } from "./said.ts";

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
}

interface CallRecord {
  readonly name: CallName;
  /** What has been sent of the arguments. */
  sent: string;
  /** What is known of them. */
  text: string;
  /** Whether anything of the call was sent. */
  opened: boolean;
  /** Whether the opening was said, sent or not. */
  said: boolean;
  closed: boolean;
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
  /** Calls that were held back and cut off: what is done with them, the finish word tells. */
  #cut: ToolCall[] = [];

  constructor(options: TruthOptions) {
    this.#options = options;
  }

  /** Whether a call is being held back. */
  get holding(): boolean {
    for (const call of this.#calls.values()) if (!call.said) return true;
    return false;
  }

  /** Takes events. */
  take(events: readonly StreamEvent[]): Truth {
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
          this.#open(event.call, said);
          break;
        case "call.append":
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
          else this.#retract(event.call.key, said, recalled);
          break;
        case "error":
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
    }
  }

  #open(call: CallIdentity, said: Said[]): void {
    if (!isMendable(call.kind)) return;
    const name = nameOf(call, this.#options.idsOptional);
    // A name that is not there may come late, and nothing can be sent without it.
    const atOnce = !this.#options.hold && call.name !== "";
    const record: CallRecord = { name, sent: "", text: "", opened: false, said: atOnce, closed: false };
    this.#calls.set(call.key, record);
    if (record.said) said.push({ kind: "open", call: name });
  }

  #add(key: string, text: string, said: Said[]): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    call.text += text;
    if (call.said) said.push({ kind: "add", key, text });
  }

  #replace(key: string, text: string, said: Said[], recalled: string[]): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    call.text = text;
    if (!call.said) return;
    if (!text.startsWith(call.sent)) {
      said.push({ kind: "error", error: contradiction(call.name.name) });
      return;
    }
    recalled.push(key);
    takeBack(said, key, false);
    said.push({ kind: "add", key, text: text.slice(call.sent.length) });
  }

  #close(call: ToolCall, said: Said[]): void {
    const record = this.#calls.get(call.key);
    if (record === undefined) return;
    const whole = this.#options.repair ? repaired(call) : call;
    record.closed = true;
    if (record.said) {
      said.push({ kind: "close", key: call.key, whole });
    } else if (whole.status === "truncated") {
      this.#cut.push(whole);
    } else {
      record.said = true;
      this.#whole(whole, said);
    }
  }

  #whole(call: ToolCall, said: Said[]): void {
    said.push({ kind: "open", call: nameOf(call, this.#options.idsOptional) });
    const unfit = this.#options.parses && call.arguments === null;
    const text = unfit ? JSON.stringify(answerable(call)) : call.argumentsText;
    if (text !== "") said.push({ kind: "add", key: call.key, text });
    said.push({ kind: "close", key: call.key, whole: call });
  }

  /**
   * Of a response that says it is whole, a call that is not must reach the client, to be answered; where the finish word
   * tells that something is missing, the client needs no half of a call beside it.
   */
  #end({ reason }: Ending, said: Said[]): void {
    if (reason === "tool_calls" || reason === "stop") for (const call of this.#cut) this.#whole(call, said);
    this.#cut = [];
  }

  /** The vendor's own word to its clients: its block passes, and they know what to do. What is open only ends. */
  #fallBack(key: string, said: Said[]): void {
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    if (call?.said === true && !call.closed) said.push({ kind: "close", key, whole: undefined });
  }

  #retract(key: string, said: Said[], recalled: string[]): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    this.#calls.delete(key);
    if (!call.said) return;
    if (call.opened) {
      said.push({ kind: "error", error: contradiction(call.name.name) });
      return;
    }
    recalled.push(key);
    takeBack(said, key, true);
  }
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
