// Numbers without loss, for those who ask for it. Owns the rule when a double says the same as the source; knows no
// text around the number.

/**
 * A number that neither a double nor a bigint holds as it was written, such as 3.14159265358979323846 or 1e999.
 *
 * @example
 * const value: JsonNumberSource = { source: "1e999" };
 */
export interface JsonNumberSource {
  /** The number as the text spells it. */
  readonly source: string;
}

/** Integers with more digits than this stay source text: making a bigint costs more than linear time. */
const MAX_BIGINT_DIGITS = 4096;

/**
 * Gives a JSON number without loss; for the `number` option of `JsonValueBuilder` and `parseJson`.
 *
 * - An integer written in digits only: a number when a double holds exactly that integer, else a bigint (with more than
 *   4,096 digits, a {@link JsonNumberSource}).
 * - Anything with a decimal point or an exponent: a number when the double, printed by JavaScript, denotes the same
 *   decimal value (so `0.1`, `1.50` and `1e30` are numbers, though binary does not hold them exactly); else a
 *   {@link JsonNumberSource}.
 *
 * @param source The number's source text, by the grammar of JSON.
 * @returns A number, a bigint or a source; never NaN, never Infinity.
 *
 * @example
 * exactNumber("9007199254740993"); // 9007199254740993n
 * exactNumber("0.1"); // 0.1
 * exactNumber("1e999"); // { source: "1e999" }
 */
export function exactNumber(source: string): number | bigint | JsonNumberSource {
  const double = Number(source);
  if (Number.isSafeInteger(double) && isDigits(source)) return double;
  if (!isDigits(source)) return sameDecimal(source, String(double)) ? double : { source };
  if (source.length > MAX_BIGINT_DIGITS) return { source };
  const integer = BigInt(source);
  return Number.isFinite(double) && BigInt(double) === integer ? double : integer;
}

function isDigits(source: string): boolean {
  for (let at = source.charCodeAt(0) === 0x2d ? 1 : 0; at < source.length; at++) {
    const unit = source.charCodeAt(at);
    if (unit < 0x30 || unit > 0x39) return false;
  }
  return true;
}

/** Whether two spellings are the same decimal number. `-0.0` is the double -0, which prints as `0`: the same. */
function sameDecimal(source: string, printed: string): boolean {
  const a = decimal(source);
  const b = decimal(printed);
  return (
    a !== undefined &&
    b !== undefined &&
    a.digits === b.digits &&
    a.exponent === b.exponent &&
    (a.digits === "" || a.negative === b.negative)
  );
}

/** A number as `digits` × 10^`exponent`, without zeros at either end of the digits; zero has no digits. */
function decimal(text: string): { negative: boolean; digits: string; exponent: number } | undefined {
  const negative = text.startsWith("-");
  const mark = Math.max(text.indexOf("e"), text.indexOf("E"));
  const mantissa = text.slice(negative ? 1 : 0, mark < 0 ? text.length : mark);
  const point = mantissa.indexOf(".");
  const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  let from = 0;
  let to = all.length;
  while (from < to && all.charCodeAt(from) === 0x30) from++;
  while (to > from && all.charCodeAt(to - 1) === 0x30) to--;
  const digits = all.slice(from, to);
  if (digits === "") return { negative, digits, exponent: 0 };
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  const exponent = (mark < 0 ? 0 : Number(text.slice(mark + 1))) - fraction + (all.length - to);
  // "Infinity" has no digits that a JSON number has; an exponent beyond a double's integers cannot be compared.
  if (!isDigits(digits) || !Number.isSafeInteger(exponent)) return undefined;
  return { negative, digits, exponent };
}
