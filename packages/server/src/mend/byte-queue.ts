// Bytes that came and have not gone. Owns the joining: a chunk that holds whole frames is never copied, and a frame that
// comes in many small pieces is copied a constant number of times.

const EMPTY = new Uint8Array(0);

/** Smallest room that is made for pieces. */
const MIN_ROOM = 4096;

/** Bytes in at one end, out at the other. */
export class ByteQueue {
  /** What has not gone stands in `#held` from `#start` to `#end`. Bytes in it are never moved: pieces of it may be in use. */
  #held: Uint8Array = EMPTY;
  #start = 0;
  #end = 0;
  /** The room behind `#end` is ours to write to. */
  #own = false;

  /** How many there are. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Adds bytes. They are kept: who gives them must not change them. */
  push(bytes: Uint8Array): void {
    if (this.length === 0) {
      this.#held = bytes;
      this.#start = 0;
      this.#end = bytes.length;
      this.#own = false;
      return;
    }
    if (!this.#own || this.#held.length - this.#end < bytes.length) {
      const room = new Uint8Array(Math.max(MIN_ROOM, 2 * (this.length + bytes.length)));
      room.set(this.#held.subarray(this.#start, this.#end));
      this.#end -= this.#start;
      this.#start = 0;
      this.#held = room;
      this.#own = true;
    }
    this.#held.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Takes the first `size` bytes, or all where there are fewer. */
  take(size: number): Uint8Array {
    const from = this.#start;
    this.#start = Math.min(this.#end, from + Math.max(0, size));
    return this.#held.subarray(from, this.#start);
  }

  /** The byte at an offset. */
  at(offset: number): number | undefined {
    return offset < this.length ? this.#held[this.#start + offset] : undefined;
  }

  /** The bytes as Latin-1; costs their length. */
  peek(): string {
    return Buffer.from(this.#held.buffer, this.#held.byteOffset + this.#start, this.length).toString("latin1");
  }
}
