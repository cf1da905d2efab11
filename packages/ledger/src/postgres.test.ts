// The ledger in PostgreSQL: the suite of all ledgers against a real server, and what is its own: names, many that start
// at once, lost connections, settings.

import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { claimOf, codeOf, ledgerSuite, newRun, requestOf, SUITE_LIMITS, textResult } from "./ledger.test-suite.ts";
import { type PostgresLedgerOptions, postgresLedger, postgresLedgerSchema } from "./postgres.ts";
import { describeWith, type RunningServer, startPostgres, startRelay } from "./servers.test-kit.ts";

const quiet = { onWarning: () => {} };

await describeWith("postgres", "PostgreSQL", (bin) => {
  let server: RunningServer;
  let sql: postgres.Sql;
  beforeAll(async () => {
    server = await startPostgres(bin);
    sql = postgres(server.url, { max: 4, onnotice: () => {} });
  }, 60_000);
  afterAll(async () => {
    await sql.end({ timeout: 1 });
    await server.stop();
  });

  const client = (): PostgresLedgerOptions["client"] & object => sql;
  ledgerSuite(
    "postgres, over connections of its own, prepared",
    async () => ({
      open: () =>
        postgresLedger({ url: server.url, prepare: true, schema: "own", maxConnections: 2, ...SUITE_LIMITS, ...quiet }),
      pass: (ms) => sleep(ms),
      end: () => {},
    }),
    20,
  );

  describe("its tables", () => {
    test("are made once, however many start at once", async () => {
      const ledgers = Array.from({ length: 12 }, () =>
        postgresLedger({ client: client(), schema: "busy start", ...quiet }),
      );
      const outcomes = await Promise.all(ledgers.map((ledger) => ledger.claim(requestOf("run", "a"))));
      expect(outcomes.filter(({ state }) => state === "claimed")).toHaveLength(1);
      expect(await sql`SELECT version FROM "busy start".ledger`).toEqual([{ version: 1 }]);
    });

    test("may have any names, and two ledgers of other names know nothing of each other", async () => {
      const run = newRun();
      const places = [
        { schema: 'x"; DROP TABLE "calls', prefix: "$unbraid$ '\\ " },
        { schema: "public", prefix: "unbraid_" },
        { schema: "public", prefix: "Unbraid_" },
      ];
      for (const place of places) {
        const ledger = postgresLedger({ client: client(), ...place, ...quiet });
        expect(await ledger.claim(requestOf(run, "a")), place.prefix).toMatchObject({ state: "claimed" });
        const again = postgresLedger({ client: client(), ...place, ...quiet });
        expect(await again.claim(requestOf(run, "a")), place.prefix).toMatchObject({ state: "held" });
      }
      expect((await sql`SELECT * FROM public.unbraid_calls`).length).toBe(1);
    });

    test("cannot have names that PostgreSQL would cut", () => {
      expect(() => postgresLedger({ client: client(), schema: "é".repeat(32) })).toThrow(/1 to 63 bytes/);
      expect(() => postgresLedger({ client: client(), prefix: "p".repeat(58) })).toThrow(/none for PostgreSQL/);
      expect(() => postgresLedger({ client: client(), schema: "" })).toThrow(/none for PostgreSQL/);
      expect(() => postgresLedger({ client: client(), prefix: "p".repeat(57) })).not.toThrow();
    });

    test("may be made beforehand, and then used by one who may make nothing", async () => {
      await sql.unsafe(postgresLedgerSchema({ schema: "given" }));
      await sql.unsafe(postgresLedgerSchema({ schema: "given" }));
      await sql.unsafe(`CREATE ROLE poor LOGIN; GRANT USAGE ON SCHEMA given TO poor;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA given TO poor`);
      const poor = postgres(server.url, { username: "poor", max: 1 });
      const ledger = postgresLedger({ client: poor, schema: "given", ...quiet });
      await ledger.record(claimOf(await ledger.claim(requestOf("run", "a"))), textResult("done"));
      expect(await ledger.forget({ run: "run" })).toBe(1);
      const elsewhere = postgresLedger({ client: poor, schema: "forbidden", ...quiet });
      await expect(elsewhere.turns("run")).rejects.toThrow(/PostgreSQL: permission denied for database/);
      expect(await codeOf(elsewhere.turns("run"))).toBe("failed");
      await poor.end({ timeout: 1 });
    });

    test("of something else, or of a newer version, are refused", async () => {
      await sql.unsafe("CREATE SCHEMA shop; CREATE TABLE shop.calls (id int)");
      const shop = postgresLedger({ client: client(), schema: "shop", ...quiet });
      await expect(shop.turns("run")).rejects.toThrow(/"calls" already exists, and it is no ledger's: choose another/);
      expect(await codeOf(shop.turns("run"))).toBe("foreign");
      expect(await sql`SELECT to_regclass('shop.turns') AS made`, "nothing is left half made").toEqual([
        { made: null },
      ]);

      await postgresLedger({ client: client(), schema: "future", ...quiet }).turns("run");
      await sql`UPDATE future.ledger SET version = 7`;
      const future = postgresLedger({ client: client(), schema: "future", ...quiet });
      await expect(future.turns("run")).rejects.toThrow("version 7 of the schema, and this one knows 1");
      expect(await codeOf(future.claim(requestOf("run", "a")))).toBe("newer");
    });
  });

  describe("its statements", () => {
    test("leave no trace in a session, so that a pooler may lend a connection for one of them", async () => {
      const one = postgres(server.url, { max: 1 });
      const ledger = postgresLedger({ client: one, schema: "pooled", ...quiet });
      const claim = claimOf(await ledger.claim(requestOf("run", "a")));
      await ledger.renew(claim, 1000);
      await ledger.record(claim, textResult("done"));
      expect(await one`SELECT name FROM pg_prepared_statements WHERE statement LIKE '%pooled%'`.simple()).toEqual([]);
      expect(await one`SELECT * FROM pg_locks WHERE locktype = 'advisory'`.simple()).toEqual([]);
      await one.end({ timeout: 1 });
    });

    test("write nothing where a worker only waits or reads", async () => {
      const ledger = postgresLedger({ client: client(), schema: "waiting", ...quiet });
      await ledger.record(claimOf(await ledger.claim(requestOf("run", "done"))), textResult("done"));
      await ledger.claim(requestOf("run", "held"));
      const row = () => sql`SELECT call, xmin::text, xmax::text, ctid::text FROM waiting.calls ORDER BY call`;
      const before = await row();
      expect(await ledger.claim(requestOf("run", "held", { takeOver: true }))).toMatchObject({ state: "held" });
      expect(await ledger.claim(requestOf("run", "done"))).toMatchObject({ state: "recorded" });
      expect(await ledger.claim(requestOf("run", "held", { argumentsHash: "h2" }))).toMatchObject({
        state: "collision",
      });
      expect(await row()).toEqual(before);
    });

    test("work in a database that isolates more strictly", async () => {
      const strict = postgres(server.url, {
        connection: { default_transaction_isolation: "serializable" },
        max: 4,
      });
      const ledger = postgresLedger({ client: strict, schema: "strict", ...quiet });
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, index) => ledger.claim(requestOf("run", `call ${index % 4}`))),
      );
      expect(outcomes.filter(({ state }) => state === "claimed")).toHaveLength(4);
      expect(outcomes.filter(({ state }) => state === "held")).toHaveLength(36);
      await strict.end({ timeout: 1 });
    });
  });

  describe("a connection", () => {
    test("that is lost is opened again, and the claim asked for again is the same one", async () => {
      const ledger = postgresLedger({ url: server.url, schema: "lost", ...quiet });
      const run = newRun();
      await ledger.turns(run);
      const killed = async (): Promise<void> => {
        await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`.catch(
          () => {},
        );
      };
      const claims = Array.from({ length: 200 }, (_, index) => ledger.claim(requestOf(run, `call ${index}`)));
      for (let count = 0; count < 5; count += 1) await killed();
      const outcomes = await Promise.all(claims);
      expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => "claimed"));
      await ledger.close();
    });

    test("to a server that does not answer is a rejection, no hang", async () => {
      const nowhere = postgresLedger({ url: "postgres://ledger@127.0.0.1:1/none", timeoutMs: 300, ...quiet });
      const start = performance.now();
      expect(await codeOf(nowhere.claim(requestOf("run", "a")))).toBe("unreachable");
      expect(performance.now() - start).toBeLessThan(3000);
      await nowhere.close();

      const ledger = postgresLedger({ client: client(), schema: "locked", timeoutMs: 300, ...quiet });
      const claim = claimOf(await ledger.claim(requestOf("run", "a")));
      await sql.begin(async (transaction) => {
        await transaction`LOCK TABLE locked.calls`;
        expect(await codeOf(ledger.record(claim, textResult("done")))).toBe("unreachable");
      });
      expect(await ledger.record(claim, textResult("done"))).toBe(true);
    });

    test("on which nothing comes back is given up for a new one", async () => {
      const relay = await startRelay(server.url);
      onTestFinished(() => relay.stop());
      const ledger = postgresLedger({ url: relay.url, schema: "relay", timeoutMs: 300, ...quiet });
      const claim = claimOf(await ledger.claim(requestOf("run", "a")));
      relay.freeze();
      expect(await codeOf(ledger.record(claim, textResult("done")))).toBe("unreachable");
      expect(await ledger.record(claim, textResult("done"))).toBe(true);
      await ledger.close();
    });

    test("is refused with the server's reason", async () => {
      const stranger = server.url.replace("ledger@", "stranger@");
      const ledger = postgresLedger({ url: stranger, timeoutMs: 1000, ...quiet });
      await expect(ledger.turns("run")).rejects.toThrow(/PostgreSQL: role "stranger" does not exist/);
      await ledger.close();
      expect(() => postgresLedger({})).toThrow("needs a url or a client");
      expect(() => postgresLedger({ url: server.url, client: client() })).toThrow("and not both");
    });

    test("that was given stays open", async () => {
      const ledger = postgresLedger({ client: client(), ...quiet });
      await ledger.turns("run");
      await ledger.close();
      expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    });
  });

  test("settings that lose what was committed are told, once", async () => {
    const said: string[] = [];
    const ledger = postgresLedger({ client: client(), onWarning: (message) => said.push(message) });
    await ledger.turns("run");
    await ledger.turns("run");
    expect(said).toEqual([expect.stringContaining("PostgreSQL has fsync off: a crash of the server may lose claims")]);
  });

  test("a server that crashes and comes back is waited for", async () => {
    const ledger = postgresLedger({ url: server.url, schema: "crash", ...quiet });
    const run = newRun();
    const claim = claimOf(await ledger.claim(requestOf(run, "a")));
    await server.kill();
    const recording = ledger.record(claim, textResult("done"));
    await sleep(100);
    await server.restart();
    expect(await recording).toBe(true);
    expect(await ledger.claim(requestOf(run, "a"))).toMatchObject({ state: "recorded" });
    await ledger.close();
  });
});
