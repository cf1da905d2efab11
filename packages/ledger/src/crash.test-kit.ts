// Crash tests of a durable ledger: workers that are killed at each step of claim, run, record, one after the other over
// the same turn, and two that finish it. Effects are counted outside the ledger.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { FROM_SOURCES } from "./from-sources.test-kit.ts";

/** Where a worker kills itself. */
export type CrashStep =
  | "before claim"
  | "during claim"
  | "after claim"
  | "before effect"
  | "after effect"
  | "before record"
  | "during record"
  | "after record";

/** All steps, and a kill from outside at any moment. */
const STEPS: readonly (CrashStep | "any moment")[] = [
  "after effect",
  "after claim",
  "during record",
  "before record",
  "any moment",
  "before effect",
  "after record",
  "during claim",
  "before claim",
];

/** What a worker is told. */
export interface CrashOrder {
  readonly store: "sqlite" | "postgres" | "valkey";
  /** The file or the address. */
  readonly place: string;
  /** The file of effects. */
  readonly effects: string;
  readonly run: string;
  readonly leaseMs: number;
  readonly calls: readonly { readonly key: string; readonly repeatable: boolean }[];
  /** Kill yourself the `count`th time that you come there. */
  readonly die?: { readonly step: CrashStep; readonly count: number };
}

/** What a worker that came to its end has to say of each call. */
export type CrashReport = readonly {
  readonly key: string;
  readonly text: string;
  readonly reason: string | null;
  readonly replayed: boolean;
}[];

interface Ended {
  readonly report: CrashReport | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

const LEASE_MS = 150;
const CALLS = 12;
const KILLS_A_RUN = 10;

/**
 * Kills workers so many times, and checks after each turn that a tool which must not run twice did not, that one which
 * may is finished, and that each call has its answer, the same for all workers.
 */
export async function crash(store: CrashOrder["store"], place: string, kills: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-crash-"));
  let killed = 0;
  try {
    for (let turn = 0; killed < kills; turn += 1) {
      const calls = Array.from({ length: CALLS }, (_, index) => ({
        key: `call-${index}`,
        repeatable: index % 2 === 1,
      }));
      const effects = join(folder, `effects ${turn}`);
      const order = { store, place, effects, run: `crash ${turn}`, leaseMs: LEASE_MS, calls };
      // Not each worker dies: one may find nothing left to do at the step that it was told. It counts as none.
      for (let died = 0, tried = 0; died < KILLS_A_RUN && killed < kills && tried < 2 * KILLS_A_RUN; tried += 1) {
        if (!(await dies(order, STEPS[(killed + tried) % STEPS.length] ?? "any moment"))) continue;
        died += 1;
        killed += 1;
      }
      const [one, other] = await Promise.all([work(order).ended, work(order).ended]);
      check(order, one, other);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lets a worker die. False where it came to its end before. */
async function dies(order: CrashOrder, step: CrashStep | "any moment"): Promise<boolean> {
  if (step === "any moment") {
    const worker = work(order);
    await Promise.race([once(worker.process, "message"), worker.ended]);
    await sleep(Math.random() * 30);
    worker.process.kill("SIGKILL");
    return (await worker.ended).signal === "SIGKILL";
  }
  const { signal, said } = await work({ ...order, die: { step, count: 1 + Math.floor(Math.random() * 2) } }).ended;
  if (signal !== "SIGKILL") expect(said, "a worker that was not killed has no fault of its own").toBe("");
  return signal === "SIGKILL";
}

function work(order: CrashOrder): { readonly process: ChildProcess; readonly ended: Promise<Ended> } {
  const script = new URL("crash.test-worker.ts", import.meta.url);
  const child = fork(script, [JSON.stringify(order)], { execArgv: [...FROM_SOURCES], stdio: "pipe" });
  let report: CrashReport | null = null;
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.on("message", (message) => {
    if (Array.isArray(message)) report = message as CrashReport;
  });
  const ended = once(child, "close").then(([, signal]) => ({ report, signal: signal as Ended["signal"], said }));
  return { process: child, ended };
}

function check(order: CrashOrder, one: Ended, other: Ended): void {
  expect(one.said + other.said).toBe("");
  const lines = existsSync(order.effects) ? readFileSync(order.effects, "utf8").trimEnd().split("\n") : [];
  for (const { report } of [one, other])
    expect(report?.map(({ key }) => key)).toEqual(order.calls.map(({ key }) => key));
  for (const [index, { key, repeatable }] of order.calls.entries()) {
    const effects = lines.filter((line) => line === key).length;
    const answers = [one.report?.[index], other.report?.[index]];
    expect(answers[0]?.text, "all workers give the same answer").toBe(answers[1]?.text);
    for (const answer of answers) {
      if (repeatable) expect(answer).toMatchObject({ text: `did ${key}`, reason: null });
      else if (answer?.reason === null) expect(answer).toMatchObject({ text: `did ${key}` });
      else expect(answer).toMatchObject({ reason: "unknown-outcome" });
    }
    if (repeatable) expect(effects, `${key}: finished`).toBeGreaterThanOrEqual(1);
    else expect(effects, `${key}: never twice`).toBeLessThanOrEqual(1);
    if (answers[0]?.reason === null)
      expect(effects, `${key}: what is said to be done was done`).toBeGreaterThanOrEqual(1);
  }
}
