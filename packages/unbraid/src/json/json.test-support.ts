// What the tests of this room share: texts to try, ways to cut and to break them, and judges that know nothing of our
// code: a comparison of values and a completer that only asks `JSON.parse`.

/** Numbers in [0, 1) from a seed, the same on every machine (mulberry32). */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[below(random, choices.length)] as T;
}

const KEYS = [
  "a",
  "b",
  "a",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "0",
  "10",
  "01",
  "-1",
  "",
  "ключ",
];
const NUMBERS = [
  "0",
  "-0",
  "1",
  "12",
  "-7",
  "9007199254740993",
  "0.1",
  "-0.0",
  "1e5",
  "1E+2",
  "2.5e-3",
  "1e999",
  "-1e999",
];
const MORE_NUMBERS = ["5e-324", "1e-400", "123456789012345678901234567890", "3.14159265358979323846", "0e0", "1.0"];
const UNITS = [
  "a",
  "Z",
  " ",
  "/",
  "'",
  "{",
  "}",
  "[",
  ",",
  ":",
  "0",
  "\u007f",
  "é",
  "\u2028",
  "日",
  "😀",
  "\ud83d",
  "\ude00",
  "\ufeff",
];
const ESCAPES = [
  '\\"',
  "\\\\",
  "\\/",
  "\\b",
  "\\f",
  "\\n",
  "\\r",
  "\\t",
  "\\u0000",
  "\\u00e9",
  "\\uD83D\\uDE00",
  "\\ud83d",
  "\\udE00",
];
const SPACES = ["", "", "", "", " ", "\n", "\t", "\r\n", "  "];

/** A JSON text: any value, any spelling, white space anywhere. */
export function validText(random: Random, levels = 4): string {
  const space = pick(random, SPACES);
  return space + value(random, levels) + pick(random, SPACES);
}

function value(random: Random, levels: number): string {
  const kind = levels > 0 ? below(random, levels > 2 ? 6 : 10) : 4 + below(random, 6);
  if (kind < 2)
    return list(
      random,
      "{",
      "}",
      () => `${string(random, true)}${pick(random, SPACES)}:${validText(random, levels - 1)}`,
    );
  if (kind < 4) return list(random, "[", "]", () => validText(random, levels - 1));
  if (kind < 7) return string(random, false);
  if (kind < 9) return pick(random, random() < 0.7 ? NUMBERS : MORE_NUMBERS);
  return pick(random, ["true", "false", "null"]);
}

function list(random: Random, open: string, close: string, item: () => string): string {
  const items = Array.from({ length: below(random, 5) }, () => pick(random, SPACES) + item());
  return open + (items.length === 0 ? pick(random, SPACES) : items.join(",")) + close;
}

function string(random: Random, key: boolean): string {
  if (key && random() < 0.7) return JSON.stringify(pick(random, KEYS));
  let text = '"';
  for (let count = below(random, 8); count > 0; count--) text += pick(random, random() < 0.6 ? UNITS : ESCAPES);
  return `${text}"`;
}

const PIECES = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "0",
  "-",
  ".",
  "e",
  "+",
  "t",
  "n",
  "u",
  "\n",
  "\t",
  " ",
  "\u0000",
  "\u00a0",
  "'",
  "é",
  "\ud83d",
  "null",
  "NaN",
  "//",
  '\\"',
  "\\u12",
];

/** The text with one to three small changes. */
export function mutated(random: Random, text: string): string {
  let changed = text;
  for (let count = 1 + below(random, 3); count > 0; count--) changed = mutatedOnce(random, changed);
  return changed;
}

function mutatedOnce(random: Random, text: string): string {
  const at = below(random, text.length + 1);
  const end = Math.min(text.length, at + 1 + below(random, 3));
  switch (below(random, 6)) {
    case 0:
      return text.slice(0, at) + pick(random, PIECES) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(end);
    case 2:
      return text.slice(0, at) + pick(random, PIECES) + text.slice(at + 1);
    case 3:
      return text.slice(0, end) + text.slice(at);
    case 4:
      return text.slice(0, at);
    default:
      return text.slice(0, at) + text.slice(at + 1, at + 2) + text.slice(at, at + 1) + text.slice(at + 2);
  }
}

/** The text in fragments of random length, some of them empty. */
export function cut(random: Random, text: string): string[] {
  const longest = pick(random, [1, 2, 4, 9, 40]);
  const fragments: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = below(random, longest + 1);
    fragments.push(text.slice(at, at + length));
    at += length;
  }
  return fragments;
}

/** What `JSON.parse` says. */
export function native(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** The same JSON value: own keys in the same order, also `__proto__`; -0 is not 0. Without recursion. */
export function sameValue(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
      if (!Object.is(a, b)) return false;
      continue;
    }
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    const keys = Reflect.ownKeys(a);
    const others = Reflect.ownKeys(b);
    if (keys.length !== others.length || keys.some((key, at) => key !== others[at])) return false;
    for (const key of keys) pairs.push([Reflect.get(a, key), Reflect.get(b, key)]);
  }
  return true;
}

const TOKEN_ENDS = [
  "",
  "0",
  '"',
  'n"',
  '0"',
  '00"',
  '000"',
  '0000"',
  "rue",
  "ue",
  "e",
  "alse",
  "lse",
  "se",
  "ull",
  "ll",
  "l",
];
const ENDS = [...TOKEN_ENDS, ...TOKEN_ENDS.map((end) => `${end}:0`), '"":0'];

/** Whether a text can be continued to JSON, by trying: every way to end a token, then the closing brackets. */
export function canBeCompleted(text: string): boolean {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/gsu, "").replace(/".*$/su, "");
  let closing = "";
  for (const character of outside) {
    if (character === "{") closing = `}${closing}`;
    else if (character === "[") closing = `]${closing}`;
    else if (character === "}" || character === "]") closing = closing.slice(1);
  }
  return ENDS.some((end) => native(text + end + closing) !== undefined);
}
