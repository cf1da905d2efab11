// The suite of all ledgers over clients that a user hands in, and with longer chains of commands than the short tests have
// time for.

import { setTimeout as sleep } from "node:timers/promises";
import { Redis as Ioredis } from "ioredis";
import postgres from "postgres";
import { ledgerSuite, SUITE_LIMITS } from "./ledger.test-suite.ts";
import { postgresLedger } from "./postgres.ts";
import { describeWith, startPostgres, startValkey } from "./servers.test-kit.ts";
import { valkeyLedger } from "./valkey.ts";

const RUNS = 300;
const quiet = { onWarning: () => {} };

await describeWith("postgres", "PostgreSQL", (bin) => {
  ledgerSuite(
    "over a client that is given, without prepared statements",
    async () => {
      const server = await startPostgres(bin);
      const client = postgres(server.url, { max: 4, prepare: false, onnotice: () => {} });
      return {
        open: () => postgresLedger({ client, ...SUITE_LIMITS, ...quiet }),
        pass: (ms) => sleep(ms),
        end: async () => {
          await client.end({ timeout: 1 });
          await server.stop();
        },
      };
    },
    RUNS,
  );
});

await describeWith("valkey", "Valkey", (command) => {
  ledgerSuite(
    "over a client of ioredis, with a time to live",
    async () => {
      const server = await startValkey(command);
      const client = new Ioredis(server.url);
      return {
        open: () => valkeyLedger({ client, prefix: "given:", idleTtlMs: 60_000, ...SUITE_LIMITS, ...quiet }),
        pass: (ms) => sleep(ms),
        end: async () => {
          client.disconnect();
          await server.stop();
        },
      };
    },
    RUNS,
  );
});
