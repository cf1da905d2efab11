// A worker that dispatches one turn over a ledger and may kill itself on the way, at a step that it was told: an argument
// of JSON, as `CrashOrder`. Each effect is a line in a file that is on the disk before the tool goes on. Sends the results
// when it comes to its end.

import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Dispatch, tool } from "unbraid/harness";
import type { Ledger, ToolCall } from "unbraid/ledger";
import type { CrashOrder, CrashReport, CrashStep } from "./crash.test-kit.ts";

const order = JSON.parse(process.argv[2] ?? "") as CrashOrder;
let left = order.die?.count ?? 0;

/** Ends this process as a crash would, the so-and-so-manieth time that a step is reached. */
function reach(step: CrashStep): void {
  if (step !== order.die?.step) return;
  left -= 1;
  if (left <= 0) process.kill(process.pid, "SIGKILL");
}

/** What is sent to a server may be on its way when the process dies: at once, or a little later. */
function reachSoon(step: CrashStep): void {
  if (step === order.die?.step) setTimeout(() => reach(step), Math.random() * 2);
}

async function open(): Promise<Ledger> {
  const quiet = { onWarning: () => {} };
  if (order.store === "sqlite") {
    const { sqliteLedger } = await import("@unbraid/ledger/sqlite");
    return sqliteLedger({ path: order.place });
  }
  if (order.store === "postgres") {
    const { postgresLedger } = await import("@unbraid/ledger/postgres");
    return postgresLedger({ url: order.place, maxConnections: 2, ...quiet });
  }
  const { valkeyLedger } = await import("@unbraid/ledger/valkey");
  return valkeyLedger({ url: order.place, ...quiet });
}

/** The ledger, with the steps at which this process may die around claiming and recording. */
function mortal(ledger: Ledger): Ledger {
  return {
    claim: async (request) => {
      reach("before claim");
      reachSoon("during claim");
      const outcome = await ledger.claim(request);
      if (outcome.state === "claimed") reach("after claim");
      return outcome;
    },
    record: async (claim, result) => {
      reach("before record");
      reachSoon("during record");
      const kept = await ledger.record(claim, result);
      reach("after record");
      return kept;
    },
    renew: (claim, leaseMs) => ledger.renew(claim, leaseMs),
    release: (claim) => ledger.release(claim),
    openTurn: (run, record) => ledger.openTurn(run, record),
    closeTurn: (run, turn, results) => ledger.closeTurn(run, turn, results),
    turns: (run) => ledger.turns(run),
    forget: (which) => ledger.forget(which),
    close: () => ledger.close(),
  };
}

function effect(name: string): void {
  const file = openSync(order.effects, "a");
  writeSync(file, `${name}\n`);
  fsyncSync(file);
  closeSync(file);
}

function toolNamed(name: string, repeatable: boolean) {
  return tool({
    name,
    repeatable,
    schema: { type: "object" },
    execute: async (_, { call }) => {
      reach("before effect");
      effect(call.key);
      reach("after effect");
      await sleep(1);
      return `did ${call.key}`;
    },
  });
}

const ledger = mortal(await open());
const calls = order.calls.map(({ key, repeatable }, index): ToolCall => ({
  key,
  id: key,
  name: repeatable ? "again" : "once",
  kind: "function",
  choice: 0,
  index,
  status: "complete",
  argumentsText: "{}",
  arguments: {},
}));
const tools = [toolNamed("once", false), toolNamed("again", true)];
const { run, leaseMs } = order;
const dispatch = new Dispatch({ tools, ledger, run, leaseMs, worker: String(process.pid), concurrency: 3 });
process.send?.("ready");
const items = calls.map((call) => ({ type: "call", call }) as const);
const results = await dispatch.finish({ items, answered: [], finish: "tool_calls" });
await ledger.close();
const report: CrashReport = results.map(({ call, content, reason, replayed }) => ({
  key: call.key,
  text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
  reason: reason ?? null,
  replayed: replayed === true,
}));
process.send?.(report, () => process.disconnect());
