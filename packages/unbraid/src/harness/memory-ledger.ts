// A ledger in the memory of one process. Owns its bound and what is dropped there. Keeps values as text, like the
// ledgers that outlive the process, so that nobody changes a kept value from outside.

import type { Claim, ClaimOutcome, ClaimRequest, Ledger, LedgerKey, RecordedResult, TurnRecord } from "./ledger.ts";
import { LedgerError } from "./ledger-error.ts";
import { LedgerValues, type LedgerLimits, limit } from "./ledger-values.ts";

/** What a ledger in memory may be told. */
export interface MemoryLedgerOptions extends LedgerLimits {
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  /** How many runs are kept. Default 10,000. */
  readonly maxRuns?: number;
  /** How many UTF-16 units all kept texts may have together. Default 67,108,864. */
  readonly maxLength?: number;
}

/** A run in which nothing has changed for so long is no longer at work, whatever it left open. */
const FORSAKEN_MS = 3_600_000;

interface HeldCall {
  readonly argumentsHash: string;
  worker: string;
  /** Null once the claim can neither renew nor record. */
  token: string | null;
  attempt: number;
  expiresAt: number;
  state: "claimed" | "recorded" | "unknown";
  result: string;
}

interface HeldTurn {
  readonly record: string;
  results: string | null;
}

/** What is kept of one run. `length` counts its texts; `unsettled` counts claims without a result and open turns. */
interface HeldRun {
  readonly calls: Map<string, HeldCall>;
  readonly turns: Map<number, HeldTurn>;
  changedAt: number;
  length: number;
  unsettled: number;
}

/**
 * A ledger in memory: for one process, and gone with it. Two workers within the process never run a call twice; after
 * a crash nothing is known of what ran.
 *
 * It is bounded. At the bound the run is forgotten that has not changed for the longest time among those that are at
 * rest: each claimed call has its result and each turn is closed, or nothing has changed for an hour. Where every run is
 * at work, the method rejects with `full` rather than forget what keeps a call from running twice.
 *
 * @throws {LedgerError} `bad-input` for a bound that is no positive integer
 * @example
 * const ledger = memoryLedger();
 * const key = { run: "invoice 17", turn: 0, call: "0" };
 * const outcome = await ledger.claim({ key, tool: "pay", argumentsHash, worker: "w1", leaseMs: 30_000, takeOver: false });
 * if (outcome.state === "claimed") await ledger.record(outcome.claim, { content: [{ type: "text", text: "paid" }] });
 */
export function memoryLedger(options: MemoryLedgerOptions = {}): Ledger {
  return new MemoryLedger(options);
}

class MemoryLedger implements Ledger {
  readonly #values: LedgerValues;
  readonly #now: () => number;
  readonly #maxRuns: number;
  readonly #maxLength: number;
  /** In the order of their last change, the oldest first. */
  readonly #runs = new Map<string, HeldRun>();
  #length = 0;
  #closed = false;

  constructor({ now = Date.now, maxRuns = 10_000, maxLength = 67_108_864, ...limits }: MemoryLedgerOptions) {
    this.#values = new LedgerValues(limits);
    this.#now = now;
    this.#maxRuns = limit("maxRuns", maxRuns);
    this.#maxLength = limit("maxLength", maxLength);
  }

  // The methods are async so that what they throw rejects, as it does in every other ledger.

  async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    this.#open();
    const { key, argumentsHash, worker, leaseMs, takeOver } = this.#values.request(request);
    const found = this.#runs.get(key.run)?.calls.get(callName(key));
    const now = this.#now();
    if (found === undefined) return this.#begin(key, { argumentsHash, worker, leaseMs });
    if (found.argumentsHash !== argumentsHash) return { state: "collision", argumentsHash: found.argumentsHash };
    if (found.state === "recorded") return { state: "recorded", result: this.#values.result(found.result) };
    if (found.state === "unknown") return { state: "unknown", worker: found.worker };
    if (found.expiresAt > now) return { state: "held", worker: found.worker, expiresInMs: found.expiresAt - now };
    if (!takeOver) {
      this.#change(key.run, 0).unsettled -= 1;
      found.state = "unknown";
      found.token = null;
      return { state: "unknown", worker: found.worker };
    }
    this.#change(key.run, worker.length - found.worker.length);
    const token = crypto.randomUUID();
    found.worker = worker;
    found.token = token;
    found.attempt += 1;
    found.expiresAt = now + leaseMs;
    return { state: "claimed", claim: { key, token }, attempt: found.attempt };
  }

  #begin(
    key: LedgerKey,
    { argumentsHash, worker, leaseMs }: Pick<ClaimRequest, "argumentsHash" | "worker" | "leaseMs">,
  ): ClaimOutcome {
    const run = this.#change(key.run, argumentsHash.length + worker.length);
    const token = crypto.randomUUID();
    const expiresAt = this.#now() + leaseMs;
    run.calls.set(callName(key), { argumentsHash, worker, token, attempt: 1, expiresAt, state: "claimed", result: "" });
    run.unsettled += 1;
    return { state: "claimed", claim: { key, token }, attempt: 1 };
  }

  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    this.#open();
    const lease = this.#values.lease(leaseMs);
    const held = this.#held(this.#values.claim(claim));
    if (held?.state !== "claimed") return false;
    this.#change(claim.key.run, 0);
    held.expiresAt = this.#now() + lease;
    return true;
  }

  async record(claim: Claim, result: RecordedResult): Promise<boolean> {
    this.#open();
    const text = this.#values.resultText(result);
    const held = this.#held(this.#values.claim(claim));
    if (held?.state !== "claimed") return held?.state === "recorded" && held.result === text;
    this.#change(claim.key.run, text.length).unsettled -= 1;
    held.state = "recorded";
    held.result = text;
    return true;
  }

  async release(claim: Claim): Promise<void> {
    this.#open();
    const held = this.#held(this.#values.claim(claim));
    if (held?.state !== "claimed") return;
    if (held.attempt > 1) {
      this.#change(claim.key.run, 0);
      held.token = null;
      held.expiresAt = this.#now();
      return;
    }
    const run = this.#change(claim.key.run, -(held.argumentsHash.length + held.worker.length));
    run.calls.delete(callName(claim.key));
    run.unsettled -= 1;
    if (run.calls.size === 0 && run.turns.size === 0) this.#drop(claim.key.run);
  }

  async openTurn(run: string, record: TurnRecord): Promise<TurnRecord> {
    this.#open();
    const name = this.#values.run(run);
    const text = this.#values.turnText(record);
    const kept = this.#runs.get(name)?.turns.get(text.turn);
    if (kept !== undefined) return this.#values.record(kept);
    const held = this.#change(name, text.record.length + (text.results?.length ?? 0));
    held.turns.set(text.turn, { record: text.record, results: text.results });
    if (text.results === null) held.unsettled += 1;
    return this.#values.record(text);
  }

  async closeTurn(run: string, turn: number, results: readonly unknown[]): Promise<readonly unknown[]> {
    this.#open();
    const text = this.#values.resultsText(results);
    const kept = this.#runs.get(this.#values.run(run))?.turns.get(this.#values.turn(turn));
    if (kept === undefined) throw new LedgerError("no-turn", `turn ${turn} of the run was never opened`);
    if (kept.results === null) {
      this.#change(run, text.length).unsettled -= 1;
      kept.results = text;
    }
    return this.#values.results(kept.results);
  }

  async turns(run: string): Promise<readonly TurnRecord[]> {
    this.#open();
    const turns = this.#runs.get(this.#values.run(run))?.turns ?? [];
    return [...turns].toSorted(([one], [other]) => one - other).map(([, kept]) => this.#values.record(kept));
  }

  async forget(which: { readonly run: string } | { readonly olderThanMs: number }): Promise<number> {
    this.#open();
    if ("run" in which) return this.#drop(this.#values.run(which.run)) ? 1 : 0;
    const now = this.#now();
    const before = now - this.#values.age(which.olderThanMs);
    const old = [...this.#runs].filter(([, run]) => run.changedAt <= before && !hasRunningLease(run, now));
    for (const [name] of old) this.#drop(name);
    return old.length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#runs.clear();
    this.#length = 0;
  }

  #open(): void {
    if (this.#closed) throw new LedgerError("closed", "the ledger was closed");
  }

  #held({ key, token }: Claim): HeldCall | undefined {
    const held = this.#runs.get(key.run)?.calls.get(callName(key));
    return held?.token === token ? held : undefined;
  }

  /** Finds room for a change of a run and makes that run the one that was changed last. */
  #change(name: string, growth: number): HeldRun {
    const known = this.#runs.get(name);
    const run = known ?? { calls: new Map(), turns: new Map(), changedAt: 0, length: name.length, unsettled: 0 };
    const [more, longer] = known === undefined ? [1, name.length + growth] : [0, growth];
    const fits = (): boolean => this.#runs.size + more <= this.#maxRuns && this.#length + longer <= this.#maxLength;
    if (longer > 0) while (!fits()) if (!this.#forgetOldest(name)) throw this.#full();
    run.changedAt = this.#now();
    run.length += growth;
    this.#length += longer;
    this.#runs.delete(name);
    this.#runs.set(name, run);
    return run;
  }

  #full(): LedgerError {
    const bound = `maxRuns ${this.#maxRuns}, maxLength ${this.#maxLength}`;
    return new LedgerError(
      "full",
      `the ledger in memory is full (${bound}) of runs at work: raise the bound, or forget runs`,
    );
  }

  #forgetOldest(except: string): boolean {
    const forsaken = this.#now() - FORSAKEN_MS;
    for (const [name, run] of this.#runs)
      if (name !== except && (run.unsettled === 0 || (run.changedAt <= forsaken && !hasRunningLease(run, this.#now()))))
        return this.#drop(name);
    return false;
  }

  #drop(name: string): boolean {
    this.#length -= this.#runs.get(name)?.length ?? 0;
    return this.#runs.delete(name);
  }
}

function callName({ turn, call }: LedgerKey): string {
  return `${turn}:${call}`;
}

function hasRunningLease(run: HeldRun, now: number): boolean {
  for (const { state, expiresAt } of run.calls.values()) if (state === "claimed" && expiresAt > now) return true;
  return false;
}
