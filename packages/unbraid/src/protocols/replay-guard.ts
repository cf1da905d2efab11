// Events that a reconnecting stream sends again. Owns the memory of sequence numbers: one small number for each event.

import { release } from "../release.ts";

/** Numbers that may be skipped before the numbering counts as unsound. */
const MAX_GAP = 1000;
/** Fingerprints that there is room for at the beginning. */
const FEWEST = 64;

/**
 * Tells replayed events by their sequence number. A number that does not grow is a replay only when the same number came
 * before with the same content, and only while the numbering has proved sound: a server that numbers badly (all zero, anew
 * for each item, one number for all fragments) is found out by that, and its numbers are not looked at again.
 */
export class ReplayGuard {
  #first = -1;
  #last = -1;
  #sound = true;
  /** A fingerprint of each event, from the first number on; 0 where a number was skipped. A list would take twice as much. */
  #prints: Int32Array = new Int32Array(FEWEST);
  #count = 0;
  /** The type of the last event, its hash, and whether its number is known to grow from one event to the next. */
  #type = "";
  #typeHash = 0;
  #typeGrows = false;
  /** All types of which that is known. */
  readonly #growing: Set<string> = new Set();

  /**
   * @param sequence The event's sequence number, as it stands on the wire.
   * @param type The event's type.
   * @param content What tells the event from others of its type.
   * @param place A number that tells it from them, too: the item's.
   * @returns True where the event has been seen before.
   */
  isReplay(sequence: unknown, type: string, content: string, place = -1): boolean {
    if (!this.#sound || typeof sequence !== "number" || !Number.isSafeInteger(sequence) || sequence < 0) return false;
    const again = type === this.#type;
    const typeHash = again ? this.#typeHash : hashOf(type, BASIS);
    // Never 0.
    const print = (hashOf(content, typeHash ^ place) >>> 2) | 1;
    if (sequence > this.#last) {
      if (!again) {
        this.#type = type;
        this.#typeHash = typeHash;
        this.#typeGrows = this.#growing.has(type);
      } else if (!this.#typeGrows) {
        this.#growing.add(type);
        this.#typeGrows = true;
      }
      this.#note(sequence, print);
      return false;
    }
    const at = sequence - this.#first;
    const known = at >= 0 && at < this.#count ? this.#prints[at] : undefined;
    // A number said twice in a row is a doubled event only where this type's numbers have grown before.
    const trusted = sequence < this.#last || this.#growing.has(type);
    if (known === print && trusted) return true;
    this.#giveUp();
    return false;
  }

  #giveUp(): void {
    this.#sound = false;
    this.#replace(0);
  }

  #note(sequence: number, print: number): void {
    if (this.#first < 0) this.#first = sequence;
    const at = sequence - this.#first;
    if (at > this.#count + MAX_GAP) return this.#giveUp();
    if (at >= this.#prints.length) this.#replace(2 * (at + 1));
    this.#prints[at] = print;
    this.#count = at + 1;
    this.#last = sequence;
  }

  /** Goes on in another array, zeros behind what is known. */
  #replace(size: number): void {
    const old = this.#prints;
    this.#prints = new Int32Array(size);
    this.#prints.set(old.subarray(0, Math.min(size, this.#count)));
    release(old);
  }
}

const BASIS = 0x811c9dc5;

/** Of a text more than twice as long its length counts and this much of both ends; of others every character. */
const ENDS = 256;

/** FNV-1a over the characters of a text, going on from a hash. */
function hashOf(text: string, from: number): number {
  const { length } = text;
  if (length > 2 * ENDS) return hashOf(text.slice(0, ENDS), hashOf(text.slice(-ENDS), from ^ length));
  let hash = from;
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
