// Several workers, or one that comes back: no call runs twice, and each has its answer.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { call } from "./calls.test-kit.ts";
import { dispatching, heldTool, settle, textOf, toolThat } from "./dispatch.test-kit.ts";
import type { ClaimRequest, Ledger } from "./ledger.ts";
import { LedgerError } from "./ledger-error.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { argumentsHash } from "./arguments-hash.ts";

const at = (index: number, name = "work", args: Record<string, unknown> = {}) => call(name, args, { index });

let ledger: Ledger;
beforeEach(() => {
  vi.useFakeTimers();
  ledger = memoryLedger();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Another worker's claim, which is not renewed. */
async function claimedElsewhere(leaseMs: number, more: Partial<ClaimRequest> = {}) {
  const request: ClaimRequest = {
    key: { run: "r", turn: 0, call: "call-0" },
    tool: "work",
    argumentsHash: await argumentsHash("work", "{}"),
    worker: "other",
    leaseMs,
    takeOver: false,
    ...more,
  };
  const outcome = await ledger.claim(request);
  if (outcome.state !== "claimed") throw new Error(`it is ${outcome.state}`);
  return outcome.claim;
}

/** A ledger in which some methods do something else. */
function withMethods(methods: Partial<Ledger>): Ledger {
  const rest = ledger;
  return {
    claim: (request) => rest.claim(request),
    renew: (claim, leaseMs) => rest.renew(claim, leaseMs),
    record: (claim, result) => rest.record(claim, result),
    release: (claim) => rest.release(claim),
    openTurn: (run, record) => rest.openTurn(run, record),
    closeTurn: (run, turn, results) => rest.closeTurn(run, turn, results),
    turns: (run) => rest.turns(run),
    forget: (which) => rest.forget(which),
    close: () => rest.close(),
    ...methods,
  };
}

describe("a call that has run", () => {
  test.each<[string, () => unknown, string | undefined]>([
    ["a result", () => "ran", undefined],
    [
      "a failure",
      () => {
        throw new Error("no");
      },
      "threw",
    ],
  ])("is replayed and does not run again: %s", async (_, execute, reason) => {
    const times = vi.fn(execute);
    const first = await dispatching([toolThat("work", times)], { ledger, run: "r" }).finish([at(0)]);
    const again = dispatching([toolThat("work", times)], { ledger, run: "r" });
    const second = await again.finish([at(0)]);
    expect(times).toHaveBeenCalledTimes(1);
    expect(second[0]?.content).toEqual(first[0]?.content);
    expect(second[0]).toMatchObject({ replayed: true, ...(reason === undefined ? {} : { reason, isError: true }) });
    expect(second[0]).not.toHaveProperty("durationMs");
    expect(again.said()).toEqual([`call-0 replayed ${reason ?? "done"}`]);
  });

  test("is another in another turn, another run, or another place", async () => {
    const times = vi.fn(() => "ran");
    for (const place of [
      { run: "r", turn: 0 },
      { run: "r", turn: 1 },
      { run: "s", turn: 0 },
    ])
      await dispatching([toolThat("work", times)], { ledger, ...place }).finish([at(0), at(1)]);
    expect(times).toHaveBeenCalledTimes(6);
  });

  test("is not replayed for other arguments in its place", async () => {
    const times = vi.fn(() => "ran");
    await dispatching([toolThat("work", times)], { ledger, run: "r" }).finish([at(0, "work", { a: 1, b: 2 })]);
    const other = await dispatching([toolThat("work", times)], { ledger, run: "r" }).finish([at(0, "work", { a: 2 })]);
    expect(other).toMatchObject([{ reason: "collision", isError: true }]);
    const respelled = { ...at(0, "work", { a: 1, b: 2 }), argumentsText: '{ "b": 2, "a": 1 }' };
    expect(await dispatching([toolThat("work", times)], { ledger, run: "r" }).finish([respelled])).toMatchObject([
      { replayed: true },
    ]);
    expect(times).toHaveBeenCalledTimes(1);
  });
});

describe("a call that another worker has", () => {
  test("is waited for, and its result is taken", async () => {
    const claim = await claimedElsewhere(60_000);
    const execute = vi.fn();
    const { finish, said } = dispatching([toolThat("work", execute)], { ledger, run: "r" });
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(10_000);
    await ledger.record(claim, { content: [{ type: "text", text: "theirs" }] });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await results).toMatchObject([{ content: [{ text: "theirs" }], replayed: true }]);
    expect(execute).not.toHaveBeenCalled();
    expect(said()).toEqual(["call-0 replayed done"]);
  });

  test("is asked for less and less often", async () => {
    await claimedElsewhere(600_000);
    const claims = vi.fn((request: ClaimRequest) => ledger.claim(request));
    const stop = new AbortController();
    const { finish } = dispatching([toolThat("work", () => "")], {
      ledger: withMethods({ claim: claims }),
      run: "r",
      signal: stop.signal,
    });
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(claims.mock.calls.length).toBeGreaterThan(35);
    expect(claims.mock.calls.length).toBeLessThan(90);
    stop.abort();
    expect(await results).toMatchObject([{ reason: "aborted" }]);
  });

  test("holds up no other call while it is waited for", async () => {
    const claim = await claimedElsewhere(60_000);
    const { finish, said } = dispatching([toolThat("work", () => "ours", { parallel: false })], {
      ledger,
      run: "r",
      concurrency: 1,
    });
    const results = finish([at(0), at(1)]);
    await settle();
    expect(said()).toContain("call-1 done");
    await ledger.record(claim, { content: [] });
    await vi.advanceTimersByTimeAsync(3_000);
    await results;
  });

  test("is taken over once its claim has expired, where that does no harm", async () => {
    await claimedElsewhere(5_000);
    let seen: number | undefined;
    const work = toolThat("work", (_, { attempt }) => (seen = attempt), { repeatable: true });
    const { finish, events } = dispatching([work], { ledger, run: "r" });
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(textOf((await results)[0])).toBe("2");
    expect(seen).toBe(2);
    expect(events[0]).toMatchObject({ type: "tool.start", attempt: 2 });
  });

  test("has an unknown outcome otherwise, for ever", async () => {
    const claim = await claimedElsewhere(5_000);
    const execute = vi.fn();
    for (let worker = 0; worker < 2; worker++) {
      const { finish } = dispatching([toolThat("work", execute)], { ledger, run: "r" });
      const results = finish([at(0)]);
      await settle();
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await results).toMatchObject([{ reason: "unknown-outcome", isError: true }]);
    }
    expect(await ledger.record(claim, { content: [] })).toBe(false);
    expect(execute).not.toHaveBeenCalled();
  });
});

describe("a claim", () => {
  test("is renewed while its tool runs", async () => {
    const { tool, runs } = heldTool("work");
    const first = dispatching([tool], { ledger, run: "r", leaseMs: 3_000 });
    const results = first.finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(60_000);
    const [other] = [
      await ledger.claim({
        key: { run: "r", turn: 0, call: "call-0" },
        tool: "work",
        argumentsHash: await argumentsHash("work", "{}"),
        worker: "o",
        leaseMs: 1,
        takeOver: true,
      }),
    ];
    expect(other).toMatchObject({ state: "held" });
    runs[0]?.resolve("done");
    expect(textOf((await results)[0])).toBe("done");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that is lost stops the tool, and what it gave does not count", async () => {
    const { tool, runs } = heldTool("work", { repeatable: true });
    let lost = false;
    const slow = withMethods({ renew: async (claim, leaseMs) => !lost && ledger.renew(claim, leaseMs) });
    const first = dispatching([tool], { ledger: slow, run: "r", leaseMs: 3_000 });
    const results = first.finish([at(0)]);
    await settle();
    // This process sleeps past its lease, and another worker takes the call over.
    lost = true;
    vi.setSystemTime(Date.now() + 4_000);
    const claim = await claimedElsewhere(60_000, { takeOver: true });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs[0]?.context.signal.aborted).toBe(true);
    runs[0]?.resolve("ours, which does not count");
    await ledger.record(claim, { content: [{ type: "text", text: "theirs" }] });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await results).toMatchObject([{ content: [{ text: "theirs" }], replayed: true }]);
    expect(first.said()).toEqual(["call-0 start", "call-0 replayed done"]);
    expect(runs).toHaveLength(1);
  });

  test("that is found lost only when the result is kept does not count either", async () => {
    const { tool, runs } = heldTool("work", { repeatable: true });
    const { finish } = dispatching([tool], { ledger, run: "r", leaseMs: 30_000 });
    const results = finish([at(0)]);
    await settle();
    vi.setSystemTime(Date.now() + 31_000);
    const claim = await claimedElsewhere(60_000, { takeOver: true });
    runs[0]?.resolve("ours");
    await settle();
    await ledger.record(claim, { content: [{ type: "text", text: "theirs" }] });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(textOf((await results)[0])).toBe("theirs");
  });

  test("outlives a ledger that is not reached for less than its lease", async () => {
    const { tool, runs } = heldTool("work");
    let down = true;
    const shaky = withMethods({
      renew: async (claim, leaseMs) => {
        if (down) throw new LedgerError("unreachable", "no route");
        return ledger.renew(claim, leaseMs);
      },
    });
    const { finish } = dispatching([tool], { ledger: shaky, run: "r", leaseMs: 3_000 });
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(runs[0]?.context.signal.aborted).toBe(false);
    down = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs[0]?.context.signal.aborted).toBe(false);
    runs[0]?.resolve("done");
    expect(textOf((await results)[0])).toBe("done");
  });

  test.each<[string, Partial<Ledger>]>([
    ["rejects", { renew: () => Promise.reject(new LedgerError("unreachable", "no route")) }],
    ["does not answer", { renew: () => new Promise(() => {}) }],
  ])("is lost at the end of its lease where the ledger %s", async (_, methods) => {
    const { tool, runs } = heldTool("work", { repeatable: true });
    const stop = new AbortController();
    const { finish } = dispatching([tool], {
      ledger: withMethods(methods),
      run: "r",
      leaseMs: 3_000,
      signal: stop.signal,
    });
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(2_900);
    expect(runs[0]?.context.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(runs[0]?.context.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(100);
    stop.abort();
    await vi.advanceTimersByTimeAsync(100);
    await results;
  });
});

test("a result that comes in the grace of a claim given up for lost counts, where nobody took the call", async () => {
  const { tool, runs } = heldTool("work", { repeatable: true });
  const broken = withMethods({ renew: () => Promise.reject(new LedgerError("unreachable", "no route")) });
  const { finish } = dispatching([tool], { ledger: broken, run: "r", leaseMs: 3_000 });
  const results = finish([at(0)]);
  await settle();
  await vi.advanceTimersByTimeAsync(3_005);
  expect(runs[0]?.context.signal.aborted).toBe(true);
  runs[0]?.resolve("ours");
  expect(await results).toMatchObject([{ content: [{ text: "ours" }] }]);
  expect(runs).toHaveLength(1);
});

test("a tool that was stopped for a lost claim has no result here", async () => {
  const { tool, runs } = heldTool("work", { repeatable: true });
  const records = vi.fn(() => Promise.resolve(true));
  const broken = withMethods({ renew: () => Promise.resolve(false), record: records });
  const { finish, said } = dispatching([tool], { ledger: broken, run: "r", leaseMs: 3_000 });
  void finish([at(0)]);
  await settle();
  await vi.advanceTimersByTimeAsync(1_500);
  runs[0]?.reject(new Error("stopped"));
  await settle();
  expect(records).not.toHaveBeenCalled();
  expect(said()).toEqual(["call-0 start"]);
});

describe("approval", () => {
  test("is not asked for a call that has run", async () => {
    const approve = vi.fn(() => true);
    const settings = { needsApproval: true };
    const first = heldTool("work", settings);
    const results = dispatching([first.tool], { ledger, run: "r", approve }).finish([at(0)]);
    await settle();
    first.runs[0]?.resolve("ran");
    await results;
    const again = await dispatching([heldTool("work", settings).tool], { ledger, run: "r", approve }).finish([at(0)]);
    expect(again).toMatchObject([{ replayed: true }]);
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test("holds no claim while a person thinks: a worker that is lost meanwhile has begun nothing", async () => {
    const first = dispatching([heldTool("work", { needsApproval: true }).tool], {
      ledger,
      run: "r",
      approve: () => new Promise(() => {}),
    });
    void first.finish([at(0)]);
    await settle();
    const { tool, runs } = heldTool("work", { needsApproval: true });
    const second = dispatching([tool], { ledger, run: "r", approve: () => true });
    const results = second.finish([at(0)]);
    await settle();
    runs[0]?.resolve("ran");
    expect(textOf((await results)[0])).toBe("ran");
  });

  test("that was refused is kept", async () => {
    await dispatching([heldTool("work", { needsApproval: true }).tool], {
      ledger,
      run: "r",
      approve: () => false,
    }).finish([at(0)]);
    const approve = vi.fn(() => true);
    const again = await dispatching([heldTool("work", { needsApproval: true }).tool], {
      ledger,
      run: "r",
      approve,
    }).finish([at(0)]);
    expect(again).toMatchObject([{ reason: "refused", replayed: true }]);
    expect(approve).not.toHaveBeenCalled();
  });

  test("is not asked while another worker has the call", async () => {
    const claim = await claimedElsewhere(60_000);
    const approve = vi.fn(() => true);
    const { finish } = dispatching([heldTool("work", { needsApproval: true }).tool], { ledger, run: "r", approve });
    const results = finish([at(0)]);
    await settle();
    await ledger.record(claim, { content: [] });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await results).toMatchObject([{ replayed: true }]);
    expect(approve).not.toHaveBeenCalled();
  });
});

describe("a ledger that fails", () => {
  test("at a claim: nothing runs without one, and the dispatch rejects once what runs is over", async () => {
    const { tool, runs } = heldTool("slow");
    const execute = vi.fn();
    const broken = withMethods({
      claim: (request) =>
        request.tool === "work" ? Promise.reject(new LedgerError("unreachable", "no route")) : ledger.claim(request),
    });
    const { finish } = dispatching([tool, toolThat("work", execute)], { ledger: broken, run: "r" });
    let over = false;
    const results = finish([at(0, "slow"), at(1)]).finally(() => (over = true));
    const rejected = expect(results).rejects.toMatchObject({ code: "unreachable" });
    await settle();
    expect(over).toBe(false);
    expect(runs[0]?.context.signal.aborted).toBe(false);
    runs[0]?.resolve("kept");
    await rejected;
    expect(execute).not.toHaveBeenCalled();
    const again = await dispatching([heldTool("slow").tool], { ledger, run: "r" }).finish([at(0, "slow")]);
    expect(again).toMatchObject([{ replayed: true, content: [{ text: "kept" }] }]);
  });

  test("ends the waiting of the others", async () => {
    const broken = withMethods({
      claim: (request) =>
        request.tool === "work" ? Promise.reject(new LedgerError("failed", "no")) : ledger.claim(request),
    });
    const asking = heldTool("asking", { needsApproval: true });
    const { finish } = dispatching([asking.tool, toolThat("work", () => "")], {
      ledger: broken,
      run: "r",
      approve: () => new Promise(() => {}),
    });
    await expect(finish([at(0, "asking"), at(1)])).rejects.toMatchObject({ code: "failed" });
  });

  test("at a result for a while: it is offered again", async () => {
    let failures = 2;
    const shaky = withMethods({
      record: async (claim, result) => {
        if (failures-- > 0) throw new LedgerError("unreachable", "no route");
        return ledger.record(claim, result);
      },
    });
    const { finish } = dispatching([toolThat("work", () => "ran")], { ledger: shaky, run: "r" });
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(textOf((await results)[0])).toBe("ran");
  });

  test.each(["unreachable", "full", "closed"] as const)(
    "at a result for good (%s): the dispatch rejects",
    async (code) => {
      const broken = withMethods({ record: () => Promise.reject(new LedgerError(code, "no")) });
      const { finish } = dispatching([toolThat("work", () => "ran")], { ledger: broken, run: "r" });
      const rejected = expect(finish([at(0)])).rejects.toMatchObject({ code });
      await settle();
      await vi.advanceTimersByTimeAsync(10_000);
      await rejected;
    },
  );
});

test("two workers over the same calls: each runs once, and both have all results", async () => {
  vi.useRealTimers();
  const ran = new Map<string, number>();
  const work = toolThat("work", async (args, { call: { key } }) => {
    ran.set(key, (ran.get(key) ?? 0) + 1);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
    return args;
  });
  const calls = Array.from({ length: 200 }, (_, index) => at(index, "work", { index }));
  const workers = [0, 1, 2].map(() => dispatching([work], { ledger, run: "r" }).finish(calls));
  for (const results of await Promise.all(workers))
    expect(results.map(textOf)).toEqual(calls.map((_, index) => `{"index":${index}}`));
  expect([...ran.values()]).toEqual(calls.map(() => 1));
});
