// What is said about a text that is not JSON: the first fault, where it stands, and words for a person or a model. Owns
// codes and wording; finds nothing by itself, the scanner does.

import {
  AFTER_ELEMENT,
  AFTER_MEMBER,
  COLON,
  END,
  ESCAPE,
  FIRST_ELEMENT,
  FIRST_KEY,
  KEY,
  KEY_ESCAPE,
  KEY_STRING,
  MINUS,
  START,
  STRING,
  TRUE,
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

/**
 * The fault of a character that the grammar does not allow.
 *
 * @param state The state before the character (`grammar.ts`).
 * @param unit The character, a UTF-16 unit.
 * @param place Where it stands.
 */
export function characterFault(state: number, unit: number, place: JsonPlace): JsonFault {
  const found = describe(unit);
  if (state <= KEY_STRING) return faultOf("control-character", `${escaped(unit)} in a string`, found, place);
  return faultOf(codeOf(state), expected(state), state <= KEY ? found + hintFor(unit) : found, place);
}

/** The fault of a bracket that opens one level more than `maxDepth`. */
export function depthFault(unit: number, maxDepth: number, place: JsonPlace): JsonFault {
  const found = `${describe(unit)} that opens one more`;
  return faultOf("too-deep", `at most ${maxDepth} levels of nesting`, found, place);
}

/**
 * The fault of a text that ends too early.
 *
 * @param state The state at the end.
 * @param depth How many containers are open.
 * @param place The end of the text.
 */
export function endFault(state: number, depth: number, place: JsonPlace): JsonFault {
  const open = depth > 0 ? `; open levels: ${depth}` : "";
  return faultOf("unexpected-end", expected(state), `the end of the text${open}`, place);
}

function faultOf(code: JsonFaultCode, wanted: string, found: string, place: JsonPlace): JsonFault {
  return { code, message: `expected ${wanted}, found ${found}`, ...place };
}

function codeOf(state: number): JsonFaultCode {
  if (state >= TRUE) return "invalid-literal";
  if (state >= MINUS) return "invalid-number";
  if (state >= ESCAPE) return "invalid-escape";
  return state === END ? "trailing-text" : "unexpected-character";
}

function expected(state: number): string {
  if (state >= TRUE) return "the rest of true, false or null";
  if (state >= MINUS) return state === ZERO ? "no digit after a leading 0" : "a digit in a number";
  return EXPECTED[state] ?? "four hexadecimal digits after '\\u' in a string";
}

const AFTER_BACKSLASH = 'one of " \\ / b f n r t u after a backslash in a string';

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
  [ESCAPE]: AFTER_BACKSLASH,
  [KEY_ESCAPE]: AFTER_BACKSLASH,
};

/** What a writer of Python or JavaScript should know, who begins a value with this character. */
function hintFor(unit: number): string {
  if (unit === 0x27) return " (strings stand in double quotes)";
  return /[TFIN]/.test(String.fromCharCode(unit)) ? " (the literals are true, false and null)" : "";
}

/**
 * How a control character is written inside a JSON string.
 *
 * @example
 * escaped(0x0a); // "\\n", a backslash and an n
 */
export function escaped(unit: number): string {
  return JSON.stringify(String.fromCharCode(unit)).slice(1, -1);
}

/** A character in words. Says the same for half of a surrogate pair whether or not the other half has come. */
function describe(unit: number): string {
  const character = String.fromCharCode(unit);
  if (character === " ") return "a space";
  if (character === "'") return `"'"`;
  if (unit > 0x20 && unit < 0x7f) return `'${character}'`;
  if (unit >= 0xd800 && unit <= 0xdfff) return "a character above U+FFFF";
  const point = `U+${unit.toString(16).toUpperCase().padStart(4, "0")}`;
  return unit < 0xa0 ? point : `'${character}' (${point})`;
}
