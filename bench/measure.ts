// Times as ratios. Owns the turns: every subject runs once a round, in the same process, so that what else the machine does
// hits all of them alike; medians of the rounds are compared, never times of different runs.

import type { Body } from "./bodies.ts";
import type { Subject } from "./subjects.ts";

/** What a subject took. */
export interface Timing {
  readonly subject: string;
  /** Median of the rounds, in milliseconds. */
  readonly milliseconds: number;
  /** Median divided by the first subject's. */
  readonly ratio: number;
}

/**
 * Runs the subjects in turn.
 *
 * @param subjects The first one is what the others are compared with.
 * @param rounds How often each one runs, after one round that is not counted.
 * @throws Error where a subject found another amount of argument text than the body holds: its time would mean nothing.
 */
export async function compare(
  body: Body,
  chunks: readonly Uint8Array[],
  subjects: readonly Subject[],
  rounds: number,
): Promise<Timing[]> {
  const times: number[][] = subjects.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, subject] of subjects.entries()) {
      const start = performance.now();
      const found = await subject.run(body, chunks);
      const took = performance.now() - start;
      if (found !== body.argumentCharacters) {
        throw new Error(
          `${subject.name} found ${found} characters in "${body.name}", which holds ${body.argumentCharacters}`,
        );
      }
      if (round > 0) times[at]?.push(took);
    }
  }
  const medians = times.map(median);
  const floor = medians[0] ?? 1;
  return subjects.map(({ name }, at) => ({
    subject: name,
    milliseconds: medians[at] ?? 0,
    ratio: (medians[at] ?? 0) / floor,
  }));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
