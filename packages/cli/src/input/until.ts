// When to stop waiting for the next bytes. Owns the waiting: Ctrl-C, and a server that keeps its connection open after
// the response is over.

/** What ends the waiting. */
export interface Stops {
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** Milliseconds to wait for the next chunk; undefined: as long as it takes. Asked before each wait. */
  readonly patience: () => number | undefined;
}

const STOPPED = Symbol("stopped");

/**
 * The same chunks, until they end or the waiting for the next one does. A source that is given up while it is waited for
 * is told so, and not waited for: standard input may never answer.
 *
 * @param chunks The bytes as they come.
 * @throws What the source throws.
 */
export async function* until<T>(
  chunks: AsyncIterable<T>,
  { signal, patience }: Stops,
): AsyncGenerator<T, void, undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  // One listener for all waits: a race with one long-lived promise would keep a reaction of each.
  let stop: (() => void) | undefined;
  const onAbort = (): void => stop?.();
  signal.addEventListener("abort", onAbort);
  let waiting = false;
  try {
    while (!signal.aborted) {
      waiting = true;
      const step = await wait(iterator.next(), patience(), (stopper) => (stop = stopper));
      if (step === STOPPED) return;
      waiting = false;
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    const left = iterator.return?.();
    if (waiting) left?.catch(() => {});
    else await left;
  }
}

function wait<T>(
  next: Promise<IteratorResult<T>>,
  patience: number | undefined,
  onStop: (stop: () => void) => void,
): Promise<IteratorResult<T> | typeof STOPPED> {
  return new Promise((resolve, reject) => {
    const timer = patience === undefined ? undefined : setTimeout(() => resolve(STOPPED), patience);
    onStop(() => {
      clearTimeout(timer);
      resolve(STOPPED);
    });
    next.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
