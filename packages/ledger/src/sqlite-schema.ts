// The SQLite file: how it is made, known again, and brought to this version. Owns the schema; knows nothing of claims.

import { closeSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { LedgerError } from "unbraid/ledger";

/** "unbr", in the header of each file, so that another program's database is never taken for a ledger. */
const APPLICATION_ID = 0x756e6272;

/** What leads from each version of the schema to the next; a file's `user_version` counts those that were done. */
const MIGRATIONS = [
  `CREATE TABLE calls (
     run TEXT NOT NULL,
     turn INTEGER NOT NULL,
     call TEXT NOT NULL,
     tool TEXT NOT NULL,
     arguments_hash TEXT NOT NULL,
     worker TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('claimed', 'recorded', 'unknown')),
     token TEXT,
     attempt INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     result TEXT,
     changed_at INTEGER NOT NULL,
     PRIMARY KEY (run, turn, call)
   ) STRICT;
   CREATE TABLE turns (
     run TEXT NOT NULL,
     turn INTEGER NOT NULL,
     record TEXT NOT NULL,
     results TEXT,
     changed_at INTEGER NOT NULL,
     PRIMARY KEY (run, turn)
   ) STRICT;`,
] as const;

/**
 * Makes the file where there is none, readable by its owner alone; SQLite gives the files beside it the same mode. One
 * that is there is not opened: closing it again would drop the locks that SQLite holds on it in this process.
 */
export function createFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    const why = code === "ENOENT" ? "its folder is not there" : String(code);
    throw new LedgerError("failed", `the ledger ${path} cannot be made: ${why}`, { cause });
  }
}

/** Makes an open database a ledger of this version, or says why it is none. May find the file busy. */
export function prepareDatabase(database: DatabaseSync, path: string): void {
  if (isCurrent(database, path)) return configure(database, path);
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have done it while this one waited for the lock.
    if (!isCurrent(database, path)) {
      for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
  configure(database, path);
}

/** FULL: a commit is on the disk before it is answered. In WAL mode NORMAL would lose the last ones when power fails. */
function configure(database: DatabaseSync, path: string): void {
  const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
  if (mode !== "wal")
    throw new LedgerError("failed", `${path}: SQLite's write-ahead log does not work there (a network file system?)`);
  database.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
}

/** Whether the file is a ledger of this version; false for one that is older, or empty. */
function isCurrent(database: DatabaseSync, path: string): boolean {
  const id = database.prepare("PRAGMA application_id").get()?.["application_id"];
  const version = versionOf(database);
  if (id !== APPLICATION_ID) {
    const tables = database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.["count"];
    if (id === 0 && version === 0 && tables === 0) return false;
    throw new LedgerError("foreign", `${path} is another program's database, no ledger: name another file`);
  }
  if (version > MIGRATIONS.length) {
    const versions = `version ${version} of the schema, and this one knows ${MIGRATIONS.length}`;
    throw new LedgerError("newer", `${path} was made by a newer @unbraid/ledger (${versions}): update it here too`);
  }
  return version === MIGRATIONS.length;
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}
