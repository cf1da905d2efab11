// Paths into a JSON value: the part of JSONPath (RFC 9535) that names places without searching. Owns their grammar and
// the normalized spelling; knows no values.

/** One step of a path: a member's name, an element's index, or every child. */
export type PathSegment =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "any" };

const ANY: PathSegment = { kind: "any" };

/**
 * Reads a path: `$`, then any of `.name`, `['name']` or `["name"]`, `[0]`, `.*` or `[*]`.
 *
 * @param path The path. RFC 9535's descendants, slices, filters, lists and indexes from the end are not understood.
 * @returns The steps from the root.
 * @throws TypeError naming the place in the path that is not understood.
 *
 * @example
 * parsePath("$.edits[*]['new text']"); // name "edits", any, name "new text"
 */
export function parsePath(path: string): readonly PathSegment[] {
  if (!path.startsWith("$")) fail(path, 0, "expected '$' at the start");
  const segments: PathSegment[] = [];
  let at = 1;
  while (at < path.length) {
    const [segment, end] =
      path[at] === "."
        ? afterDot(path, at + 1)
        : path[at] === "["
          ? inBrackets(path, at + 1)
          : fail(path, at, "expected '.' or '['");
    segments.push(segment);
    at = end;
  }
  return segments;
}

type Step = readonly [segment: PathSegment, end: number];

function afterDot(path: string, at: number): Step {
  if (path[at] === "*") return [ANY, at + 1];
  let end = at;
  while (end < path.length && isNameUnit(path.charCodeAt(end), end === at)) end++;
  if (end === at) fail(path, at, path[at] === "." ? "descendants ('..') are not supported" : "expected a name or '*'");
  return [{ kind: "name", name: path.slice(at, end) }, end];
}

/** RFC 9535, section 2.5.1.1: letters, digits, underscore and everything outside ASCII; no digit at the start. */
function isNameUnit(unit: number, first: boolean): boolean {
  if (unit >= 0x80 || unit === 0x5f) return true;
  if (unit >= 0x30 && unit <= 0x39) return !first;
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

function inBrackets(path: string, at: number): Step {
  const first = path[at];
  if (first === "'" || first === '"') {
    const [name, end] = quotedName(path, at + 1, first);
    return [{ kind: "name", name }, closed(path, end)];
  }
  if (first === "*") return [ANY, closed(path, at + 1)];
  let end = at;
  while (end < path.length && path.charCodeAt(end) >= 0x30 && path.charCodeAt(end) <= 0x39) end++;
  if (end === at) fail(path, at, "expected a quoted name, an index from 0 or '*'");
  const digits = path.slice(at, end);
  const index = Number(digits);
  if ((digits.length > 1 && digits.startsWith("0")) || !Number.isSafeInteger(index))
    fail(path, at, "expected an index without leading zeros, below 2^53");
  return [{ kind: "index", index }, closed(path, end)];
}

function closed(path: string, at: number): number {
  return path[at] === "]" ? at + 1 : fail(path, at, "expected ']'");
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["/", "/"],
  ["\\", "\\"],
]);

function quotedName(path: string, from: number, quote: string): readonly [name: string, end: number] {
  let name = "";
  let at = from;
  for (;;) {
    const character = path[at];
    if (character === undefined) return fail(path, at, `expected ${quote} at the end of the name`);
    if (character === quote) return [name, at + 1];
    if (character !== "\\") {
      name += character;
      at++;
      continue;
    }
    const after = path[at + 1] ?? "";
    if (after === "u") {
      const digits = path.slice(at + 2, at + 6);
      if (!/^[0-9A-Fa-f]{4}$/.test(digits)) fail(path, at, "expected four hexadecimal digits after '\\u'");
      name += String.fromCharCode(Number.parseInt(digits, 16));
      at += 6;
    } else {
      name += after === quote ? quote : (ESCAPES.get(after) ?? fail(path, at, "expected an escape of RFC 9535"));
      at += 2;
    }
  }
}

function fail(path: string, at: number, reason: string): never {
  throw new TypeError(`path ${JSON.stringify(path)}: ${reason}, at character ${at + 1}`);
}

/**
 * A step in the normalized spelling of RFC 9535, section 2.7.
 *
 * @param step A member's name or an element's index.
 * @returns For example `['content']` or `[0]`.
 *
 * @example
 * normalizedStep("it's"); // "['it\\'s']"
 */
export function normalizedStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  let name = "";
  for (let at = 0; at < step.length; at++) name += normalizedUnit(step.charAt(at));
  return `['${name}']`;
}

function normalizedUnit(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  // JSON's short escapes and four lower-case hexadecimal digits are those of a normalized path.
  return character < " " ? JSON.stringify(character).slice(1, -1) : character;
}
