// The form in which a body goes to the page: pieces with their times. Owns that form, writing and reading.
//
//     time           length          bytes        time …
//     float64, ms    uint32          length
//
// Little-endian; a time of NaN is not known.

import type { Piece } from "../model/recording.ts";

const HEAD = 12;

/** One piece as it is sent. */
export function pieceBytes(bytes: Uint8Array, time: number): Uint8Array<ArrayBuffer> {
  const piece = new Uint8Array(HEAD + bytes.length);
  const view = new DataView(piece.buffer);
  view.setFloat64(0, time, true);
  view.setUint32(8, bytes.length, true);
  piece.set(bytes, HEAD);
  return piece;
}

/** Reads pieces however the bytes are cut. */
export class PieceReader {
  #held: Uint8Array<ArrayBuffer> = new Uint8Array();

  /** The pieces that these bytes complete. */
  *push(bytes: Uint8Array): Generator<Piece, void, undefined> {
    const all = new Uint8Array(this.#held.length + bytes.length);
    all.set(this.#held);
    all.set(bytes, this.#held.length);
    const view = new DataView(all.buffer);
    let at = 0;
    while (at + HEAD <= all.length) {
      const end = at + HEAD + view.getUint32(at + 8, true);
      if (end > all.length) break;
      yield { time: view.getFloat64(at, true), bytes: all.subarray(at + HEAD, end) };
      at = end;
    }
    this.#held = all.slice(at);
  }
}
