// How often a model may be corrected before a run stops. Owns the count and the verdict.

import type { CorrectionReason } from "./corrections.ts";
import type { DispatchResult } from "./events.ts";

/** How much is allowed. */
export interface CorrectionLimits {
  /** Calls in one run that could not run for the model's own fault. Default 20. */
  readonly maxCorrections?: number;
  /** Answers in a row that say the same reason about the same tool. Default 4. */
  readonly maxInARow?: number;
}

/** Why a run should stop. */
export interface BudgetVerdict {
  /** Which limit was passed. */
  readonly limit: "corrections" | "in-a-row";
  /** The reason that was said last. */
  readonly reason: CorrectionReason;
  /** The tool's name, as the model wrote it. */
  readonly tool: string;
  /** How many there were. */
  readonly count: number;
  /** Plain words, for people. */
  readonly message: string;
}

/** What a model gets wrong itself. A tool that fails or a person who says no may do so often in a sound run. */
const OWN_FAULTS: ReadonlySet<CorrectionReason> = new Set([
  "malformed",
  "truncated",
  "unknown-tool",
  "invalid-arguments",
  "not-run",
]);

/** Reasons that say nothing about what the model does. */
const NOBODYS_FAULT: ReadonlySet<CorrectionReason> = new Set(["aborted"]);

/**
 * Counts corrective results over a run.
 *
 * @example
 * const budget = new CorrectionBudget({ maxInARow: 3 });
 * const verdict = budget.add(results);
 * if (verdict !== undefined) console.error(verdict.message);
 */
export class CorrectionBudget {
  readonly #maxCorrections: number;
  readonly #maxInARow: number;
  #corrections = 0;
  /** By tool: the reason that its last answers had, and how many. Tools that have done well are not in it. */
  readonly #rows = new Map<string, { readonly reason: CorrectionReason; readonly count: number }>();

  /**
   * Begins to count.
   *
   * @param limits How much is allowed.
   * @throws TypeError where a limit is no whole number above 0 and not Infinity.
   */
  constructor({ maxCorrections = 20, maxInARow = 4 }: CorrectionLimits = {}) {
    this.#maxCorrections = checked("maxCorrections", maxCorrections);
    this.#maxInARow = checked("maxInARow", maxInARow);
  }

  /**
   * Counts the results of a turn, in the order of its calls. Several of one turn that say the same of the same tool count
   * as one in a row: the model has not seen the first yet when it writes the second.
   *
   * @param results What the turn's dispatch gave; on a run that is taken up again, first those of its earlier turns.
   * @returns Why to stop; undefined to go on.
   */
  add(results: readonly Pick<DispatchResult, "call" | "reason">[]): BudgetVerdict | undefined {
    let verdict: BudgetVerdict | undefined;
    const turn = new Map<string, CorrectionReason | undefined>();
    for (const { call, reason } of results) {
      if (reason !== undefined && NOBODYS_FAULT.has(reason)) continue;
      // One good call shows that the model can do it.
      if (!turn.has(call.name) || reason === undefined) turn.set(call.name, reason);
      if (reason === undefined || !OWN_FAULTS.has(reason)) continue;
      this.#corrections += 1;
      if (this.#corrections > this.#maxCorrections)
        verdict ??= said("corrections", reason, call.name, this.#corrections);
    }
    for (const [tool, reason] of turn) verdict ??= this.#row(tool, reason);
    return verdict;
  }

  #row(tool: string, reason: CorrectionReason | undefined): BudgetVerdict | undefined {
    if (reason === undefined) {
      this.#rows.delete(tool);
      return undefined;
    }
    const before = this.#rows.get(tool);
    const count = before?.reason === reason ? before.count + 1 : 1;
    this.#rows.set(tool, { reason, count });
    return count > this.#maxInARow ? said("in-a-row", reason, tool, count) : undefined;
  }
}

function said(limit: BudgetVerdict["limit"], reason: CorrectionReason, tool: string, count: number): BudgetVerdict {
  const name = JSON.stringify(tool.slice(0, 64));
  const message =
    limit === "corrections"
      ? `${count} calls could not run for the model's own fault; the last one, to ${name}, because: ${reason}`
      : `${count} turns in a row the calls to ${name} ended the same way: ${reason}`;
  return { limit, reason, tool, count, message };
}

function checked(name: string, value: number): number {
  if (value === Infinity || (Number.isSafeInteger(value) && value > 0)) return value;
  throw new TypeError(`${name} must be a whole number above 0, not ${String(value)}`);
}
