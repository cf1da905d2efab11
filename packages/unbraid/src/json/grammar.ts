// The grammar of JSON as a table of moves, one row a state, one column an ASCII character. Owns what may follow what;
// the scanner and the value builder both walk it, so they cannot disagree. Knows no stack, no values and no messages.
//
//   {"a":1}
//   ^ START ─OPEN_OBJECT─▶ FIRST_KEY      ^ INT ─NUMBER_END─▶ AFTER_MEMBER ─CLOSE─▶ whatever lies outside
//
// Rule: RFC 8259, which is also the grammar of `JSON.parse` (ECMA-262, section 25.5.1): its white space is space, tab,
// line feed and carriage return only, and a byte order mark is none.

// States: what stands before the next character. The two string states come first so that one comparison finds them.
export const STRING = 0;
export const KEY_STRING = 1;
export const START = 2;
export const VALUE = 3;
export const FIRST_ELEMENT = 4;
export const FIRST_KEY = 5;
export const KEY = 6;
export const COLON = 7;
export const AFTER_MEMBER = 8;
export const AFTER_ELEMENT = 9;
/** A whole value stands there; only white space may follow. */
export const END = 10;
export const BROKEN = 11;

// Inside a string that is a value, then the same inside a key.
export const ESCAPE = 12;
export const UNICODE_1 = 13;
export const UNICODE_4 = 16;
export const KEY_ESCAPE = 17;
export const KEY_UNICODE_1 = 18;
export const KEY_UNICODE_4 = 21;

// Inside a number. A number that has come this far may end in ZERO, INTEGER, FRACTION and EXPONENT_DIGITS.
export const MINUS = 22;
export const ZERO = 23;
const INTEGER = 24;
const POINT = 25;
const FRACTION = 26;
const EXPONENT = 27;
const EXPONENT_SIGN = 28;
export const EXPONENT_DIGITS = 29;

// Inside a literal, by the letters that have come: TRUE is behind the `t`, the next state behind `tr`, and so on; then the
// same of `false` and of `null`.
export const TRUE = 30;
export const TRUE_LAST = 32;
export const NULL_LAST = 39;

// Moves that are more than a new state. Every move from FIRST_ACTION on is one of these.
export const FIRST_ACTION = 48;
export const FAULT = 48;
/** A line feed outside strings: the state stays, a line is counted. */
export const LINE = 49;
export const OPEN_OBJECT = 50;
export const OPEN_ARRAY = 51;
/** The innermost container ends, and is a value of what lies outside it. */
export const CLOSE = 52;
/** A string or literal ends with this character. */
export const VALUE_END = 53;
/** A number ended before this character, which is to be read again in the state after the value. */
export const NUMBER_END = 54;

/** One row holds the ASCII characters; all others share the column of DELETE, which no row names. */
const ROW_BITS = 7;
const OTHER = 0x7f;

/**
 * The move for a character.
 *
 * @param state One of the states above, not BROKEN.
 * @param unit A UTF-16 unit. In STRING and KEY_STRING only those that end a run (see `runEnd`).
 * @returns The next state, or an action from FIRST_ACTION on.
 *
 * @example
 * move(START, 0x7b); // OPEN_OBJECT
 */
export function move(state: number, unit: number): number {
  // The index is within the table by construction, which the compiler cannot know.
  return MOVES[(state << ROW_BITS) | (unit < OTHER ? unit : OTHER)] as number;
}

/**
 * Where a run of plain string characters ends: at a quote, a backslash or a control character.
 *
 * @param text The fragment.
 * @param from Where to start in it.
 * @param end Where to stop.
 * @returns The offset of the character that ends the run, or `end`.
 *
 * @example
 * runEnd('ab"', 0, 3); // 2
 */
export function runEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x5c || unit < 0x20) break;
    at++;
  }
  return at;
}

/**
 * Whether a number may end in this state.
 *
 * @example
 * isWholeNumber(INTEGER); // true
 */
export function isWholeNumber(state: number): boolean {
  return move(state, OTHER) === NUMBER_END;
}

const MOVES: Uint8Array = /* @__PURE__ */ table();

function table(): Uint8Array {
  const moves = new Uint8Array(64 << ROW_BITS).fill(FAULT);
  // Whatever cannot continue a number ends it, and is judged by the state after the value.
  for (const state of [ZERO, INTEGER, FRACTION, EXPONENT_DIGITS])
    moves.fill(NUMBER_END, state << ROW_BITS, (state + 1) << ROW_BITS);
  moveAll((characters, next, ...states) => {
    for (const state of states)
      for (const character of characters) moves[(state << ROW_BITS) | character.charCodeAt(0)] = next;
  });
  return moves;
}

/** Lets each of the characters make this move in each of the states. */
type On = (characters: string, next: number, ...states: readonly number[]) => void;

function moveAll(on: On): void {
  for (let state = START; state <= END; state++) {
    on(" \t\r", state, state);
    on("\n", LINE, state);
  }
  const value = [START, VALUE, FIRST_ELEMENT];
  on('"', STRING, ...value);
  on("{", OPEN_OBJECT, ...value);
  on("[", OPEN_ARRAY, ...value);
  on('"', KEY_STRING, FIRST_KEY, KEY);
  on(":", VALUE, COLON);
  on(",", KEY, AFTER_MEMBER);
  on("}", CLOSE, FIRST_KEY, AFTER_MEMBER);
  on(",", VALUE, AFTER_ELEMENT);
  on("]", CLOSE, FIRST_ELEMENT, AFTER_ELEMENT);

  on('"', VALUE_END, STRING);
  on('"', COLON, KEY_STRING);
  for (const [string, escape] of [
    [STRING, ESCAPE],
    [KEY_STRING, KEY_ESCAPE],
  ] as const) {
    on("\\", escape, string);
    on('"\\/bfnrt', string, escape);
    on("u", escape + 1, escape);
    for (let digit = 1; digit <= 4; digit++)
      on("0123456789abcdefABCDEF", digit < 4 ? escape + digit + 1 : string, escape + digit);
  }

  const digits = "0123456789";
  on("-", MINUS, ...value);
  on(digits, INTEGER, MINUS, INTEGER, ...value);
  on("0", ZERO, MINUS, ...value);
  on(digits, FAULT, ZERO);
  on(".", POINT, ZERO, INTEGER);
  on(digits, FRACTION, POINT, FRACTION);
  on("eE", EXPONENT, ZERO, INTEGER, FRACTION);
  on("+-", EXPONENT_SIGN, EXPONENT);
  on(digits, EXPONENT_DIGITS, EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS);

  let letters = TRUE;
  for (const word of ["true", "false", "null"]) {
    on(word.charAt(0), letters, ...value);
    for (const letter of word.slice(1, -1)) on(letter, letters + 1, letters++);
    on(word.slice(-1), VALUE_END, letters++);
  }
}
