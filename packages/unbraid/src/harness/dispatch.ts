// The calls of one turn, run. Owns which of them are at work, early ones among them, and that every call of the answer
// gets one result, in the order of the calls. What may run is policy.ts; running one is run-once.ts.

import type { ToolCall } from "../events.ts";
import type { Approve } from "./approval.ts";
import type { DispatchResult, ToolEvent } from "./events.ts";
import { Gate } from "./gate.ts";
import type { Ledger } from "./ledger.ts";
import { memoryLedger } from "./memory-ledger.ts";
import type { OutputLimits } from "./output.ts";
import {
  type CallDecision,
  decide,
  decideCall,
  type JudgedAnswer,
  type PolicyOptions,
  type RunDecision,
} from "./policy.ts";
import { endBefore, runOnce, type TurnSetting, withRepairNote } from "./run-once.ts";
import type { Tool } from "./tool.ts";
import { ToolSet } from "./tool-set.ts";
import { inOrder, STOPPING_MS, unlessLate } from "./waiting.ts";

/** What a dispatch may be told. */
export interface DispatchOptions extends PolicyOptions, OutputLimits {
  /** The tools. */
  readonly tools: ToolSet | readonly Tool[];
  /** Where claims and results are kept. Default: in memory, for this dispatch alone. */
  readonly ledger?: Ledger;
  /** The run's name, for the ledger. Default a random one. */
  readonly run?: string;
  /** The 0-based turn in the run. Default 0. */
  readonly turn?: number;
  /**
   * The turn was dispatched before, by a worker whose tools may have been others: calls that cannot run are looked for in
   * the ledger too, and what ran is told as it was. Default false.
   */
  readonly resumed?: boolean;
  /** Who we are, for people who look into the ledger. Default a random name. */
  readonly worker?: string;
  /** How many calls run side by side. Default 8. */
  readonly concurrency?: number;
  /** After how many milliseconds a tool is stopped that does not say so itself; 0 for never. Default 600,000. */
  readonly timeoutMs?: number;
  /** How many milliseconds a tool that was told to stop has to do so. Default 1,000. */
  readonly graceMs?: number;
  /** For how many milliseconds a claim holds unless it is renewed. Default 30,000. */
  readonly leaseMs?: number;
  /** Asks a person about calls that need it. Without it they are refused. */
  readonly approve?: Approve;
  /** Stops all calls. */
  readonly signal?: AbortSignal;
  /** Hears what happens, as it happens. What it throws ends the dispatch, after the tools that run. */
  readonly onEvent?: (event: ToolEvent) => void;
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/** How many milliseconds a tool that was told to stop has, where nothing else is said. */
export const GRACE_MS = 1_000;

/** A call at work. `result` is undefined where an early call proved not to be one that may run. */
interface Job {
  readonly controller: AbortController;
  readonly result: Promise<DispatchResult | undefined>;
}

/**
 * Runs the calls of one turn.
 *
 * @example
 * const dispatch = new Dispatch({ tools: [weather], ledger, run: "task 17", turn: 0 });
 * const collector = new Collector();
 * for await (const event of read(response)) {
 *   collector.add(event);
 *   if (event.type === "call.close") dispatch.offer(event.call);
 *   if (event.type === "call.retract") dispatch.retract(event.call.key);
 * }
 * const results = await dispatch.finish(collector.result);
 */
export class Dispatch {
  readonly #tools: ToolSet;
  readonly #policy: PolicyOptions;
  readonly #setting: TurnSetting;
  readonly #signal: AbortSignal;
  readonly #isResumed: boolean;
  /** Stops what waits once something has failed that lets the dispatch fail. */
  readonly #failed = new AbortController();
  readonly #abandoned = new AbortController();
  readonly #jobs = new Map<string, Job>();
  readonly #retracted = new Set<string>();
  #state: "open" | "finishing" | "over" = "open";

  /**
   * Begins a turn; nothing runs yet.
   *
   * @param options The tools, and how they are run.
   * @throws TypeError where two tools have one name, or an option makes no sense.
   */
  constructor(options: DispatchOptions) {
    const { tools, signal, repair = false, corrections = {}, resumed = false } = options;
    this.#tools = tools instanceof ToolSet ? tools : new ToolSet(tools);
    this.#policy = { repair, corrections };
    this.#isResumed = resumed;
    this.#setting = settingOf(options, (event) => this.#emit(event));
    this.#onEvent = options.onEvent;
    this.#signal = signal === undefined ? this.#abandoned.signal : AbortSignal.any([signal, this.#abandoned.signal]);
  }

  readonly #onEvent: ((event: ToolEvent) => void) | undefined;

  /**
   * Hands over a call as it closes. It starts at once when it is valid and its tool may start early; any other waits for
   * {@link finish}.
   */
  offer(call: ToolCall): void {
    if (this.#state !== "open")
      throw new TypeError("offer() after finish() or abandon(): a turn needs a dispatch of its own");
    if (this.#tools.get(call.name)?.early !== true || call.status !== "complete") return;
    if (this.#jobs.has(call.key) || this.#retracted.has(call.key)) return;
    this.#start(call.key, async (signal) => {
      const decision = await decideCall(call, "tool_calls", this.#tools, { ...this.#policy, signal });
      return decision.action === "run" ? this.#run(decision, signal, true) : undefined;
    });
  }

  /**
   * Takes a call back: it is stopped where it runs, and has no result. Also after {@link finish} was asked for.
   *
   * @param key The call's key.
   */
  retract(key: string): void {
    this.#retracted.add(key);
    this.#jobs.get(key)?.controller.abort(new DOMException("The call was taken back.", "AbortError"));
  }

  /**
   * Says how the response ended, runs what may run, and waits for all of it.
   *
   * @param answer The response.
   * @returns One result for each call of the client's that the session does not show as answered and that was not taken
   * back, in the order of the calls.
   * @throws What a schema that cannot be used, the ledger or `onEvent` failed with (by rejecting), once all tools that
   * run have ended. What the ledger kept is there when the turn is dispatched again.
   */
  async finish(answer: JudgedAnswer): Promise<readonly DispatchResult[]> {
    if (this.#state !== "open")
      throw new TypeError("finish() was asked for already: a turn needs a dispatch of its own");
    this.#state = "finishing";
    const decisions = await this.#decide(answer);
    const wanted = decisions.filter(({ action, call }) => action !== "leave" && !this.#retracted.has(call.key));
    const strays = this.#stopAllBut(new Set(wanted.map(({ call }) => call.key)));
    const results = await Promise.allSettled(wanted.map((decision) => this.#resultOf(decision)));
    await strays;
    this.#state = "over";
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason;
    return results.flatMap((settled, at) => {
      const decision = wanted[at];
      if (settled.status === "rejected") throw settled.reason;
      const { value } = settled;
      return value === undefined || decision === undefined || this.#retracted.has(decision.call.key) ? [] : [value];
    });
  }

  /**
   * Stops everything: the response is dropped, and none of its results will be used. What has run stays in the ledger.
   *
   * @returns Once nothing runs any more, or its grace is over.
   */
  async abandon(): Promise<void> {
    this.#state = "over";
    this.#abandoned.abort(new DOMException("The turn was dropped.", "AbortError"));
    const ended = Promise.allSettled([...this.#jobs.values()].map(({ result }) => result));
    // A ledger or a rule that hangs does not hold up whoever drops the turn.
    const graceMs = this.#setting.graceMs + STOPPING_MS;
    await unlessLate(ended, this.#abandoned.signal, graceMs).catch(() => {});
  }

  async #decide(answer: JudgedAnswer): Promise<readonly CallDecision[]> {
    try {
      return await decide(answer, this.#tools, { ...this.#policy, signal: this.#signal });
    } catch (error) {
      await this.abandon();
      throw error;
    }
  }

  /** Early calls that the answer does not hold: what they were of is void, also where nobody took them back. */
  async #stopAllBut(keys: ReadonlySet<string>): Promise<void> {
    const strays = [...this.#jobs].filter(([key]) => !keys.has(key));
    for (const [key] of strays) this.retract(key);
    await Promise.allSettled(strays.map(([, { result }]) => result));
  }

  /** An early call's own result counts, however its response ended: it has run. */
  async #resultOf(decision: CallDecision): Promise<DispatchResult | undefined> {
    const { call } = decision;
    const early = await this.#jobs.get(call.key)?.result;
    if (early !== undefined) return { ...early, call };
    if (this.#retracted.has(call.key)) return undefined;
    if (decision.action === "run") {
      const start = (signal: AbortSignal): Promise<DispatchResult> => this.#run(decision, signal, false);
      return this.#start(call.key, start).result;
    }
    if (decision.action === "leave") return undefined;
    const result = (await this.#before(call)) ?? decision.result;
    this.#say(result);
    return result;
  }

  /** What became of a call earlier that cannot run now. */
  async #before(call: ToolCall): Promise<DispatchResult | undefined> {
    if (!this.#isResumed || (call.status !== "complete" && call.repair === undefined)) return undefined;
    return endBefore(this.#setting, call, { signal: this.#signal, waiting: this.#failed.signal });
  }

  #start(key: string, run: (signal: AbortSignal) => Promise<DispatchResult | undefined>): Job {
    const controller = new AbortController();
    const signal = AbortSignal.any([this.#signal, controller.signal]);
    const result = run(signal).catch((error: unknown) => {
      this.#failed.abort(error);
      throw error;
    });
    // Whoever asks for it hears of it.
    result.catch(() => {});
    const job = { controller, result };
    this.#jobs.set(key, job);
    return job;
  }

  async #run(decision: RunDecision, signal: AbortSignal, early: boolean): Promise<DispatchResult> {
    const { tool, call } = decision;
    if (tool === undefined) throw new TypeError(`call "${call.name}" has no tool`);
    const waiting = this.#failed.signal;
    const result = await runOnce(this.#setting, { decision: { ...decision, tool }, early, signal, waiting });
    const told = withRepairNote(result, decision);
    if (!this.#retracted.has(call.key)) this.#say(told);
    return told;
  }

  #say(result: DispatchResult): void {
    const { turn, now } = this.#setting;
    this.#emit({ type: "tool.result", turn, time: now(), result });
  }

  /** A listener that throws must not come between a tool and the ledger. */
  #emit(event: ToolEvent): void {
    try {
      this.#onEvent?.(event);
    } catch (error) {
      this.#failed.abort(error);
    }
  }
}

function settingOf(options: DispatchOptions, emit: (event: ToolEvent) => void): TurnSetting {
  const { maxTextLength, maxMediaLength } = options;
  return {
    ledger: options.ledger ?? memoryLedger(),
    run: options.run ?? crypto.randomUUID(),
    turn: options.turn ?? 0,
    worker: options.worker ?? crypto.randomUUID(),
    leaseMs: positive("leaseMs", options.leaseMs ?? 30_000),
    graceMs: notNegative("graceMs", options.graceMs ?? GRACE_MS),
    timeoutMs: notNegative("timeoutMs", options.timeoutMs ?? 600_000),
    gate: new Gate(options.concurrency ?? 8),
    inOrder: inOrder(),
    approve: options.approve,
    corrections: options.corrections ?? {},
    output: {
      ...(maxTextLength === undefined ? {} : { maxTextLength: notNegative("maxTextLength", maxTextLength) }),
      ...(maxMediaLength === undefined ? {} : { maxMediaLength: notNegative("maxMediaLength", maxMediaLength) }),
    },
    now: options.now ?? Date.now,
    emit,
  };
}

function notNegative(name: string, value: number): number {
  if (value >= 0) return value;
  throw new TypeError(`${name} must be 0 or more, not ${String(value)}`);
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new TypeError(`${name} must be more than 0, not ${String(value)}`);
}
