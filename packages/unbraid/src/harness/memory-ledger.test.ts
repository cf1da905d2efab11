// The bound of the ledger in memory, and the errors of ledgers. The contract is tested by the suite of all ledgers, in
// `@unbraid/ledger`.

import { describe, expect, test } from "vitest";
import type { ClaimOutcome, Ledger } from "./ledger.ts";
import { isLedgerError, LedgerError } from "./ledger-error.ts";
import { memoryLedger } from "./memory-ledger.ts";

const HOUR = 3_600_000;

function claim(ledger: Ledger, run: string, leaseMs = 1000, call = "a"): Promise<ClaimOutcome> {
  const key = { run, turn: 0, call };
  return ledger.claim({ key, tool: "t", argumentsHash: "h", worker: "w", leaseMs, takeOver: false });
}

async function settle(ledger: Ledger, run: string, text = ""): Promise<void> {
  const outcome = await claim(ledger, run);
  if (outcome.state !== "claimed") throw new Error(outcome.state);
  await ledger.record(outcome.claim, { content: [{ type: "text", text }] });
}

/** Which of the runs are known. A run that was forgotten is claimed anew, so this is the last thing to ask. */
async function known(ledger: Ledger, ...runs: string[]): Promise<string[]> {
  const found = await Promise.all(runs.map(async (run) => ((await ledger.forget({ run })) === 1 ? [run] : [])));
  return found.flat();
}

describe("the bound of the ledger in memory", () => {
  test("forgets the run that is longest at rest", async () => {
    const ledger = memoryLedger({ maxRuns: 3 });
    for (const run of ["1", "2", "3"]) await settle(ledger, run);
    await ledger.openTurn("1", { turn: 0, assistant: [], calls: [], finish: null, results: [] });
    await settle(ledger, "4");
    expect(await known(ledger, "1", "2", "3", "4")).toEqual(["1", "3", "4"]);
  });

  test("never forgets a run at work: a claim without its result, an open turn", async () => {
    const ledger = memoryLedger({ maxRuns: 3 });
    await claim(ledger, "claimed");
    await ledger.openTurn("open", { turn: 0, assistant: [], calls: [], finish: null });
    await settle(ledger, "rest 1");
    await settle(ledger, "rest 2");
    await settle(ledger, "rest 3");
    expect(await ledger.turns("open")).toHaveLength(1);
    await ledger.closeTurn("open", 0, []);
    await settle(ledger, "rest 4");
    await settle(ledger, "rest 5");
    expect(await known(ledger, "claimed", "open", "rest 1", "rest 2", "rest 3", "rest 4", "rest 5")).toEqual([
      "claimed",
      "rest 4",
      "rest 5",
    ]);
  });

  test("rejects where every run is at work, and takes more once one is not", async () => {
    const ledger = memoryLedger({ maxRuns: 2 });
    const first = await claim(ledger, "1");
    await claim(ledger, "2");
    await expect(claim(ledger, "3")).rejects.toThrow("full (maxRuns 2, maxLength 67108864) of runs at work");
    await expect(claim(ledger, "3")).rejects.toMatchObject({ code: "full" });
    expect(await claim(ledger, "1", 1000, "b"), "a known run goes on").toMatchObject({ state: "claimed" });
    if (first.state === "claimed") await ledger.release(first.claim);
    await ledger.forget({ run: "2" });
    expect(await claim(ledger, "3")).toMatchObject({ state: "claimed" });
  });

  test("a run in which nothing has changed for an hour is no longer at work, unless a lease runs", async () => {
    let now = 0;
    const ledger = memoryLedger({ maxRuns: 3, now: () => now });
    await claim(ledger, "leased", 3 * HOUR);
    await claim(ledger, "dead");
    await ledger.openTurn("left", { turn: 0, assistant: [], calls: [], finish: null });
    now = HOUR - 1;
    await expect(claim(ledger, "new")).rejects.toMatchObject({ code: "full" });
    now = HOUR;
    await settle(ledger, "new 1");
    await claim(ledger, "new 2");
    expect(await known(ledger, "leased", "dead", "left", "new 1", "new 2")).toEqual(["leased", "new 1", "new 2"]);
  });

  test("counts texts, gives their room back, and keeps the run that grows", async () => {
    const ledger = memoryLedger({ maxLength: 1000 });
    await settle(ledger, "1", "x".repeat(400));
    await settle(ledger, "2", "x".repeat(400));
    await settle(ledger, "3", "x".repeat(400));
    await ledger.forget({ run: "2" });
    await settle(ledger, "4", "x".repeat(400));
    await expect(
      ledger.openTurn("4", { turn: 0, assistant: ["x".repeat(600)], calls: [], finish: null }),
    ).rejects.toMatchObject({ code: "full" });
    expect(await known(ledger, "1", "2", "3", "4")).toEqual(["4"]);
    for (let round = 0; round < 100; round += 1) {
      await settle(ledger, "again", "x".repeat(900));
      await ledger.forget({ run: "again" });
      const given = await claim(ledger, "given");
      if (given.state === "claimed") await ledger.release(given.claim);
    }
    await settle(ledger, "last", "x".repeat(900));
  });

  test("a result that finds no room leaves its claim held", async () => {
    const ledger = memoryLedger({ maxLength: 200 });
    const outcome = await claim(ledger, "1");
    if (outcome.state !== "claimed") throw new Error(outcome.state);
    const result = (length: number) => ({ content: [{ type: "text" as const, text: "x".repeat(length) }] });
    await expect(ledger.record(outcome.claim, result(300))).rejects.toMatchObject({ code: "full" });
    expect(await ledger.record(outcome.claim, result(20))).toBe(true);
  });

  test("a bound that is no positive whole number is refused at once", () => {
    for (const bad of [0, -1, 0.5, Number.NaN]) {
      expect(() => memoryLedger({ maxRuns: bad })).toThrow(`maxRuns must be a whole number from 1`);
      expect(() => memoryLedger({ maxLength: bad })).toThrow(LedgerError);
      expect(() => memoryLedger({ maxResultLength: bad })).toThrow("maxResultLength");
      expect(() => memoryLedger({ maxTurnLength: bad })).toThrow("maxTurnLength");
    }
  });
});

describe("an error of a ledger", () => {
  test("is known by its brand, and keeps its cause", () => {
    const cause = new Error("no route");
    const error = new LedgerError("unreachable", "the store did not answer", { cause });
    expect(error).toMatchObject({ name: "LedgerError", code: "unreachable", cause });
    expect(isLedgerError(error)).toBe(true);
    expect(isLedgerError({ [Symbol.for("unbraid.LedgerError")]: true })).toBe(true);
    for (const other of [cause, null, undefined, "closed", { code: "closed" }])
      expect(isLedgerError(other)).toBe(false);
  });
});
