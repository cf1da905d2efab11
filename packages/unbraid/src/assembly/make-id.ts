// Ids for calls that came without one. Owns the recipe: the same response read again gives the same ids.

/** What tells a response from others, as two 32-bit numbers. */
export interface IdSeed {
  readonly high: number;
  readonly low: number;
}

/** Odd multipliers of the two lanes: the golden ratio in 32 bits, and FNV's prime. */
const HIGH = 0x9e3779b1;
const LOW = 0x01000193;

/** Makes a seed; costs the length of the text, once a response. */
export function idSeed(text: string): IdSeed {
  return { high: hash(text, 0x811c9dc5, HIGH), low: hash(text, 0x7ee3623a, LOW) };
}

/**
 * Makes an id. Not a secret and not a checksum: 64 mixed bits, enough that no two calls of one conversation share an id.
 *
 * @param seed What tells this response from others.
 * @param ordinal Which call of the response, from 0.
 * @param attempt Which try, where the one before gave an id that is taken.
 * @param salt What else tells the call from one in a response that began alike.
 * @returns `call_` and 16 hexadecimal digits.
 * @example
 * makeId(idSeed("chatcmpl-1"), 0) === makeId(idSeed("chatcmpl-1"), 0); // true
 */
export function makeId(seed: IdSeed, ordinal: number, attempt = 0, salt = ""): string {
  const text = `${ordinal}:${attempt}:${salt}`;
  const high = hash(text, seed.high ^ Math.imul(seed.low, LOW), HIGH);
  const low = hash(text, seed.low ^ Math.imul(high, HIGH), LOW);
  return `call_${hex(high)}${hex(low)}`;
}

function hash(text: string, basis: number, multiplier: number): number {
  let state = basis;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), multiplier);
  return mixed(state);
}

/** Lets every bit of the state reach every bit of the result: each step can be undone, so none is lost. */
function mixed(state: number): number {
  let bits = state;
  bits = Math.imul(bits ^ (bits >>> 15), HIGH);
  bits = Math.imul(bits ^ (bits >>> 13), 0x85ebca6b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function hex(number: number): string {
  return number.toString(16).padStart(8, "0");
}
