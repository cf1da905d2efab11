// How many calls run side by side. Owns the order: first come, first served, and one that must run alone waits for those
// before it and holds up those behind it, so that nobody waits for ever.

/** One who waits. */
interface Waiter {
  readonly alone: boolean;
  readonly enter: () => void;
}

/** Lets so many in at a time, or one alone. */
export class Gate {
  readonly #limit: number;
  readonly #waiting: Waiter[] = [];
  #inside = 0;
  #alone = false;

  /**
   * @param limit How many may be inside.
   * @throws TypeError where that is no whole number above 0.
   */
  constructor(limit: number) {
    if (limit !== Infinity && !(Number.isSafeInteger(limit) && limit > 0))
      throw new TypeError(`concurrency must be a whole number above 0, not ${String(limit)}`);
    this.#limit = limit;
  }

  /**
   * Waits until one may go in.
   *
   * @param alone Nobody else may be inside.
   * @param signal Gives up waiting.
   * @returns What lets the next in; asked for again it does nothing.
   * @throws The signal's reason (by rejecting).
   */
  async enter(alone: boolean, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal.reason as Error);
        this.#admit();
      };
      const waiter: Waiter = {
        alone,
        enter: () => {
          signal.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inside -= 1;
      this.#alone = false;
      this.#admit();
    };
  }

  #admit(): void {
    for (let [next] = this.#waiting; next !== undefined && this.#hasRoom(next.alone); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#inside += 1;
      this.#alone = next.alone;
      next.enter();
    }
  }

  #hasRoom(alone: boolean): boolean {
    return alone ? this.#inside === 0 : !this.#alone && this.#inside < this.#limit;
  }
}
