// What counts as a value on the wire for a key, a name or a piece of text. Owns the readings. Pure functions;
// imports nothing, so that every room may use it.

const ABSENT = new Set(["", "null", "none", "undefined", "nil"]);

/**
 * An id or name as the wire gives it; blank strings and the words "null", "None", "undefined" are absent.
 * `@mistralai/mistralai` decodes a missing id to the word "null".
 *
 * @example
 * present("call_1"); // "call_1"
 * present("null"); // undefined
 */
export function present(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== "string") return undefined;
  // Nearly every id and name: a first letter that none of the words has, and that is no white space.
  const first = value.charCodeAt(0);
  const small = first | 0x20;
  if (first > 0x20 && first < 0x7f && small !== 0x6e && small !== 0x75) return value;
  const word = value.trim();
  return word.length <= 9 && ABSENT.has(word.toLowerCase()) ? undefined : value;
}

/**
 * An index: a whole number of 0 or more, or its decimal digits; everything else is absent, never 0.
 * A negative one was seen from Zhipu, digits as a string from proxies.
 *
 * @example
 * wholeIndex("1"); // 1
 * wholeIndex(-1); // undefined
 */
export function wholeIndex(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value === "string" && /^\d{1,9}$/.test(value)) return Number(value);
  return undefined;
}

/** UTF-8 length of a text in bytes; a lone surrogate counts 3, as the replacement character does. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (code >= 0xd800 && code < 0xdc00 && isLow(text.charCodeAt(i + 1))) {
      bytes += 2;
      i++;
    } else bytes += 2;
  }
  return bytes;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/** Levels that any JSON writer can take. */
const MAX_LEVELS = 1000;

/** Whether a value of JSON is nested deeper than any writer of JSON can be trusted with. */
export function tooDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return true;
    level = level
      .flatMap((each) => Object.values(each) as unknown[])
      .filter((each): each is object => typeof each === "object" && each !== null);
  }
  return false;
}
