// From turn to turn: what was kept is taken up, the model is asked until there is nothing more to do or a limit is reached.
// Owns the history and why a run ends; what happens within a turn is run-turn.ts.

import type { FinishReason } from "../events.ts";
import type { Answer } from "../turns/answer.ts";
import type { CorrectionBudget } from "./correction-budget.ts";
import type { TurnRecord } from "./ledger.ts";
import { LedgerError } from "./ledger-error.ts";
import type { RunEvent, RunReason, RunResult } from "./run-events.ts";
import type { RunSetting } from "./run-setting.ts";
import { Turn } from "./run-turn.ts";
import type { ToolSet } from "./tool-set.ts";
import { type KeptTurn, keptTurn } from "./turn-record.ts";
import { unlessAborted } from "./waiting.ts";

/** What a run begins with. */
export interface RunPlan extends RunSetting {
  readonly messages: readonly unknown[];
  readonly maxTurns: number;
  readonly budget: CorrectionBudget;
  /** The tools of the next turn, ready to judge. */
  readonly tools: () => Promise<ToolSet>;
}

/** Runs until the end. Never throws. */
export function drive(plan: RunPlan): AsyncGenerator<RunEvent, RunResult, undefined> {
  return new Driver(plan).run();
}

class Driver {
  readonly #plan: RunPlan;
  readonly #history: unknown[];
  #turns = 0;
  #answer: Answer | null = null;

  constructor(plan: RunPlan) {
    this.#plan = plan;
    this.#history = [...plan.messages];
  }

  async *run(): AsyncGenerator<RunEvent, RunResult, undefined> {
    let result: RunResult;
    try {
      result = yield* this.#go();
    } catch (error) {
      result = this.#plan.signal.aborted ? this.#end("aborted") : this.#end("error", error);
    }
    return result;
  }

  async *#go(): AsyncGenerator<RunEvent, RunResult, undefined> {
    const { ledger, run, signal } = this.#plan;
    const records = await unlessAborted(ledger.turns(run), signal);
    for (const [at, record] of records.entries()) {
      if (record.turn !== at) throw withoutTurn(run, at);
      const reason = yield* this.#take(record);
      // Nothing follows a turn that ended a run, unless its limits were others then.
      if (reason !== undefined && record === records.at(-1)) return reason;
    }
    for (;;) {
      const reason = yield* this.#next();
      if (reason !== undefined) return reason;
    }
  }

  /** A turn that an earlier process had kept. */
  async *#take(record: TurnRecord): AsyncGenerator<RunEvent, RunResult | undefined, undefined> {
    if (record.results === undefined) return yield* this.#next(record);
    const turn = keptTurn(record, record.results);
    yield { type: "turn.start", turn: record.turn, attempt: 1, resumed: true };
    yield this.#keep(turn, true);
    return turn.goesOn ? undefined : this.#end(reasonFor(turn.finish));
  }

  /** One more turn; a result where it was the last. */
  async *#next(record?: TurnRecord): AsyncGenerator<RunEvent, RunResult | undefined, undefined> {
    const { signal, maxTurns, budget, tools } = this.#plan;
    if (signal.aborted) return this.#end("aborted");
    if (record === undefined && this.#turns >= maxTurns) return this.#end("max-turns");
    const turn = new Turn(this.#plan, this.#turns, await unlessAborted(tools(), signal));
    const outcome = yield* record === undefined ? turn.ask([...this.#history]) : turn.resume(record);
    this.#answer = turn.answer ?? this.#answer;
    if (outcome.how === "dropped") return this.#stopped(outcome.error);
    yield this.#keep(outcome.turn, record !== undefined);
    if (outcome.how === "broken") return this.#stopped(outcome.error);
    const { goesOn, finish, judged } = outcome.turn;
    const verdict = budget.add(judged);
    if (!goesOn) return this.#end(reasonFor(finish));
    return verdict === undefined ? undefined : { ...this.#end("max-corrections"), limit: verdict };
  }

  #keep({ assistant, results, finish }: KeptTurn, resumed: boolean): RunEvent {
    this.#history.push(...assistant, ...results);
    const turn = this.#turns++;
    return { type: "turn.end", turn, finish, assistant, results, ...(resumed ? { resumed } : {}) };
  }

  /** Once the run was aborted, whatever went wrong then is that. */
  #stopped(error: unknown): RunResult {
    return error === undefined || this.#plan.signal.aborted ? this.#end("aborted") : this.#end("error", error);
  }

  #end(reason: RunReason, error?: unknown): RunResult {
    return {
      messages: [...this.#history],
      reason,
      turns: this.#turns,
      usage: this.#plan.usage.total,
      text: textOf(this.#answer),
      answer: this.#answer,
      ...(reason === "error" ? { error } : {}),
    };
  }
}

/** A run that was forgotten while it was at work: without its first turns no history can be made of the rest. */
function withoutTurn(run: string, turn: number): LedgerError {
  const words = `the ledger holds later turns of the run ${JSON.stringify(run)}, but not its turn ${turn}`;
  return new LedgerError("no-turn", `${words}: it was forgotten while it was at work; forget it, and begin anew`);
}

/** Why a run ends with a turn that asks for nothing more. */
function reasonFor(finish: FinishReason | null): RunReason {
  return finish === "length" || finish === "content_filter" ? finish : "done";
}

function textOf(answer: Answer | null): string {
  return (answer?.items ?? []).map((item) => (item.type === "text" && item.refusal !== true ? item.text : "")).join("");
}
