// How long to wait before something is tried again. Owns the growth and the jitter; decides nothing about what is worth
// another try.

/** Milliseconds of the first wait at its longest. */
const FIRST = 500;
/** Milliseconds that no wait of ours exceeds. */
const LONGEST = 8_000;

/**
 * The wait before the next try: between half of a bound that doubles each time and all of it, so that many clients do
 * not come back at once.
 *
 * @param attempt How many tries have failed, from 1.
 * @param random A number from 0 to 1.
 * @returns Milliseconds.
 * @example
 * backOff(1, 1); // 500
 */
export function backOff(attempt: number, random: number = Math.random()): number {
  const bound = Math.min(LONGEST, FIRST * 2 ** (attempt - 1));
  return Math.round((bound / 2) * (1 + random));
}
