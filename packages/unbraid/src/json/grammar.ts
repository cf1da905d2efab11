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
const UNICODE_2 = 14;
const UNICODE_3 = 15;
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

// Inside a literal, by the letters that have come: TRUE is behind the `t`, the next state behind `tr`, and so on.
export const TRUE = 30;
export const TRUE_LAST = 32;
const FALSE = 33;
const NULL = 37;
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
  return state === ZERO || state === INTEGER || state === FRACTION || state === EXPONENT_DIGITS;
}

type Cell = readonly [characters: string, move: number];
type Row = (state: number, ...cells: readonly Cell[]) => void;

const MOVES: Uint8Array = /* @__PURE__ */ table();

function table(): Uint8Array {
  const moves = new Uint8Array(64 << ROW_BITS).fill(FAULT);
  // Whatever cannot continue a number ends it, and is judged by the state after the value.
  for (const state of [ZERO, INTEGER, FRACTION, EXPONENT_DIGITS])
    moves.fill(NUMBER_END, state << ROW_BITS, (state + 1) << ROW_BITS);
  const row: Row = (state, ...cells) => {
    for (const [characters, next] of cells)
      for (const character of characters) moves[(state << ROW_BITS) | character.charCodeAt(0)] = next;
  };
  structure(row);
  strings(row);
  numbers(row);
  literals(row);
  return moves;
}

function structure(row: Row): void {
  const value: readonly Cell[] = [
    ['"', STRING],
    ["{", OPEN_OBJECT],
    ["[", OPEN_ARRAY],
    ["-", MINUS],
    ["0", ZERO],
    ["123456789", INTEGER],
    ["t", TRUE],
    ["f", FALSE],
    ["n", NULL],
  ];
  row(START, ...value);
  row(VALUE, ...value);
  row(FIRST_ELEMENT, ...value, ["]", CLOSE]);
  row(FIRST_KEY, ['"', KEY_STRING], ["}", CLOSE]);
  row(KEY, ['"', KEY_STRING]);
  row(COLON, [":", VALUE]);
  row(AFTER_MEMBER, [",", KEY], ["}", CLOSE]);
  row(AFTER_ELEMENT, [",", VALUE], ["]", CLOSE]);
  for (let state = START; state <= END; state++) row(state, [" \t\r", state], ["\n", LINE]);
}

function strings(row: Row): void {
  row(STRING, ['"', VALUE_END], ["\\", ESCAPE]);
  row(KEY_STRING, ['"', COLON], ["\\", KEY_ESCAPE]);
  const hexadecimal = "0123456789abcdefABCDEF";
  const escapes = (home: number, shift: number): void => {
    row(ESCAPE + shift, ['"\\/bfnrt', home], ["u", UNICODE_1 + shift]);
    row(UNICODE_1 + shift, [hexadecimal, UNICODE_2 + shift]);
    row(UNICODE_2 + shift, [hexadecimal, UNICODE_3 + shift]);
    row(UNICODE_3 + shift, [hexadecimal, UNICODE_4 + shift]);
    row(UNICODE_4 + shift, [hexadecimal, home]);
  };
  escapes(STRING, 0);
  escapes(KEY_STRING, KEY_ESCAPE - ESCAPE);
}

function numbers(row: Row): void {
  const digits = "0123456789";
  row(MINUS, ["0", ZERO], ["123456789", INTEGER]);
  row(ZERO, [digits, FAULT], [".", POINT], ["eE", EXPONENT]);
  row(INTEGER, [digits, INTEGER], [".", POINT], ["eE", EXPONENT]);
  row(POINT, [digits, FRACTION]);
  row(FRACTION, [digits, FRACTION], ["eE", EXPONENT]);
  row(EXPONENT, ["+-", EXPONENT_SIGN], [digits, EXPONENT_DIGITS]);
  row(EXPONENT_SIGN, [digits, EXPONENT_DIGITS]);
  row(EXPONENT_DIGITS, [digits, EXPONENT_DIGITS]);
}

function literals(row: Row): void {
  for (const [word, first] of [
    ["true", TRUE],
    ["false", FALSE],
    ["null", NULL],
  ] as const)
    for (let letter = 1; letter < word.length; letter++)
      row(first + letter - 1, [word.charAt(letter), letter === word.length - 1 ? VALUE_END : first + letter]);
}
