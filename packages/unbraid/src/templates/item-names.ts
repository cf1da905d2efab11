// The names of items in the frames of a response: nearly every frame of a call has the same one, and a string that is known
// costs a comparison of its bytes instead of a string of its own, and a look into a map by it next to nothing. Owns the
// bounded memory of these strings.

import { characters } from "./ascii.ts";

/** Names that are remembered, by the index of their call. A response rarely has more calls open. */
const SLOTS = 64;

/** See the file's head. */
export class ItemNames {
  readonly #names: string[] = [];

  /**
   * The name that stands in a range of bytes.
   *
   * @param bytes ASCII in that range.
   * @param start Its first byte.
   * @param end Behind its last one.
   * @param index The index of the call, or anything that few names share.
   */
  read(bytes: Uint8Array, start: number, end: number, index: number): string {
    const slot = index & (SLOTS - 1);
    const known = this.#names[slot];
    if (known !== undefined && stands(known, bytes, start, end)) return known;
    return (this.#names[slot] = characters(bytes, start, end));
  }
}

function stands(name: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
