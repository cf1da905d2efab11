// What a store holds of one call, and the answer to a claim that follows from it. Owns the translation; the stores decide
// what is kept.

import type { ClaimOutcome, ClaimRequest, LedgerValues } from "unbraid/ledger";

/** A call as a store gives it. */
export interface KeptCall {
  /** What became of it. */
  readonly state: "claimed" | "recorded" | "unknown";
  /** The hash of its tool name and arguments. */
  readonly hash: string;
  /** Who claimed it last. */
  readonly worker: string;
  /** The token of the claim that is held. */
  readonly token: string | null;
  /** How many claims there have been. */
  readonly attempt: number;
  /** Its result as JSON text, where it is recorded. */
  readonly result: string | null;
  /** How many milliseconds its lease still runs. */
  readonly left: number;
}

/**
 * The answer to a claim, from what is kept after the store has done what it may. A claim that bears the token that was
 * made for this request is this request's own, also where a client had to ask twice because an answer was lost.
 */
export function outcomeOf(asked: ClaimRequest, token: string, kept: KeptCall, values: LedgerValues): ClaimOutcome {
  const { state, hash, worker, attempt, result, left } = kept;
  if (hash !== asked.argumentsHash) return { state: "collision", argumentsHash: hash };
  if (state === "recorded") return { state: "recorded", result: values.result(result ?? "") };
  if (state === "unknown") return { state: "unknown", worker };
  if (kept.token === token) return { state: "claimed", claim: { key: asked.key, token }, attempt };
  return { state: "held", worker, expiresInMs: Math.max(0, left) };
}
