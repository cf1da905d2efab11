// Which known names a wrong one may have meant. Owns the measure; bounded in cost whatever name a model invents.

/** Longer names are compared by their beginnings. */
const MAX_LENGTH = 64;
/** Known names that are looked at. */
const MAX_KNOWN = 1_000;

/**
 * The known names nearest to a wrong one, the nearest first.
 *
 * Names are compared without case and separators, so that `getWeather` finds `get_weather`; one that holds the other
 * whole is near; beyond that a third of the letters may differ.
 *
 * @param name The wrong name.
 * @param known The right ones.
 * @param count How many to give at most.
 * @example
 * nearestNames("serch", ["search", "weather"]); // ["search"]
 */
export function nearestNames(name: string, known: readonly string[], count = 3): readonly string[] {
  const wrong = folded(name);
  if (wrong === "") return [];
  return known
    .slice(0, MAX_KNOWN)
    .map((each) => ({ each, distance: distanceOf(wrong, folded(each)) }))
    .filter(({ distance }) => distance <= 1)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ each }) => each);
}

/** Letters and digits in lower case. */
function folded(name: string): string {
  return name
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** 0 for equal, up to 1 for what is still near. */
function distanceOf(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  const allowed = Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));
  const edits = editDistance(a, b, allowed);
  // A name of which no letter is left is another one.
  if (edits <= allowed && edits < Math.max(a.length, b.length)) return edits / (allowed + 1);
  return shorter >= 4 && (a.includes(b) || b.includes(a)) ? 1 : 2;
}

/**
 * How many letters must be put in, taken out, changed or swapped with their neighbour (optimal string alignment). Rows of
 * a table, three at a time; gives up once no way costs less than `limit`.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) next.push(cost(a, b, row, column, before, last, next));
    if (Math.min(...next) > limit) return limit + 1;
    before = last;
    last = next;
  }
  return last[b.length] ?? limit + 1;
}

function cost(
  a: string,
  b: string,
  row: number,
  column: number,
  before: readonly number[],
  last: readonly number[],
  next: readonly number[],
): number {
  const at = (line: readonly number[], place: number): number => line[place] ?? Infinity;
  const changed = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
  const best = Math.min(changed, at(last, column) + 1, at(next, column - 1) + 1);
  const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
  return swapped ? Math.min(best, at(before, column - 2) + 1) : best;
}
