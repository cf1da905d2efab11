// The composed cases that speak of a loop, through the loop: two responses of one session, a retry after a drop, what is
// left after an abort, the order of results, a bad call beside a good one.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runTools, tool, type RunEvent, type Tool } from "../../packages/unbraid/src/harness/index.ts";
import { scriptedModel, type Turned } from "../../packages/unbraid/src/harness/scripted-model.test-kit.ts";
import { memoryLedger } from "../../packages/unbraid/src/harness/memory-ledger.ts";
import { turnFaults } from "../turn-pairs.ts";

const folder = new URL("../cases/", import.meta.url);
const raw = (file: string): Turned => ({ raw: readFileSync(new URL(file, folder), "utf8") });

/** A tool of any arguments that keeps what it was given. */
function noting(name: string, given: unknown[], more: Partial<Tool> = {}): Tool {
  return {
    ...tool({ name, schema: z.looseObject({}), execute: (args) => `done ${given.push(args)}` }),
    ...more,
  };
}

function faults(events: readonly RunEvent[], form: Parameters<typeof turnFaults>[0]["form"]): string[] {
  return events.flatMap((event) =>
    event.type === "turn.end" ? turnFaults({ form, assistant: event.assistant, results: event.results }) : [],
  );
}

test("the cases are there", () => {
  for (const id of ["C026", "H156", "H158", "H159", "H160"]) {
    expect(readdirSync(folder).some((file) => file.startsWith(`${id}.`))).toBe(true);
    expect(existsSync(new URL(`${id}.expected.json`, folder))).toBe(true);
  }
});

describe("C026, a session whose ids begin again with each response", () => {
  test("the same id with the same arguments in the next turn is another call: it runs", async () => {
    const given: unknown[] = [];
    const again = readFileSync(new URL("C026.openai-chat.sse", folder), "utf8").replaceAll(
      "chatcmpl-c1",
      "chatcmpl-c2",
    );
    const model = scriptedModel("openai-chat", [
      raw("C026.openai-chat.sse"),
      { raw: again },
      { id: "r3", text: "Clean." },
    ]);
    const events: RunEvent[] = [];
    const result = await runTools({
      model,
      tools: [noting("run_shell", given)],
      messages: [],
      onEvent: (event) => events.push(event),
    }).done;
    expect(result).toMatchObject({ reason: "done", turns: 3 });
    expect(given).toEqual([{ command: "git status" }, { command: "git status" }]);
    expect(events.some((event) => event.type === "tool.result" && event.result.replayed === true)).toBe(false);
    expect(faults(events, "openai-chat")).toEqual([]);
  });

  test("the same response read again after a crash is the same call: it does not run", async () => {
    const given: unknown[] = [];
    const ledger = memoryLedger();
    const controller = new AbortController();
    const first = runTools({
      model: scriptedModel("openai-chat", [raw("C026.openai-chat.sse")]),
      tools: [noting("run_shell", given)],
      messages: [],
      run: "task",
      ledger,
      signal: controller.signal,
      onEvent: ({ type }) => type === "tool.result" && controller.abort(new Error("killed")),
    });
    expect(await first.done).toMatchObject({ reason: "aborted", turns: 1 });
    const events: RunEvent[] = [];
    const second = runTools({
      model: scriptedModel("openai-chat", [{ id: "r2", text: "Clean." }]),
      tools: [noting("run_shell", given)],
      messages: [],
      run: "task",
      ledger,
      onEvent: (event) => events.push(event),
    });
    expect(await second.done).toMatchObject({ reason: "done", turns: 2, text: "Clean." });
    expect(given).toHaveLength(1);
    expect(events.find(({ type }) => type === "tool.result")).toMatchObject({ result: { replayed: true } });
  });
});

test("H156, a retry after a drop: nothing of the first attempt reaches the second", async () => {
  const given: unknown[] = [];
  const model = scriptedModel("openai-chat", [
    raw("H156.openai-chat.sse"),
    raw("H156.openai-chat.2.sse"),
    { id: "r3", text: "Paid." },
  ]);
  const events: RunEvent[] = [];
  const result = await runTools({
    model,
    tools: [noting("pay", given)],
    messages: [],
    backOff: () => 1,
    onEvent: (event) => events.push(event),
  }).done;
  expect(result).toMatchObject({ reason: "done", turns: 2 });
  expect(given).toEqual([{ amount: 5 }]);
  expect(events.filter(({ type }) => type === "turn.drop")).toHaveLength(1);
  expect(JSON.stringify(result.messages)).not.toContain("call_at1");
  expect(JSON.stringify(model.requests)).not.toContain("call_at1");
  expect(faults(events, "openai-chat")).toEqual([]);
});

describe("H158, a response that broke off between two calls", () => {
  test("neither of them stays where nothing ran", async () => {
    const result = await runTools({
      model: scriptedModel("anthropic", [raw("H158.anthropic.sse")]),
      tools: [noting("read", []), noting("write", [])],
      messages: [{ role: "user", content: "?" }],
      attempts: 1,
    }).done;
    expect(result).toMatchObject({ reason: "error", turns: 0, messages: [{ role: "user", content: "?" }] });
  });

  test("both stay and both are answered where one had run", async () => {
    const given: unknown[] = [];
    const events: RunEvent[] = [];
    const frames = readFileSync(new URL("H158.anthropic.sse", folder), "utf8").split(/(?<=\n\n)/);
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const held = async function* (): AsyncGenerator<string> {
      yield* frames.slice(0, -1);
      await begun;
      yield* frames.slice(-1);
    };
    const answers = [held, () => ""];
    const read = noting("read", given, { early: true });
    const result = await runTools({
      model: { ...scriptedModel("anthropic", []), send: async () => (answers.shift() ?? (() => ""))() },
      tools: [
        {
          ...read,
          execute: (args, context) => {
            begin();
            return read.execute(args, context);
          },
        },
        noting("write", []),
      ],
      messages: [{ role: "user", content: "?" }],
      attempts: 1,
      onEvent: (event) => events.push(event),
    }).done;
    expect(given).toEqual([{ p: "a" }]);
    expect(result.turns).toBe(1);
    expect(result.messages[2]).toMatchObject({
      role: "user",
      content: [{ tool_use_id: "toolu_ab1" }, { tool_use_id: "toolu_ab2", is_error: true }],
    });
    expect(faults(events, "anthropic")).toEqual([]);
  });
});

test("H159, results go back in the order of the calls, whatever order they end in", async () => {
  const ended: string[] = [];
  const wait: Readonly<Record<string, number>> = { SF: 40, Tokyo: 1, Paris: 20 };
  const events: RunEvent[] = [];
  const result = await runTools({
    model: scriptedModel("gemini", [raw("H159.gemini.sse"), { id: "r2", text: "Warm." }]),
    tools: [
      tool({
        name: "get_temp",
        schema: z.object({ city: z.string() }),
        execute: async ({ city }) => {
          await new Promise((resolve) => setTimeout(resolve, wait[city]));
          ended.push(city);
          return city;
        },
      }),
    ],
    messages: [{ role: "user", parts: [{ text: "?" }] }],
    onEvent: (event) => events.push(event),
  }).done;
  expect(ended).toEqual(["Tokyo", "Paris", "SF"]);
  const { parts } = result.messages[2] as { parts: { functionResponse: { response: unknown } }[] };
  expect(
    parts.map(({ functionResponse }) => JSON.stringify(functionResponse.response).match(/SF|Tokyo|Paris/)?.[0]),
  ).toEqual(["SF", "Tokyo", "Paris"]);
  expect(faults(events, "gemini")).toEqual([]);
});

test("H160, the good call runs, the bad one is answered with its own text, and replayed as an object", async () => {
  const given: unknown[] = [];
  const events: RunEvent[] = [];
  const result = await runTools({
    model: scriptedModel("anthropic", [raw("H160.anthropic.sse"), { id: "r2", text: "Found." }]),
    tools: [noting("read", given), noting("search", given)],
    messages: [{ role: "user", content: "?" }],
    onEvent: (event) => events.push(event),
  }).done;
  expect(result).toMatchObject({ reason: "done", turns: 2 });
  expect(given).toEqual([{ p: "a" }]);
  const [, assistant, results] = result.messages as {
    content: { input?: unknown; content?: unknown; is_error?: boolean }[];
  }[];
  expect(assistant?.content[1]?.input).toBeTypeOf("object");
  expect(results?.content[1]).toMatchObject({ tool_use_id: "toolu_b", is_error: true });
  expect(JSON.stringify(results?.content[1])).toContain(JSON.stringify('{"query": ,}').slice(1, -1));
  expect(faults(events, "anthropic")).toEqual([]);
});
