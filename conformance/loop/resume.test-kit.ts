// A task that is taken up again and again: its script, its tools, and what they do outside the process. Owns what the
// resuming tests and the worker that is killed have in common.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import {
  runTools,
  tool,
  type Ledger,
  type RunEvent,
  type Tool,
  type ToolRun,
} from "../../packages/unbraid/src/harness/index.ts";
import { scriptedModel, type ScriptedModel } from "../../packages/unbraid/src/harness/scripted-model.test-kit.ts";

const call = (id: string, name: string, n: number): { id: string; name: string; text: string } => ({
  id,
  name,
  text: JSON.stringify({ n }),
});

const SCRIPT = [
  { id: "r0", text: "First.", calls: [call("a1", "pay", 1), call("a2", "look", 2)] },
  // The same ids and arguments again, in the next response: other calls.
  { id: "r1", calls: [call("a1", "pay", 1), call("a3", "nothing", 0)] },
  { id: "r2", calls: [call("a1", "look", 4), call("a2", "pay", 5)] },
  { id: "r3", text: "All is done." },
];

/** What each effect is, and whether it may happen twice. */
export const EFFECTS: readonly { readonly effect: string; readonly repeatable: boolean }[] = [
  { effect: "0 pay 1", repeatable: false },
  { effect: "0 look 2", repeatable: true },
  { effect: "1 pay 1", repeatable: false },
  { effect: "2 look 4", repeatable: true },
  { effect: "2 pay 5", repeatable: false },
];

/** One process's part in the task. */
export interface Part {
  readonly ledger: Ledger;
  /** The file that effects are written to: what happens outside survives the process. */
  readonly effects: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

/** The model, which answers by how far the history is, so that it does not matter which process asks. */
function model(): ScriptedModel {
  return scriptedModel(
    "openai-chat",
    SCRIPT,
    ({ messages }) => messages.filter((message) => (message as { role?: string }).role === "assistant").length,
  );
}

/** Begins the task, or takes it up. */
export function takeUp({ ledger, effects, signal, onEvent }: Part): ToolRun {
  let turn = 0;
  const does = (name: string, repeatable: boolean): Tool =>
    tool({
      name,
      schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      repeatable,
      execute: async ({ n }) => {
        appendFileSync(effects, `${turn} ${name} ${String(n)}\n`);
        await new Promise((resolve) => setTimeout(resolve, 2));
        return `${name} ${String(n)}`;
      },
    });
  return runTools({
    model: model(),
    tools: [does("pay", false), does("look", true)],
    messages: [{ role: "user", content: "Do it." }],
    run: "task",
    ledger,
    leaseMs: 150,
    graceMs: 1,
    ...(signal === undefined ? {} : { signal }),
    onEvent: (event) => {
      if (event.type === "turn.start") ({ turn } = event);
      onEvent?.(event);
    },
  });
}

/** What has happened outside, in order. */
export function effectsIn(file: string): readonly string[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

/** What is wrong with what has happened; empty where all is well. */
export function effectFaults(file: string): readonly string[] {
  const seen = effectsIn(file);
  const known = new Set(EFFECTS.map(({ effect }) => effect));
  return [
    ...seen.filter((effect) => !known.has(effect)).map((effect) => `nobody asked for: ${effect}`),
    ...EFFECTS.flatMap(({ effect, repeatable }) => {
      const times = seen.filter((one) => one === effect).length;
      return times > 1 && !repeatable ? [`${times} times: ${effect}`] : [];
    }),
  ];
}
