// What stands at a path of some arguments, in a few words for a model. Owns the walk and the words.

import { boundedJson } from "./bounded-json.ts";
import { inline } from "./excerpt.ts";

/** UTF-16 units of a value that are shown. */
const SHOWN = 60;

/**
 * What came at a path.
 *
 * @param args The arguments, as they were parsed.
 * @param path Keys and indexes from the root.
 * @returns JSON, cut with `…`; `nothing` where there is nothing.
 * @example
 * received({ days: [1, "two"] }, ["days", 1]); // '"two"'
 */
export function received(args: unknown, path: readonly (string | number)[]): string {
  let at = args;
  for (const step of path) {
    // Own keys alone: `constructor` is nothing that a model sent.
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return "nothing";
    at = Reflect.get(at, step);
  }
  if (at === undefined) return "nothing";
  const { text, cut } = boundedJson(at, SHOWN);
  return cut ? `${inline(text, SHOWN)}…` : inline(text, SHOWN);
}
