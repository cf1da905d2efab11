// A run as its user holds it: events to iterate, and a promise of the end. Owns who drives and what happens when nobody
// listens; what happens in the run is turns.ts.

import type { RunEvent, RunResult } from "./run-events.ts";

/**
 * A run. Nothing happens before its events are iterated or `done` is asked for.
 *
 * - Iterated, it goes as fast as its events are taken: the wire is not read ahead. Leaving the loop aborts the run.
 * - Not iterated, `done` drives it, and the events are passed over as they come: nothing is kept for a reader who may
 *   never come. One who begins to iterate after that gets the events from then on.
 *
 * `done` never rejects. Do not await it inside the loop over the events: it waits for that loop.
 */
export class ToolRun implements AsyncIterableIterator<RunEvent, undefined> {
  readonly #events: AsyncGenerator<RunEvent, RunResult, undefined>;
  readonly #abort: (reason: unknown) => void;
  readonly #result: Promise<RunResult>;
  #settle: (result: RunResult) => void = () => {};
  #iterated = false;
  #driven = false;
  #over = false;

  /**
   * Made by `runTools`.
   *
   * @param events The run itself. It must not throw.
   * @param abort Makes the run come to its end soon.
   */
  constructor(events: AsyncGenerator<RunEvent, RunResult, undefined>, abort: (reason: unknown) => void) {
    this.#events = events;
    this.#abort = abort;
    this.#result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** What the run came to, once it is over. Asking for it lets the run go on by itself, where nobody iterates. */
  get done(): Promise<RunResult> {
    if (!this.#iterated && !this.#driven && !this.#over) {
      this.#driven = true;
      // A loop that begins in this very turn is the one that drives.
      queueMicrotask(() => void this.#drive());
    }
    return this.#result;
  }

  /** The events themselves: there is one run, and it can be iterated once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event; waits for it. Several may be asked for at once: they come in order. */
  async next(): Promise<IteratorResult<RunEvent, undefined>> {
    this.#iterated = true;
    return this.#step();
  }

  /** Leaves the run: it is aborted, and comes to its end before this resolves. */
  async return(): Promise<IteratorResult<RunEvent, undefined>> {
    this.#iterated = true;
    this.#abort(new DOMException("The loop over the events was left.", "AbortError"));
    while (!this.#over) await this.#step();
    return { done: true, value: undefined };
  }

  async #drive(): Promise<void> {
    while (!this.#iterated && !this.#over) await this.#step();
  }

  async #step(): Promise<IteratorResult<RunEvent, undefined>> {
    const step = await this.#events.next();
    if (step.done !== true) return step;
    // Asked again after its end, a generator gives no value.
    if (!this.#over) this.#settle(step.value);
    this.#over = true;
    return { done: true, value: undefined };
  }
}
