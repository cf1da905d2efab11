// Ids for calls that came without one. Owns the recipe: the same response read again gives the same ids.

/** Odd multipliers of the two halves: the golden ratio in 32 bits, and FNV's prime. */
const HIGH = 0x9e3779b1;
const LOW = 0x01000193;

/**
 * Makes a seed: what tells a response from others, in 16 hexadecimal digits. Costs the length of the text, once a response.
 */
export function idSeed(text: string): string {
  return half(text, 0x811c9dc5, HIGH) + half(text, 0x7ee3623a, LOW);
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
export function makeId(seed: string, ordinal: number, attempt = 0, salt = ""): string {
  return `call_${idSeed(`${seed}:${ordinal}:${attempt}:${salt}`)}`;
}

/** What a made id is made of: what tells its response from others, and the frame that starts its call. */
export interface IdSource {
  seed: string | undefined;
  readonly frame: { readonly data: string };
}

/** UTF-16 units of the frame that starts a call that go into its made id: enough to tell responses that began alike. */
const MAX_SALT = 1024;

/**
 * Makes an id that nothing in the response has: the next try is as fixed as the first one.
 *
 * @param ordinal Which call of the response, from 0.
 * @param isTaken Whether a call has that id.
 */
export function freeId(source: IdSource, ordinal: number, isTaken: (id: string) => boolean): string {
  const seed = (source.seed ??= idSeed(""));
  for (let attempt = 0; ; attempt++) {
    const id = makeId(seed, ordinal, attempt, source.frame.data.slice(0, MAX_SALT));
    if (!isTaken(id)) return id;
  }
}

/** Every bit of the text reaches every bit of the result: each step can be undone, so none is lost. */
function half(text: string, basis: number, multiplier: number): string {
  let bits = basis;
  for (let i = 0; i < text.length; i++) bits = Math.imul(bits ^ text.charCodeAt(i), multiplier);
  bits = Math.imul(bits ^ (bits >>> 15), HIGH);
  bits = Math.imul(bits ^ (bits >>> 13), 0x85ebca6b);
  return ((bits ^ (bits >>> 16)) >>> 0).toString(16).padStart(8, "0");
}
