// The calls that the frames of a response name: nearly every frame of a call has the same index and the same name of an item,
// and a record that is known costs a comparison of bytes instead of a string of its own, and a look into a map by that string
// next to nothing. Owns the bounded memory of these records.

import { characters } from "./ascii.ts";

/** Records that are remembered, by the index. A response rarely has more calls open. */
const SLOTS = 64;

/** A call as a frame names it; the same object again where the same bytes name it. */
export interface NamedCall {
  /** -1 where the frame has no such hole. */
  readonly index: number;
  /** Empty where it has none. */
  readonly item: string;
}

/** See the file's head. */
export class NamedCalls {
  readonly #known: NamedCall[] = [];

  /**
   * The call that stands in a frame.
   *
   * @param bytes ASCII in the range of the item's name.
   * @param start Its first byte.
   * @param end Behind its last one.
   * @param index The index.
   */
  read(bytes: Uint8Array, start: number, end: number, index: number): NamedCall {
    const slot = index & (SLOTS - 1);
    const known = this.#known[slot];
    if (known !== undefined && known.index === index && stands(known.item, bytes, start, end)) return known;
    return (this.#known[slot] = { index, item: characters(bytes, start, end) });
  }
}

function stands(name: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
