// Whether two argument texts say the same. Owns the comparison; pure functions.

/**
 * Whether two texts are equal, or are JSON of equal value whatever its spacing, key order and spelling. Costs their length.
 *
 * @example
 * sameArguments('{"a":1}', '{ "a": 1 }'); // true
 */
export function sameArguments(a: string, b: string): boolean {
  if (a.trim() === b.trim()) return true;
  try {
    if (!sameValue(JSON.parse(a), JSON.parse(b))) return false;
    if (!LONG_NUMBER.test(a) && !LONG_NUMBER.test(b)) return true;
    // Numbers that a double cannot tell apart are told apart by their digits.
    return sameValue(JSON.parse(withDigits(a)), JSON.parse(withDigits(b)));
  } catch {
    return false;
  }
}

const LONG_NUMBER = /\d{15}/;

/** Without recursion: values may be nested deeper than the stack. */
function sameValue(a: unknown, b: unknown): boolean {
  const pairs: (readonly [unknown, unknown])[] = [[a, b]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (Object.is(one, other)) continue;
    if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) return false;
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(other, key)) return false;
      pairs.push([one[key], other[key]]);
    }
  }
  return true;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** A JSON text with its numbers as strings, which begin with `n`, while those that were strings begin with `s`. */
function withDigits(json: string): string {
  let inString = false;
  return json.replace(/\\.|"|-?\d[-+.\dEe]*/g, (token) => {
    if (token === '"') {
      inString = !inString;
      return inString ? '"s' : '"';
    }
    return inString ? token : `"n${digitsOf(token)}"`;
  });
}

/**
 * What tells a number from others that are the same double: its digits, without the zeros at either end that only say how
 * large it is.
 *
 * @example
 * digitsOf("-1.50e2"); // "15"
 */
function digitsOf(number: string): string {
  const double = Number(number);
  const digits = number.replace(/e.*/i, "").replace(/\D/g, "").replace(/^0+/, "");
  // Beyond the doubles only the same spelling is certain to be the same number.
  if (digits !== "" && (double === 0 || !Number.isFinite(double))) return number;
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}
