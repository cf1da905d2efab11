// The ledger in Valkey: the suite of all ledgers against a real server, and what is its own: keys, clusters, time to live,
// clients of others, lost connections, settings.

import { setTimeout as sleep } from "node:timers/promises";
import { Cluster, Redis } from "iovalkey";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { claimOf, codeOf, ledgerSuite, newRun, requestOf, SUITE_LIMITS, textResult } from "./ledger.test-suite.ts";
import { describeWith, type RunningServer, startRelay, startValkey } from "./servers.test-kit.ts";
import { valkeyLedger, type ValkeyLedgerOptions } from "./valkey.ts";

const quiet = { onWarning: () => {} };

await describeWith("valkey", "Valkey", (command) => {
  let server: RunningServer;
  let client: Redis;
  beforeAll(async () => {
    server = await startValkey(command);
    client = new Redis(server.url);
  }, 60_000);
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  ledgerSuite(
    "valkey, over connections of its own",
    async () => ({
      open: () => valkeyLedger({ url: server.url, ...SUITE_LIMITS, ...quiet }),
      pass: (ms) => sleep(ms),
      end: () => {},
    }),
    25,
  );

  const over = (options: Partial<ValkeyLedgerOptions> = {}) => valkeyLedger({ client, ...quiet, ...options });

  describe("a run", () => {
    test("is one key, whatever its name is", async () => {
      const ledger = over({ prefix: "keys:" });
      for (const run of ["plain", "a}b{c", "}", "50 %", "%7d"]) {
        await ledger.openTurn(run, { turn: 0, assistant: [], calls: [], finish: null });
        await ledger.record(claimOf(await ledger.claim(requestOf(run, "a"))), textResult("done"));
      }
      expect((await client.keys("keys:*")).toSorted()).toEqual(
        ["keys:{%257d}", "keys:{%7d}", "keys:{50 %25}", "keys:{a%7db%7bc}", "keys:{plain}"].toSorted(),
      );
    });

    test("never vanishes by itself unless it was told to, and then whole, after its leases", async () => {
      const [forever, short] = [over({ prefix: "ever:" }), over({ prefix: "short:", idleTtlMs: 100 })];
      await forever.claim(requestOf("run", "a"));
      expect(await client.pttl("ever:{run}")).toBe(-1);
      await short.claim(requestOf("run", "a", { leaseMs: 5000 }));
      expect(await client.pttl("short:{run}")).toBeGreaterThan(4000);
      const claim = claimOf(await short.claim(requestOf("run", "b", { leaseMs: 10 })));
      await short.record(claim, textResult("done"));
      expect(await client.pttl("short:{run}"), "a shorter one takes no time away").toBeGreaterThan(4000);
      await short.openTurn("resting", { turn: 0, assistant: [], calls: [], finish: null });
      await sleep(60);
      await short.closeTurn("resting", 0, []);
      expect(await client.pttl("short:{resting}"), "each change begins it anew").toBeGreaterThan(80);
      await sleep(120);
      expect(await short.turns("resting")).toEqual([]);
    });

    test("whose key is something else's is refused, and not forgotten", async () => {
      const ledger = over({ prefix: "taken:" });
      await client.set("taken:{text}", "x");
      await client.hset("taken:{hash}", { a: "1" });
      for (const run of ["text", "hash"]) {
        expect(await codeOf(ledger.claim(requestOf(run, "a")))).toBe("foreign");
        expect(await codeOf(ledger.turns(run))).toBe("foreign");
        expect(await codeOf(ledger.forget({ run }))).toBe("foreign");
      }
      await client.hset("taken:{new}", { v: "2" });
      expect(await codeOf(ledger.turns("new"))).toBe("newer");
      expect(await ledger.forget({ olderThanMs: 0 })).toBe(0);
      expect(await client.keys("taken:*")).toHaveLength(3);
    });

    test("is found among many by its age, and others' prefixes are left alone", async () => {
      const ledger = over({ prefix: "m[any]*:" });
      const others = over({ prefix: "many:" });
      await others.openTurn("run", { turn: 0, assistant: [], calls: [], finish: null });
      await Promise.all(
        Array.from({ length: 1500 }, (_, index) =>
          ledger.openTurn(`run ${index}`, { turn: 0, assistant: [], calls: [], finish: null }),
        ),
      );
      expect(await ledger.forget({ olderThanMs: 0 })).toBe(1500);
      expect(await others.turns("run")).toHaveLength(1);
    });
  });

  describe("a client", () => {
    test("that was given stays open, and may not put a prefix of its own before keys", async () => {
      const ledger = over();
      await ledger.turns("run");
      await ledger.close();
      expect(await client.ping()).toBe("PONG");
      const prefixed = new Redis(server.url, { keyPrefix: "app:", lazyConnect: true });
      expect(() => over({ client: prefixed })).toThrow("use the ledger's own prefix");
      prefixed.disconnect();
      expect(() => over({ prefix: "{app}" })).toThrow("no braces");
      expect(() => over({ idleTtlMs: 0 })).toThrow("idleTtlMs must be a whole number from 1, and is 0");
      expect(() => valkeyLedger({})).toThrow("needs a url or a client");
      expect(() => over({ url: server.url })).toThrow("and not both");
    });

    test("meets a server that forgot the scripts", async () => {
      const ledger = over({ prefix: "flushed:" });
      const claim = claimOf(await ledger.claim(requestOf("run", "a")));
      await client.script("FLUSH");
      expect(await ledger.record(claim, textResult("done"))).toBe(true);
    });

    test("that loses its connections asks again, and a claim asked for again is the same one", async () => {
      const ledger = valkeyLedger({ url: server.url.replace("redis:", "valkey:"), prefix: "lost:", ...quiet });
      await ledger.turns("run");
      const claims = Array.from({ length: 300 }, (_, index) => ledger.claim(requestOf("run", `call ${index}`)));
      for (let count = 0; count < 3; count += 1) {
        await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        await sleep(5);
      }
      const outcomes = await Promise.all(claims);
      expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => "claimed"));
      await ledger.close();
    });

    test("whose server does not answer gets a rejection, no hang", async () => {
      const nowhere = valkeyLedger({ url: "redis://127.0.0.1:1", timeoutMs: 300, ...quiet });
      const start = performance.now();
      expect(await codeOf(nowhere.claim(requestOf("run", "a")))).toBe("unreachable");
      expect(performance.now() - start).toBeLessThan(3000);
      await nowhere.close();

      const ledger = over({ prefix: "paused:", timeoutMs: 200 });
      const claim = claimOf(await ledger.claim(requestOf("run", "a")));
      await client.call("CLIENT", "PAUSE", "600", "WRITE");
      expect(await codeOf(ledger.record(claim, textResult("done")))).toBe("unreachable");
      await client.call("CLIENT", "UNPAUSE");
      expect(await ledger.record(claim, textResult("done"))).toBe(true);
    });

    test("whose server's answers do not come back is given up for a new one", async () => {
      const relay = await startRelay(server.url);
      onTestFinished(() => relay.stop());
      const ledger = valkeyLedger({ url: relay.url, prefix: "relay:", timeoutMs: 300, ...quiet });
      const claim = claimOf(await ledger.claim(requestOf("run", "a")));
      relay.freeze();
      expect(await codeOf(ledger.record(claim, textResult("done")))).toBe("unreachable");
      expect(await ledger.record(claim, textResult("done"))).toBe(true);
      await ledger.close();
    });

    test("gets the server's own reason", async () => {
      await client.call("CONFIG", "SET", "maxmemory", "1");
      try {
        const ledger = over({ prefix: "memory:" });
        await expect(ledger.claim(requestOf("run", "a"))).rejects.toThrow(/Valkey: .*OOM command not allowed/);
        expect(await codeOf(ledger.claim(requestOf("run", "a")))).toBe("failed");
      } finally {
        await client.call("CONFIG", "SET", "maxmemory", "0");
      }
    });
  });

  describe("settings of the server that lose claims", () => {
    async function saidOf(options: Partial<ValkeyLedgerOptions> = {}): Promise<string[]> {
      const said: string[] = [];
      const ledger = over({ onWarning: (message) => said.push(message), ...options });
      await ledger.turns("run");
      await ledger.turns("run");
      await sleep(50);
      return said;
    }

    test("are told, once", async () => {
      expect(await saidOf()).toEqual([expect.stringContaining("appendonly no")]);
      await client.call("CONFIG", "SET", "appendonly", "yes");
      expect(await saidOf()).toEqual([]);
      await client.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      expect(await saidOf()).toEqual([expect.stringContaining("maxmemory-policy allkeys-lru")]);
      await client.call("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
      expect(await saidOf(), "no key expires").toEqual([]);
      expect(await saidOf({ idleTtlMs: 1000 })).toEqual([expect.stringContaining("maxmemory-policy volatile-ttl")]);
      await client.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
      await client.call("CONFIG", "SET", "appendonly", "no");
    });
  });

  test("with the append-only file, written at each change, a crash of the server loses nothing", async () => {
    const durable = await startValkey(command, ["--appendonly", "yes", "--appendfsync", "always"]);
    onTestFinished(() => durable.stop());
    const ledger = valkeyLedger({ url: durable.url, ...quiet });
    const claim = claimOf(await ledger.claim(requestOf("run", "a")));
    await ledger.record(claimOf(await ledger.claim(requestOf("run", "b"))), textResult("done"));
    await durable.kill();
    const recording = ledger.record(claim, textResult("after"));
    await durable.restart();
    expect(await recording).toBe(true);
    expect(await ledger.claim(requestOf("run", "b"))).toEqual({ state: "recorded", result: textResult("done") });
    await ledger.close();
  });

  describe("a cluster", () => {
    let node: RunningServer;
    let cluster: Cluster;
    beforeAll(async () => {
      node = await startValkey(command, ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"]);
      const single = new Redis(node.url);
      await single.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
      while (!String(await single.call("CLUSTER", "INFO")).includes("cluster_state:ok")) await sleep(20);
      single.disconnect();
      const { hostname: host, port } = new URL(node.url);
      cluster = new Cluster([{ host, port: Number(port) }]);
    }, 60_000);
    afterAll(async () => {
      cluster.disconnect();
      await node.stop();
    });

    test("holds each run on one slot, and is walked over", async () => {
      const ledger = valkeyLedger({ client: cluster, ...quiet });
      const runs = [newRun(), "}odd", "{}", "a}b"];
      for (const run of runs) {
        await ledger.openTurn(run, { turn: 0, assistant: [], calls: [], finish: null });
        await ledger.record(claimOf(await ledger.claim(requestOf(run, "a"))), textResult(run));
        expect(await ledger.claim(requestOf(run, "a"))).toEqual({ state: "recorded", result: textResult(run) });
        expect(await ledger.closeTurn(run, 0, [run])).toEqual([run]);
      }
      expect(await ledger.forget({ olderThanMs: 0 })).toBe(runs.length);
      expect(await ledger.turns(runs[0] ?? "")).toEqual([]);
    });
  });
});
