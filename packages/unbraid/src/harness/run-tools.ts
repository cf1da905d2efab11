// The loop: a model is asked, its calls are run, what they gave goes back, until there is nothing more to do. Owns the
// options and their defaults; the work is run-driver.ts and run-turn.ts.

import { backOff as defaultBackOff } from "./back-off.ts";
import { CorrectionBudget, type CorrectionLimits } from "./correction-budget.ts";
import { Dispatch } from "./dispatch.ts";
import type { Ledger } from "./ledger.ts";
import { memoryLedger } from "./memory-ledger.ts";
import type { Model } from "./model.ts";
import { drive, type RunPlan } from "./run-driver.ts";
import type { RunEvent, RunResult } from "./run-events.ts";
import { type DispatchSetting, type ReadingSetting, UsageSum } from "./run-setting.ts";
import type { Tool } from "./tool.ts";
import { ToolRun } from "./tool-run.ts";
import { ToolSet } from "./tool-set.ts";

/** What `runTools` is told. */
export interface RunToolsOptions extends DispatchSetting, CorrectionLimits {
  /** The model. */
  readonly model: Model;
  /** The history, in the vendor's own messages. On taking up a run: the same as at its beginning. */
  readonly messages: readonly unknown[];
  /** The tools; or what gives them before each turn. */
  readonly tools?: readonly Tool[] | (() => readonly Tool[] | Promise<readonly Tool[]>);
  /** Instructions that stand before the history. */
  readonly system?: string;
  /** The run's name in the ledger: one task that is worked on until it is done, over crashes too. Default a random one. */
  readonly run?: string;
  /** Where turns, claims and results are kept. Default: in memory, for this run alone. */
  readonly ledger?: Ledger;
  /** Ends the run. */
  readonly signal?: AbortSignal;
  /** How many turns the history may get. Default 32. */
  readonly maxTurns?: number;
  /** How often a model is asked for one turn, where its stream breaks off before any tool has begun. Default 3. */
  readonly attempts?: number;
  /**
   * Milliseconds to wait before a turn is asked for again, when so many attempts have failed. Default: half a second,
   * doubled each time up to eight, less some jitter.
   */
  readonly backOff?: (attempt: number) => number;
  /** How responses are read: limits, `rescue`, the fast path. */
  readonly reading?: ReadingSetting;
  /** Told of every event, whether or not they are iterated. What it throws ends the run with `error`. */
  readonly onEvent?: (event: RunEvent) => void;
}

const MAX_TURNS = 32;
const ATTEMPTS = 3;
/** One run's own ledger holds little more than its history does; a bound would end long runs with many images. */
const OWN_LEDGER = { maxLength: Number.MAX_SAFE_INTEGER };

/**
 * Lets a model work with tools until it is done.
 *
 * @param options The model, the tools, the history, and the limits.
 * @returns The run, which begins when its events are iterated or `done` is asked for.
 * @throws TypeError where an option makes no sense, a tool is none, or two tools have one name.
 * @example
 * const run = runTools({ model: anthropic({ model: "claude-sonnet-4-5", apiKey }), tools: [weather], messages });
 * for await (const event of run) if (event.type === "text") process.stdout.write(event.text);
 * const { messages: history, reason } = await run.done;
 */
export function runTools(options: RunToolsOptions): ToolRun {
  const {
    model,
    messages,
    tools = [],
    system,
    run = crypto.randomUUID(),
    ledger = memoryLedger(OWN_LEDGER),
    signal,
    maxTurns = MAX_TURNS,
    maxCorrections,
    maxInARow,
    attempts = ATTEMPTS,
    backOff = defaultBackOff,
    reading = {},
    onEvent,
    ...dispatch
  } = options;
  if (!Array.isArray(messages))
    throw new TypeError("runTools() needs `messages`, an array of the vendor's own messages");
  if (!isModel(model)) throw new TypeError("runTools() needs `model`: one of unbraid/models, or a Model of your own");
  // Says what makes no sense in the options for dispatches now, before a model is asked.
  void new Dispatch({ ...dispatch, tools: [] });
  const fixed = typeof tools === "function" ? undefined : new ToolSet(tools);
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(reason);
  const plan: RunPlan = {
    model,
    messages,
    system,
    run,
    ledger,
    maxTurns: counted("maxTurns", maxTurns),
    budget: new CorrectionBudget({
      ...(maxCorrections === undefined ? {} : { maxCorrections }),
      ...(maxInARow === undefined ? {} : { maxInARow }),
    }),
    attempts: counted("attempts", attempts),
    backOff,
    repair: dispatch.repair === true,
    reading,
    dispatch: { ...dispatch, ledger, run },
    usage: new UsageSum(),
    signal: controller.signal,
    tools: async () => {
      const set = fixed ?? new ToolSet(typeof tools === "function" ? await tools() : tools);
      await set.prepare();
      return set;
    },
  };
  return new ToolRun(told(drive(plan), { signal, abort, onEvent }), abort);
}

/** Whom a run heeds, and who hears of it. */
interface Listeners {
  readonly signal: AbortSignal | undefined;
  readonly abort: (reason: unknown) => void;
  readonly onEvent: ((event: RunEvent) => void) | undefined;
}

/** The run, with what the user handed in around it, and its end as an event. */
async function* told(
  events: AsyncGenerator<RunEvent, RunResult, undefined>,
  { signal, abort, onEvent }: Listeners,
): AsyncGenerator<RunEvent, RunResult, undefined> {
  const onAbort = (): void => abort(signal?.reason);
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  let failure: { readonly error: unknown } | undefined;
  const tell = (event: RunEvent): RunEvent => {
    try {
      if (failure === undefined) onEvent?.(event);
    } catch (error) {
      failure = { error };
      abort(error);
    }
    return event;
  };
  try {
    for (;;) {
      const step = await events.next();
      if (step.done !== true) {
        yield tell(step.value);
        continue;
      }
      const result = ended(step.value, failure);
      const { reason, turns, usage, error } = result;
      const words = reason === "error" ? { error: named(error) } : {};
      yield tell({ type: "run.end", reason, turns, usage, ...words });
      return ended(result, failure);
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

function ended(result: RunResult, failure: { readonly error: unknown } | undefined): RunResult {
  return failure === undefined ? result : { ...result, reason: "error", error: failure.error };
}

function named(error: unknown): { readonly name: string; readonly message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: "Error", message: String(error) };
}

function isModel(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { wire, form, send } = value as Partial<Model>;
  return typeof wire === "object" && typeof form === "object" && typeof send === "function";
}

function counted(name: string, value: number): number {
  if (value === Infinity || (Number.isSafeInteger(value) && value > 0)) return value;
  throw new TypeError(`${name} must be a whole number above 0, not ${String(value)}`);
}
