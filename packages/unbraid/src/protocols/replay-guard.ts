// Events that a reconnecting stream sends again. Owns the memory of sequence numbers: one small number for each event.

/** Numbers that may be skipped before the numbering counts as unsound. */
const MAX_GAP = 1000;

/**
 * Tells replayed events by their sequence number. A number that does not grow is a replay only when the same number came
 * before with the same content, and only while the numbering has proved sound: a server that numbers badly (all zero, anew
 * for each item, one number for all fragments) is found out by that, and its numbers are not looked at again.
 */
export class ReplayGuard {
  #first = -1;
  #last = -1;
  #sound = true;
  /** A fingerprint of each event, from the first number on; 0 where a number was skipped. */
  readonly #prints: number[] = [];
  /** The type of the last event, and types whose number has been seen to grow from one event to the next. */
  #type = "";
  readonly #growing: Set<string> = new Set();

  /**
   * @param sequence The event's sequence number, as it stands on the wire.
   * @param type The event's type.
   * @param content What tells the event from others of its type.
   * @returns True where the event has been seen before.
   */
  isReplay(sequence: unknown, type: string, content: string): boolean {
    if (!this.#sound || typeof sequence !== "number" || !Number.isSafeInteger(sequence) || sequence < 0) return false;
    const print = fingerprint(type, content);
    if (sequence > this.#last) {
      this.#note(sequence, type, print);
      return false;
    }
    const known = this.#prints[sequence - this.#first];
    // A number said twice in a row is a doubled event only where this type's numbers have grown before.
    const trusted = sequence < this.#last || this.#growing.has(type);
    if (known === print && trusted) return true;
    this.#sound = false;
    this.#prints.length = 0;
    return false;
  }

  #note(sequence: number, type: string, print: number): void {
    if (this.#first < 0) this.#first = sequence;
    if (sequence - this.#first > this.#prints.length + MAX_GAP) {
      this.#sound = false;
      this.#prints.length = 0;
      return;
    }
    while (this.#prints.length < sequence - this.#first) this.#prints.push(0);
    this.#prints.push(print);
    if (this.#type === type) this.#growing.add(type);
    this.#type = type;
    this.#last = sequence;
  }
}

/** FNV-1a over both, never 0. */
function fingerprint(type: string, content: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < content.length; i++) hash = Math.imul(hash ^ content.charCodeAt(i), 0x01000193);
  for (let i = 0; i < type.length; i += 3) hash = Math.imul(hash ^ type.charCodeAt(i), 0x01000193);
  // A small integer of the engine: no allocation for it.
  return (hash >>> 2) | 1;
}
