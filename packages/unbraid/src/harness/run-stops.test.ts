// An abort ends a run whatever hangs: the ledger at any of its methods, a schema, a rule. And what a ledger holds that no
// history can be made of.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isLedgerError } from "./ledger-error.ts";
import type { Ledger } from "./ledger.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { runTools } from "./run-tools.ts";
import { scriptedModel } from "./scripted-model.test-kit.ts";
import { tool, type Tool } from "./tool.ts";

const never = async (): Promise<never> => new Promise<never>(() => {});
const ANSWER = {
  id: "r1",
  calls: [
    { id: "a", name: "w", text: "{}" },
    { id: "b", name: "w", text: "{}" },
  ],
};
const MESSAGES = [{ role: "user", content: "x" }];

function toolOf(more: Partial<Tool> = {}): Tool {
  return { ...tool({ name: "w", schema: { type: "object" }, execute: () => "ok" }), ...more };
}

/** Every call of the history has one result, and the other way about. */
function expectPaired(messages: readonly unknown[]): void {
  const list = messages as readonly { tool_calls?: readonly { id: string }[]; tool_call_id?: string }[];
  const calls = list.flatMap(({ tool_calls: all = [] }) => all.map(({ id }) => id));
  expect(list.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]))).toEqual(calls);
}

describe("an abort ends the run, with a whole history, where", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function stopped(ledger: Ledger, one: Tool, begun = (): void => {}): Promise<readonly unknown[]> {
    const controller = new AbortController();
    const run = runTools({
      model: scriptedModel("openai-chat", [ANSWER]),
      tools: [one],
      messages: MESSAGES,
      ledger,
      approve: () => true,
      signal: controller.signal,
    });
    const { done } = run;
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(begun);
    controller.abort();
    await vi.advanceTimersByTimeAsync(4_000);
    const result = await Promise.race([done, Promise.resolve().then(() => undefined)]);
    expect(result).toMatchObject({ reason: "aborted" });
    expectPaired(result?.messages ?? []);
    return result?.messages ?? [];
  }

  test.each(["turns", "openTurn", "claim", "record", "release", "closeTurn"] as const)(
    "the ledger hangs at %s",
    async (method) => {
      const ledger: Ledger = Object.assign(memoryLedger(), { [method]: never });
      await stopped(ledger, toolOf(method === "release" ? { needsApproval: () => true } : {}));
    },
  );

  test.each<[string, Partial<Tool>]>([
    ["a schema", { validate: never }],
    ["a rule", { needsApproval: never }],
    ["the schema of an early tool", { early: true, validate: never }],
    ["a tool", { execute: never }],
    ["an early tool", { early: true, execute: never }],
  ])("%s hangs", async (_, more) => {
    await stopped(memoryLedger(), toolOf(more));
  });

  test("a claim that comes after the end is given back: the tool never ran", async () => {
    const ledger = memoryLedger();
    const claim = ledger.claim.bind(ledger);
    const release = vi.fn(ledger.release.bind(ledger));
    let come = (): void => {};
    const late = new Promise<void>((resolve) => {
      come = resolve;
    });
    const asked = vi.fn(async (request: Parameters<Ledger["claim"]>[0]) => late.then(async () => claim(request)));
    const slow: Ledger = Object.assign(ledger, {
      claim: asked,
      release,
    });
    const execute = vi.fn(() => "ok");
    await stopped(slow, toolOf({ execute }), () => expect(asked).toHaveBeenCalledTimes(2));
    come();
    await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(2));
    expect(execute).not.toHaveBeenCalled();
  });
});

test("a run that was forgotten while it was at work is not taken up from its middle", async () => {
  const ledger = memoryLedger();
  await ledger.openTurn("r", { turn: 3, assistant: [], calls: [], finish: "stop", results: [] });
  const model = scriptedModel("openai-chat", [ANSWER]);
  const { reason, error, messages } = await runTools({ model, messages: MESSAGES, run: "r", ledger }).done;
  expect({ reason, messages }).toEqual({ reason: "error", messages: MESSAGES });
  expect(isLedgerError(error) && error.code).toBe("no-turn");
  expect(String(error)).toContain('"r", but not its turn 0');
  expect(model.requests).toEqual([]);
});

describe("a run that is taken up with other tools tells what ran, not that it did not", () => {
  const paid = tool({ name: "pay", schema: { type: "object" }, execute: () => "paid" });
  const other = { type: "object", required: ["to"], properties: { to: { type: "string" } } };
  const CALL = { id: "r1", calls: [{ id: "a", name: "pay", text: '{"sum":7,}' }] };

  /** A worker that is lost once the call has its result, and one with other tools. */
  async function takenUp(name: string, tools: readonly Tool[], text = '{"sum":7}'): Promise<string> {
    const ledger = memoryLedger();
    const lost: Ledger = Object.assign(Object.create(ledger) as Ledger, {
      closeTurn: async () => Promise.reject(new Error("the machine is gone")),
    });
    for (const method of ["claim", "renew", "record", "release", "openTurn", "turns"] as const)
      Object.assign(lost, { [method]: ledger[method].bind(ledger) });
    const turns = [
      { ...CALL, calls: [{ id: "a", name, text }] },
      { id: "r2", text: "Done." },
    ];
    const model = scriptedModel("openai-chat", turns);
    const options = { model, messages: MESSAGES, run: "r", repair: true };
    expect(await runTools({ ...options, tools: [paid], ledger: lost }).done).toMatchObject({ reason: "error" });
    const { reason, messages } = await runTools({ ...options, tools, ledger }).done;
    expect(reason).toBe("done");
    expectPaired(messages);
    return JSON.stringify(messages[2]);
  }

  test("the tool is gone", async () => {
    expect(await takenUp("pay", [])).toContain('"content":"paid"');
  });

  test("its schema is another", async () => {
    expect(await takenUp("pay", [tool({ name: "pay", schema: other, execute: () => "again" })])).toContain(
      '"content":"paid"',
    );
  });

  test("the call had been run by its one reading", async () => {
    expect(await takenUp("pay", [], '{"sum":7,}')).toContain("paid");
  });

  test("a call that nobody had begun is answered as ever, and leaves no claim", async () => {
    expect(await takenUp("buy", [])).toContain('no tool \\"buy\\"');
  });
});

describe("a run that is forgotten while a tool runs", () => {
  async function forgotten(more: Partial<Tool>, execute: (ledger: Ledger) => Promise<unknown>): Promise<string> {
    const ledger = memoryLedger();
    const run = vi.fn(async () => execute(ledger));
    const model = scriptedModel("openai-chat", [{ ...ANSWER, calls: ANSWER.calls.slice(0, 1) }]);
    const one = toolOf({ ...more, execute: run });
    const { messages, reason } = await runTools({
      model,
      tools: [one],
      messages: MESSAGES,
      run: "r",
      ledger,
      leaseMs: 60,
    }).done;
    expect(run).toHaveBeenCalledTimes(1);
    // Its turn cannot be closed any more.
    expect(reason).toBe("error");
    expectPaired(messages);
    return JSON.stringify(messages);
  }

  test.each([false, true])("is not run again: its result is there (repeatable: %s)", async (repeatable) => {
    const text = await forgotten({ repeatable }, async (ledger) => {
      await ledger.forget({ run: "r" });
      return "paid";
    });
    expect(text).toContain('"content":"paid"');
  });

  test("and that heeds its signal is not run again: nobody knows", async () => {
    const text = await forgotten({}, async (ledger) => {
      await ledger.forget({ run: "r" });
      await new Promise((resolve) => setTimeout(resolve, 100));
      throw new Error("stopped in the middle");
    });
    expect(text).toContain("nobody knows");
  });
});
