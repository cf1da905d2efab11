// Who drives a run: its reader, or whoever waits for its end; and that it comes to its end whoever leaves.

import { describe, expect, test } from "vitest";
import type { RunEvent, RunResult } from "./run-events.ts";
import { runTools } from "./run-tools.ts";
import { scriptedModel } from "./scripted-model.test-kit.ts";
import { ToolRun } from "./tool-run.ts";

const RESULT: RunResult = {
  messages: [],
  reason: "done",
  turns: 1,
  usage: { inputTokens: 0, outputTokens: 0 },
  text: "",
  answer: null,
};

interface Made {
  readonly run: ToolRun;
  readonly said: () => number;
  readonly aborted: AbortSignal;
}

/** A run of so many events, or one that goes on until it is aborted. */
function made(count: number): Made {
  const controller = new AbortController();
  let said = 0;
  async function* events(): AsyncGenerator<RunEvent, RunResult, undefined> {
    for (; said < count && !controller.signal.aborted;) {
      said += 1;
      yield { type: "turn.start", turn: said, attempt: 1 };
      await Promise.resolve();
    }
    return controller.signal.aborted ? { ...RESULT, reason: "aborted" } : RESULT;
  }
  const run = new ToolRun(events(), (reason) => controller.abort(reason));
  return { run, said: () => said, aborted: controller.signal };
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe("a run", () => {
  test("does nothing before somebody asks", async () => {
    const { said } = made(3);
    await later();
    expect(said()).toBe(0);
  });

  test("is driven by its end, where nobody reads", async () => {
    const { run, said } = made(3);
    expect(await run.done).toBe(RESULT);
    expect(said()).toBe(3);
    expect(await run.done).toBe(RESULT);
  });

  test("goes as fast as it is read, and no faster", async () => {
    const { run, said } = made(3);
    const { done } = run;
    await run.next();
    await later();
    expect(said()).toBe(1);
    for await (const _ of run);
    expect(await done).toBe(RESULT);
  });

  test("gives a reader everything who begins in the same turn", async () => {
    const { run } = made(3);
    const seen: RunEvent[] = [];
    const [result] = await Promise.all([
      run.done,
      (async () => {
        for await (const event of run) seen.push(event);
      })(),
    ]);
    expect(result).toBe(RESULT);
    expect(seen).toHaveLength(3);
  });

  test("gives a reader who comes late the events from then on", async () => {
    const { run, said } = made(1_000);
    const { done } = run;
    while (said() < 10) await Promise.resolve();
    const before = said();
    let seen = 0;
    for await (const event of run) {
      seen += 1;
      if (seen === 1) expect(event).toMatchObject({ turn: expect.any(Number) });
    }
    expect(seen).toBeGreaterThanOrEqual(1_000 - before - 2);
    expect(seen).toBeLessThan(1_000);
    expect(await done).toBe(RESULT);
  });

  test("gives events in order to several who ask at once, and then only its end", async () => {
    const { run } = made(2);
    const all = await Promise.all(Array.from({ length: 4 }, () => run.next()));
    expect(all.map(({ value }) => (value as { turn?: number } | undefined)?.turn)).toEqual([
      1,
      2,
      undefined,
      undefined,
    ]);
    expect(all.map(({ done }) => done)).toEqual([false, false, true, true]);
    expect(await run.next()).toEqual({ done: true, value: undefined });
  });
});

describe("leaving", () => {
  test("aborts, and waits for the end", async () => {
    const { run, aborted } = made(Infinity);
    for await (const { type } of run) if (type === "turn.start") break;
    expect(aborted.aborted).toBe(true);
    expect(await run.done).toMatchObject({ reason: "aborted" });
  });

  test("by an error of the reader's own aborts too", async () => {
    const { run, aborted } = made(Infinity);
    const reading = (async () => {
      for await (const _ of run) throw new Error("mine");
    })();
    await expect(reading).rejects.toThrow("mine");
    expect(aborted.aborted).toBe(true);
    expect(await run.done).toMatchObject({ reason: "aborted" });
  });

  test("before it began, twice, and after its end", async () => {
    const { run } = made(Infinity);
    expect(await run.return()).toEqual({ done: true, value: undefined });
    expect(await run.return()).toEqual({ done: true, value: undefined });
    expect(await run.done).toMatchObject({ reason: "aborted" });
    const whole = made(1);
    await whole.run.done;
    await whole.run.return();
    expect(await whole.run.done).toBe(RESULT);
  });

  test("while an event is waited for", async () => {
    const { run } = made(Infinity);
    const waiting = run.next();
    await run.return();
    expect((await waiting).done).toBe(false);
    expect(await run.done).toMatchObject({ reason: "aborted" });
  });

  const never = (): Promise<never> => new Promise(() => {});
  const CALL = { id: "c1", name: "wait", text: "{}" };
  const deaf = { name: "wait", parameters: {}, validate: (value: unknown) => ({ ok: true, value }) as const };

  test.each([
    ["a model that never answers", { model: { ...scriptedModel("openai-chat", []), send: never } }],
    ["what never gives the tools", { tools: never }],
    ["a tool that never ends", { tools: [{ ...deaf, execute: never }], graceMs: 1 }],
    ["a person who never answers", { tools: [{ ...deaf, execute: never, needsApproval: () => true }], approve: never }],
    ["a stream that never goes on", { model: { ...scriptedModel("openai-chat", []), send: async () => silent() } }],
  ])("does not wait for %s", async (_, options) => {
    const controller = new AbortController();
    const model = scriptedModel("openai-chat", [{ id: "r1", calls: [CALL] }]);
    const run = runTools({ model, messages: [], signal: controller.signal, ...options });
    setTimeout(() => controller.abort(new Error("enough")), 20);
    expect(await run.done).toMatchObject({ reason: "aborted" });
  });

  async function* silent(): AsyncGenerator<string> {
    yield "data: ";
    await never();
  }

  test("lets go of an answer that comes late", async () => {
    const controller = new AbortController();
    let cancelled = false;
    const late = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const send = async (): Promise<ReadableStream<unknown>> => {
      await later();
      await later();
      return late;
    };
    const run = runTools({
      model: { ...scriptedModel("openai-chat", []), send },
      messages: [],
      signal: controller.signal,
      onEvent: () => setTimeout(() => controller.abort(new Error("enough")), 1),
    });
    expect(await run.done).toMatchObject({ reason: "aborted" });
    await later();
    await later();
    await later();
    expect(cancelled).toBe(true);
  });
});
