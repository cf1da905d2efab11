// What every ledger must do, as tests. Knows no store: a bench opens ledgers on one and lets time pass in it.

import { type Claim, type ClaimOutcome, type ClaimRequest, isLedgerError, type Ledger } from "unbraid/ledger";
import { afterAll, describe, expect, test } from "vitest";
import { modelTests } from "./model.test-kit.ts";

/** A store to try a ledger on. */
export interface LedgerBench {
  /** A new ledger over the same store each time: another worker's. What is asked of it may be limited to 1,000 units. */
  open(): Ledger | Promise<Ledger>;
  /** Lets so many milliseconds pass in the store's clock. */
  pass(ms: number): void | Promise<void>;
  /** Stops and removes the store. */
  end(): void | Promise<void>;
}

/** How large a result a bench's ledgers take, and how large a turn. */
export const SUITE_LIMITS = { maxResultLength: 1000, maxTurnLength: 2000 } as const;

let made = 0;

/** A name for a run that no other test uses. */
export function newRun(): string {
  made += 1;
  return `run ${made}`;
}

/** A request for a claim; long-lived and not to be taken over unless told otherwise. */
export function requestOf(run: string, call: string, rest: Partial<ClaimRequest> = {}): ClaimRequest {
  const key = { run, turn: 0, call };
  return { key, tool: "pay", argumentsHash: "h1", worker: "w1", leaseMs: 60_000, takeOver: false, ...rest };
}

/** A result that holds one text. */
export function textResult(text: string): { content: [{ type: "text"; text: string }] } {
  return { content: [{ type: "text", text }] };
}

/** The claim of an outcome that must be one. */
export function claimOf(outcome: ClaimOutcome): Claim {
  if (outcome.state !== "claimed") throw new Error(`expected a claim, got ${JSON.stringify(outcome)}`);
  return outcome.claim;
}

/** The code with which a promise rejects. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    return `nothing went wrong: ${JSON.stringify(await promise)}`;
  } catch (error) {
    return isLedgerError(error) ? error.code : `no LedgerError: ${String(error)}`;
  }
}

/** Runs all tests of a ledger. */
export function ledgerSuite(name: string, prepare: () => Promise<LedgerBench>, runs = 60): void {
  describe(name, () => {
    let bench: Promise<LedgerBench> | undefined;
    const opened: Ledger[] = [];
    const ready = (): Promise<LedgerBench> => (bench ??= prepare());
    const open = async (): Promise<Ledger> => {
      const ledger = await (await ready()).open();
      opened.push(ledger);
      return ledger;
    };
    const pass = async (ms: number): Promise<void> => (await ready()).pass(ms);
    afterAll(async () => {
      for (const ledger of opened) await ledger.close();
      await (await bench)?.end();
    });

    claimTests(open, pass);
    fenceTests(open, pass);
    valueTests(open);
    turnTests(open);
    forgetTests(open, pass);
    raceTests(open);
    endTests(open);
    modelTests(open, pass, runs);
  });
}

type Open = () => Promise<Ledger>;
type Pass = (ms: number) => Promise<void>;

function claimTests(open: Open, pass: Pass): void {
  test("a call is claimed once, held from others, and its result is what everyone gets", async () => {
    const [one, other, run] = [await open(), await open(), newRun()];
    const outcome = await one.claim(requestOf(run, "a", { worker: "first" }));
    expect(outcome).toMatchObject({ state: "claimed", attempt: 1, claim: { key: { run, turn: 0, call: "a" } } });
    const held = await other.claim(requestOf(run, "a", { worker: "second" }));
    expect(held).toEqual({ state: "held", worker: "first", expiresInMs: expect.any(Number) });
    expect(held.state === "held" && held.expiresInMs).toBeGreaterThan(30_000);
    expect(held.state === "held" && held.expiresInMs).toBeLessThanOrEqual(60_000);
    expect((await one.claim(requestOf(run, "a"))).state, "its own worker is no exception").toBe("held");

    expect(await one.record(claimOf(outcome), { ...textResult("paid"), isError: true })).toBe(true);
    const recorded = { state: "recorded", result: { content: [{ type: "text", text: "paid" }], isError: true } };
    expect(await other.claim(requestOf(run, "a"))).toEqual(recorded);
    expect(await one.claim(requestOf(run, "a"))).toEqual(recorded);
  });

  test("run, turn and call together are the key", async () => {
    const ledger = await open();
    const [run, another] = [newRun(), newRun()];
    const keys = [
      { run, turn: 0, call: "a" },
      { run, turn: 1, call: "a" },
      { run, turn: 0, call: "b" },
      { run: another, turn: 0, call: "a" },
      { run, turn: 1, call: "1:a" },
      { run, turn: 11, call: "a" },
    ];
    for (const key of keys) expect((await ledger.claim(requestOf("", "", { key }))).state).toBe("claimed");
    for (const key of keys) expect((await ledger.claim(requestOf("", "", { key }))).state).toBe("held");
  });

  test("keys may hold whatever a text holds", async () => {
    const ledger = await open();
    const odd = [
      "}",
      "{}",
      "a}b",
      "{a",
      "__proto__",
      "constructor",
      "%",
      "_",
      "'; DROP TABLE calls; --",
      '"',
      "\\",
      "\n",
      "💸",
      "é",
      "e\u0301",
      " ",
      "a ",
      "A",
      "x".repeat(255),
    ];
    const prefix = newRun().slice(0, 20);
    for (const [index, name] of odd.entries()) {
      const run = name.length > 200 ? name : `${name}${prefix}`;
      const claim = claimOf(
        await ledger.claim(requestOf(run, name, { argumentsHash: name, tool: name, worker: name })),
      );
      expect(claim.key).toEqual({ run, turn: 0, call: name });
      expect(await ledger.record(claim, textResult(String(index)))).toBe(true);
    }
    for (const [index, name] of odd.entries()) {
      const run = name.length > 200 ? name : `${name}${prefix}`;
      const again = await ledger.claim(requestOf(run, name, { argumentsHash: name }));
      expect(again).toEqual({ state: "recorded", result: textResult(String(index)) });
      expect(await ledger.forget({ run })).toBe(1);
    }
  });

  test("the same key with other arguments is a collision, whatever became of the call", async () => {
    const [ledger, run] = [await open(), newRun()];
    const collision = { state: "collision", argumentsHash: "h1" };
    const claim = claimOf(await ledger.claim(requestOf(run, "a", { leaseMs: 10 })));
    expect(await ledger.claim(requestOf(run, "a", { argumentsHash: "h2" }))).toEqual(collision);
    await pass(20);
    expect(await ledger.claim(requestOf(run, "a", { argumentsHash: "h2", takeOver: true }))).toEqual(collision);
    expect(await ledger.record(claim, textResult("done")), "a stranger takes nothing away").toBe(true);
    expect(await ledger.claim(requestOf(run, "a", { argumentsHash: "h2" }))).toEqual(collision);
  });

  test("tool and worker are for people: cut and mended, never refused", async () => {
    const [ledger, run] = [await open(), newRun()];
    const odd = `\0\ud800${"w".repeat(300)}`;
    await ledger.claim(requestOf(run, "a", { tool: odd, worker: odd }));
    const held = await ledger.claim(requestOf(run, "a"));
    expect(held).toMatchObject({ state: "held", worker: `\uFFFD\uFFFD${"w".repeat(253)}` });
  });
}

function fenceTests(open: Open, pass: Pass): void {
  test("an expired claim is taken over where that does no harm, and the first worker is fenced off", async () => {
    const [one, other, run] = [await open(), await open(), newRun()];
    const lost = claimOf(await one.claim(requestOf(run, "a", { worker: "lost", leaseMs: 10 })));
    await pass(20);
    const outcome = await other.claim(requestOf(run, "a", { worker: "next", takeOver: true }));
    expect(outcome).toMatchObject({ state: "claimed", attempt: 2 });
    expect(claimOf(outcome).token).not.toBe(lost.token);

    expect(await one.renew(lost, 60_000)).toBe(false);
    expect(await one.record(lost, textResult("late"))).toBe(false);
    await one.release(lost);
    expect(await one.claim(requestOf(run, "a"))).toMatchObject({ state: "held", worker: "next" });
    expect(await other.record(claimOf(outcome), textResult("right"))).toBe(true);
    expect(await one.record(lost, textResult("late"))).toBe(false);
    expect(await one.claim(requestOf(run, "a"))).toEqual({ state: "recorded", result: textResult("right") });
  });

  test("where it might do harm nobody may run it again, and that is final", async () => {
    const [one, other, run] = [await open(), await open(), newRun()];
    const lost = claimOf(await one.claim(requestOf(run, "a", { worker: "lost", leaseMs: 10 })));
    await pass(20);
    const unknown = { state: "unknown", worker: "lost" };
    expect(await other.claim(requestOf(run, "a", { worker: "next" }))).toEqual(unknown);
    expect(await one.record(lost, textResult("late"))).toBe(false);
    expect(await one.renew(lost, 60_000)).toBe(false);
    await one.release(lost);
    expect(await other.claim(requestOf(run, "a", { takeOver: true }))).toEqual(unknown);
    expect(await one.claim(requestOf(run, "a"))).toEqual(unknown);
  });

  test("a lease that ran out unnoticed has done no harm", async () => {
    const [ledger, run] = [await open(), newRun()];
    const one = claimOf(await ledger.claim(requestOf(run, "a", { leaseMs: 10 })));
    const other = claimOf(await ledger.claim(requestOf(run, "b", { leaseMs: 10 })));
    await pass(20);
    expect(await ledger.record(one, textResult("done"))).toBe(true);
    expect(await ledger.renew(other, 60_000)).toBe(true);
    expect(await ledger.claim(requestOf(run, "b", { takeOver: true }))).toMatchObject({ state: "held" });
  });

  test("renewing holds a claim beyond its first lease", async () => {
    const [one, other, run] = [await open(), await open(), newRun()];
    const claim = claimOf(await one.claim(requestOf(run, "a", { leaseMs: 40 })));
    expect(await one.renew(claim, 60_000)).toBe(true);
    await pass(50);
    expect(await other.claim(requestOf(run, "a", { takeOver: true }))).toMatchObject({ state: "held" });
    expect(await one.renew(claim, 10), "a shorter one counts as well").toBe(true);
    await pass(20);
    expect(await other.claim(requestOf(run, "a", { takeOver: true }))).toMatchObject({ state: "claimed", attempt: 2 });
  });

  test("a claim given back is as if it had never been", async () => {
    const [one, other, run] = [await open(), await open(), newRun()];
    const given = claimOf(await one.claim(requestOf(run, "a")));
    await one.release(given);
    expect(await one.record(given, textResult("late"))).toBe(false);
    expect(await one.renew(given, 60_000)).toBe(false);
    const outcome = await other.claim(requestOf(run, "a", { argumentsHash: "h2" }));
    expect(outcome).toMatchObject({ state: "claimed", attempt: 1 });
    await one.release(given);
    expect(await other.record(claimOf(outcome), textResult("done"))).toBe(true);
    await other.release(claimOf(outcome));
    expect(await one.claim(requestOf(run, "a", { argumentsHash: "h2" }))).toMatchObject({ state: "recorded" });
  });

  test("a claim that was taken over goes back as expired: the first worker may have run it", async () => {
    const [ledger, run] = [await open(), newRun()];
    for (const call of ["a", "b"]) {
      await ledger.claim(requestOf(run, call, { leaseMs: 10 }));
      await pass(20);
      await ledger.release(claimOf(await ledger.claim(requestOf(run, call, { worker: "w2", takeOver: true }))));
      await pass(1);
    }
    expect(await ledger.claim(requestOf(run, "a", { takeOver: true }))).toMatchObject({ state: "claimed", attempt: 3 });
    expect(await ledger.claim(requestOf(run, "b"))).toEqual({ state: "unknown", worker: "w2" });
  });

  test("tokens are of one claim alone", async () => {
    const [ledger, run] = [await open(), newRun()];
    const a = claimOf(await ledger.claim(requestOf(run, "a")));
    const b = claimOf(await ledger.claim(requestOf(run, "b")));
    expect(a.token).not.toBe(b.token);
    const forged = { key: a.key, token: b.token };
    expect(await ledger.renew(forged, 60_000)).toBe(false);
    expect(await ledger.record(forged, textResult("forged"))).toBe(false);
    await ledger.release(forged);
    expect(await ledger.record({ key: { run, turn: 0, call: "c" }, token: a.token }, textResult("none"))).toBe(false);
    expect(await ledger.record(a, textResult("done"))).toBe(true);
  });

  test("the same result may be recorded again, another may not", async () => {
    const [ledger, run] = [await open(), newRun()];
    const claim = claimOf(await ledger.claim(requestOf(run, "a")));
    expect(await ledger.record(claim, textResult("done"))).toBe(true);
    expect(await ledger.record(claim, textResult("done"))).toBe(true);
    expect(await ledger.record(claim, textResult("else"))).toBe(false);
    expect(await ledger.renew(claim, 60_000)).toBe(false);
    expect(await ledger.claim(requestOf(run, "a"))).toEqual({ state: "recorded", result: textResult("done") });
  });
}

function valueTests(open: Open): void {
  test("values come back as they went in: odd texts, odd keys", async () => {
    const [ledger, run] = [await open(), newRun()];
    const texts = ["", "\0", "\ud800 half", "💸", "\u2028", `"\\'`, "$1", "NULL", "{}"];
    for (const text of texts) {
      await ledger.record(
        claimOf(await ledger.claim(requestOf(run, `of ${text.length} ${texts.indexOf(text)}`))),
        textResult(text),
      );
      const again = await ledger.claim(requestOf(run, `of ${text.length} ${texts.indexOf(text)}`));
      expect(again).toEqual({ state: "recorded", result: textResult(text) });
    }
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":2,"a":{"__proto__":3},"b":1,"b":2,"n":1e400}',
    );
    const record = { turn: 0, assistant: [hostile], calls: [], finish: null };
    const kept = await ledger.openTurn(run, record);
    expect(JSON.stringify(kept.assistant)).toBe(JSON.stringify([hostile]));
    expect(JSON.stringify((await ledger.turns(run))[0]?.assistant)).toBe(JSON.stringify([hostile]));
    expect(Object.hasOwn(kept.assistant[0] as object, "__proto__")).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("what is kept is a copy", async () => {
    const [ledger, run] = [await open(), newRun()];
    const result = textResult("before");
    await ledger.record(claimOf(await ledger.claim(requestOf(run, "a"))), result);
    result.content[0].text = "after";
    const outcome = await ledger.claim(requestOf(run, "a"));
    expect(outcome).toEqual({ state: "recorded", result: textResult("before") });
  });

  test("a value above the limit is refused, and the claim is held still", async () => {
    const [ledger, run] = [await open(), newRun()];
    const claim = claimOf(await ledger.claim(requestOf(run, "a")));
    const spare = SUITE_LIMITS.maxResultLength - JSON.stringify(textResult("")).length;
    const large = ledger.record(claim, textResult("x".repeat(spare + 1)));
    await expect(large).rejects.toThrow(/the result is 1001 UTF-16 units of JSON, and maxResultLength allows 1000/);
    expect(await codeOf(ledger.record(claim, textResult("x".repeat(spare + 1))))).toBe("too-large");
    expect(await ledger.record(claim, textResult("é".repeat(spare)))).toBe(true);

    const turn = { turn: 0, assistant: ["x".repeat(SUITE_LIMITS.maxTurnLength)], calls: [], finish: null };
    expect(await codeOf(ledger.openTurn(run, turn))).toBe("too-large");
    expect(await ledger.turns(run)).toEqual([]);
    await ledger.openTurn(run, { ...turn, assistant: [] });
    expect(await codeOf(ledger.closeTurn(run, 0, turn.assistant))).toBe("too-large");
    expect(await ledger.closeTurn(run, 0, [])).toEqual([]);
  });

  test("what no ledger can keep is refused, with the reason", async () => {
    const [ledger, run] = [await open(), newRun()];
    const claim = claimOf(await ledger.claim(requestOf(run, "a")));
    for (const [bad, words] of [
      ["", /run must be a text that is not empty/],
      ["x".repeat(256), /run is 256 UTF-16 units long, and at most 255/],
      ["\0", /run holds U\+0000/],
      ["\udc00", /run holds .* half a surrogate pair/],
    ] as const) {
      await expect(ledger.claim(requestOf(bad, "a"))).rejects.toThrow(words);
      await expect(ledger.turns(bad)).rejects.toThrow(words);
      await expect(ledger.forget({ run: bad })).rejects.toThrow(words);
      await expect(ledger.openTurn(bad, { turn: 0, assistant: [], calls: [], finish: null })).rejects.toThrow(words);
      expect(await codeOf(ledger.claim(requestOf(run, bad)))).toBe("bad-input");
      expect(await codeOf(ledger.claim(requestOf(run, "b", { argumentsHash: bad })))).toBe("bad-input");
      expect(await codeOf(ledger.record({ ...claim, token: bad }, textResult("")))).toBe("bad-input");
    }
    for (const turn of [-1, 0.5, 2 ** 31, Number.NaN]) {
      expect(await codeOf(ledger.claim(requestOf(run, "", { key: { run, turn, call: "a" } })))).toBe("bad-input");
      expect(await codeOf(ledger.openTurn(run, { turn, assistant: [], calls: [], finish: null }))).toBe("bad-input");
      expect(await codeOf(ledger.closeTurn(run, turn, []))).toBe("bad-input");
    }
    for (const leaseMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
      expect(await codeOf(ledger.claim(requestOf(run, "c", { leaseMs })))).toBe("bad-input");
      expect(await codeOf(ledger.renew(claim, leaseMs))).toBe("bad-input");
    }
    for (const olderThanMs of [-1, Number.NaN]) expect(await codeOf(ledger.forget({ olderThanMs }))).toBe("bad-input");
    const circle: unknown[] = [];
    circle.push(circle);
    expect(await codeOf(ledger.closeTurn(run, 0, circle))).toBe("bad-input");
    expect(await codeOf(ledger.record(claim, { content: [1n] as never }))).toBe("bad-input");
    expect(await ledger.record(claim, textResult("fine"))).toBe(true);
  });
}

function turnTests(open: Open): void {
  const call = {
    key: "0",
    id: "call_1",
    name: "pay",
    kind: "function",
    choice: 0,
    index: 0,
    status: "complete",
    argumentsText: "{}",
    arguments: {},
  } as const;

  test("the first turn that is kept wins, and so do the first results", async () => {
    const [one, other, run] = [await open(), await open(), newRun()];
    const first = { turn: 0, assistant: [{ role: "assistant" }], calls: [call], finish: "tool_calls" };
    expect(await one.openTurn(run, first)).toEqual(first);
    expect(await other.openTurn(run, { turn: 0, assistant: ["else"], calls: [], finish: null })).toEqual(first);
    expect(await other.turns(run)).toEqual([first]);
    expect(await one.closeTurn(run, 0, [{ id: "call_1" }])).toEqual([{ id: "call_1" }]);
    expect(await other.closeTurn(run, 0, ["else"])).toEqual([{ id: "call_1" }]);
    expect(await other.openTurn(run, first)).toEqual({ ...first, results: [{ id: "call_1" }] });
    expect(await other.turns(run)).toEqual([{ ...first, results: [{ id: "call_1" }] }]);
  });

  test("a turn may be kept with its results at once", async () => {
    const [ledger, run] = [await open(), newRun()];
    const whole = { turn: 0, assistant: [], calls: [], finish: "stop", results: [] };
    expect(await ledger.openTurn(run, whole)).toEqual(whole);
    expect(await ledger.closeTurn(run, 0, ["else"])).toEqual([]);
    expect(await ledger.turns(run)).toEqual([whole]);
  });

  test("turns come by number, of their own run alone", async () => {
    const [ledger, run] = [await open(), newRun()];
    for (const turn of [10, 2, 0]) await ledger.openTurn(run, { turn, assistant: [turn], calls: [], finish: null });
    await ledger.openTurn(newRun(), { turn: 1, assistant: [], calls: [], finish: null });
    expect((await ledger.turns(run)).map(({ turn }) => turn)).toEqual([0, 2, 10]);
    expect(await ledger.turns(newRun())).toEqual([]);
  });

  test("a turn that was never opened cannot be closed", async () => {
    const [ledger, run] = [await open(), newRun()];
    expect(await codeOf(ledger.closeTurn(run, 0, []))).toBe("no-turn");
    await ledger.openTurn(run, { turn: 0, assistant: [], calls: [], finish: null });
    expect(await codeOf(ledger.closeTurn(run, 1, []))).toBe("no-turn");
    await ledger.forget({ run });
    expect(await codeOf(ledger.closeTurn(run, 0, []))).toBe("no-turn");
  });

  test("twenty workers that open and close one turn agree", async () => {
    const ledgers = await Promise.all(Array.from({ length: 4 }, open));
    const run = newRun();
    const at = (index: number): Ledger => ledgers[index % 4] as Ledger;
    const many = Array.from({ length: 20 }, (_, index) => index);
    const opened = await Promise.all(
      many.map((index) => at(index).openTurn(run, { turn: 0, assistant: [index], calls: [], finish: null })),
    );
    expect(new Set(opened.map((turn) => JSON.stringify(turn))).size).toBe(1);
    const closed = await Promise.all(many.map((index) => at(index).closeTurn(run, 0, [index])));
    expect(new Set(closed.map((results) => JSON.stringify(results))).size).toBe(1);
  });
}

function forgetTests(open: Open, pass: Pass): void {
  test("a run is forgotten whole, held claims too, and no other", async () => {
    const [one, other, run, bystander] = [await open(), await open(), newRun(), newRun()];
    for (const name of [run, bystander]) {
      await one.openTurn(name, { turn: 0, assistant: [], calls: [], finish: null });
      await one.record(claimOf(await one.claim(requestOf(name, "a"))), textResult("done"));
    }
    const held = claimOf(await one.claim(requestOf(run, "b")));
    expect(await other.forget({ run })).toBe(1);
    expect(await other.forget({ run })).toBe(0);
    expect(await one.record(held, textResult("late"))).toBe(false);
    expect(await one.renew(held, 60_000)).toBe(false);
    expect(await one.turns(run)).toEqual([]);
    expect(await one.claim(requestOf(run, "a", { argumentsHash: "h2" }))).toMatchObject({
      state: "claimed",
      attempt: 1,
    });
    expect(await one.claim(requestOf(bystander, "a"))).toMatchObject({ state: "recorded" });
    expect(await one.turns(bystander)).toHaveLength(1);
  });

  test("by age, runs are forgotten that have not changed and in which no lease runs", async () => {
    const ledger = await open();
    await ledger.forget({ olderThanMs: 0 });
    const [turnOnly, recorded, leased, expired, fresh] = [newRun(), newRun(), newRun(), newRun(), newRun()];
    await ledger.openTurn(turnOnly, { turn: 0, assistant: [], calls: [], finish: null });
    await ledger.record(claimOf(await ledger.claim(requestOf(recorded, "a"))), textResult("done"));
    await ledger.claim(requestOf(leased, "a"));
    await ledger.record(claimOf(await ledger.claim(requestOf(leased, "b"))), textResult("done"));
    await ledger.claim(requestOf(expired, "a", { leaseMs: 10 }));
    await pass(700);
    await ledger.openTurn(fresh, { turn: 0, assistant: [], calls: [], finish: null });
    await ledger.record(claimOf(await ledger.claim(requestOf(turnOnly, "a"))), textResult("changed"));
    expect(await ledger.forget({ olderThanMs: 600 })).toBe(2);
    expect(await ledger.turns(fresh)).toHaveLength(1);
    expect(await ledger.turns(turnOnly), "one change keeps all of the run").toHaveLength(1);
    expect(await ledger.claim(requestOf(leased, "a"))).toMatchObject({ state: "held" });
    expect(await ledger.claim(requestOf(leased, "b"))).toMatchObject({ state: "recorded" });
    expect(await ledger.claim(requestOf(recorded, "a"))).toMatchObject({ state: "claimed" });
    expect(await ledger.claim(requestOf(expired, "a"))).toMatchObject({ state: "claimed", attempt: 1 });
  });

  test("a claim that goes back leaves nothing to forget", async () => {
    const [ledger, run] = [await open(), newRun()];
    await ledger.release(claimOf(await ledger.claim(requestOf(run, "a"))));
    expect(await ledger.forget({ run })).toBe(0);
  });
}

function raceTests(open: Open): void {
  test("two workers race over a thousand calls: each runs once", async () => {
    const [one, other, run] = [await open(), await open(), newRun()];
    const calls = Array.from({ length: 1000 }, (_, index) => `call ${index}`);
    const ran = new Map<string, string[]>();
    const work = async (ledger: Ledger, worker: string): Promise<void> => {
      const left = [...calls];
      const lane = async (): Promise<void> => {
        for (let call = left.shift(); call !== undefined; call = left.shift()) {
          const outcome = await ledger.claim(requestOf(run, call, { worker, takeOver: true }));
          if (outcome.state !== "claimed") continue;
          ran.set(call, [...(ran.get(call) ?? []), worker]);
          expect(await ledger.record(outcome.claim, textResult(call))).toBe(true);
        }
      };
      await Promise.all(Array.from({ length: 4 }, lane));
    };
    await Promise.all([work(one, "one"), work(other, "other")]);
    expect(ran.size).toBe(1000);
    expect([...ran].filter(([, workers]) => workers.length !== 1)).toEqual([]);
    expect(new Set([...ran.values()].flat()).size, "both had a share, or there was no race").toBe(2);
    for (const call of ["call 0", "call 999"])
      expect(await one.claim(requestOf(run, call))).toEqual({ state: "recorded", result: textResult(call) });
  });

  test("of many that meet an expired claim one takes it over", async () => {
    const ledgers = await Promise.all(Array.from({ length: 4 }, open));
    const run = newRun();
    for (let round = 0; round < 10; round += 1) {
      const claim = claimOf(await (ledgers[0] as Ledger).claim(requestOf(run, `a${round}`, { leaseMs: 60_000 })));
      await (ledgers[0] as Ledger).release(claim);
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (ledgers[index % 4] as Ledger).claim(requestOf(run, `a${round}`, { takeOver: true })),
        ),
      );
      expect(outcomes.filter(({ state }) => state === "claimed")).toHaveLength(1);
      expect(outcomes.filter(({ state }) => state === "held")).toHaveLength(11);
    }
  });
}

function endTests(open: Open): void {
  test("a closed ledger rejects, and closing again does nothing", async () => {
    const [ledger, run] = [await open(), newRun()];
    const claim = claimOf(await ledger.claim(requestOf(run, "a")));
    await ledger.close();
    await ledger.close();
    const all = [
      ledger.claim(requestOf(run, "a")),
      ledger.renew(claim, 10),
      ledger.record(claim, textResult("")),
      ledger.release(claim),
      ledger.openTurn(run, { turn: 0, assistant: [], calls: [], finish: null }),
      ledger.closeTurn(run, 0, []),
      ledger.turns(run),
      ledger.forget({ run }),
    ];
    expect(await Promise.all(all.map(codeOf))).toEqual(all.map(() => "closed"));
  });

  test("one that was never used closes as well", async () => {
    const ledger = await open();
    await ledger.close();
    expect(await codeOf(ledger.turns("any"))).toBe("closed");
  });
}
