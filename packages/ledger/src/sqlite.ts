// The entry `@unbraid/ledger/sqlite`: a ledger in one file, for the processes of one machine. Owns the statements and
// what is done while another process holds the file.

import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  isLedgerError,
  type Ledger,
  LedgerError,
  type LedgerLimits,
  LedgerValues,
  type RecordedResult,
  type TurnRecord,
} from "unbraid/ledger";
import { type KeptCall, outcomeOf } from "./kept-call.ts";
import { createFile, prepareDatabase } from "./sqlite-schema.ts";

/** What a ledger in SQLite may be told. */
export interface SqliteLedgerOptions extends LedgerLimits {
  /** The file, on a disk of this machine. It is made where there is none; its folder must be there. */
  readonly path: string;
  /** For how many milliseconds a method waits while other processes hold the file. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /** The clock, in milliseconds: the same for all processes. Default `Date.now`. */
  readonly now?: () => number;
}

/** How long SQLite itself may wait for the file: this thread stands still meanwhile. */
const BLOCKING_MS = 5;

/** How long at most to sleep between two attempts: other processes hold the file for one commit at a time. */
const LONGEST_SLEEP_MS = 25;

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/**
 * A ledger in one SQLite file: for any number of processes of one machine, over crashes of them and of the machine. What
 * a method has answered is on the disk.
 *
 * The file is opened at the first use; what is wrong with it is what the first method rejects with: `foreign`, `newer`,
 * `failed`; and `unreachable` where others held it for longer than `busyTimeoutMs`. SQLite works in this thread: each
 * change costs one write to the disk, during which nothing else runs.
 *
 * @throws {LedgerError} `bad-input` for a path that names no file
 * @example
 * import { sqliteLedger } from "@unbraid/ledger/sqlite";
 *
 * const ledger = sqliteLedger({ path: "calls.ledger" });
 * console.log(await ledger.turns("invoice 17"));
 * await ledger.close();
 */
export function sqliteLedger(options: SqliteLedgerOptions): Ledger {
  return new SqliteLedger(options);
}

class SqliteLedger implements Ledger {
  readonly #path: string;
  readonly #values: LedgerValues;
  readonly #busyTimeoutMs: number;
  readonly #now: () => number;
  #open: Opened | undefined;
  #closed = false;

  constructor({ path, busyTimeoutMs = 10_000, now = Date.now, ...limits }: SqliteLedgerOptions) {
    if (typeof path !== "string" || path === "" || path.startsWith(":memory:"))
      throw new LedgerError("bad-input", "path must name a file; memoryLedger() keeps a ledger in memory");
    this.#path = resolve(path);
    this.#values = new LedgerValues(limits);
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#now = () => Math.floor(now());
  }

  async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    const asked = this.#values.request(request);
    const { key, tool, argumentsHash, worker, leaseMs, takeOver } = asked;
    const token = randomUUID();
    return this.#ask(({ findCall, claimCall }) => {
      const now = this.#now();
      const at = { run: key.run, turn: key.turn, call: key.call };
      const found = findCall.get({ ...at, now }) as KeptCall | undefined;
      // What needs no change is read without the lock that writers wait for.
      if (found !== undefined && !isExpired(found, argumentsHash)) return outcomeOf(asked, token, found, this.#values);
      const rest = { tool, hash: argumentsHash, worker, token, now, until: now + leaseMs, takes: takeOver ? 1 : 0 };
      const [kept] = claimCall.all({ ...at, ...rest }) as unknown as KeptCall[];
      // Nothing came where another process was first: what it did is to be read.
      return kept === undefined ? "again" : outcomeOf(asked, token, kept, this.#values);
    });
  }

  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    const at = claimed(this.#values.claim(claim));
    const lease = this.#values.lease(leaseMs);
    return this.#ask(({ renewCall }) => {
      const now = this.#now();
      return renewCall.run({ ...at, now, until: now + lease }).changes === 1;
    });
  }

  async record(claim: Claim, result: RecordedResult): Promise<boolean> {
    const at = claimed(this.#values.claim(claim));
    const text = this.#values.resultText(result);
    return this.#ask(({ recordCall }) => recordCall.run({ ...at, result: text, now: this.#now() }).changes === 1);
  }

  async release(claim: Claim): Promise<void> {
    const at = claimed(this.#values.claim(claim));
    await this.#ask(({ dropCall, expireCall }) => {
      // One of the two finds it: the first what was claimed once, the second what was taken over.
      if (dropCall.run(at).changes === 0) expireCall.run({ ...at, now: this.#now() });
      return true;
    });
  }

  async openTurn(run: string, record: TurnRecord): Promise<TurnRecord> {
    const name = this.#values.run(run);
    const text = this.#values.turnText(record);
    return this.#ask(({ findTurn, openTurn }) => {
      const kept = findTurn.get({ run: name, turn: text.turn }) as TurnRow | undefined;
      if (kept !== undefined) return this.#values.record(kept);
      const added = openTurn.run({ run: name, ...text, now: this.#now() }).changes === 1;
      return added ? this.#values.record(text) : "again";
    });
  }

  async closeTurn(run: string, turn: number, results: readonly unknown[]): Promise<readonly unknown[]> {
    const at = { run: this.#values.run(run), turn: this.#values.turn(turn) };
    const text = this.#values.resultsText(results);
    return this.#ask(({ findTurn, closeTurn }) => {
      if (closeTurn.run({ ...at, results: text, now: this.#now() }).changes === 1) return this.#values.results(text);
      const kept = findTurn.get(at) as TurnRow | undefined;
      if (kept === undefined || kept.results === null)
        throw new LedgerError("no-turn", `turn ${turn} of the run was never opened`);
      return this.#values.results(kept.results);
    });
  }

  async turns(run: string): Promise<readonly TurnRecord[]> {
    const name = this.#values.run(run);
    return this.#ask(({ allTurns }) =>
      (allTurns.all({ run: name }) as unknown as TurnRow[]).map((row) => this.#values.record(row)),
    );
  }

  async forget(which: { readonly run: string } | { readonly olderThanMs: number }): Promise<number> {
    const name = "run" in which ? this.#values.run(which.run) : undefined;
    const age = "run" in which ? 0 : this.#values.age(which.olderThanMs);
    return this.#ask(({ oldRuns, dropCalls, dropTurns }, database) => {
      database.exec("BEGIN IMMEDIATE");
      try {
        const now = this.#now();
        const old = () => oldRuns.all({ now, before: now - age }).map((row) => String(row["run"]));
        const forgotten = (name === undefined ? old() : [name]).filter(
          (each) => Number(dropCalls.run({ run: each }).changes) + Number(dropTurns.run({ run: each }).changes) > 0,
        );
        database.exec("COMMIT");
        return forgotten.length;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#open?.database.close();
    this.#open = undefined;
  }

  /**
   * Does something with the file, again and again while others hold it. SQLite waits for them only briefly, for that
   * stops everything else in this thread; between attempts this sleeps.
   */
  async #ask<Answer>(
    work: (statements: Statements, database: DatabaseSync) => Exclude<Answer, "again"> | "again",
  ): Promise<Exclude<Answer, "again">> {
    const start = performance.now();
    for (let sleepMs = 1; ; sleepMs = Math.min(sleepMs * 2, LONGEST_SLEEP_MS)) {
      if (this.#closed) throw new LedgerError("closed", "the ledger was closed");
      let busy: unknown;
      try {
        const { database, statements } = this.#opened();
        const answer = work(statements, database);
        if (answer !== "again") return answer;
        continue;
      } catch (error) {
        if (!isBusy(error)) throw this.#failure(error);
        busy = error;
      }
      if (performance.now() - start > this.#busyTimeoutMs)
        throw new LedgerError(
          "unreachable",
          `${this.#path}: other processes held the ledger for more than ${this.#busyTimeoutMs} ms`,
          { cause: busy },
        );
      await sleep(sleepMs * (0.5 + Math.random()));
    }
  }

  /**
   * The file, open. One that was removed or replaced meanwhile would go on to take claims that no other process sees:
   * SQLite itself notices that only at some changes.
   */
  #opened(): Opened {
    if (this.#open !== undefined && fileAt(this.#path) !== this.#open.file) {
      // SQLite leaves the new file's neighbours alone when it closes a moved one.
      this.#open.database.close();
      this.#open = undefined;
      throw new LedgerError(
        "failed",
        `${this.#path} was removed or replaced while it was used: what was claimed and recorded there is gone`,
      );
    }
    return (this.#open ??= open(this.#path));
  }

  #failure(error: unknown): LedgerError {
    if (isLedgerError(error)) return error;
    const code = codeOf(error);
    if (code === SQLITE_NOTADB)
      return new LedgerError("foreign", `${this.#path} is no SQLite file: name another`, { cause: error });
    const what = error instanceof Error ? error.message : String(error);
    const advice = code === SQLITE_CORRUPT ? ": bring back a backup" : "";
    return new LedgerError("failed", `${this.#path}: ${what}${advice}`, { cause: error });
  }
}

interface TurnRow {
  readonly record: string;
  readonly results: string | null;
}

/** Every statement, prepared once. */
interface Statements {
  readonly findCall: StatementSync;
  readonly claimCall: StatementSync;
  readonly renewCall: StatementSync;
  readonly recordCall: StatementSync;
  readonly dropCall: StatementSync;
  readonly expireCall: StatementSync;
  readonly findTurn: StatementSync;
  readonly openTurn: StatementSync;
  readonly closeTurn: StatementSync;
  readonly allTurns: StatementSync;
  readonly oldRuns: StatementSync;
  readonly dropCalls: StatementSync;
  readonly dropTurns: StatementSync;
}

interface Opened {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  /** Which file it was at that path. */
  readonly file: string | undefined;
}

/** Which file is at a path; undefined where there is none. */
function fileAt(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

function open(path: string): Opened {
  createFile(path);
  const database = new DatabaseSync(path, { timeout: BLOCKING_MS });
  try {
    prepareDatabase(database, path);
    return { database, statements: prepareStatements(database), file: fileAt(path) };
  } catch (error) {
    database.close();
    throw error;
  }
}

const KEPT = "state, arguments_hash AS hash, worker, token, attempt, result";
const HELD = "run = :run AND turn = :turn AND call = :call AND token = :token AND state = 'claimed'";

function prepareStatements(database: DatabaseSync): Statements {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  return {
    findCall: prepare(
      `SELECT ${KEPT}, expires_at - :now AS left FROM calls WHERE run = :run AND turn = :turn AND call = :call`,
    ),
    claimCall: prepare(
      `INSERT INTO calls (run, turn, call, tool, arguments_hash, worker, state, token, attempt, expires_at, changed_at)
       VALUES (:run, :turn, :call, :tool, :hash, :worker, 'claimed', :token, 1, :until, :now)
       ON CONFLICT (run, turn, call) DO UPDATE SET
         state = iif(:takes, 'claimed', 'unknown'),
         worker = iif(:takes, excluded.worker, worker),
         token = iif(:takes, excluded.token, NULL),
         attempt = attempt + :takes,
         expires_at = iif(:takes, excluded.expires_at, expires_at),
         changed_at = excluded.changed_at
       WHERE state = 'claimed' AND expires_at <= :now AND arguments_hash = excluded.arguments_hash
       RETURNING ${KEPT}, 0 AS left`,
    ),
    renewCall: prepare(`UPDATE calls SET expires_at = :until, changed_at = :now WHERE ${HELD}`),
    recordCall: prepare(
      `UPDATE calls SET state = 'recorded', result = :result, changed_at = :now
       WHERE run = :run AND turn = :turn AND call = :call AND token = :token
         AND (state = 'claimed' OR (state = 'recorded' AND result = :result))`,
    ),
    dropCall: prepare(`DELETE FROM calls WHERE ${HELD} AND attempt = 1`),
    expireCall: prepare(`UPDATE calls SET token = NULL, expires_at = :now, changed_at = :now WHERE ${HELD}`),
    findTurn: prepare("SELECT record, results FROM turns WHERE run = :run AND turn = :turn"),
    openTurn: prepare(
      `INSERT INTO turns (run, turn, record, results, changed_at) VALUES (:run, :turn, :record, :results, :now)
       ON CONFLICT (run, turn) DO NOTHING`,
    ),
    closeTurn: prepare(
      "UPDATE turns SET results = :results, changed_at = :now WHERE run = :run AND turn = :turn AND results IS NULL",
    ),
    allTurns: prepare("SELECT record, results FROM turns WHERE run = :run ORDER BY turn"),
    oldRuns: prepare(
      `SELECT run FROM (
         SELECT run, changed_at, state = 'claimed' AND expires_at > :now AS leased FROM calls
         UNION ALL SELECT run, changed_at, 0 FROM turns
       ) GROUP BY run HAVING max(changed_at) <= :before AND NOT max(leased)`,
    ),
    dropCalls: prepare("DELETE FROM calls WHERE run = :run"),
    dropTurns: prepare("DELETE FROM turns WHERE run = :run"),
  };
}

function claimed({ key, token }: Claim): { run: string; turn: number; call: string; token: string } {
  return { run: key.run, turn: key.turn, call: key.call, token };
}

function isExpired({ state, hash, left }: KeptCall, argumentsHash: string): boolean {
  return state === "claimed" && hash === argumentsHash && left <= 0;
}

/** The primary result code of an error of SQLite. */
function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code % 256 : undefined;
}

function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}
