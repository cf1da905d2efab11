// The one reading of a malformed argument object, where there is exactly one. Owns what may stand around the object; what
// may be wrong inside it is `rewrite.ts`. Offers, never applies: that is the user's choice.

import { layoutEnd, type RepairCode, rewrite } from "./rewrite.ts";

/** Options of {@link repairArguments}. */
export interface RepairOptions {
  /** The names of the tool's parameters; without them a text whose opening is missing is not repaired. */
  readonly parameters?: readonly string[];
}

/** A corrected argument text. */
export interface ArgumentRepair {
  /** JSON text of an object, from its first brace to its last. */
  readonly text: string;
  /** What `text` parses to. */
  readonly value: Readonly<Record<string, unknown>>;
  /** What was corrected, each code once, in order of appearance. */
  readonly codes: readonly RepairCode[];
}

/**
 * Corrects a malformed JSON object that a model gave as arguments, when there is exactly one thing it can mean; see
 * {@link RepairCode} for what is understood. Several faults may come together. In one pass, linear in the text.
 *
 * No repair: a quote that is missing or not escaped, an invalid escape (`C:\\Users\\new` holds a valid one), a backslash
 * before a raw line feed (is the backslash meant?), NaN and other numbers that are not JSON, `undefined`, a value or
 * comma that is missing, keys without quotes, comments, two objects behind each other, a bracket too many, text that is
 * cut short.
 *
 * @param text The argument text as the model wrote it.
 * @param options What is known of the tool.
 * @returns The correction; undefined when there is none, and also when the text is a JSON object already.
 *
 * @example
 * repairArguments("{'city': 'Lima', 'detailed': True}");
 * // { text: '{"city": "Lima", "detailed": true}', value: { … }, codes: ["python-literal"] }
 */
export function repairArguments(text: string, options: RepairOptions = {}): ArgumentRepair | undefined {
  const codes = new Set<RepairCode>();
  const opened = withOpening(text, options.parameters ?? [], codes);
  if (opened === undefined) return undefined;
  const rewritten = rewrite(opened, codes);
  if (rewritten === undefined || !endsWell(opened, rewritten.end, codes)) return undefined;
  const result = verify(rewritten.json, codes);
  return result === undefined || codes.size === 0 ? undefined : { ...result, codes: [...codes] };
}

const FENCE = "```";

/** The text from its first bracket on, which is added where it is missing; undefined when there is none to be seen. */
function withOpening(text: string, parameters: readonly string[], codes: Set<RepairCode>): string | undefined {
  const start = layoutEnd(text, 0, codes);
  const fence = text.indexOf(FENCE, start);
  let at = start;
  // Words before a fence introduce it. Without a fence they could be a key: `path: {…}`.
  if (fence === start || (fence > start && isProse(text, start, fence))) {
    if (fence > start) codes.add("surrounding-prose");
    codes.add("markdown-fence");
    at = layoutEnd(text, fenceEnd(text, fence), codes);
  }
  if (text[at] === "{" || text[at] === "[") return text.slice(at);
  const missing = missingOpening(text, at, parameters);
  if (missing === undefined) return undefined;
  codes.add("missing-opening");
  return missing + text.slice(at);
}

/** The end of the backticks and of the language's name behind them. */
function fenceEnd(text: string, from: number): number {
  let at = from;
  while (text[at] === "`") at++;
  while (isWordUnit(text.charCodeAt(at))) at++;
  return at;
}

/**
 * What is missing before a text that starts with the first key, as after a server that drops its first token:
 *
 *     command": "uptime"}
 *     ^ `{"` is missing       ("command": … misses only the brace)
 *
 * That this is the first key is certain only for a declared parameter, and that it is whole only when no other declared
 * parameter ends in it (`path` may be the rest of `file_path`).
 */
function missingOpening(text: string, at: number, parameters: readonly string[]): string | undefined {
  const first = text[at];
  if (first === '"' || first === "'") {
    const quoted = parameters.some((name) => text.startsWith(name, at + 1) && text[at + 1 + name.length] === first);
    return quoted ? "{" : undefined;
  }
  for (const name of parameters) {
    const quote = text[at + name.length];
    if ((quote === '"' || quote === "'") && text.startsWith(name, at))
      return parameters.some((other) => other !== name && other.endsWith(name)) ? undefined : `{${quote}`;
  }
  return undefined;
}

/** Whether nothing stands behind the object but layout, the end of a fence, and words. */
function endsWell(text: string, end: number, codes: Set<RepairCode>): boolean {
  let at = layoutEnd(text, end, codes);
  if (text.startsWith(FENCE, at)) {
    codes.add("markdown-fence");
    while (text[at] === "`") at++;
    at = layoutEnd(text, at, codes);
  }
  if (at === text.length) return true;
  if (at === end || !isProse(text, at, text.length)) return false;
  codes.add("surrounding-prose");
  return true;
}

/** Words, without anything that could be a part of JSON: no quote, bracket, backslash or backtick. */
function isProse(text: string, from: number, to: number): boolean {
  if (!/^\p{L}/u.test(text.slice(from, from + 2))) return false;
  for (let at = from; at < to; at++) if ('"{}[]\\`'.includes(text.charAt(at))) return false;
  return true;
}

function isWordUnit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

/** Whatever the rewriting let pass, the parser judges; an object alone in an array is taken out of it. */
function verify(json: string, codes: Set<RepairCode>): Omit<ArgumentRepair, "codes"> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (isObject(value)) return { text: json, value };
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const only: unknown = value[0];
  if (!isObject(only)) return undefined;
  codes.add("object-in-array");
  return { text: json.slice(1, -1).trim(), value: only };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
