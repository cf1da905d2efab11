// Where the frames of a body begin and end, also those of which nothing was said. Owns the choice among all framings; what
// stands in a frame, the reader knows.

import { awsEventStream, createFramer, type Framer } from "unbraid/framing";

/** Told of each frame: byte offsets. */
export type OnFrame = (start: number, end: number) => void;

/** Cuts a body into frames as it comes. */
export class FrameCutter {
  readonly #onFrame: OnFrame;
  readonly #framer: Framer = createFramer({ extra: [awsEventStream] });

  /** @param onFrame Called for each frame, in order. */
  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  /** What the library calls the framing; undefined while the first bytes have not told. */
  get framing(): string | undefined {
    return this.#framer.framing;
  }

  /** Takes the next bytes. */
  push(bytes: Uint8Array): void {
    this.#framer.push(bytes, ({ start, end }) => this.#onFrame(start, end));
  }

  /** Ends the body. */
  end(): void {
    this.#framer.end(({ start, end }) => this.#onFrame(start, end));
  }
}
