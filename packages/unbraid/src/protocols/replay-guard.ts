// Events that a reconnecting stream sends again. Owns the memory of sequence numbers: runs of equal types, so that it stays
// small however long the stream is.

/**
 * Tells replayed events by their sequence number. A number that does not grow is a replay only while the numbering has
 * proved sound: the same number must have carried the same type of event before. A server that numbers badly (all zero)
 * is found out at its second event, and its numbers are not looked at again.
 */
export class ReplayGuard {
  #last = -1;
  #sound = true;
  /** Runs of numbers with one type: the first number of each run, and its type. */
  readonly #starts: number[] = [];
  readonly #types: string[] = [];

  /**
   * @param sequence The event's sequence number, as it stands on the wire.
   * @param type The event's type.
   * @returns True where the event has been seen before.
   */
  isReplay(sequence: unknown, type: string): boolean {
    if (!this.#sound || typeof sequence !== "number" || !Number.isSafeInteger(sequence)) return false;
    if (sequence > this.#last) {
      this.#last = sequence;
      if (this.#types.at(-1) !== type) {
        this.#starts.push(sequence);
        this.#types.push(type);
      }
      return false;
    }
    if (this.#typeAt(sequence) === type) return true;
    this.#sound = false;
    return false;
  }

  #typeAt(sequence: number): string | undefined {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= sequence) low = middle + 1;
      else high = middle;
    }
    return this.#types[low - 1];
  }
}
