// One task for every wire: parallel calls, a malformed call that is corrected, an unknown tool, a tool that throws, a turn
// that is cut by its length, and an answer. Owns the script, the tools, and what must have come of it.

import { expect } from "vitest";
import {
  runTools,
  tool,
  type Model,
  type RunEvent,
  type RunResult,
  type Tool,
} from "../../packages/unbraid/src/harness/index.ts";
import type { ScriptedAnswer, ScriptedWire } from "../../packages/unbraid/src/models/scripted.test-kit.ts";
import { turnFaults } from "../turn-pairs.ts";

const call = (id: number, name: string, text: string): { id: string; name: string; text: string } => ({
  id: `call0000${id}`,
  name,
  text,
});

/** What the model says, a response a turn. Ids are of the nine characters that Mistral wants. */
export const SCRIPT: readonly ScriptedAnswer[] = [
  {
    id: "r0",
    text: "Let me look. ☂",
    calls: [call(1, "get_weather", '{"city":"Oslo"}'), call(2, "get_weather", '{"city":"Lima"}')],
  },
  { id: "r1", calls: [call(3, "get_weather", '{"city": ,}')] },
  { id: "r2", calls: [call(4, "get_weather", '{"city":"Rome"}'), call(5, "get_wether", '{"city":"Rome"}')] },
  { id: "r3", calls: [call(6, "book_flight", '{"to":"Rome"}')] },
  { id: "r4", calls: [call(7, "get_weather", '{"city":"Par')], finish: "length" },
  { id: "r5", text: "Rome is sunny; no flight could be booked." },
];

/** Why the malformed call and the one of the cut turn did not run. */
export interface Reasons {
  readonly malformed: string;
  readonly cut: string;
}

/** Of a wire that carries argument texts. */
export const TEXTS: Reasons = { malformed: "malformed", cut: "truncated" };
/** Of a wire that carries objects: there is no malformed text, but an object that does not fit; none can be half there. */
export const OBJECTS: Reasons = { malformed: "invalid-arguments", cut: "not-run" };

/** Why, on each wire as its vendor has it. */
export function reasonsOn(wire: ScriptedWire): Reasons {
  return wire === "gemini" || wire === "ollama" ? OBJECTS : TEXTS;
}

/** How the task is done. */
export interface Played {
  readonly events: readonly RunEvent[];
  readonly result: RunResult;
  /** What the tools did, in order. */
  readonly did: readonly string[];
}

/** Plays the task. */
export async function play(model: Model): Promise<Played> {
  const did: string[] = [];
  const tools: readonly Tool[] = [
    tool({
      name: "get_weather",
      description: "The weather in a city",
      schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      execute: async ({ city }) => {
        did.push(`weather ${String(city)}`);
        // The later call ends first.
        await new Promise((resolve) => setTimeout(resolve, city === "Oslo" ? 15 : 1));
        return { city, sky: "sunny" };
      },
    }),
    tool({
      name: "book_flight",
      schema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
      execute: () => {
        did.push("book");
        throw new Error("No seats left (password=hunter2)");
      },
    }),
  ];
  const events: RunEvent[] = [];
  const run = runTools({
    model,
    tools,
    system: "You book trips.",
    backOff: () => 1,
    messages: model.form.user([{ type: "text", text: "I want to go where the sun shines." }]),
  });
  for await (const event of run) events.push(event);
  return { events, result: await run.done, did };
}

/** Checks what came of the task. */
export function expectTask(model: Model, { malformed, cut }: Reasons, { events, result, did }: Played): void {
  expect(result.error).toBeUndefined();
  expect(result).toMatchObject({ reason: "done", turns: 6, text: "Rome is sunny; no flight could be booked." });
  // Which of two parallel calls begins first is nobody's concern.
  expect(did.slice(0, 2).toSorted()).toEqual(["weather Lima", "weather Oslo"]);
  expect(did.slice(2)).toEqual(["weather Rome", "book"]);
  expect(reasonsOf(events)).toEqual([
    [undefined, undefined],
    [malformed],
    [undefined, "unknown-tool"],
    ["threw"],
    [cut],
  ]);
  const kept = events.filter((event) => event.type === "turn.end");
  for (const { assistant, results } of kept)
    expect(
      turnFaults({ form: model.form.name, assistant: assistant.map(snakeKeys), results: results.map(snakeKeys) }),
    ).toEqual([]);
  const history = kept.flatMap(({ assistant, results }) => [...assistant, ...results]);
  expect(result.messages.slice(1)).toEqual(history);
  const told = JSON.stringify(result.messages);
  for (const words of ["sunny", "get_weather", "No seats left"]) expect(told).toContain(words);
  expect(told).not.toContain("hunter2");
  expect(told.indexOf("Oslo")).toBeLessThan(told.indexOf("Lima"));
}

/** The spelling of the wire, where an SDK has its own; nothing is lost where it is that already. */
function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== "object" || value === null) return value;
  const isSpelled = Object.keys(value).some((key) => /^tool(?:Calls|CallId|Plan)$/.test(key));
  if (!isSpelled) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), held]),
  );
}

/** Why calls did not end well, by turn, in the order of the calls. */
function reasonsOf(events: readonly RunEvent[]): (string | undefined)[][] {
  const turns: { index: number; reason: string | undefined }[][] = [];
  for (const event of events) {
    if (event.type !== "tool.result") continue;
    const { call: one, reason } = event.result;
    (turns[event.turn] ??= []).push({ index: one.index, reason });
  }
  return turns.map((turn) => turn.toSorted((a, b) => a.index - b.index).map(({ reason }) => reason));
}
