// The arrival times that a recording has beside its body. Owns the cutting of a body as it came, and the clock that tells its
// reader when each piece did.

import { type Arrival, timesBeside } from "@unbraid/server/recordings";
import { STDIN } from "./open.ts";

/** A body as it came. */
export interface Recorded {
  /** The bytes, cut at the arrivals; the clock stands at each piece's time while it is handed on. */
  readonly pieces: (input: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  /** Milliseconds since the request. */
  readonly clock: () => number;
}

/**
 * What is known of a body's arrival.
 *
 * @param name A path, or `-`.
 * @returns Undefined where no times were recorded.
 */
export async function recordedTimes(name: string): Promise<Recorded | undefined> {
  const times = name === STDIN ? [] : await timesBeside(name);
  return times.length === 0 ? undefined : recordedWith(times);
}

/** As {@link recordedTimes}, from times that are there. */
export function recordedWith(times: readonly Arrival[]): Recorded {
  let now = times[0]?.[0] ?? 0;
  return {
    clock: () => now,
    async *pieces(input) {
      let offset = 0;
      let at = 0;
      for await (const chunk of input) {
        let from = 0;
        while (from < chunk.length) {
          while (at < times.length - 1 && (times[at]?.[1] ?? 0) <= offset) at++;
          const [ms = now, end = Infinity] = times[at] ?? [];
          now = ms;
          // Behind the last arrival there is no time for anything.
          const size = end > offset ? Math.min(chunk.length - from, end - offset) : chunk.length - from;
          yield chunk.subarray(from, from + size);
          from += size;
          offset += size;
        }
      }
    },
  };
}
