// What a ledger takes and keeps: checks of keys and leases, and values as JSON text within limits. Owns what is the same
// for every ledger, so that a key that one store can hold is a key for all; knows no store.

import type { Claim, ClaimRequest, LedgerKey, RecordedResult, TurnRecord } from "./ledger.ts";
import { LedgerError } from "./ledger-error.ts";

/** How large a value may be, in UTF-16 units of its JSON text. */
export interface LedgerLimits {
  /** The largest result of one call. Default 8,388,608. */
  readonly maxResultLength?: number;
  /** The largest turn, and the largest results of a turn. Default 33,554,432. */
  readonly maxTurnLength?: number;
}

/** A turn as text: what stood when it was opened, apart from its results, which come later. */
export interface TurnText {
  /** The 0-based turn. */
  readonly turn: number;
  /** The record without its results, as JSON. */
  readonly record: string;
  /** The results as JSON; null until the turn is over. */
  readonly results: string | null;
}

const MAX_KEY_LENGTH = 255;
const MAX_INTEGER = 2_147_483_647;

/**
 * Checks what a ledger is given and turns values into text and back. Every method throws a `LedgerError`, `bad-input` or
 * `too-large`, that names what is wrong.
 *
 * @example
 * const values = new LedgerValues({ maxResultLength: 1_000_000 });
 * values.resultText({ content: [{ type: "text", text: "18 °C" }] }); // '{"content":[{"type":"text","text":"18 °C"}]}'
 */
export class LedgerValues {
  readonly #maxResultLength: number;
  readonly #maxTurnLength: number;

  /**
   * Takes the limits.
   *
   * @param limits how large a value may be; a limit that is no positive integer is refused
   */
  constructor({ maxResultLength = 8_388_608, maxTurnLength = 33_554_432 }: LedgerLimits = {}) {
    this.#maxResultLength = limit("maxResultLength", maxResultLength);
    this.#maxTurnLength = limit("maxTurnLength", maxTurnLength);
  }

  /** Checks a claim's request. Gives it with texts for people cut to size and a whole number of milliseconds. */
  request(request: ClaimRequest): ClaimRequest {
    const { argumentsHash, leaseMs, takeOver } = request;
    return {
      key: this.key(request.key),
      tool: shown(request.tool),
      argumentsHash: keyText("argumentsHash", argumentsHash),
      worker: shown(request.worker),
      leaseMs: this.lease(leaseMs),
      takeOver,
    };
  }

  /** Checks a key. */
  key({ run, turn, call }: LedgerKey): LedgerKey {
    return { run: this.run(run), turn: this.turn(turn), call: keyText("call", call) };
  }

  /** Checks a claim that is given back. */
  claim({ key, token }: Claim): Claim {
    return { key: this.key(key), token: keyText("token", token) };
  }

  /** Checks the name of a run. */
  run(run: string): string {
    return keyText("run", run);
  }

  /** Checks the number of a turn. */
  turn(turn: number): number {
    return integer("turn", turn, 0, MAX_INTEGER);
  }

  /** Checks a lease, in milliseconds. Gives it rounded up. */
  lease(leaseMs: number): number {
    return integer("leaseMs", Math.ceil(leaseMs), 1, MAX_INTEGER);
  }

  /** Checks an age, in milliseconds. Gives it rounded up. */
  age(olderThanMs: number): number {
    return integer("olderThanMs", Math.ceil(olderThanMs), 0, Number.MAX_SAFE_INTEGER);
  }

  /** A result as JSON text. */
  resultText(result: RecordedResult): string {
    return jsonText("result", result, this.#maxResultLength, "maxResultLength");
  }

  /** A result from its JSON text. */
  result(text: string): RecordedResult {
    return parsed(text) as RecordedResult;
  }

  /** A turn as text. */
  turnText(record: TurnRecord): TurnText {
    const { turn, assistant, calls, finish, results } = record;
    return {
      turn: this.turn(turn),
      record: jsonText("turn", { turn, assistant, calls, finish }, this.#maxTurnLength, "maxTurnLength"),
      results: results === undefined ? null : this.resultsText(results),
    };
  }

  /** A turn's results as JSON text. */
  resultsText(results: readonly unknown[]): string {
    return jsonText("results of the turn", results, this.#maxTurnLength, "maxTurnLength");
  }

  /** A turn's results from their JSON text. */
  results(text: string): readonly unknown[] {
    return parsed(text) as readonly unknown[];
  }

  /** A turn from its text. */
  record({ record, results }: Omit<TurnText, "turn">): TurnRecord {
    const kept = parsed(record) as TurnRecord;
    return results === null ? kept : { ...kept, results: this.results(results) };
  }
}

function bad(message: string): LedgerError {
  return new LedgerError("bad-input", message);
}

/** A limit that a ledger's options set: a positive integer. */
export function limit(name: string, value: number): number {
  return integer(name, value, 1, Number.MAX_SAFE_INTEGER);
}

function integer(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw bad(`${name} must be a whole number from ${least} to ${most}, and is ${String(value)}`);
}

/** PostgreSQL holds no U+0000 in text, and encoding as UTF-8 would make one key of all that differ in lone surrogates. */
function keyText(name: string, value: string): string {
  if (typeof value !== "string" || value === "") throw bad(`${name} must be a text that is not empty`);
  if (value.length > MAX_KEY_LENGTH)
    throw bad(`${name} is ${value.length} UTF-16 units long, and at most ${MAX_KEY_LENGTH} can be kept`);
  if (value.includes("\0") || !wellFormed(value))
    throw bad(`${name} holds U+0000 or half a surrogate pair, which not every store can keep`);
  return value;
}

function shown(text: string): string {
  return text
    .slice(0, MAX_KEY_LENGTH)
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replaceAll("\0", "\uFFFD");
}

function wellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** `JSON.stringify` writes lone surrogates and U+0000 as escapes, so that every store can hold the text. */
function jsonText(what: string, value: unknown, most: number, option: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new LedgerError("bad-input", `the ${what} is no plain JSON`, { cause });
  }
  if (text === undefined) throw bad(`the ${what} is no plain JSON`);
  if (text.length <= most) return text;
  throw new LedgerError(
    "too-large",
    `the ${what} is ${text.length} UTF-16 units of JSON, and ${option} allows ${most}: keep large data elsewhere and return where it is`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LedgerError("failed", "what the ledger holds is no JSON: it was changed by another hand, or is damaged", {
      cause,
    });
  }
}
