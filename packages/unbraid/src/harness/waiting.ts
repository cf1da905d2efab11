// Waiting that a signal ends. Owns timers' bounds.

/** The longest time that timers take; longer ones fire at once. */
const MAX_TIMER = 2_147_483_647;

/**
 * Waits.
 *
 * @param milliseconds How long.
 * @param signal Ends the waiting.
 * @throws The signal's reason (by rejecting).
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      },
      Math.min(milliseconds, MAX_TIMER),
    );
    signal?.addEventListener("abort", giveUp, { once: true });
  });
}

/**
 * What a promise comes to, unless a signal comes first. The promise goes on by itself; what it rejects with later is
 * heard by nobody.
 *
 * @throws The signal's reason (by rejecting), or what the promise rejects with.
 */
export async function unlessAborted<Value>(promise: PromiseLike<Value> | Value, signal: AbortSignal): Promise<Value> {
  let giveUp = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/**
 * Milliseconds that a ledger, a schema or a rule has once everything was stopped, beyond the grace of the tools: a result
 * that is being recorded is worth that much.
 */
export const STOPPING_MS = 2_500;

/**
 * What a promise comes to. Once a signal has come, it has so long to come to it; then it is given up as by
 * {@link unlessAborted}.
 *
 * @throws The signal's reason (by rejecting), or what the promise rejects with.
 */
export async function unlessLate<Value>(promise: PromiseLike<Value>, signal: AbortSignal, ms: number): Promise<Value> {
  const late = new AbortController();
  const over = new AbortController();
  const onAbort = (): void => {
    pause(ms, over.signal).then(
      () => late.abort(signal.reason),
      () => {},
    );
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await unlessAborted(promise, late.signal);
  } finally {
    signal.removeEventListener("abort", onAbort);
    over.abort();
  }
}

/** Settles promises in the order in which they were handed over; one that rejects holds up none. */
export type InOrder = <Value>(promise: Promise<Value>) => Promise<Value>;

/** Makes one. */
export function inOrder(): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  return async (promise) => {
    const before = last;
    last = promise.catch(() => {}).then(() => before);
    await before;
    return promise;
  };
}
