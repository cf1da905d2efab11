// A response that is still coming: what was fetched and what is told meet without a gap and without a double. Owns the
// offsets; knows neither server nor page.

import { type Piece, type ReadingOptions, Recording } from "../model/recording.ts";

/** Puts a live response together. */
export class LiveRecording {
  /** What has been put together. */
  readonly recording: Recording;
  /** Chunks that came before what lies before them. */
  #waiting: { readonly offset: number; readonly piece: Piece }[] = [];
  #ended = false;

  /** @param options How it is read. */
  constructor(options: ReadingOptions) {
    this.recording = new Recording(options);
  }

  /** Takes the body from its beginning as far as it had come: at first, and again after the connection was lost. */
  fetched(pieces: readonly Piece[]): void {
    let offset = 0;
    for (const piece of pieces) {
      this.#add(offset, piece);
      offset += piece.bytes.length;
    }
    this.#settle();
  }

  /** Takes a chunk at its byte offset. */
  chunk(offset: number, piece: Piece): void {
    if (offset > this.recording.bytes.length) this.#waiting.push({ offset, piece });
    else this.#add(offset, piece);
    this.#settle();
  }

  /** Nothing more will be told. */
  end(): void {
    this.#ended = true;
    this.#settle();
  }

  #add(offset: number, { bytes, time }: Piece): void {
    const known = this.recording.bytes.length - offset;
    if (known < bytes.length) this.recording.push(bytes.subarray(Math.max(0, known)), time);
  }

  #settle(): void {
    while (this.#waiting[0] !== undefined && this.#waiting[0].offset <= this.recording.bytes.length) {
      const { offset, piece } = this.#waiting.shift() as { offset: number; piece: Piece };
      this.#add(offset, piece);
    }
    if (this.#ended && this.#waiting.length === 0) this.recording.end();
  }
}
