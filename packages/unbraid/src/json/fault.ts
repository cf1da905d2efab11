// What is said about a text that is not JSON: the first fault, where it stands, and words for a person or a model. Owns
// codes and wording; finds nothing by itself, the scanner does.

import {
  AFTER_ELEMENT,
  AFTER_MEMBER,
  COLON,
  END,
  ESCAPE,
  EXPONENT,
  EXPONENT_SIGN,
  FALSE,
  FIRST_ELEMENT,
  FIRST_KEY,
  KEY,
  KEY_ESCAPE,
  KEY_STRING,
  KEY_UNICODE_1,
  KEY_UNICODE_4,
  MINUS,
  NULL,
  NULL_LAST,
  POINT,
  START,
  STRING,
  TRUE,
  UNICODE_1,
  UNICODE_4,
  VALUE,
  ZERO,
} from "./grammar.ts";

/**
 * What kind of fault a text has:
 *
 * - `unexpected-character`: a character that cannot stand where it does, outside strings and numbers;
 * - `control-character`: a raw character below U+0020 inside a string;
 * - `invalid-escape`: a backslash followed by what is no escape;
 * - `invalid-number`: a leading zero, or no digit where one is needed;
 * - `invalid-literal`: a word that starts as `true`, `false` or `null` and goes on differently;
 * - `trailing-text`: something other than white space behind the whole value;
 * - `too-deep`: more levels of nesting than the limit;
 * - `unexpected-end`: the text ends before the value does.
 */
export type JsonFaultCode =
  | "unexpected-character"
  | "control-character"
  | "invalid-escape"
  | "invalid-number"
  | "invalid-literal"
  | "trailing-text"
  | "too-deep"
  | "unexpected-end";

/**
 * The first fault of a text: the text before `offset` can be continued to JSON, with the character at `offset` it
 * cannot.
 *
 * @example
 * const fault: JsonFault = {
 *   code: "unexpected-character",
 *   message: "expected ',' or '}' after a value in an object, found 'd'",
 *   offset: 14,
 *   line: 1,
 *   column: 15,
 * };
 */
export interface JsonFault {
  /** Which one of the closed set it is. */
  readonly code: JsonFaultCode;
  /** What was expected and what was found, in plain English, without the place. */
  readonly message: string;
  /** UTF-16 units from the start of the text. */
  readonly offset: number;
  /** From 1. A line ends with a line feed. */
  readonly line: number;
  /** UTF-16 units from the start of the line, from 1. */
  readonly column: number;
}

/** Where a fault stands. */
export interface JsonPlace {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

const APOSTROPHE = 0x27;
/** Open levels that a message names; a text may have thousands. */
const NAMED_LEVELS = 3;

/**
 * The fault of a character that the grammar does not allow.
 *
 * @param state The state before the character (`grammar.ts`).
 * @param unit The character, a UTF-16 unit.
 * @param place Where it stands.
 */
export function characterFault(state: number, unit: number, place: JsonPlace): JsonFault {
  const found = `found ${describe(unit)}`;
  if (state === STRING || state === KEY_STRING)
    return { code: "control-character", message: `expected ${escaped(unit)} in a string, ${found}`, ...place };
  const hint = expectsToken(state) ? hintFor(unit) : "";
  return { code: codeOf(state), message: `expected ${expected(state)}, ${found}${hint}`, ...place };
}

/** The fault of a bracket that opens one level more than `maxDepth`. */
export function depthFault(unit: number, maxDepth: number, place: JsonPlace): JsonFault {
  const message = `expected at most ${maxDepth} levels of nesting, found ${describe(unit)} that opens one more`;
  return { code: "too-deep", message, ...place };
}

/**
 * The fault of a text that ends too early.
 *
 * @param state The state at the end.
 * @param open The innermost open containers, the innermost first, as many as are at hand.
 * @param depth How many are open in all.
 * @param place The end of the text.
 */
export function endFault(
  state: number,
  open: readonly ("object" | "array")[],
  depth: number,
  place: JsonPlace,
): JsonFault {
  const named = open.slice(0, NAMED_LEVELS).join(" in ");
  const more = depth > NAMED_LEVELS ? ` and ${depth - NAMED_LEVELS} more` : "";
  const still = depth > 0 ? `; still open: ${named}${more}` : "";
  return {
    code: "unexpected-end",
    message: `expected ${expected(state)}, found the end of the text${still}`,
    ...place,
  };
}

function codeOf(state: number): JsonFaultCode {
  if (state === END) return "trailing-text";
  if (state >= ESCAPE && state <= KEY_UNICODE_4) return "invalid-escape";
  if (state >= MINUS && state <= EXPONENT_SIGN) return "invalid-number";
  if (state >= TRUE && state <= NULL_LAST) return "invalid-literal";
  return "unexpected-character";
}

function expected(state: number): string {
  const words = EXPECTED[state];
  if (words !== undefined) return words;
  if ((state >= UNICODE_1 && state <= UNICODE_4) || (state >= KEY_UNICODE_1 && state <= KEY_UNICODE_4))
    return "four hexadecimal digits after '\\u' in a string";
  if (state >= NULL) return "the rest of 'null'";
  if (state >= FALSE) return "the rest of 'false'";
  return "the rest of 'true'";
}

const ESCAPES = `one of " \\ / b f n r t u after a backslash in a string`;
const EXPECTED: Readonly<Record<number, string>> = {
  [STRING]: "the closing quote of a string",
  [KEY_STRING]: "the closing quote of a key",
  [START]: "a JSON value",
  [VALUE]: "a value",
  [FIRST_ELEMENT]: "a value or ']'",
  [FIRST_KEY]: "a key in double quotes or '}'",
  [KEY]: "a key in double quotes after ','",
  [COLON]: "':' after a key",
  [AFTER_MEMBER]: "',' or '}' after a value in an object",
  [AFTER_ELEMENT]: "',' or ']' after a value in an array",
  [END]: "nothing more behind the value",
  [ESCAPE]: ESCAPES,
  [KEY_ESCAPE]: ESCAPES,
  [MINUS]: "a digit after '-'",
  [ZERO]: "no digit after a leading 0",
  [POINT]: "a digit after the decimal point",
  [EXPONENT]: "a digit, '+' or '-' in an exponent",
  [EXPONENT_SIGN]: "a digit in an exponent",
};

function expectsToken(state: number): boolean {
  return state === KEY || state === FIRST_KEY || state === VALUE || state === FIRST_ELEMENT || state === START;
}

/** What a writer of Python or JavaScript should know. */
function hintFor(unit: number): string {
  if (unit === APOSTROPHE) return " (strings stand in double quotes)";
  if (unit === 0x54 || unit === 0x46) return " (the literals are true, false and null)";
  if (unit === 0x49 || unit === 0x4e) return " (NaN, Infinity and None are not JSON)";
  return "";
}

const CONTROL_NAMES: Readonly<Record<number, string>> = {
  0x08: "backspace",
  0x09: "tab",
  0x0a: "line feed",
  0x0c: "form feed",
  0x0d: "carriage return",
};
const CONTROL_ESCAPES: Readonly<Record<number, string>> = {
  0x08: "\\b",
  0x09: "\\t",
  0x0a: "\\n",
  0x0c: "\\f",
  0x0d: "\\r",
};

/**
 * How a control character is written inside a JSON string.
 *
 * @example
 * escaped(0x0a); // "\\n", a backslash and an n
 */
export function escaped(unit: number): string {
  return CONTROL_ESCAPES[unit] ?? `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** A character in words. Says the same for half of a surrogate pair whether or not the other half has come. */
function describe(unit: number): string {
  if (unit === 0x20) return "a space";
  if (unit === APOSTROPHE) return `"'"`;
  if (unit > 0x20 && unit < 0x7f) return `'${String.fromCharCode(unit)}'`;
  if (unit >= 0xd800 && unit <= 0xdfff) return "a character above U+FFFF";
  const point = `U+${unit.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = CONTROL_NAMES[unit];
  if (name !== undefined) return `a raw ${name} (${point})`;
  return unit < 0xa0 ? point : `'${String.fromCharCode(unit)}' (${point})`;
}
