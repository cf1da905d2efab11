// A run is stopped everywhere: by its signal and by leaving its loop at an event, by a stream that breaks off at a frame.
// Whatever stopped it, the history is one that the vendor takes. Owns the checks; the tests choose how many of the places.

import { describe, expect, test } from "vitest";
import { runTools, tool, type RunEvent, type RunResult, type Tool } from "../../packages/unbraid/src/harness/index.ts";
import { scriptedModel, type Turned } from "../../packages/unbraid/src/harness/scripted-model.test-kit.ts";
import { bodyOf, type ScriptedWire } from "../../packages/unbraid/src/models/scripted.test-kit.ts";
import { turnFaults } from "../turn-pairs.ts";

const WIRES: readonly ScriptedWire[] = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "gemini-interactions",
  "bedrock",
  "cohere",
  "mistral",
  "ollama",
];

const good = { id: "call00001", name: "look", text: '{"at":"a"}' };
const bad = { id: "call00002", name: "look", text: '{"at": ,}' };
const unknown = { id: "call00003", name: "lok", text: "{}" };
const FIRST = { id: "r1", text: "Let me look.", calls: [good, bad, unknown] };
const SECOND = {
  id: "r2",
  calls: [
    { ...good, id: "call00004" },
    { ...good, id: "call00005" },
  ],
};
const LAST = { id: "r3", text: "Done." };
const SCRIPT: readonly Turned[] = [FIRST, SECOND, LAST];

const tools = (early: boolean): readonly Tool[] => [
  tool({
    name: "look",
    schema: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
    early,
    // Deaf to its signal: nobody may wait for it.
    execute: ({ at }) => new Promise((resolve) => setTimeout(() => resolve(`at ${String(at)}`), 3)),
  }),
];

interface Seen {
  readonly events: readonly RunEvent[];
  readonly result: RunResult;
}

type Stop = (at: number, controller: AbortController) => "leave" | void;

async function played(wire: ScriptedWire, script: readonly Turned[], early: boolean, stop: Stop): Promise<Seen> {
  const controller = new AbortController();
  const model = scriptedModel(wire, script);
  const run = runTools({
    model,
    tools: tools(early),
    messages: model.form.user([{ type: "text", text: "Look." }]),
    signal: controller.signal,
    graceMs: 1,
  });
  const events: RunEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (stop(events.length, controller) === "leave") break;
  }
  return { events, result: await run.done };
}

/** The history is what was given and the turns that were kept, and each of these is sound. */
function sound(wire: ScriptedWire, { events, result }: Seen, what: string): void {
  const { form } = scriptedModel(wire, []);
  const kept = events.filter((event) => event.type === "turn.end");
  const given = form.user([{ type: "text", text: "Look." }]);
  for (const { assistant, results } of kept)
    expect(turnFaults({ form: form.name, assistant, results }), what).toEqual([]);
  const messages = [...given, ...kept.flatMap(({ assistant, results }) => [...assistant, ...results])];
  // Whoever has left the loop has not seen the end of the turn.
  const rest = result.messages.slice(messages.length);
  expect(result.messages.slice(0, messages.length), what).toEqual(messages);
  if (rest.length > 0) {
    const answers = rest.filter((message) => isAnswer(message));
    const said = rest.filter((message) => !answers.includes(message));
    expect(turnFaults({ form: form.name, assistant: said, results: answers }), what).toEqual([]);
  }
}

/** Whether a message is of results, in any form. */
function isAnswer(message: unknown): boolean {
  const { role, type } = message as { role?: string; type?: string };
  return role === "tool" || role === "user" || type === "function_call_output" || type === "function_result";
}

/** Runs the checks at every place, or at each so manieth. */
export function historySuite(step: number): void {
  describe.each(WIRES)("%s", (wire) => {
    test.each([
      ["tools that wait", false],
      ["tools that start early", true],
    ])("stopped at an event, %s", { timeout: 120_000 }, async (_, early) => {
      const whole = await played(wire, SCRIPT, early, () => {});
      expect(whole.result).toMatchObject({ reason: "done", turns: 3, text: "Done." });
      sound(wire, whole, "whole");
      // With the end of that turn the answer is there.
      const answered = whole.events.findLastIndex(({ type }) => type === "finish");
      for (let at = 1 + (early ? 0 : step - 1); at < whole.events.length; at += step) {
        const aborted = await played(wire, SCRIPT, early, (count, controller) => {
          if (count === at) controller.abort(new Error("enough"));
        });
        expect(aborted.result.reason, `aborted at ${at}`).toBe(at <= answered + 1 ? "aborted" : "done");
        expect(aborted.events.at(-1)).toMatchObject({ type: "run.end", reason: aborted.result.reason });
        sound(wire, aborted, `aborted at ${at}`);
        const left = await played(wire, SCRIPT, early, (count) => (count === at ? "leave" : undefined));
        expect(left.result.reason, `left at ${at}`).toBe(at <= answered + 1 ? "aborted" : "done");
        sound(wire, left, `left at ${at}`);
      }
    });

    test.each([
      ["tools that wait", false],
      ["tools that start early", true],
    ])("its stream breaks off at a frame, %s", { timeout: 120_000 }, async (_, early) => {
      const frames = bodyOf(wire, SECOND).frames.length;
      for (let cut = 1; cut <= frames; cut += step) {
        const model = scriptedModel(wire, [FIRST, { ...SECOND, cut, slow: 1 }, LAST]);
        const events: RunEvent[] = [];
        const result = await runTools({
          model,
          tools: tools(early),
          messages: model.form.user([{ type: "text", text: "Look." }]),
          // Nothing is asked for again, so that what is left is seen.
          attempts: 1,
          onEvent: (event) => events.push(event),
        }).done;
        sound(wire, { events, result }, `cut by ${cut}`);
        if (!early && result.reason === "error") expect(result.turns).toBe(1);
      }
    });
  });
}
