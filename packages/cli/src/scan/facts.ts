// What one body comes to in an audit: counts and times, no text of it. Owns the fold from events to them.

import type { FinishReason, NoticeCode, StreamEvent } from "unbraid";
import { isOfAWire } from "../input/recognise.ts";

/** What was counted of one body, or of many. */
export interface Counts {
  /** Bodies that were read; a session of many responses is one. */
  readonly responses: number;
  /** Calls that were closed and not taken back, of every kind. */
  readonly calls: number;
  /** Of these, those that are whole. */
  readonly complete: number;
  /** Of these, those that were cut short. */
  readonly truncated: number;
  /** Of these, those that cannot be read. */
  readonly malformed: number;
  /** Malformed calls that have exactly one corrected reading. */
  readonly repaired: number;
  /** Calls that were found in the text. */
  readonly rescued: number;
  /** Repeats of a call that were dropped. */
  readonly repeats: number;
  /** Calls that the wire took back. */
  readonly retracted: number;
  /** Bodies without a terminal signal. */
  readonly unfinished: number;
  /** Bodies with an error in them, or that could not be read to their end. */
  readonly errors: number;
  /** Bodies with at least one notice. */
  readonly irregular: number;
  /** Bytes, decompressed. */
  readonly bytes: number;
}

/** The names of the counts, in the order of the report. */
export const COUNTS: readonly (keyof Counts)[] = [
  "responses",
  "calls",
  "complete",
  "truncated",
  "malformed",
  "repaired",
  "rescued",
  "repeats",
  "retracted",
  "unfinished",
  "errors",
  "irregular",
  "bytes",
];

/** What one body came to. */
export interface BodyFacts {
  /** Where it lies: a path, and behind it the line in a log. */
  readonly name: string;
  /** The wire; null where nothing told. */
  readonly protocol: string | null;
  /** The model that the wire names. */
  readonly model: string | null;
  /** The server, where a recording or a log says it. */
  readonly server: string | null;
  readonly counts: Counts;
  /** How often each irregularity was seen. */
  readonly notices: ReadonlyMap<NoticeCode, number>;
  /** How its last response ended. */
  readonly finish: FinishReason | null;
  /** Fragments that each call came in. */
  readonly fragments: readonly number[];
  /** Milliseconds from the beginning to the first fragment of a call; absent without times. */
  readonly firstFragment?: number;
  /** Milliseconds between fragments that follow one another; none without times. */
  readonly gaps: readonly number[];
}

/** Gaps of one body that are kept; a longer body is a sample of itself. */
const MAX_GAPS = 10_000;

/** Folds the events of one body. */
export class FactsTaker {
  readonly #counts: { -readonly [Key in keyof Counts]: number } = zeroCounts();
  readonly #notices: Map<NoticeCode, number> = new Map();
  readonly #open: Map<string, { fragments: number; status: string | undefined; repaired: boolean }> = new Map();
  readonly #gaps: number[] = [];
  #model: string | null = null;
  #finish: FinishReason | null = null;
  #first: number | undefined;
  #last: number | undefined;
  #recognised = false;

  /** Takes one event. */
  add(event: StreamEvent): void {
    this.#recognised ||= isOfAWire(event);
    switch (event.type) {
      case "response":
        this.#model = event.model ?? this.#model;
        return;
      case "call.start":
        this.#open.set(event.call.key, { fragments: 0, status: undefined, repaired: false });
        return;
      case "call.append":
      case "call.replace":
        return this.#fragment(event.call.key, event.at.time);
      case "call.close": {
        const call = this.#open.get(event.call.key);
        if (call === undefined) return;
        call.status = event.call.status;
        call.repaired = event.call.repair !== undefined;
        return;
      }
      case "call.retract":
        if (this.#open.delete(event.call.key)) this.#counts.retracted += 1;
        return;
      case "notice":
        this.#notices.set(event.code, (this.#notices.get(event.code) ?? 0) + 1);
        if (event.code === "repeated-call") this.#counts.repeats += 1;
        if (event.code === "rescued-call") this.#counts.rescued += 1;
        return;
      case "error":
        this.#counts.errors = 1;
        return;
      case "finish":
        this.#finish = event.reason;
        return;
      default:
    }
  }

  /** Whether anything in the body was of a wire: an HTML page, a manifest or a letter has nothing of the kind. */
  get recognised(): boolean {
    return this.#recognised;
  }

  /** Whether there was an error in it. */
  get erred(): boolean {
    return this.#counts.errors > 0;
  }

  /** What it came to. `failed`: the body could not be read to its end. */
  facts(
    about: Pick<BodyFacts, "name" | "protocol" | "server"> & { readonly model?: string | null },
    bytes: number,
    failed = false,
  ): BodyFacts {
    const counts = this.#counts;
    const calls = [...this.#open.values()];
    counts.responses = 1;
    counts.calls = calls.filter(({ status }) => status !== undefined).length;
    for (const status of ["complete", "truncated", "malformed"] as const)
      counts[status] = calls.filter((call) => call.status === status).length;
    counts.repaired = calls.filter(({ repaired }) => repaired).length;
    counts.unfinished = this.#finish === null ? 1 : 0;
    counts.irregular = this.#notices.size > 0 ? 1 : 0;
    counts.errors = failed ? 1 : counts.errors;
    counts.bytes = bytes;
    return {
      name: about.name,
      protocol: about.protocol,
      model: this.#model ?? about.model ?? null,
      server: about.server,
      counts,
      notices: this.#notices,
      finish: this.#finish,
      fragments: calls.map(({ fragments }) => fragments),
      ...(this.#first === undefined ? {} : { firstFragment: this.#first }),
      gaps: this.#gaps,
    };
  }

  #fragment(key: string, time: number | undefined): void {
    const call = this.#open.get(key);
    if (call !== undefined) call.fragments += 1;
    if (time === undefined) return;
    this.#first ??= time;
    if (this.#last !== undefined && this.#gaps.length < MAX_GAPS) this.#gaps.push(time - this.#last);
    this.#last = time;
  }
}

/** Counts of nothing. */
export function zeroCounts(): { -readonly [Key in keyof Counts]: number } {
  return Object.fromEntries(COUNTS.map((name) => [name, 0])) as { -readonly [Key in keyof Counts]: number };
}
