// Whether every fragment so far began with the one before it: the mark of a server that sends all text anew each time, seen
// also where the plain reading went well so far. Owns that memory; what is made of it is decided in arguments.ts.

/** See the file's head. */
export class Snapshots {
  /** The last fragment, while the chain holds; empty before the first one. */
  #last: string | undefined = "";
  #steps = 0;

  /** Takes a fragment that is not empty. */
  take(fragment: string): void {
    const last = this.#last;
    if (last === undefined) return;
    if (last !== "" && fragment !== last) {
      if (fragment.length <= last.length || !fragment.startsWith(last)) {
        this.#last = undefined;
        return;
      }
      this.#steps++;
    }
    this.#last = fragment;
  }

  /** True once the chain is broken: it stays so. */
  get over(): boolean {
    return this.#last === undefined;
  }

  /** Whether a text would be the next link of the chain. */
  goesOn(text: string): boolean {
    const last = this.#last;
    return last !== undefined && last !== "" && text.length >= last.length && text.startsWith(last);
  }

  /** The newest snapshot, where the chain holds and has more than one link. */
  get newest(): string | undefined {
    return this.#steps > 0 ? this.#last : undefined;
  }
}
