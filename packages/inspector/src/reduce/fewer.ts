// Fewer parts that still show the same: delta debugging ("ddmin", Zeller and Hildebrandt 2002). Owns the search and its
// bound; what "the same" is, the caller says.

/**
 * Leaves out as many parts as it can.
 *
 * @param parts All of them; they show it together.
 * @param shows Whether these parts still show it. Called once for each trial.
 * @param more Whether another trial may be made. Waits between trials where it likes.
 * @returns The parts that are left, in order.
 */
export async function fewest<Part>(
  parts: readonly Part[],
  shows: (kept: readonly Part[]) => Promise<boolean>,
  more: () => Promise<boolean>,
): Promise<readonly Part[]> {
  let kept = parts;
  let pieces = 2;
  while (kept.length > 1 && (await more())) {
    const smaller = await without(kept, pieces, shows, more);
    if (smaller !== undefined) {
      kept = smaller;
      pieces = Math.max(2, pieces - 1);
    } else {
      if (pieces >= kept.length) break;
      pieces = Math.min(kept.length, 2 * pieces);
    }
  }
  return kept;
}

/** The parts without the first of so many pieces that can be left out, and without all behind it that can. */
async function without<Part>(
  parts: readonly Part[],
  pieces: number,
  shows: (kept: readonly Part[]) => Promise<boolean>,
  more: () => Promise<boolean>,
): Promise<readonly Part[] | undefined> {
  const size = Math.ceil(parts.length / pieces);
  let kept = parts;
  // From the end: what comes late depends on what came early.
  for (let end = kept.length; end > 0 && (await more()); end -= size) {
    const trial = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)];
    if (trial.length > 0 && (await shows(trial))) kept = trial;
  }
  return kept.length < parts.length ? kept : undefined;
}
