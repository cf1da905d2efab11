// One run of one tool: its time, its being stopped, and what came of it. Owns the race between the tool and whatever stops
// it; never waits for a tool that does not heed its signal. Knows no ledger.

import type { ToolCall } from "../events.ts";
import type { Tool } from "./tool.ts";
import { pause, unlessAborted } from "./waiting.ts";

/** What is to be run. */
export interface ToolRunRequest {
  /** The tool. */
  readonly tool: Tool;
  /** What its schema let through. */
  readonly args: unknown;
  /** The call. */
  readonly call: ToolCall;
  /** Counts from 1. */
  readonly attempt: number;
  /** Stops it. */
  readonly signal: AbortSignal;
  /** After how many milliseconds it is stopped; 0 or Infinity for never. */
  readonly timeoutMs: number;
  /** How many milliseconds a tool that was told to stop has to do so. */
  readonly graceMs: number;
}

/** How a run ended. What a stopped tool gave within its grace counts. */
export type ToolRunEnd =
  | { readonly how: "returned"; readonly output: unknown }
  | { readonly how: "threw"; readonly thrown: unknown }
  | { readonly how: "timed-out" }
  | { readonly how: "stopped" };

/** Runs a tool. Never rejects. */
export async function runTool(request: ToolRunRequest): Promise<ToolRunEnd> {
  const { tool, args, call, attempt, signal, timeoutMs, graceMs } = request;
  const limit = new AbortController();
  const stop = AbortSignal.any([signal, limit.signal]);
  const hasLimit = timeoutMs > 0 && timeoutMs !== Infinity;
  const over = new AbortController();
  if (hasLimit) {
    const late = (): void => limit.abort(new DOMException("The tool's time is over.", "TimeoutError"));
    pause(timeoutMs, over.signal).then(late, () => {});
  }
  // Whatever it does, it does in there: a tool may throw before it returns a promise.
  const running = settled(async () => tool.execute(args, { signal: stop, call, attempt }));
  try {
    return await unlessAborted(running, stop);
  } catch {
    const last = await withinGrace(running, graceMs);
    // What a stopped tool throws is that it was stopped.
    if (last?.how === "returned") return last;
    return { how: signal.aborted ? "stopped" : "timed-out" };
  } finally {
    over.abort();
  }
}

/** A run as a value: nothing that a tool rejects with late goes unheard. */
async function settled(run: () => Promise<unknown>): Promise<ToolRunEnd> {
  try {
    return { how: "returned", output: await run() };
  } catch (thrown) {
    return { how: "threw", thrown };
  }
}

async function withinGrace(running: Promise<ToolRunEnd>, graceMs: number): Promise<ToolRunEnd | undefined> {
  const over = new AbortController();
  try {
    return await Promise.race([running, pause(graceMs, over.signal).then(() => undefined)]);
  } finally {
    over.abort();
  }
}
