// Times as ratios. Owns the turns: every subject runs once a round, in the same process, and is divided by the first one's
// time of that round, so that what else the machine does hits both. Processor time counts, for a subject does not answer for
// the time that other programs had. Medians of these ratios are compared, never times of different runs.

import type { Body } from "./bodies.ts";
import type { Subject } from "./subjects.ts";

/** What a subject took for one body. */
export interface Timing {
  readonly subject: string;
  /** Median of the rounds, in milliseconds of processor time, that of the engine's other threads included. */
  readonly milliseconds: number;
  /** Median of that time divided by the first subject's in the same round. */
  readonly ratio: number;
  /** The same of the wall's clock. */
  readonly wall: number;
}

/** How often. */
export interface Effort {
  /** Rounds that count. */
  readonly rounds: number;
  /** Rounds before those, for what is compiled late. */
  readonly warmUp: number;
  /** Readings of the body in one turn: a short one is read many times over, for a clock to see it. */
  readonly repeat: number;
}

/**
 * Runs the subjects in turn.
 *
 * @param subjects The first one is what the others are compared with.
 * @throws Error where a subject found another amount of argument text than the body holds: its time would mean nothing.
 */
export async function compare(
  body: Body,
  chunks: readonly Uint8Array[],
  subjects: readonly Subject[],
  { rounds, warmUp, repeat }: Effort,
): Promise<Timing[]> {
  const turns: { readonly wall: number; readonly cpu: number }[][] = subjects.map(() => []);
  for (let round = -warmUp; round < rounds; round++) {
    for (const [at, subject] of subjects.entries()) {
      const start = performance.now();
      const used = process.cpuUsage();
      let found = subject.run(body, chunks);
      for (let turn = 1; turn < repeat; turn++) {
        if (typeof found !== "number") await found;
        found = subject.run(body, chunks);
      }
      const characters = await found;
      const { user, system } = process.cpuUsage(used);
      if (round >= 0)
        turns[at]?.push({ wall: (performance.now() - start) / repeat, cpu: (user + system) / 1000 / repeat });
      if (characters !== body.argumentCharacters)
        throw new Error(
          `${subject.name} found ${characters} characters in "${body.name}", which holds ${body.argumentCharacters}`,
        );
    }
  }
  const floor = turns[0] ?? [];
  return subjects.map(({ name }, at) => {
    const own = turns[at] ?? [];
    return {
      subject: name,
      milliseconds: median(own.map(({ cpu }) => cpu)),
      ratio: median(own.map(({ cpu }, round) => cpu / (floor[round]?.cpu ?? 1))),
      wall: median(own.map(({ wall }, round) => wall / (floor[round]?.wall ?? 1))),
    };
  });
}

/** The middle one; of an even number the greater of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
