// Whether two argument texts say the same. Owns the comparison; pure functions.

import { exactNumber } from "../json/exact-number.ts";
import { parseJson } from "../json/parse.ts";

/**
 * Whether two texts are equal, or are JSON of equal value whatever its spacing and key order.
 *
 * @example
 * sameArguments('{"a":1}', '{ "a": 1 }'); // true
 */
export function sameArguments(a: string, b: string): boolean {
  if (a.trim() === b.trim()) return true;
  // Numbers that a double cannot tell apart are told apart by their digits.
  const options = LONG_NUMBER.test(a) ? { number: exactNumber } : {};
  const first = parseJson(a, options);
  const second = parseJson(b, options);
  return first.ok && second.ok && same(first.value, second.value, 0);
}

const LONG_NUMBER = /\d{15}/;

/** Deeper than this two values count as different: a comparison must not exhaust the stack. */
const MAX_DEPTH = 500;

function same(a: unknown, b: unknown, depth: number): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || depth > MAX_DEPTH) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(Reflect.get(a, key), Reflect.get(b, key), depth + 1));
}
