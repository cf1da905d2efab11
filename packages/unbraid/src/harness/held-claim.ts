// A claim while its tool runs: renewed in time, and known to be lost when it is. Owns the heartbeat.

import type { Claim, Ledger } from "./ledger.ts";
import { pause } from "./waiting.ts";

/** A claim that is kept alive. */
export interface HeldClaim {
  /** Aborted when the claim is lost: another worker may run the call by now. */
  readonly lost: AbortSignal;
  /** Ends the heartbeat. The claim is neither recorded nor given back by that. */
  stop(): void;
}

/** Renewals within one lease: a single one that fails or is late loses nothing. */
const BEATS = 3;

/**
 * Keeps a claim alive.
 *
 * A ledger that cannot be reached does not end the claim before its lease is over.
 *
 * @param ledger Where it was claimed.
 * @param claim The claim.
 * @param leaseMs For how long it holds, each time.
 * @param now The clock.
 */
export function holdClaim(ledger: Ledger, claim: Claim, leaseMs: number, now: () => number): HeldClaim {
  const lost = new AbortController();
  const over = new AbortController();
  void beat(ledger, claim, leaseMs, now, over.signal).then((isLost) => {
    if (isLost) lost.abort(new DOMException("The claim on this call was lost.", "AbortError"));
  });
  return { lost: lost.signal, stop: () => over.abort() };
}

/** Renews until the claim is lost (true) or nobody needs it any more (false). */
async function beat(
  ledger: Ledger,
  claim: Claim,
  leaseMs: number,
  now: () => number,
  over: AbortSignal,
): Promise<boolean> {
  let holdsUntil = now() + leaseMs;
  for (;;) {
    try {
      await pause(leaseMs / BEATS, over);
    } catch {
      return false;
    }
    const asked = now();
    const renewed = await renewedBy(ledger, claim, leaseMs, holdsUntil - asked);
    if (over.aborted) return false;
    if (renewed === true) holdsUntil = asked + leaseMs;
    else if (renewed === false || now() >= holdsUntil) return true;
  }
}

/** Undefined where the ledger did not say, or not while the lease held. */
async function renewedBy(ledger: Ledger, claim: Claim, leaseMs: number, leftMs: number): Promise<boolean | undefined> {
  const over = new AbortController();
  try {
    return await Promise.race([
      ledger.renew(claim, leaseMs),
      pause(Math.max(0, leftMs), over.signal).then(() => undefined),
    ]);
  } catch {
    return undefined;
  } finally {
    over.abort();
  }
}
