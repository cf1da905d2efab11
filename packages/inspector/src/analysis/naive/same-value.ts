// Whether two JSON values are the same. Owns that question; written without recursion, for the values are as deep as
// whoever wrote them liked.

/**
 * True where two JSON values are equal, whatever the order of their members.
 *
 * @param one A value that came out of `JSON.parse`.
 * @param other Another.
 */
export function sameValue(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (Object.is(a, b)) continue;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      pairs.push([a[key as keyof typeof a], b[key as keyof typeof b]]);
    }
  }
  return true;
}
