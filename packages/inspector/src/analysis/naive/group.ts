// Comparisons that say the same, counted. Owns the folding: a naive reader that goes wrong once a fragment goes wrong a
// hundred times.

import type { Comparison } from "./compare.ts";

/** Comparisons in a row that would look the same. */
export interface Group {
  /** One of them. */
  readonly comparison: Comparison;
  /** How many there are. */
  readonly count: number;
}

/** Folds comparisons in a row that belong to no call of ours and say the same. */
export function grouped(list: readonly Comparison[]): readonly Group[] {
  const groups: { comparison: Comparison; count: number }[] = [];
  for (const comparison of list) {
    const last = groups.at(-1);
    if (last !== undefined && isLike(last.comparison, comparison)) last.count++;
    else groups.push({ comparison, count: 1 });
  }
  return groups;
}

function isLike(one: Comparison, other: Comparison): boolean {
  return (
    one.ours === undefined &&
    other.ours === undefined &&
    one.words === other.words &&
    one.naive?.name === other.naive?.name &&
    one.naive?.text === other.naive?.text
  );
}
