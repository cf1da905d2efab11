// The tables and statements of the ledger in PostgreSQL. Owns the SQL and the quoting of names; runs nothing.

import { LedgerError } from "unbraid/ledger";

/** Where the tables are. */
export interface PostgresPlace {
  /** The schema. Default `unbraid`. */
  readonly schema?: string;
  /** What each table's name begins with. Default nothing. */
  readonly prefix?: string;
}

/** The version of the tables that this code knows. */
export const SCHEMA_VERSION = 1;

/** PostgreSQL cuts longer names without an error, so that two ledgers might become one. */
const MAX_NAME_BYTES = 63;

/** Each table with its schema, quoted. */
interface Tables {
  readonly schema: string;
  readonly ledger: string;
  readonly calls: string;
  readonly turns: string;
}

function tablesOf({ schema = "unbraid", prefix = "" }: PostgresPlace): Tables {
  const table = (name: string): string => `${identifier(schema)}.${identifier(prefix + name)}`;
  return { schema: identifier(schema), ledger: table("ledger"), calls: table("calls"), turns: table("turns") };
}

function identifier(name: string): string {
  if (name === "" || name.includes("\0") || Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new LedgerError(
      "bad-input",
      `the name ${JSON.stringify(name)} is none for PostgreSQL: 1 to ${MAX_NAME_BYTES} bytes, tables' names included`,
    );
  return `"${name.replaceAll('"', '""')}"`;
}

/** The E form means the same whatever `standard_conforming_strings` is. */
function literal(text: string): string {
  return `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/** Every statement. Times are the server's clock; `clock_timestamp()` moves on while a statement waits for a lock. */
export interface PostgresStatements {
  readonly inspect: string;
  readonly version: string;
  readonly create: string;
  readonly claim: string;
  readonly renew: string;
  readonly record: string;
  readonly release: string;
  readonly openTurn: string;
  readonly closeTurn: string;
  readonly turns: string;
  readonly forgetRun: string;
  readonly forgetOld: string;
}

/** The statements for tables at a place. */
export function postgresStatements(place: PostgresPlace): PostgresStatements {
  const { ledger, calls, turns } = tablesOf(place);
  const after = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;
  const held = "run = $1 AND turn = $2::int AND call = $3 AND token = $4 AND state = 'claimed'";
  const left = "(extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8";
  return {
    inspect: `SELECT to_regclass(${literal(ledger)}) IS NOT NULL, current_setting('synchronous_commit'), current_setting('fsync')`,
    version: `SELECT version FROM ${ledger}`,
    create: creation(place),
    // One round trip. What can be answered as it stands is only read: an upsert would lock the row, and each worker that
    // waits for a call would write to the disk whenever it asks. Where another worker came between, the upsert changes
    // nothing and the answer is what was there before; the ledger then asks again.
    claim: `WITH seen AS (
        SELECT state, arguments_hash, worker, token, attempt, result, expires_at FROM ${calls}
        WHERE run = $1 AND turn = $2::int AND call = $3
      ), claimed AS (
        INSERT INTO ${calls} AS held
          (run, turn, call, tool, arguments_hash, worker, state, token, attempt, expires_at, changed_at)
        SELECT $1, $2::int, $3, $4, $5, $6, 'claimed', $7, 1, ${after("$8")}, clock_timestamp()
        WHERE NOT EXISTS (
          SELECT FROM seen WHERE state <> 'claimed' OR arguments_hash <> $5 OR expires_at > clock_timestamp()
        )
        ON CONFLICT (run, turn, call) DO UPDATE SET
          state = CASE WHEN $9::boolean THEN 'claimed' ELSE 'unknown' END,
          worker = CASE WHEN $9::boolean THEN excluded.worker ELSE held.worker END,
          token = CASE WHEN $9::boolean THEN excluded.token END,
          attempt = held.attempt + CASE WHEN $9::boolean THEN 1 ELSE 0 END,
          expires_at = CASE WHEN $9::boolean THEN ${after("$8")} ELSE held.expires_at END,
          changed_at = clock_timestamp()
        WHERE held.state = 'claimed' AND held.arguments_hash = $5 AND held.expires_at <= clock_timestamp()
        RETURNING state, arguments_hash, worker, token, attempt, result, expires_at
      )
      SELECT state, arguments_hash, worker, token, attempt, result, ${left} FROM claimed
      UNION ALL
      SELECT state, arguments_hash, worker, token, attempt, result, ${left} FROM seen
      WHERE NOT EXISTS (SELECT FROM claimed)`,
    renew: `UPDATE ${calls} SET expires_at = ${after("$5")}, changed_at = clock_timestamp() WHERE ${held} RETURNING 1`,
    record: `UPDATE ${calls} SET state = 'recorded', result = $5, changed_at = clock_timestamp()
      WHERE run = $1 AND turn = $2::int AND call = $3 AND token = $4
        AND (state = 'claimed' OR (state = 'recorded' AND result = $5))
      RETURNING 1`,
    release: `WITH dropped AS (DELETE FROM ${calls} WHERE ${held} AND attempt = 1)
      UPDATE ${calls} SET token = NULL, expires_at = clock_timestamp(), changed_at = clock_timestamp()
      WHERE ${held} AND attempt > 1`,
    openTurn: `WITH opened AS (
        INSERT INTO ${turns} (run, turn, record, results, changed_at) VALUES ($1, $2::int, $3, $4, clock_timestamp())
        ON CONFLICT (run, turn) DO NOTHING RETURNING record, results
      )
      SELECT record, results FROM opened
      UNION ALL
      SELECT record, results FROM ${turns} WHERE run = $1 AND turn = $2::int AND NOT EXISTS (SELECT FROM opened)`,
    closeTurn: `UPDATE ${turns} SET results = coalesce(results, $3),
        changed_at = CASE WHEN results IS NULL THEN clock_timestamp() ELSE changed_at END
      WHERE run = $1 AND turn = $2::int RETURNING results`,
    turns: `SELECT record, results FROM ${turns} WHERE run = $1 ORDER BY turn`,
    forgetRun: `WITH calls AS (DELETE FROM ${calls} WHERE run = $1 RETURNING 1),
        turns AS (DELETE FROM ${turns} WHERE run = $1 RETURNING 1)
      SELECT CASE WHEN EXISTS (SELECT FROM calls) OR EXISTS (SELECT FROM turns) THEN 1 ELSE 0 END`,
    forgetOld: `WITH old AS (
        SELECT run FROM (
          SELECT run, changed_at, state = 'claimed' AND expires_at > clock_timestamp() AS leased FROM ${calls}
          UNION ALL SELECT run, changed_at, false FROM ${turns}
        ) AS every GROUP BY run
        HAVING max(changed_at) <= clock_timestamp() - $1::float8 * interval '1 millisecond' AND NOT bool_or(leased)
      ), calls AS (DELETE FROM ${calls} AS gone USING old WHERE gone.run = old.run),
        turns AS (DELETE FROM ${turns} AS gone USING old WHERE gone.run = old.run)
      SELECT count(*)::int FROM old`,
  };
}

/**
 * The statement that makes the tables where they are not there: what a ledger runs at its first use. For those who let
 * nothing but their own migrations make tables.
 *
 * @param place where the tables are to be
 * @returns one SQL statement, safe to run many times and by many at once
 * @throws {LedgerError} `bad-input` for names that PostgreSQL does not take
 * @example
 * console.log(postgresLedgerSchema({ schema: "agents" }));
 */
export function postgresLedgerSchema(place: PostgresPlace = {}): string {
  return creation(place);
}

/** The lock goes with the transaction, so that it also holds behind a pooler that lends a connection for no longer. */
function creation(place: PostgresPlace): string {
  const { schema, ledger, calls, turns } = tablesOf(place);
  const body = `BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('unbraid ledger'), hashtext(${literal(ledger)}));
  IF to_regclass(${literal(ledger)}) IS NOT NULL THEN RETURN; END IF;
  IF to_regnamespace(${literal(schema)}) IS NULL THEN CREATE SCHEMA ${schema}; END IF;
  CREATE TABLE ${calls} (
    run text NOT NULL,
    turn integer NOT NULL,
    call text NOT NULL,
    tool text NOT NULL,
    arguments_hash text NOT NULL,
    worker text NOT NULL,
    state text NOT NULL CHECK (state IN ('claimed', 'recorded', 'unknown')),
    token text,
    attempt integer NOT NULL,
    expires_at timestamptz NOT NULL,
    result text,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (run, turn, call)
  );
  CREATE TABLE ${turns} (
    run text NOT NULL,
    turn integer NOT NULL,
    record text NOT NULL,
    results text,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (run, turn)
  );
  CREATE TABLE ${ledger} (version integer NOT NULL);
  INSERT INTO ${ledger} VALUES (${SCHEMA_VERSION});
END`;
  let quote = "$unbraid$";
  for (let count = 1; body.includes(quote); count += 1) quote = `$unbraid${count}$`;
  return `DO ${quote}${body}${quote}`;
}
