// The record of which calls were claimed and what they returned, so that no call runs twice. Owns the contract that every
// ledger keeps; knows nothing of how a call runs.

import type { ToolCall } from "../events.ts";
import type { ContentPart } from "../turns/content.ts";

/**
 * Which call it is: never by the call's id alone, for ids are unique only within one response.
 *
 * `run` and `call` are 1 to 255 UTF-16 units of well-formed text without U+0000, so that every store can hold them as a
 * key; others are refused. A vendor's id may be anything: `ToolCall.key` is always good.
 */
export interface LedgerKey {
  /** The run: one task that is worked on until it is done, over crashes too. */
  readonly run: string;
  /** The 0-based turn in the run, at most 2,147,483,647. */
  readonly turn: number;
  /** The call within the turn, the same when the same response is read again. */
  readonly call: string;
}

/** What a call came to, as it is kept. Plain JSON. */
export interface RecordedResult {
  /** What goes back to the model. */
  readonly content: readonly ContentPart[];
  /** True where the call did not do what it asked for. */
  readonly isError?: true;
  /** Why, where the harness answered in the tool's place: a reason of the harness's closed set. */
  readonly reason?: string;
}

/** Asks for the right to run a call. */
export interface ClaimRequest {
  /** Which call. */
  readonly key: LedgerKey;
  /** The tool's name, for people who look into the ledger: cut after 255 UTF-16 units. */
  readonly tool: string;
  /** The hash of tool name and arguments, of the same form as a key: the same key with another hash is another call. */
  readonly argumentsHash: string;
  /** Who asks, for people who look into the ledger: cut after 255 UTF-16 units. */
  readonly worker: string;
  /** For how many milliseconds the claim holds unless it is renewed: 1 to 2,147,483,647. */
  readonly leaseMs: number;
  /** Whether an expired claim of another worker may be taken over: running the tool twice does no harm. */
  readonly takeOver: boolean;
}

/** The answer to a claim. */
export type ClaimOutcome =
  /** It is yours to run. `attempt` counts from 1; above it, an expired claim was taken over. */
  | { readonly state: "claimed"; readonly claim: Claim; readonly attempt: number }
  /** Another worker runs it; ask again. */
  | { readonly state: "held"; readonly worker: string; readonly expiresInMs: number }
  /** It ran: this is its result. */
  | { readonly state: "recorded"; readonly result: RecordedResult }
  /** A claim expired and must not be taken over: nobody knows whether it ran. Final; a late result is refused. */
  | { readonly state: "unknown"; readonly worker: string }
  /** The key is taken by a call with other arguments. */
  | { readonly state: "collision"; readonly argumentsHash: string };

/**
 * The right to run one call. The token fences: once the claim was taken over or found expired, it can neither renew nor
 * record. A lease that ran out while nobody asked for the call has done no harm yet: such a claim is still held.
 */
export interface Claim {
  /** Which call. */
  readonly key: LedgerKey;
  /** Known to this claim alone. */
  readonly token: string;
}

/** One turn of a run, kept before any of its calls runs. Plain JSON. */
export interface TurnRecord {
  /** The 0-based turn in the run. */
  readonly turn: number;
  /** The assistant's answer in the vendor's own form, to be put at the end of the history. */
  readonly assistant: readonly unknown[];
  /** The calls of the turn, in order. */
  readonly calls: readonly ToolCall[];
  /** Why the response ended. */
  readonly finish: string | null;
  /** The results in the vendor's own form; absent until the turn is over. */
  readonly results?: readonly unknown[];
}

/**
 * Where claims and results are kept. None of the methods answers what was not kept first, and each is safe to ask again
 * after a rejection, claims aside: a claim whose answer was lost is held by nobody until it expires.
 *
 * Every method rejects with a `LedgerError`: `bad-input` or `too-large` for what it was given, `unreachable` where the
 * store did not answer, `closed` after `close()`, and the others that its code names.
 */
export interface Ledger {
  /** Claims a call, or says what became of it. Atomic over all workers. */
  claim(request: ClaimRequest): Promise<ClaimOutcome>;
  /** Holds a claim for `leaseMs` from now. False where it is no longer held: stop the work. */
  renew(claim: Claim, leaseMs: number): Promise<boolean>;
  /**
   * Keeps the result of a claimed call. False where the claim is no longer held: the result does not count. The same
   * result recorded again is true again. Rejects with `too-large` for a result above the ledger's limit; the claim is held
   * still, so that a shorter one can be recorded.
   */
  record(claim: Claim, result: RecordedResult): Promise<boolean>;
  /**
   * Gives a claim back that was never begun, so that another may run it. A claim that was taken over from another worker
   * goes back as expired, for that one may have run. Does nothing where the claim is no longer held.
   */
  release(claim: Claim): Promise<void>;
  /** Keeps a turn; the first one that is kept wins. Gives the one that is kept, with its results where it is closed. */
  openTurn(run: string, record: TurnRecord): Promise<TurnRecord>;
  /**
   * Keeps the results of a turn; the first that are kept win. Gives those that are kept. Rejects with `no-turn` where the
   * turn was never opened.
   */
  closeTurn(run: string, turn: number, results: readonly unknown[]): Promise<readonly unknown[]>;
  /** The turns of a run, by their numbers. */
  turns(run: string): Promise<readonly TurnRecord[]>;
  /**
   * Forgets a run, held claims and all, or every run that has not changed for so long and in which no lease runs. Gives
   * how many runs were forgotten. What was forgotten may run again: forget a run when nobody will resume it.
   */
  forget(which: { readonly run: string } | { readonly olderThanMs: number }): Promise<number>;
  /** Lets go of connections and files. Every later call rejects with `closed`; closing again does nothing. */
  close(): Promise<void>;
}
