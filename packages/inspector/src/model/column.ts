// A list of numbers that only grows, without an object a number. Owns the storage and the search in ascending ones.

/** Numbers in the order in which they were added. */
export class Column {
  #values: Float64Array<ArrayBuffer> = new Float64Array(64);
  #length = 0;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** Adds one at the end. */
  push(value: number): void {
    if (this.#length === this.#values.length) {
      const wider = new Float64Array(2 * this.#length);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.#length++] = value;
  }

  /** Forgets all. */
  clear(): void {
    this.#length = 0;
  }

  /** Writes over one that is there. */
  set(at: number, value: number): void {
    if (at >= 0 && at < this.#length) this.#values[at] = value;
  }

  /** The one at a place, NaN where there is none. */
  at(at: number): number {
    return at >= 0 && at < this.#length ? (this.#values[at] as number) : Number.NaN;
  }

  /**
   * How many are not above a value. The numbers must be ascending, equal ones allowed.
   *
   * @param value What to look for.
   * @param from Look only behind this many.
   */
  upTo(value: number, from = 0): number {
    let low = from;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] as number) <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many are below a value. The numbers must be ascending, equal ones allowed. */
  below(value: number, from = 0): number {
    let low = from;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
