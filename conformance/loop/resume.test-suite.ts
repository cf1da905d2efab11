// A run that ends before its time and is taken up again: by an abort, and by SIGKILL. Owns the checks; the tests choose how
// many of the places.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { memoryLedger } from "../../packages/unbraid/src/harness/memory-ledger.ts";
import type { RunEvent, RunResult } from "../../packages/unbraid/src/harness/index.ts";
import { FROM_SOURCES } from "../../packages/ledger/src/from-sources.test-kit.ts";
import { turnFaults } from "../turn-pairs.ts";
import { EFFECTS, effectFaults, effectsIn, takeUp } from "./resume.test-kit.ts";

type Ended = Pick<RunResult, "reason" | "turns" | "text" | "messages">;

/** At which events a run is ended. */
export interface Places {
  /** Aborted at each so manieth event. */
  readonly abortEvery: number;
  /** Killed at these events; at every one by default. */
  readonly killAt?: readonly number[];
}

/** Runs the checks. */
export function resumeSuite({ abortEvery, killAt }: Places): void {
  const folder = mkdtempSync(join(tmpdir(), "unbraid-resume-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  const file = (name: string): string => join(folder, `${files++}-${name}`);

  /** A history that is whole: as it would have been, but for calls of which nobody knows. */
  function expectWhole({ reason, turns, text, messages }: Ended): void {
    expect({ reason, turns }).toEqual({ reason: "done", turns: 4 });
    // Whoever takes up a run that has ended has read no answer.
    expect(["", "All is done."]).toContain(text);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", content: "All is done." });
    const roles = messages.map((message) => (message as { role: string }).role);
    expect(roles.join(" ")).toBe("user assistant tool tool assistant tool tool assistant tool tool assistant");
    for (let at = 1; at + 2 < messages.length; at += 3)
      expect(
        turnFaults({ form: "openai-chat", assistant: [messages[at]], results: messages.slice(at + 1, at + 3) }),
      ).toEqual([]);
  }

  async function eventsOfOne(): Promise<number> {
    let events = 0;
    const result = await takeUp({ ledger: memoryLedger(), effects: file("whole"), onEvent: () => (events += 1) }).done;
    expectWhole(result);
    return events;
  }

  describe("a run that is taken up again", () => {
    test("after an abort at an event: nothing runs twice, and it comes to its end", { timeout: 60_000 }, async () => {
      const all = await eventsOfOne();
      for (let at = 1; at < all; at += abortEvery) {
        const ledger = memoryLedger();
        const effects = file("aborted");
        const controller = new AbortController();
        let count = 0;
        const first = await takeUp({
          ledger,
          effects,
          signal: controller.signal,
          onEvent: () => ++count === at && controller.abort(new Error("enough")),
        }).done;
        const events: RunEvent[] = [];
        const last = await takeUp({ ledger, effects, onEvent: (event) => events.push(event) }).done;
        if (first.reason === "done") expect(last).toMatchObject({ reason: "done", turns: 4 });
        else expectWhole(last);
        expect(effectFaults(effects), `aborted at ${at}`).toEqual([]);
        expect(last.messages.slice(0, 1)).toEqual([{ role: "user", content: "Do it." }]);
      }
    });

    test("after it has ended: everything is there, nothing runs, nobody is asked", async () => {
      const ledger = memoryLedger();
      const effects = file("ended");
      const first = await takeUp({ ledger, effects }).done;
      const events: RunEvent[] = [];
      const again = await takeUp({ ledger, effects, onEvent: (event) => events.push(event) }).done;
      expect(again).toMatchObject({ reason: "done", turns: 4, messages: first.messages });
      expect(events.map(({ type }) => type)).toEqual([
        ...Array.from({ length: 4 }, () => ["turn.start", "turn.end"]).flat(),
        "run.end",
      ]);
      expect(effectsIn(effects)).toHaveLength(EFFECTS.length);
    });

    test("by two workers at once: each call runs once, and both see the same", async () => {
      const ledger = memoryLedger();
      const effects = file("raced");
      const results = await Promise.all(Array.from({ length: 3 }, () => takeUp({ ledger, effects }).done));
      for (const result of results) expect(result).toMatchObject({ reason: "done", turns: 4 });
      expect(new Set(results.map(({ messages }) => JSON.stringify(messages))).size).toBe(1);
      expect(effectFaults(effects)).toEqual([]);
      expect(effectsIn(effects)).toHaveLength(EFFECTS.length);
    });

    test("after SIGKILL at an event: nothing runs twice, and it comes to its end", { timeout: 600_000 }, async () => {
      const all = await eventsOfOne();
      for (const at of killAt ?? Array.from({ length: all - 1 }, (_, place) => place + 1)) {
        const ledger = file("ledger");
        const effects = file("killed");
        expect(await work(ledger, effects, at)).toBe("SIGKILL");
        // Killed anew on the way, where it has not come to its end.
        if (killAt === undefined) await work(ledger, effects, Math.ceil(at / 2));
        const ended = await work(ledger, effects, 0);
        if (typeof ended === "string") throw new Error(`the last worker died: ${ended}`);
        expectWhole(ended);
        expect(effectFaults(effects), `killed at ${at}`).toEqual([]);
      }
    });
  });
}

/** One worker: what its run came to, or the signal that ended it. */
async function work(ledger: string, effects: string, at: number): Promise<Ended | string> {
  const script = new URL("resume.test-worker.ts", import.meta.url);
  const child = fork(script, [ledger, effects, String(at)], { execArgv: [...FROM_SOURCES], stdio: "pipe" });
  let report: Ended | undefined;
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.on("message", (message) => (report = message as Ended));
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  if (report === undefined && signal === null) throw new Error(`the worker ended without a word: ${said}`);
  return report ?? signal ?? "";
}
