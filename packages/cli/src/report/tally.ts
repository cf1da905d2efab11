// The calls of a body as a reader of the report counts them: numbered from 1 in order of first sight, those that were
// taken back included. Owns that count, how many fragments each call came in, and the tokens.

import type { CallIdentity, RetractReason, StreamEvent, ToolCall } from "unbraid";

/** One call. */
export interface Row {
  /** From 1, in order of first sight. */
  readonly number: number;
  /** What is known of it: all once it is closed. */
  readonly call: CallIdentity | ToolCall;
  readonly fragments: number;
  /** Why it was taken back, where it was. */
  readonly retracted: RetractReason | undefined;
  /** The argument text; of a call that is neither closed nor taken back, empty. */
  readonly text: string;
}

type Writable = { -readonly [Key in keyof Row]: Row[Key] };

/** Token counts, as far as the wire gave them. */
export interface Tokens {
  readonly input: number | undefined;
  readonly output: number | undefined;
}

/** Counts calls as their events come. */
export class Tally {
  #tokens: Tokens = { input: undefined, output: undefined };
  readonly #rows: Map<string, Writable> = new Map();

  /** Takes one event. */
  add(event: StreamEvent): void {
    switch (event.type) {
      case "call.start":
        return this.#start(event.call);
      case "call.append":
        return this.#change(event.call, (row) => row.fragments++);
      case "call.close":
        return this.#change(event.call, (row) => {
          row.call = event.call;
          row.text = event.call.argumentsText;
        });
      case "call.retract":
        return this.#change(event.call, (row) => {
          row.retracted = event.reason;
          row.text = event.argumentsText;
        });
      case "usage":
        // Anthropic says what came in at the beginning and what went out at the end.
        this.#tokens = {
          input: event.inputTokens ?? this.#tokens.input,
          output: event.outputTokens ?? this.#tokens.output,
        };
        return;
      default:
    }
  }

  #start(call: CallIdentity): void {
    this.#rows.set(call.key, { number: this.#rows.size + 1, call, fragments: 0, retracted: undefined, text: "" });
  }

  #change(call: CallIdentity, change: (row: Writable) => void): void {
    const row = this.#rows.get(call.key);
    if (row !== undefined) change(row);
  }

  /** The number of a call; undefined for one that has not started. */
  number(key: string): number | undefined {
    return this.#rows.get(key)?.number;
  }

  /** The last counts that the wire gave. */
  get tokens(): Tokens {
    return this.#tokens;
  }

  /** All calls so far. */
  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }
}
