// One worker's turn: order, limits, early calls, being stopped. What several workers do is dispatch-ledger.test.ts.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { call, callFrom } from "./calls.test-kit.ts";
import { Dispatch } from "./dispatch.ts";
import { deferred, dispatching, heldTool, settle, textOf, toolThat } from "./dispatch.test-kit.ts";
import type { Approval } from "./approval.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { customTool, type Tool } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

const at = (index: number, name = "work", args: Record<string, unknown> = {}) => call(name, args, { index });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("results", () => {
  test("come in the order of the calls, whatever ends first", async () => {
    const { tool, runs } = heldTool("work");
    const { finish, said, events } = dispatching([tool]);
    const results = finish([at(0), at(1), at(2)]);
    await settle();
    expect(runs).toHaveLength(3);
    runs[2]?.resolve("third");
    await settle();
    runs[0]?.resolve("first");
    await settle();
    runs[1]?.resolve("second");
    expect((await results).map(textOf)).toEqual(["first", "second", "third"]);
    expect(said()).toEqual([
      "call-0 start",
      "call-1 start",
      "call-2 start",
      "call-2 done",
      "call-0 done",
      "call-1 done",
    ]);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  test("come for calls that cannot run too, each once", async () => {
    const { finish, said } = dispatching([toolThat("search", () => "found")]);
    const bad = { ...callFrom('{"query": ,}'), key: "call-1", index: 1 };
    const results = await finish([at(0, "search"), bad, at(2, "serch")]);
    expect(results.map(({ reason, isError }) => [reason, isError])).toEqual([
      [undefined, undefined],
      ["malformed", true],
      ["unknown-tool", true],
    ]);
    expect(textOf(results[1])).toContain('{"query": ,}');
    expect(said().toSorted()).toEqual(["call-0 done", "call-0 start", "call-1 malformed", "call-2 unknown-tool"]);
  });

  test("of a batch that was cut say so, and nothing runs", async () => {
    const execute = vi.fn();
    const { finish } = dispatching([toolThat("log", execute), toolThat("search", execute)]);
    const cut = { ...callFrom('{"query": "x', "length"), key: "call-1", index: 1 };
    expect((await finish([at(0, "log"), cut], "length")).map(({ reason }) => reason)).toEqual(["not-run", "truncated"]);
    expect(execute).not.toHaveBeenCalled();
  });

  test("leave out what the vendor runs", async () => {
    const { finish, said } = dispatching([]);
    expect(await finish([call("web_search", {}, { kind: "server" })])).toEqual([]);
    expect(said()).toEqual([]);
  });

  test("say how long the tool ran", async () => {
    const { tool, runs } = heldTool("work");
    const { finish, events } = dispatching([tool]);
    const results = finish([at(0)]);
    await settle();
    vi.advanceTimersByTime(1_500);
    runs[0]?.resolve("done");
    expect(await results).toMatchObject([{ durationMs: 1_500 }]);
    expect(events[1]).toMatchObject({ type: "tool.result", time: Date.now(), turn: 0 });
  });

  test("of a repaired call tell of the repair", async () => {
    const { finish } = dispatching([toolThat("search", (args) => args)], { repair: true });
    const [result] = await finish([callFrom("{'query': 'x'}")]);
    expect(textOf(result)).toMatch(/not valid JSON[^]*> \{"query": "x"\}[^]*\n\{"query":"x"\}$/);
    expect(result?.isError).toBeUndefined();
  });

  test("of a custom tool", async () => {
    const sql = customTool({ name: "sql", execute: (text) => `ran ${text}` });
    const { finish } = dispatching([sql]);
    const custom = call("sql", {}, { kind: "custom", arguments: null, argumentsText: "select 1" });
    expect(textOf((await finish([custom]))[0])).toBe("ran select 1");
  });
});

describe("what a tool throws", () => {
  test.each<[string, unknown, string]>([
    ["an error", new Error("disk full"), 'The tool "work" failed: disk full.'],
    ["text", "plain", 'The tool "work" failed: plain.'],
    ["nothing", undefined, 'The tool "work" failed: an error without a message.'],
    ["null", null, 'The tool "work" failed: an error without a message.'],
    ["a secret", new Error("401 Bearer hunter2hunter2"), "401 Bearer [masked]"],
    ["a number", 17, 'The tool "work" failed: 17.'],
  ])("%s becomes words", async (_, thrown, words) => {
    for (const execute of [
      () => {
        throw thrown;
      },
      async () => {
        await Promise.resolve();
        throw thrown;
      },
    ]) {
      const { finish } = dispatching([toolThat("work", execute)]);
      const [result] = await finish([at(0)]);
      expect(result).toMatchObject({ reason: "threw", isError: true });
      expect(textOf(result)).toContain(words);
      expect(textOf(result)).not.toContain("dispatch.test");
    }
  });

  test("a ToolError goes to the model word for word, within the bounds", async () => {
    const { finish } = dispatching([
      toolThat("work", () => {
        throw new ToolError("Ask for the order's number: sk-is-no-secret-here-1234");
      }),
    ]);
    expect(textOf((await finish([at(0)]))[0])).toBe("Ask for the order's number: sk-is-no-secret-here-1234");
    const long = dispatching(
      [
        toolThat("work", () => {
          throw new ToolError("x".repeat(1_000));
        }),
      ],
      { maxTextLength: 10 },
    );
    expect(textOf((await long.finish([at(0)]))[0])).toMatch(/^x{10}\n\[The result was cut/);
  });

  test("a text of the user's own sees the error itself", async () => {
    const error = new Error("inner");
    const { finish } = dispatching(
      [
        toolThat("work", () => {
          throw error;
        }),
      ],
      {
        corrections: { threw: ({ thrown }) => `own ${thrown === error}` },
      },
    );
    expect(textOf((await finish([at(0)]))[0])).toBe("own true");
  });
});

describe("hostile results", () => {
  test("huge and circular ones are bounded", async () => {
    const circular: unknown[] = [];
    circular.push(circular, 1n, () => 1);
    const { finish } = dispatching([toolThat("a", () => circular), toolThat("b", () => "x".repeat(5_000_000))]);
    const [first, second] = await finish([at(0, "a"), at(1, "b")]);
    expect(textOf(first)).toBe('["[circular]",1,null]');
    expect(textOf(second).length).toBeLessThan(100_200);
  });

  test("what is too large for the ledger is told, and kept as that", async () => {
    const ledger = memoryLedger({ maxResultLength: 300 });
    const run = { ledger, run: "r" };
    const { finish } = dispatching([toolThat("work", () => "x".repeat(1_000))], run);
    const [result] = await finish([at(0)]);
    expect(textOf(result)).toMatch(/^The tool ran, but its result is too large/);
    const again = dispatching([toolThat("work", () => "never")], run);
    expect(await again.finish([at(0)])).toMatchObject([{ content: result?.content, isError: true, replayed: true }]);
  });
});

describe("side by side", () => {
  test("up to the limit", async () => {
    const { tool, runs } = heldTool("work");
    const { finish } = dispatching([tool], { concurrency: 2 });
    const results = finish([0, 1, 2, 3].map((index) => at(index)));
    await settle();
    expect(runs).toHaveLength(2);
    runs[0]?.resolve("");
    await settle();
    expect(runs).toHaveLength(3);
    for (const run of runs) run.resolve("");
    await settle();
    runs[3]?.resolve("");
    expect(await results).toHaveLength(4);
  });

  test("and begin in the order of the calls, whichever hash of their arguments is there first", async () => {
    const digest = crypto.subtle.digest.bind(crypto.subtle);
    const slow = vi.spyOn(crypto.subtle, "digest").mockImplementationOnce(async (algorithm, data) => {
      for (let times = 0; times < 50; times += 1) await digest(algorithm, data);
      return digest(algorithm, data);
    });
    const began: number[] = [];
    const write = toolThat("write", (_, context) => void began.push(context.call.index), { parallel: false });
    await dispatching([write]).finish([at(0, "write"), at(1, "write"), at(2, "write")]);
    slow.mockRestore();
    expect(began).toEqual([0, 1, 2]);
  });

  test("but not with a tool that must run alone", async () => {
    const shared = heldTool("shared");
    const alone = heldTool("alone", { parallel: false });
    const { finish } = dispatching([shared.tool, alone.tool]);
    const results = finish([at(0, "shared"), at(1, "alone"), at(2, "shared"), at(3, "alone")]);
    await settle();
    expect([shared.runs.length, alone.runs.length]).toEqual([1, 0]);
    shared.runs[0]?.resolve("");
    await settle();
    expect([shared.runs.length, alone.runs.length]).toEqual([1, 1]);
    alone.runs[0]?.resolve("");
    await settle();
    expect([shared.runs.length, alone.runs.length]).toEqual([2, 1]);
    shared.runs[1]?.resolve("");
    await settle();
    alone.runs[1]?.resolve("");
    expect(await results).toHaveLength(4);
  });
});

describe("time", () => {
  test("of a tool is over, heeded", async () => {
    const slow = toolThat(
      "work",
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
      { timeoutMs: 30_000 },
    );
    const { finish } = dispatching([slow]);
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await results).toMatchObject([{ reason: "timed-out", isError: true, durationMs: 30_000 }]);
    expect(textOf((await results)[0])).toContain("within 30 s");
  });

  test("is over for a tool that never settles, whatever it is told", async () => {
    const { tool, runs } = heldTool("work");
    const { finish } = dispatching([tool, toolThat("next", () => "ran")], {
      timeoutMs: 5_000,
      graceMs: 200,
      concurrency: 1,
    });
    const results = finish([at(0), at(1, "next")]);
    await settle();
    await vi.advanceTimersByTimeAsync(5_199);
    expect(runs[0]?.context.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect((await results).map(({ reason }) => reason)).toEqual(["timed-out", undefined]);
    // Too late: nobody hears it, and nothing falls over.
    runs[0]?.reject(new Error("late"));
    await settle();
  });

  test("counts what a tool gives within its grace", async () => {
    const partial = toolThat(
      "work",
      (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve("half of it"));
        }),
      { timeoutMs: 100 },
    );
    const { finish } = dispatching([partial]);
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(100);
    expect(textOf((await results)[0])).toBe("half of it");
  });

  test.each([0, Infinity])("is not limited by %s", async (timeoutMs) => {
    const { tool, runs } = heldTool("work", { timeoutMs });
    const { finish } = dispatching([tool], { timeoutMs: 1_000 });
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(100_000_000);
    runs[0]?.resolve("at last");
    expect(textOf((await results)[0])).toBe("at last");
  });

  test("leaves no timer behind", async () => {
    const { finish } = dispatching([toolThat("work", () => "done")]);
    await finish([at(0), at(1)]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the signal", () => {
  test("stops what runs, and what has not begun does not begin", async () => {
    const stop = new AbortController();
    const { tool, runs } = heldTool("work");
    const { finish } = dispatching([tool], { concurrency: 1, signal: stop.signal });
    const results = finish([at(0), at(1)]);
    await settle();
    stop.abort(new Error("enough"));
    expect(runs[0]?.context.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(10);
    const [first, second] = await results;
    expect([first?.reason, second?.reason]).toEqual(["aborted", "aborted"]);
    expect(textOf(first)).toContain("stopped while it ran");
    expect(textOf(second)).toContain("was not run");
    expect(runs).toHaveLength(1);
  });

  test("that was aborted before gives every call its answer", async () => {
    const execute = vi.fn();
    const { finish } = dispatching([toolThat("work", execute)], { signal: AbortSignal.abort() });
    expect(await finish([at(0), at(1, "unknown")])).toMatchObject([{ reason: "aborted" }, { reason: "unknown-tool" }]);
    expect(execute).not.toHaveBeenCalled();
  });

  test("a tool that ends in its grace has its own result", async () => {
    const stop = new AbortController();
    const { tool, runs } = heldTool("work");
    const { finish } = dispatching([tool], { signal: stop.signal });
    const results = finish([at(0)]);
    await settle();
    stop.abort();
    runs[0]?.resolve("just in time");
    expect(textOf((await results)[0])).toBe("just in time");
  });

  test("a tool that throws after it was stopped was stopped", async () => {
    const stop = new AbortController();
    const { tool, runs } = heldTool("work");
    const { finish } = dispatching([tool], { signal: stop.signal });
    const results = finish([at(0)]);
    await settle();
    stop.abort();
    runs[0]?.reject(new Error("AbortError: fetch was aborted"));
    expect(await results).toMatchObject([{ reason: "aborted" }]);
  });

  test("an abort is kept for a tool that must not run twice, and not for one that may", async () => {
    for (const repeatable of [false, true]) {
      const ledger = memoryLedger();
      const stop = new AbortController();
      const first = heldTool("work", { repeatable });
      const stopped = dispatching([first.tool], { ledger, run: "r", signal: stop.signal });
      const results = stopped.finish([at(0)]);
      await settle();
      stop.abort();
      await vi.advanceTimersByTimeAsync(10);
      expect(await results).toMatchObject([{ reason: "aborted" }]);
      const again = dispatching([toolThat("work", () => "ran again", { repeatable })], { ledger, run: "r" });
      const [result] = await again.finish([at(0)]);
      if (repeatable) expect(textOf(result)).toBe("ran again");
      else expect(result).toMatchObject({ reason: "aborted", replayed: true });
    }
  });
});

describe("approval", () => {
  const ask = (tool: Tool, approve?: () => Approval | Promise<Approval>, more = {}) =>
    dispatching([tool, toolThat("free", () => "free")], { ...(approve === undefined ? {} : { approve }), ...more });

  test("a call that waits for it holds up no other", async () => {
    const { tool, runs } = heldTool("work", { needsApproval: true });
    const answer = deferred<Approval>();
    const { finish, said } = ask(tool, () => answer.promise, { concurrency: 1 });
    const results = finish([at(0), at(1, "free")]);
    await settle();
    expect(said()).toEqual(["call-0 approval", "call-1 start", "call-1 done"]);
    expect(runs).toHaveLength(0);
    answer.resolve(true);
    await settle();
    runs[0]?.resolve("done");
    expect((await results).map(textOf)).toEqual(["done", "free"]);
  });

  test.each<[string, Approval | (() => never), string]>([
    ["no", false, "was refused, so it was not run. Do not"],
    ["no, and why", { approved: false, reason: "Use staging" }, "The reason given: Use staging."],
    ["something else than yes", "yes" as never, "was refused"],
    ["approved by something else than true", { approved: 1 as never }, "was refused"],
    [
      "an error",
      () => {
        throw new Error("dialog closed");
      },
      "It could not be approved: dialog closed.",
    ],
  ])("%s is told to the model", async (_, answer, words) => {
    const { tool, runs } = heldTool("work", { needsApproval: true });
    const { finish } = ask(tool, typeof answer === "function" ? answer : () => answer);
    const [result] = await finish([at(0)]);
    expect(result).toMatchObject({ reason: "refused", isError: true });
    expect(textOf(result)).toContain(words);
    expect(runs).toHaveLength(0);
  });

  test("nobody to ask means no", async () => {
    const { tool } = heldTool("work", { needsApproval: true });
    const { finish, said } = ask(tool);
    expect(textOf((await finish([at(0)]))[0])).toContain("There is nobody here who could approve it.");
    expect(said()).toEqual(["call-0 refused"]);
  });

  test("that never comes ends with the signal", async () => {
    const stop = new AbortController();
    const { tool } = heldTool("work", { needsApproval: true });
    let heard: AbortSignal | undefined;
    const { finish } = dispatching([tool], {
      signal: stop.signal,
      approve: ({ signal }) => {
        heard = signal;
        return new Promise(() => {});
      },
    });
    const results = finish([at(0)]);
    await settle();
    await vi.advanceTimersByTimeAsync(10_000_000);
    stop.abort();
    const [result] = await results;
    expect(result?.reason).toBe("aborted");
    expect(textOf(result)).toContain("was not run");
    expect(heard?.aborted).toBe(true);
  });

  test("a rule decides by the arguments, and one that fails asks", async () => {
    const asked: unknown[] = [];
    const rule = (needsApproval: Tool["needsApproval"]): Tool => ({
      ...toolThat("work", () => "ran"),
      ...(needsApproval === undefined ? {} : { needsApproval }),
    });
    for (const [needs, times] of [
      [(args: unknown) => (args as { cost: number }).cost > 10, 1],
      [
        () => {
          throw new Error("rule");
        },
        2,
      ],
      [() => undefined as never, 2],
    ] as const) {
      asked.length = 0;
      const { finish } = dispatching([rule(needs)], { approve: ({ args }) => asked.push(args) > 0 });
      const results = await finish([at(0, "work", { cost: 1 }), at(1, "work", { cost: 100 })]);
      expect(results.map(textOf)).toEqual(["ran", "ran"]);
      expect(asked).toHaveLength(times);
    }
  });
});

describe("early", () => {
  test("a call starts as it closes, where its tool says so", async () => {
    const early = heldTool("early", { early: true });
    const later = heldTool("later");
    const { dispatch, finish, events, said } = dispatching([early.tool, later.tool]);
    dispatch.offer(at(0, "early"));
    dispatch.offer(at(1, "later"));
    dispatch.offer(at(0, "early"));
    await settle();
    expect([early.runs.length, later.runs.length]).toEqual([1, 0]);
    expect(events[0]).toMatchObject({ type: "tool.start", early: true });
    const results = finish([at(0, "early"), at(1, "later")]);
    await settle();
    expect(early.runs).toHaveLength(1);
    early.runs[0]?.resolve("e");
    later.runs[0]?.resolve("l");
    expect((await results).map(textOf)).toEqual(["e", "l"]);
    expect(said()).toEqual(["call-0 start", "call-1 start", "call-0 done", "call-1 done"]);
    expect(events[1]).not.toHaveProperty("early");
  });

  test("a call that is not valid waits for the end, and is answered then", async () => {
    const { dispatch, finish, said } = dispatching([customTool({ name: "early", early: true, execute: () => "ran" })]);
    dispatch.offer(at(0, "early", { wrong: 1 }));
    dispatch.offer({ ...callFrom('{"a": ,}', "tool_calls", "early"), key: "call-1", index: 1 });
    await settle();
    expect(said()).toEqual([]);
    const results = await finish([at(0, "early", { wrong: 1 })]);
    expect(results).toMatchObject([{ reason: "invalid-arguments" }]);
    expect(said()).toEqual(["call-0 invalid-arguments"]);
  });

  test("what has run has run, however the response ends", async () => {
    const { dispatch, finish } = dispatching([
      toolThat("early", () => "ran", { early: true }),
      toolThat("later", () => "ran"),
    ]);
    dispatch.offer(at(0, "early"));
    const results = await finish([at(0, "early"), at(1, "later")], "length");
    expect(results).toMatchObject([{ content: [{ text: "ran" }] }, { reason: "not-run" }]);
  });

  test("a call that is taken back is stopped, and has no result", async () => {
    const { tool, runs } = heldTool("early", { early: true });
    const { dispatch, finish, said } = dispatching([tool]);
    dispatch.offer(at(0, "early"));
    await settle();
    dispatch.retract("call-0");
    expect(runs[0]?.context.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(10);
    expect(await finish([])).toEqual([]);
    expect(said()).toEqual(["call-0 start"]);
  });

  test("a call that is taken back before it was offered, or while all wait, does not run", async () => {
    const { tool, runs } = heldTool("early", { early: true });
    const { dispatch, finish } = dispatching([tool], { concurrency: 1 });
    dispatch.retract("call-0");
    dispatch.offer(at(0, "early"));
    const results = finish([at(0, "early"), at(1, "early"), at(2, "early")]);
    await settle();
    expect(runs).toHaveLength(1);
    dispatch.retract("call-2");
    await settle();
    runs[0]?.resolve("one");
    expect((await results).map((each) => [each.call.key, textOf(each)])).toEqual([["call-1", "one"]]);
  });

  test("a call that is taken back while it is judged is not answered", async () => {
    const judged = [deferred<unknown>(), deferred<unknown>()];
    let times = 0;
    const early: Tool = {
      ...toolThat("early", () => "ran", { early: true }),
      validate: async () => {
        await judged[times++]?.promise;
        return { ok: false, issues: [] };
      },
    };
    const { dispatch, finish, said } = dispatching([early]);
    dispatch.offer(at(0, "early"));
    await settle();
    const results = finish([at(0, "early")]);
    await settle();
    judged[1]?.resolve(undefined);
    await settle();
    dispatch.retract("call-0");
    judged[0]?.resolve(undefined);
    expect(await results).toEqual([]);
    expect(said()).toEqual([]);
  });

  test("abandoning stops everything and waits for it", async () => {
    const { tool, runs } = heldTool("early", { early: true });
    const { dispatch } = dispatching([tool]);
    dispatch.offer(at(0, "early"));
    await settle();
    const over = dispatch.abandon();
    expect(runs[0]?.context.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(10);
    await over;
    expect(() => dispatch.offer(at(1, "early"))).toThrow(/offer\(\) after/);
    await expect(dispatch.finish({ items: [], answered: [], finish: null })).rejects.toThrow(/a dispatch of its own/);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("what is the programmer's error", () => {
  test("two tools of one name, and options that make no sense", () => {
    const one = toolThat("work", () => "");
    expect(() => new Dispatch({ tools: [one, one] })).toThrow(/two tools are named "work"/);
    for (const option of [
      { concurrency: 0 },
      { leaseMs: 0 },
      { graceMs: -1 },
      { timeoutMs: NaN },
      { maxTextLength: -1 },
    ])
      expect(() => new Dispatch({ tools: [], ...option })).toThrow(Object.keys(option)[0] ?? "?");
  });

  test("a schema that cannot be used", async () => {
    const { finish } = dispatching([
      { ...toolThat("work", () => ""), prepare: () => Promise.reject(new TypeError("no ajv")) },
    ]);
    await expect(finish([at(0)])).rejects.toThrow("no ajv");
  });

  test("finish() twice", async () => {
    const { finish } = dispatching([]);
    await finish([]);
    await expect(finish([])).rejects.toThrow(/asked for already/);
  });

  test("a listener that throws ends the dispatch, but keeps no result from the ledger", async () => {
    const ledger = memoryLedger();
    const { finish } = dispatching([toolThat("work", () => "ran")], {
      ledger,
      run: "r",
      onEvent: () => {
        throw new Error("listener");
      },
    });
    await expect(finish([at(0)])).rejects.toThrow("listener");
    const again = dispatching([toolThat("work", () => "again")], { ledger, run: "r" });
    expect(await again.finish([at(0)])).toMatchObject([{ replayed: true, content: [{ text: "ran" }] }]);
  });
});
