// Ids for calls that came without one. Owns the recipe: the same response read again gives the same ids.

/**
 * Makes an id. Not a secret and not a checksum: 64 bits of FNV-1a, enough that two responses of one conversation do not
 * share ids. FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
 *
 * @param seed What tells this response from others.
 * @param ordinal Which call of the response, from 0; any number, also of further tries.
 * @returns `call_` and 16 hexadecimal digits.
 * @example
 * makeId("chatcmpl-1", 0) === makeId("chatcmpl-1", 0); // true
 */
export function makeId(seed: string, ordinal: number): string {
  const text = `${ordinal}\u0000${seed}`;
  return `call_${fnv(text, 0x811c9dc5)}${fnv(text, 0x7ee3623a)}`;
}

function fnv(text: string, basis: number): string {
  let hash = basis;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
