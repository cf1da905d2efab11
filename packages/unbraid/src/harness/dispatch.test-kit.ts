// A dispatch to test: tools that end when the test says so, and what was said while they ran.

import type { ToolCall } from "../events.ts";
import { answerOf } from "./calls.test-kit.ts";
import { Dispatch, type DispatchOptions } from "./dispatch.ts";
import type { DispatchResult, ToolEvent } from "./events.ts";
import type { Tool, ToolContext, ToolSettings } from "./tool.ts";

/** A promise that is settled from outside. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes one. */
export function deferred<Value>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** One run of a tool that ends when the test says so. */
interface Run extends Deferred<unknown> {
  readonly args: unknown;
  readonly context: ToolContext;
}

/** A tool that takes anything and ends when the test says so. */
export function heldTool(name: string, settings: ToolSettings & { readonly needsApproval?: boolean } = {}) {
  const runs: Run[] = [];
  const { needsApproval, ...rest } = settings;
  const execute = (args: unknown, context: ToolContext): unknown => {
    const run = { ...deferred<unknown>(), args, context };
    runs.push(run);
    return run.promise;
  };
  const made: Tool = toolThat(name, execute, rest);
  return { tool: needsApproval === true ? { ...made, needsApproval: () => true } : made, runs };
}

/** A tool that runs this. It takes anything, and no judge must be loaded for it. */
export function toolThat(
  name: string,
  execute: (args: unknown, context: ToolContext) => unknown,
  settings: ToolSettings = {},
): Tool {
  return { name, parameters: { type: "object" }, ...settings, validate: (value) => ({ ok: true, value }), execute };
}

/** A dispatch with its events in short words. */
export function dispatching(tools: readonly Tool[], options: Partial<DispatchOptions> = {}) {
  const events: ToolEvent[] = [];
  const dispatch = new Dispatch({ tools, graceMs: 10, onEvent: (event) => events.push(event), ...options });
  const said = (): string[] =>
    events.map((event) =>
      event.type === "tool.result"
        ? `${event.result.call.key} ${event.result.replayed ? "replayed " : ""}${event.result.reason ?? "done"}`
        : `${event.call.key} ${event.type.slice("tool.".length)}`,
    );
  const finish = (
    calls: readonly ToolCall[],
    finished?: Parameters<typeof answerOf>[1],
  ): Promise<readonly DispatchResult[]> => dispatch.finish(answerOf(calls, finished));
  return { dispatch, events, said, finish };
}

/** The text of a result. */
export function textOf(result: Pick<DispatchResult, "content"> | undefined): string {
  return (result?.content ?? []).map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

/** Hashes are made on another thread: those that are not there yet. */
const hashing = new Set<object>();
const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = async (...given) => {
  const token = {};
  hashing.add(token);
  try {
    return await digest(...given);
  } finally {
    hashing.delete(token);
  }
};

/** The real one, whatever timers a test fakes later. */
const immediate = setImmediate;

/** Lets everything go on that waits for nothing but its turn, or for a hash. Works with fake timers too. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 3 || hashing.size > 0; round++) await new Promise<void>((resolve) => immediate(resolve));
}
