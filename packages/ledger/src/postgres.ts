// The entry `@unbraid/ledger/postgres`: a ledger that many machines share. Owns connecting, asking again after a lost
// connection, and what the errors of the server mean.

import { randomUUID } from "node:crypto";
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
import {
  type PostgresPlace,
  type PostgresStatements,
  postgresLedgerSchema,
  postgresStatements,
  SCHEMA_VERSION,
} from "./postgres-statements.ts";
import {
  type Connection,
  LostRace,
  missingDriver,
  ServerAccess,
  type ServerAccessOptions,
  unreachable,
  warnProcess,
  wordsOf,
} from "./server-access.ts";

export { type PostgresPlace, postgresLedgerSchema, type ServerAccessOptions };

/** What a statement may be given. */
export type PostgresParameter = string | number | boolean | null;

/** A query of the package `postgres`, as far as it is used. */
export interface PostgresQuery {
  /** Gives the rows as arrays. */
  values(): PromiseLike<readonly (readonly unknown[])[]>;
}

/** A client of the package `postgres` (postgres.js), as far as it is used. */
export interface PostgresClient {
  /** Runs one statement. */
  unsafe(query: string, parameters: PostgresParameter[], options: { prepare: boolean }): PostgresQuery;
}

/** What a ledger in PostgreSQL may be told. */
export interface PostgresLedgerOptions extends PostgresPlace, LedgerLimits, ServerAccessOptions {
  /** Where the server is, `postgres://user:password@host:5432/database`. Needs the package `postgres`. */
  readonly url?: string;
  /** A client of the package `postgres` instead. `close()` leaves it open. */
  readonly client?: PostgresClient;
  /**
   * Whether statements are prepared, which saves a round trip each. Default false: a pooler that lends a connection for one
   * transaction at a time may not carry prepared statements (PgBouncer does from 1.21 on).
   */
  readonly prepare?: boolean;
  /** How many connections at most, where there is no `client`. Default 10. */
  readonly maxConnections?: number;
}

/** Beyond this a timestamp of PostgreSQL would overflow, and nothing is that old. */
const MAX_AGE_MS = 1e13;

const DUPLICATE_TABLE = "42P07";

/** duplicate_schema, duplicate_table, and the catalogue's own unique_violation. */
const ALREADY_THERE = new Set(["42P06", DUPLICATE_TABLE, "23505"]);

/** Errors after which the same question may be asked again, for each of them is safe to ask twice. */
const PASSING = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "40001", // serialization_failure, where the database's default is a stricter isolation
  "40P01", // deadlock_detected
  "53300", // too_many_connections
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
]);

/**
 * A ledger in PostgreSQL, for any number of workers on any number of machines. All times are the server's. What a method
 * has answered is committed; whether a commit outlives a crash of the server is a matter of its settings, and those that
 * lose some are told to `onWarning`.
 *
 * The tables are made at the first use where they are not there. A connection that is lost is opened again and the
 * question asked again for up to `timeoutMs`, then the method rejects with `unreachable`.
 *
 * @throws {LedgerError} `bad-input` where there is neither `url` nor `client`, or for names that PostgreSQL does not take
 * @example
 * import { postgresLedger } from "@unbraid/ledger/postgres";
 *
 * const ledger = postgresLedger({ url: process.env.DATABASE_URL, schema: "agents" });
 * console.log(await ledger.turns("invoice 17"));
 * await ledger.close();
 */
export function postgresLedger(options: PostgresLedgerOptions): Ledger {
  return new PostgresLedger(options);
}

type Rows = readonly (readonly unknown[])[];

class PostgresLedger implements Ledger {
  readonly #options: PostgresLedgerOptions;
  readonly #values: LedgerValues;
  readonly #statements: PostgresStatements;
  readonly #access: ServerAccess<PostgresClient>;
  #prepared: Promise<void> | undefined;

  constructor(options: PostgresLedgerOptions) {
    if ((options.url === undefined) === (options.client === undefined))
      throw new LedgerError("bad-input", "a ledger in PostgreSQL needs a url or a client, and not both");
    this.#options = options;
    this.#values = new LedgerValues(options);
    this.#statements = postgresStatements(options);
    this.#access = new ServerAccess({
      store: "PostgreSQL",
      timeoutMs: options.timeoutMs,
      connect: (timeoutMs) => connect(options, timeoutMs),
      isPassing: (error) => PASSING.has(codeOf(error)),
    });
  }

  async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    const asked = this.#values.request(request);
    const { key, tool, argumentsHash, worker, leaseMs, takeOver } = asked;
    // Made here, so that a claim which is asked for again after a lost connection is known as the same one.
    const token = randomUUID();
    const parameters = [key.run, key.turn, key.call, tool, argumentsHash, worker, token, leaseMs, takeOver];
    return this.#ask(this.#statements.claim, parameters, ([row]) => {
      // Another worker came between, and what it did is not to be seen yet.
      if (row === undefined) throw new LostRace();
      const [state, hash, by, bearer, attempt, result, left] = row;
      const kept = { state, hash, worker: by, token: bearer, attempt, result, left } as KeptCall;
      const overtaken = kept.state === "claimed" && kept.left <= 0 && kept.token !== token && hash === argumentsHash;
      if (overtaken) throw new LostRace("the claim was lost to other workers time and again");
      return outcomeOf(asked, token, kept, this.#values);
    });
  }

  async renew(claim: Claim, leaseMs: number): Promise<boolean> {
    const parameters = [...held(this.#values.claim(claim)), this.#values.lease(leaseMs)];
    return this.#ask(this.#statements.renew, parameters, (rows) => rows.length === 1);
  }

  async record(claim: Claim, result: RecordedResult): Promise<boolean> {
    const parameters = [...held(this.#values.claim(claim)), this.#values.resultText(result)];
    return this.#ask(this.#statements.record, parameters, (rows) => rows.length === 1);
  }

  async release(claim: Claim): Promise<void> {
    return this.#ask(this.#statements.release, held(this.#values.claim(claim)), () => {});
  }

  async openTurn(run: string, record: TurnRecord): Promise<TurnRecord> {
    const name = this.#values.run(run);
    const text = this.#values.turnText(record);
    return this.#ask(this.#statements.openTurn, [name, text.turn, text.record, text.results], ([row]) => {
      if (row === undefined) throw new LostRace();
      return this.#turn(row);
    });
  }

  async closeTurn(run: string, turn: number, results: readonly unknown[]): Promise<readonly unknown[]> {
    const parameters = [this.#values.run(run), this.#values.turn(turn), this.#values.resultsText(results)];
    return this.#ask(this.#statements.closeTurn, parameters, ([row]) => {
      if (row === undefined) throw new LedgerError("no-turn", `turn ${turn} of the run was never opened`);
      return this.#values.results(row[0] as string);
    });
  }

  async turns(run: string): Promise<readonly TurnRecord[]> {
    return this.#ask(this.#statements.turns, [this.#values.run(run)], (rows) => rows.map((row) => this.#turn(row)));
  }

  async forget(which: { readonly run: string } | { readonly olderThanMs: number }): Promise<number> {
    const count = ([row]: Rows): number => Number(row?.[0]);
    if ("run" in which) return this.#ask(this.#statements.forgetRun, [this.#values.run(which.run)], count);
    const age = Math.min(this.#values.age(which.olderThanMs), MAX_AGE_MS);
    return this.#ask(this.#statements.forgetOld, [age], count);
  }

  async close(): Promise<void> {
    await this.#access.close();
  }

  #turn([record, results]: readonly unknown[]): TurnRecord {
    return this.#values.record({ record: record as string, results: results as string | null });
  }

  async #ask<Answer>(
    statement: string,
    parameters: PostgresParameter[],
    answer: (rows: Rows) => Answer,
  ): Promise<Answer> {
    try {
      return await this.#access.ask(async (client) => {
        await this.#ready(client);
        return answer(await this.#query(client, statement, parameters));
      });
    } catch (error) {
      throw failureOf(error);
    }
  }

  async #query(client: PostgresClient, statement: string, parameters: PostgresParameter[] = []): Promise<Rows> {
    return client.unsafe(statement, parameters, { prepare: this.#options.prepare ?? false }).values();
  }

  /** Makes the tables once; after a failure the next method tries again. */
  #ready(client: PostgresClient): Promise<void> {
    this.#prepared ??= this.#prepare(client).catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  async #prepare(client: PostgresClient): Promise<void> {
    const { inspect, version } = this.#statements;
    const [[there, synchronousCommit, fsync] = []] = await this.#query(client, inspect);
    // Only then: who may not make tables can use those that are there.
    if (there !== true) await this.#create(client);
    const [[found] = []] = await this.#query(client, version);
    if (Number(found) > SCHEMA_VERSION)
      throw new LedgerError(
        "newer",
        `the tables were made by a newer @unbraid/ledger (version ${String(found)} of the schema, and this one knows ${SCHEMA_VERSION}): update it here too`,
      );
    const warn = this.#options.onWarning ?? warnProcess;
    const off = fsync === "off" ? "fsync" : synchronousCommit === "off" ? "synchronous_commit" : undefined;
    if (off !== undefined)
      warn(`PostgreSQL has ${off} off: a crash of the server may lose claims and results, and a call may run twice`);
  }

  /**
   * Makes the tables. Where others do so at once, the lock lets them in one by one; but a session that waited for it may
   * still see the catalogue as it was before, and fail on what is there by then.
   */
  async #create(client: PostgresClient): Promise<void> {
    const { inspect, create } = this.#statements;
    try {
      await this.#query(client, create);
    } catch (error) {
      if (!ALREADY_THERE.has(codeOf(error))) throw error;
      const [[there] = []] = await this.#query(client, inspect);
      if (there !== true) throw error;
    }
  }
}

function failureOf(error: unknown): LedgerError {
  if (isLedgerError(error)) return error;
  const code = codeOf(error);
  const cause = { cause: error };
  if (code === DUPLICATE_TABLE)
    return new LedgerError(
      "foreign",
      `${wordsOf(error)}, and it is no ledger's: choose another schema or prefix`,
      cause,
    );
  if (code.startsWith("CONNECTION_") || code.startsWith("08")) return unreachable("PostgreSQL", wordsOf(error), error);
  return new LedgerError("failed", `PostgreSQL: ${wordsOf(error)}`, cause);
}

async function connect(options: PostgresLedgerOptions, timeoutMs: number): Promise<Connection<PostgresClient>> {
  const { url, client, maxConnections = 10 } = options;
  if (client !== undefined) return { client, end: async () => {}, drop: () => {} };
  const driver = await import("postgres").catch((cause: unknown) => {
    throw missingDriver("postgres", cause);
  });
  const own = driver.default(url ?? "", {
    max: maxConnections,
    prepare: options.prepare ?? false,
    connect_timeout: Math.max(1, Math.ceil(timeoutMs / 1000)),
    // Tables of types are fetched for each connection otherwise, and no statement here needs them.
    fetch_types: false,
    onnotice: () => {},
  });
  return { client: own, end: () => own.end({ timeout: 1 }), drop: () => void own.end({ timeout: 0 }).catch(() => {}) };
}

function held({ key, token }: Claim): PostgresParameter[] {
  return [key.run, key.turn, key.call, token];
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return isLedgerError(error) || typeof code !== "string" ? "" : code;
}
