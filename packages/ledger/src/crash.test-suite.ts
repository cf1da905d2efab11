// The crash tests of all durable ledgers, with as many kills as the caller has time for.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { crash, type CrashOrder } from "./crash.test-kit.ts";
import { describeWith, type RunningServer, startPostgres, startValkey } from "./servers.test-kit.ts";

/** Adds the tests: so many kills for each ledger, each within so many milliseconds. */
export async function crashTests(kills: number, timeout: number): Promise<void> {
  describe("workers over a SQLite file", () => {
    const folder = mkdtempSync(join(tmpdir(), "unbraid-crash-"));
    afterAll(() => rmSync(folder, { recursive: true }));
    test("are killed and nothing runs twice", { timeout }, () => crash("sqlite", join(folder, "ledger"), kills));
  });

  const overServer = (store: CrashOrder["store"], start: () => Promise<RunningServer>): void => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await start();
    }, 60_000);
    afterAll(() => server.stop());
    test("are killed and nothing runs twice", { timeout }, () => crash(store, server.url, kills));
  };
  await describeWith("postgres", "workers over PostgreSQL", (bin) => overServer("postgres", () => startPostgres(bin)));
  await describeWith("valkey", "workers over Valkey", (command) => overServer("valkey", () => startValkey(command)));
}
