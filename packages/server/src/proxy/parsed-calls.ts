// Translated calls for clients that parse arguments while they read, and fail as a whole where those are no JSON: Anthropic's SDK.
// Owns what the encoder is told instead: the fragment that ends a call's arguments, or breaks them, waits for the call's end,
// and a call that must not run ends as an object that its tool refuses.

import type { DeclaredTool, RetractReason, StreamEvent, ToolCall } from "unbraid";
import { JsonScanner } from "unbraid/json";
import { objectOf } from "../mend/dialect.ts";
import { unfit } from "../mend/unfit.ts";

interface Known {
  /** All of the arguments, and what of them was told. */
  text: string;
  sent: string;
  json: JsonScanner;
  /** Nothing more is told before the end. */
  kept: boolean;
  /** What was told has become wrong. */
  wrong: boolean;
}

type CloseEvent = Extract<StreamEvent, { readonly type: "call.close" }>;
type RetractEvent = Extract<StreamEvent, { readonly type: "call.retract" }>;

/** The calls of one response. */
export class ParsedCalls {
  readonly #tools: readonly DeclaredTool[] | undefined;
  readonly #hold: boolean;
  readonly #calls: Map<string, Known> = new Map();

  /**
   * @param tools What the client declared; undefined where that is not known.
   * @param hold The encoder writes calls at their close.
   */
  constructor(tools: readonly DeclaredTool[] | undefined, hold: boolean) {
    this.#tools = tools;
    this.#hold = hold;
  }

  /** What the encoder is told in place of an event. */
  take(event: StreamEvent): readonly StreamEvent[] {
    switch (event.type) {
      case "call.start":
        if (event.call.kind === "function")
          this.#calls.set(event.call.key, { text: "", sent: "", json: new JsonScanner(), kept: false, wrong: false });
        return [event];
      case "call.append":
        return this.#append(event);
      case "call.replace":
        return this.#replace(event);
      case "call.close":
        return this.#close(event);
      case "call.retract":
        return this.#retract(event);
      default:
        return [event];
    }
  }

  #append(event: Extract<StreamEvent, { readonly type: "call.append" }>): readonly StreamEvent[] {
    const known = this.#calls.get(event.call.key);
    if (known === undefined) return [event];
    known.text += event.text;
    if (known.kept || known.wrong) return [];
    known.json.feed(event.text);
    known.kept = known.json.state === "closed" || known.json.state === "broken";
    if (known.kept) return [];
    known.sent = known.text;
    return [event];
  }

  #replace(event: Extract<StreamEvent, { readonly type: "call.replace" }>): readonly StreamEvent[] {
    const known = this.#calls.get(event.call.key);
    if (known === undefined) return [event];
    const { sent } = known;
    known.text = sent;
    known.kept = false;
    known.json = new JsonScanner();
    known.json.feed(sent);
    known.wrong = !event.text.startsWith(sent);
    if (known.wrong) return [];
    const text = event.text.slice(sent.length);
    return text === "" ? [] : this.#append({ ...event, type: "call.append", text });
  }

  #close(event: CloseEvent): readonly StreamEvent[] {
    const { call, at } = event;
    const known = this.#calls.get(call.key);
    this.#calls.delete(call.key);
    if (known === undefined) return [event];
    const sent = this.#hold ? "" : known.sent;
    const voids = this.#hold ? call.status !== "complete" : call.status === "malformed" || known.wrong;
    const end = voids ? this.#voided(call, sent, at) : undefined;
    if (end !== undefined) return end;
    const rest = this.#hold ? "" : known.text.slice(sent.length);
    return rest === "" ? [event] : [{ type: "call.append", call, text: rest, at }, event];
  }

  #retract(event: RetractEvent): readonly StreamEvent[] {
    const { call, reason, at } = event;
    const known = this.#calls.get(call.key);
    this.#calls.delete(call.key);
    if (known === undefined || this.#hold) return [event];
    const whole: ToolCall = { ...call, status: "malformed", argumentsText: takenBack(reason), arguments: null };
    return this.#voided(whole, known.sent, at) ?? [event];
  }

  /** The end of a call that must not run, in a form that parses; undefined where there is none. */
  #voided(call: ToolCall, sent: string, at: CloseEvent["at"]): readonly StreamEvent[] | undefined {
    const text = unfit(call, sent, this.#tools);
    if (text === undefined) return undefined;
    const argumentsText = sent + text;
    const value = objectOf(JSON.parse(argumentsText) as unknown) ?? {};
    const { problem: _, repair: __, ...rest } = call;
    const whole: ToolCall = { ...rest, status: "complete", argumentsText, arguments: value };
    const added: StreamEvent = { type: "call.append", call, text, at };
    return [...(this.#hold ? [] : [added]), { type: "call.close", call: whole, at }];
  }
}

function takenBack(reason: RetractReason): string {
  return `taken back: ${reason}`;
}
