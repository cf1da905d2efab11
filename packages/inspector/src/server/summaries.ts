// The lines of the list. Owns the reading of bodies one after another, in the background, with an eye on who else wants to
// run: a folder of thousands must not hold the page up.

import { createReader } from "unbraid";
import { rescue } from "unbraid/rescue";
import { Summariser, type Summary } from "../model/summary.ts";
import type { RecordedResponse, ResponseDescription, TimedBytes } from "./entry.ts";

/** Bytes that are read at a stretch. */
const STRETCH = 64 * 1024;

/** Counts a response while it comes. */
export class LiveSummary {
  readonly #summariser: Summariser = new Summariser();
  readonly #reader: ReturnType<typeof createReader>;

  /** @param description How it is read. */
  constructor({ protocol, tools }: ResponseDescription) {
    this.#reader = createReader({
      rescue,
      ...(protocol === undefined ? {} : { protocol }),
      ...(tools === undefined ? {} : { tools }),
    });
  }

  /** Takes a chunk. */
  push(bytes: Uint8Array, time: number): void {
    this.#summariser.chunk(bytes.length, time);
    for (const event of this.#reader.push(bytes)) this.#summariser.take(event);
  }

  /** Ends the body. */
  end(): void {
    for (const event of this.#reader.end()) this.#summariser.take(event);
  }

  /** The line as it stands. */
  summary(over: boolean): Summary {
    return this.#summariser.summary(this.#reader.protocol, over);
  }
}

/**
 * Reads a recorded body for its line.
 *
 * @param source The body.
 * @param limit Bytes that are read at most.
 * @throws whatever the source throws.
 */
export async function summaryOf(source: RecordedResponse, limit: number): Promise<Summary> {
  const live = new LiveSummary(source);
  let length = 0;
  for await (const { bytes, time } of timed(source.open())) {
    for (let at = 0; at < bytes.length; at += STRETCH) {
      live.push(bytes.subarray(at, at + STRETCH), time);
      if (bytes.length > STRETCH) await new Promise(setImmediate);
    }
    length += bytes.length;
    if (length > limit) break;
  }
  live.end();
  return live.summary(true);
}

/** Chunks of any source with a time, NaN where it is not known. */
export async function* timed(
  source: AsyncIterable<Uint8Array | TimedBytes>,
): AsyncGenerator<TimedBytes, void, undefined> {
  for await (const chunk of source) yield chunk instanceof Uint8Array ? { bytes: chunk, time: Number.NaN } : chunk;
}
