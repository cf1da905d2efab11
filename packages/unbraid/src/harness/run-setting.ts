// What all turns of a run share. Owns that shape, and the sum of the token counts.

import type { UsageEvent } from "../events.ts";
import type { ReaderOptions } from "../reader.ts";
import type { DispatchOptions } from "./dispatch.ts";
import type { Ledger } from "./ledger.ts";
import type { Model } from "./model.ts";
import type { RunUsage } from "./run-events.ts";

/** How the calls of every turn are run. */
export type DispatchSetting = Omit<DispatchOptions, "tools" | "turn" | "resumed" | "signal" | "onEvent">;

/** How every response is read. */
export type ReadingSetting = Omit<ReaderOptions, "tools" | "framing"> & { readonly settleMilliseconds?: number };

/** What all turns of a run share. */
export interface RunSetting {
  readonly model: Model;
  readonly system: string | undefined;
  readonly ledger: Ledger;
  readonly run: string;
  readonly repair: boolean;
  readonly dispatch: DispatchSetting;
  readonly reading: ReadingSetting;
  /** How often the model may be asked for one turn. */
  readonly attempts: number;
  /** How long to wait before it is asked again. */
  readonly backOff: (attempt: number) => number;
  readonly usage: UsageSum;
  /** Stops everything. */
  readonly signal: AbortSignal;
}

/** Sums token counts over responses. Within one, a later count takes the place of an earlier. */
export class UsageSum {
  #input = 0;
  #output = 0;
  #inputNow = 0;
  #outputNow = 0;

  /** Takes what the wire says. */
  count({ inputTokens, outputTokens }: UsageEvent): void {
    this.#inputNow = inputTokens ?? this.#inputNow;
    this.#outputNow = outputTokens ?? this.#outputNow;
  }

  /** A response is over. */
  next(): void {
    this.#input += this.#inputNow;
    this.#output += this.#outputNow;
    this.#inputNow = 0;
    this.#outputNow = 0;
  }

  /** So far. */
  get total(): RunUsage {
    return { inputTokens: this.#input + this.#inputNow, outputTokens: this.#output + this.#outputNow };
  }
}
