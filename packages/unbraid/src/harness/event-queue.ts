// Events that several sources say at once, one after the other. Owns the waiting; bounded by what pushes, which is a few
// events for each call of a turn.

/** Takes events from callbacks, and gives them to one reader. */
export class EventQueue<Event> {
  #events: Event[] = [];
  #wake: (() => void) | undefined;

  /** Takes an event. */
  push(event: Event): void {
    this.#events.push(event);
    this.#wake?.();
  }

  /** What is there now. */
  take(): readonly Event[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  /** Gives events as they come until a promise has settled, and what it came to. */
  async *until<Value>(promise: Promise<Value>): AsyncGenerator<Event, Value, undefined> {
    let over = false;
    const settled = promise.finally(() => {
      over = true;
      this.#wake?.();
    });
    // Whoever awaits it below hears of it.
    settled.catch(() => {});
    for (;;) {
      yield* this.take();
      if (over && this.#events.length === 0) return settled;
      if (this.#events.length === 0) await this.#more(() => over);
    }
  }

  async #more(isOver: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (isOver() || this.#events.length > 0) resolve();
    });
    this.#wake = undefined;
  }
}
