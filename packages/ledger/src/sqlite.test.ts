// The ledger in SQLite: the suite of all ledgers, and what is its own: the file, several processes, damage.

import { fork } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { FROM_SOURCES } from "./from-sources.test-kit.ts";
import { claimOf, codeOf, ledgerSuite, requestOf, SUITE_LIMITS, textResult } from "./ledger.test-suite.ts";
import { prepareDatabase } from "./sqlite-schema.ts";
import { sqliteLedger } from "./sqlite.ts";

ledgerSuite("sqlite", () => {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-ledger-"));
  let now = 1_000_000;
  return Promise.resolve({
    open: () => sqliteLedger({ path: join(folder, "ledger"), now: () => now, ...SUITE_LIMITS }),
    pass: (ms: number) => void (now += ms),
    end: () => rmSync(folder, { recursive: true }),
  });
});

describe("the file", () => {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-ledger-"));
  let made = 0;
  const newPath = (): string => join(folder, `ledger ${(made += 1)}`);
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is its owner's alone, and so are the files beside it", async () => {
    const path = newPath();
    const ledger = sqliteLedger({ path });
    await ledger.claim(requestOf("run", "a"));
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode % 0o1000, file).toBe(0o600);
    await ledger.close();
  });

  test("is written through to the disk", async () => {
    const path = newPath();
    const ledger = sqliteLedger({ path });
    await ledger.turns("run");
    const file = new DatabaseSync(path);
    expect(file.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    file.close();
    await ledger.close();
    // A setting of each connection, which no other one can look into.
    const own = new DatabaseSync(path);
    prepareDatabase(own, path);
    expect(own.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
    own.close();
  });

  test("outlives its ledger", async () => {
    const path = newPath();
    const first = sqliteLedger({ path });
    await first.record(claimOf(await first.claim(requestOf("run", "a"))), textResult("done"));
    const held = claimOf(await first.claim(requestOf("run", "b")));
    await first.close();
    const second = sqliteLedger({ path });
    expect(await second.claim(requestOf("run", "a"))).toEqual({ state: "recorded", result: textResult("done") });
    expect(await second.claim(requestOf("run", "b"))).toMatchObject({ state: "held" });
    expect(await second.record(held, textResult("after all")), "the token is what counts").toBe(true);
    await second.close();
  });

  test("is refused where it is no ledger, and left as it was", async () => {
    const text = newPath();
    writeFileSync(text, "not a database, but longer than the header of one: ".repeat(20));
    const other = newPath();
    const database = new DatabaseSync(other);
    database.exec("CREATE TABLE calls (id)");
    database.close();
    const marked = newPath();
    const application = new DatabaseSync(marked);
    application.exec("PRAGMA application_id = 17");
    application.close();
    for (const path of [text, other, marked]) {
      const before = readFileSync(path);
      const ledger = sqliteLedger({ path });
      expect(await codeOf(ledger.turns("run")), path).toBe("foreign");
      expect(await codeOf(ledger.claim(requestOf("run", "a"))), "not only the first time").toBe("foreign");
      await ledger.close();
      expect(readFileSync(path).equals(before), path).toBe(true);
    }
  });

  test("is refused where a newer version made it", async () => {
    const path = newPath();
    const first = sqliteLedger({ path });
    await first.turns("run");
    await first.close();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const ledger = sqliteLedger({ path });
    await expect(ledger.turns("run")).rejects.toThrow(
      /newer @unbraid\/ledger \(version 99 of the schema, and this one/,
    );
    expect(await codeOf(ledger.turns("run"))).toBe("newer");
    await ledger.close();
  });

  test("is refused where it cannot be made or written, with the reason", async () => {
    const nowhere = sqliteLedger({ path: join(folder, "no", "such", "folder") });
    await expect(nowhere.turns("run")).rejects.toThrow("cannot be made: its folder is not there");
    expect(await codeOf(nowhere.turns("run"))).toBe("failed");
    expect(await codeOf(sqliteLedger({ path: folder }).turns("run"))).toBe("failed");
    for (const path of ["", ":memory:", undefined as unknown as string])
      expect(() => sqliteLedger({ path })).toThrow("path must name a file");

    const damaged = newPath();
    const first = sqliteLedger({ path: damaged });
    for (const call of Array.from({ length: 50 }, (_, index) => `call ${index}`))
      await first.claim(requestOf("run", call));
    await first.close();
    truncateSync(damaged, 8192);
    const second = sqliteLedger({ path: damaged });
    expect(await codeOf(second.claim(requestOf("run", "call 49")))).toBe("failed");
    await second.close();
    chmodSync(damaged, 0o600);
  });

  test.each(["removed", "replaced"])(
    "that is %s while it is used is refused, once, and then begun anew",
    async (how) => {
      const path = newPath();
      const ledger = sqliteLedger({ path });
      const held = claimOf(await ledger.claim(requestOf("run", "a")));
      for (const end of ["", "-wal", "-shm"]) rmSync(path + end);
      const other = sqliteLedger({ path });
      if (how === "replaced") claimOf(await other.claim(requestOf("run", "a")));
      await expect(ledger.record(held, textResult("done"))).rejects.toThrow(
        "was removed or replaced while it was used",
      );
      expect(await ledger.record(held, textResult("done")), "its claim went with the file").toBe(false);
      if (how === "removed") claimOf(await other.claim(requestOf("run", "a")));
      expect(await ledger.claim(requestOf("run", "a"))).toMatchObject({ state: "held" });
      await ledger.close();
      await other.record(claimOf(await other.claim(requestOf("run", "b"))), textResult("kept"));
      await other.close();
      const later = sqliteLedger({ path });
      expect(await later.claim(requestOf("run", "b"))).toMatchObject({ state: "recorded" });
      await later.close();
    },
  );

  test("that another process holds for too long is unreachable, and meanwhile this thread works on", async () => {
    const path = newPath();
    const ledger = sqliteLedger({ path, busyTimeoutMs: 200 });
    const claim = claimOf(await ledger.claim(requestOf("run", "a")));
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 5);
    expect(await codeOf(ledger.record(claim, textResult("done")))).toBe("unreachable");
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(5);
    expect(await ledger.claim(requestOf("run", "a")), "reading needs no lock").toMatchObject({ state: "held" });
    const waiting = ledger.record(claim, textResult("done"));
    holder.exec("COMMIT");
    expect(await waiting).toBe(true);
    holder.close();
    await ledger.close();
  });

  test("may be made by many processes at once, and each call is run by one of them", async () => {
    const path = newPath();
    const script = new URL("sqlite-racer.test-worker.ts", import.meta.url);
    const racers = Array.from({ length: 4 }, () =>
      fork(script, [path, "100"], { execArgv: [...FROM_SOURCES], stdio: "pipe" }),
    );
    const ran = await Promise.all(
      racers.map(
        (racer) =>
          new Promise<string[]>((done, failed) => {
            let said = "";
            racer.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
            racer.once("message", (calls) => done(calls as string[]));
            racer.once("exit", (code) => (code === 0 ? undefined : failed(new Error(said))));
          }),
      ),
    );
    expect(ran.flat()).toHaveLength(100);
    expect(new Set(ran.flat()).size).toBe(100);
  });
});
