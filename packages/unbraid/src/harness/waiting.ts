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
