// Bytes handed on in pieces of one size. Owns `--chunk-size`.

/** Cuts bytes anew: every piece but the last has exactly the same size. */
export class Slicer {
  readonly #size: number;
  #waiting: Uint8Array[] = [];
  #held = 0;

  /**
   * @param size Bytes a piece, a whole number above 0; undefined: the bytes stay as they come.
   */
  constructor(size: number | undefined) {
    this.#size = size ?? 0;
  }

  /** The pieces that this chunk completes. */
  *push(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    if (this.#size === 0) {
      yield chunk;
      return;
    }
    let at = 0;
    while (this.#held + chunk.length - at >= this.#size) {
      const next = at + this.#size - this.#held;
      const piece = chunk.subarray(at, next);
      yield this.#held === 0 ? piece : Buffer.concat([...this.#waiting, piece]);
      this.#waiting = [];
      this.#held = 0;
      at = next;
    }
    if (at === chunk.length) return;
    this.#waiting.push(chunk.subarray(at));
    this.#held += chunk.length - at;
  }

  /** What is left when the bytes have ended. */
  *end(): Generator<Uint8Array, void, undefined> {
    if (this.#held > 0) yield Buffer.concat(this.#waiting);
    this.#held = 0;
  }
}
