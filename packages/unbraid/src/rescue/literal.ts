// Values that are written in another way than JSON, turned into JSON as they come: Python literals and keyword arguments,
// and Gemma's braces with quote tokens. Owns the two notations. Without recursion: depth costs memory, not the stack.

import { code, CUT, Input, isSpace, literal, more, NO, type Reading, skipSpace } from "./input.ts";
import { type Out, StringWriter } from "./json-writer.ts";

/** How values are written. */
export interface Notation {
  /** Tokens that begin and end a string with nothing escaped in it. */
  readonly quotes: readonly string[];
  /** Python's words, numbers, quotes and escapes; else bare words are strings. */
  readonly python: boolean;
}

/** Python's literals. */
export const PYTHON: Notation = { quotes: [], python: true };

/** What came of reading a value. */
export type Outcome = "whole" | "cut" | "wrong";

/** Levels of nesting that are read, as for JSON. */
const MAX_DEPTH = 10_000;
/** Longest key, number or bare word. */
const MAX_WORD = 4096;

interface Frame {
  readonly close: number;
  readonly isObject: boolean;
  /** What stands between a key and its value. */
  readonly sign: string;
  /** Keys are plain words: keyword arguments, Gemma's members. */
  readonly bareKeys: boolean;
  count: number;
}

/** The frame of keyword arguments, behind `(`. */
export const KEYWORDS: Readonly<Frame> = { close: 0x29, isObject: true, sign: "=", bareKeys: true, count: 0 };
/** The frame of Gemma's members, behind `{`. */
export const MEMBERS: Readonly<Frame> = { close: 0x7d, isObject: true, sign: ":", bareKeys: true, count: 0 };

/**
 * Reads one value, or with `top` the rest of a container whose opening sign was consumed, and writes it as JSON.
 *
 * @returns `wrong` where it is none; the position is then where it stopped fitting, and what was written is no whole JSON.
 */
export function* readLiteral(input: Input, notation: Notation, out: Out, top?: Readonly<Frame>): Reading<Outcome> {
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  let expects: "item" | "value" | "comma" = "value";
  const open = (next: Frame): void => {
    if (frame !== undefined) frames.push(frame);
    frame = next;
    out(next.isObject ? "{" : "[");
    expects = "item";
  };
  if (top !== undefined) open({ ...top });
  for (;;) {
    if (expects === "comma" && frame === undefined) return "whole";
    yield* skipSpace(input);
    const unit = yield* code(input, 0);
    if (unit === CUT) return "cut";
    if (frame !== undefined && expects !== "value" && unit === frame.close) {
      input.at++;
      out(frame.isObject ? "}" : "]");
      frame = frames.pop();
      expects = "comma";
    } else if (expects === "comma") {
      if (unit !== 0x2c) return "wrong";
      input.at++;
      expects = "item";
    } else if (expects === "item" && frame !== undefined) {
      if (frame.count++ > 0) out(",");
      expects = "value";
      if (frame.isObject) {
        const outcome = yield* readKey(input, notation, frame, out);
        if (outcome !== "whole") return outcome;
      }
    } else {
      const next = container(unit, notation);
      if (next !== undefined) {
        if (frames.length >= MAX_DEPTH) return "wrong";
        input.at++;
        open(next);
      } else {
        const outcome = yield* readScalar(input, notation, out);
        if (outcome !== "whole") return outcome;
        expects = "comma";
      }
    }
  }
}

function container(unit: number, notation: Notation): Frame | undefined {
  if (unit === 0x7b) return { close: 0x7d, isObject: true, sign: ":", bareKeys: !notation.python, count: 0 };
  if (unit === 0x5b) return { close: 0x5d, isObject: false, sign: "", bareKeys: false, count: 0 };
  if (unit === 0x28 && notation.python) return { close: 0x29, isObject: false, sign: "", bareKeys: false, count: 0 };
  return undefined;
}

function* readKey(input: Input, notation: Notation, frame: Frame, out: Out): Reading<Outcome> {
  let key = "";
  const outcome = frame.sign === "=" ? "no" : yield* readString(input, notation, (json) => (key += json));
  if (outcome === "cut" || outcome === "wrong") return outcome;
  if (outcome === "no") {
    const read = yield* readWord(input, `${frame.sign},()[]{}"`, frame.sign === ":" && frame.bareKeys);
    if (read === undefined) return "cut";
    const { word } = read;
    const fits = frame.sign === "=" ? /^[\p{L}_][\p{L}\p{N}_]*$/u.test(word) : frame.bareKeys || isNumber(word);
    if (word === "" || !fits) return "wrong";
    input.at += read.length;
    key = JSON.stringify(word);
  }
  yield* skipSpace(input);
  const end = yield* literal(input, frame.sign, 0);
  if (end < 0) return end === NO ? "wrong" : "cut";
  input.at += end;
  out(`${key}:`);
  return "whole";
}

function* readScalar(input: Input, notation: Notation, out: Out): Reading<Outcome> {
  const outcome = yield* readString(input, notation, out);
  if (outcome !== "no") return outcome;
  const read = yield* readWord(input, notation.python ? ",)]}:" : ",]}", !notation.python);
  if (read === undefined) return "cut";
  const json = notation.python ? pythonWord(read.word) : bareWord(read.word);
  if (json === undefined) return "wrong";
  input.at += read.length;
  out(json);
  return "whole";
}

/**
 * Looks at a word up to one of `stops`, or to white space unless `spaced`; undefined where the text ended inside it.
 * `length` is what there is to consume.
 */
function* readWord(
  input: Input,
  stops: string,
  spaced: boolean,
): Reading<{ readonly word: string; readonly length: number } | undefined> {
  let at = 0;
  for (;;) {
    const unit = yield* code(input, at);
    if (unit === CUT) return undefined;
    if (stops.includes(String.fromCharCode(unit)) || at > MAX_WORD || (isSpace(unit) && !spaced)) break;
    at++;
  }
  return { word: input.text.slice(input.at, input.at + at).trim(), length: at };
}

function bareWord(word: string): string | undefined {
  if (word === "") return undefined;
  return /^(?:true|false|null)$/.test(word) || isNumber(word) ? word : (pythonConstant(word) ?? JSON.stringify(word));
}

function pythonConstant(word: string): string | undefined {
  if (word === "True" || word === "true") return "true";
  if (word === "False" || word === "false") return "false";
  return word === "None" || word === "null" ? "null" : undefined;
}

function isNumber(word: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word);
}

/** A word of Python as JSON: a constant, or a number in any of its spellings. */
function pythonWord(word: string): string | undefined {
  const constant = pythonConstant(word);
  if (constant !== undefined) return constant;
  if (isNumber(word)) return word;
  const sign = word.startsWith("-") ? "-" : "";
  const digits = word.replace(/^[+-]/, "").replace(/(\d)_(?=\d)/g, "$1");
  if (/^0(?:x[\da-f]+|o[0-7]+|b[01]+)$/i.test(digits)) return sign + BigInt(digits).toString();
  const plain = digits.replace(/^\./, "0.").replace(/\.(?=$|[eE])/, ".0");
  return isNumber(plain) ? sign + plain : undefined;
}

/** Reads a string, if one begins here, and writes it as JSON. */
function* readString(input: Input, notation: Notation, out: Out): Reading<Outcome | "no"> {
  for (const quote of notation.quotes) {
    const end = yield* literal(input, quote, 0);
    if (end === CUT) return "cut";
    if (end >= 0) {
      input.at += end;
      return yield* readRawString(input, quote, out);
    }
  }
  let prefix = 0;
  let raw = false;
  let unit = yield* code(input, 0);
  while (notation.python && prefix < 2 && "rRbBfFuU".includes(String.fromCharCode(unit))) {
    raw ||= unit === 0x72 || unit === 0x52;
    unit = yield* code(input, ++prefix);
  }
  if (unit === CUT) return "cut";
  if (unit !== 0x22 && (unit !== 0x27 || !notation.python)) return "no";
  const sign = String.fromCharCode(unit);
  const triple = notation.python ? yield* literal(input, sign.repeat(3), prefix) : NO;
  const quote = triple >= 0 ? sign.repeat(3) : sign;
  input.at += prefix + quote.length;
  return yield* readQuoted(input, quote, raw, out);
}

/** A string between two tokens, nothing escaped. */
function* readRawString(input: Input, quote: string, out: Out): Reading<Outcome> {
  const writer = new StringWriter(out);
  while (yield* more(input)) {
    const { text, at } = input;
    const found = text.indexOf(quote.charAt(0), at);
    const to = found < 0 ? text.length : found;
    if (to > at) writer.write(text.slice(at, to));
    input.at = to;
    if (found < 0) continue;
    const end = yield* literal(input, quote, 0);
    if (end === CUT) break;
    input.at += Math.max(end, 1);
    if (end >= 0) {
      writer.end();
      return "whole";
    }
    writer.write(quote.charAt(0));
  }
  writer.flush();
  return "cut";
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "/": "/",
  "\n": "",
};

function* readQuoted(input: Input, quote: string, raw: boolean, out: Out): Reading<Outcome> {
  const writer = new StringWriter(out);
  const sign = quote.charCodeAt(0);
  while (yield* more(input)) {
    const { text, at } = input;
    let to = at;
    while (to < text.length && text.charCodeAt(to) !== sign && text.charCodeAt(to) !== 0x5c) to++;
    if (to > at) writer.write(text.slice(at, to));
    input.at = to;
    if (to === text.length) continue;
    if (text.charCodeAt(to) === 0x5c) {
      const escaped = yield* readEscape(input, raw);
      if (escaped === undefined) break;
      writer.write(escaped);
      continue;
    }
    const end = yield* literal(input, quote, 0);
    if (end === CUT) break;
    if (end >= 0) {
      input.at += end;
      writer.end();
      return "whole";
    }
    writer.write(String.fromCharCode(sign));
    input.at++;
  }
  writer.flush();
  return "cut";
}

/** What a backslash and what follows it stand for; undefined where the text ended inside. */
function* readEscape(input: Input, raw: boolean): Reading<string | undefined> {
  const unit = yield* code(input, 1);
  if (unit === CUT) return undefined;
  const letter = String.fromCharCode(unit);
  const plain = raw ? undefined : ESCAPES[letter];
  const hex = raw ? 0 : letter === "x" ? 2 : letter === "u" ? 4 : letter === "U" ? 8 : 0;
  if (hex > 0) {
    const last = yield* code(input, 1 + hex);
    if (last === CUT) return undefined;
    const digits = input.text.slice(input.at + 2, input.at + 2 + hex);
    const point = /^[\da-fA-F]+$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
    if (point <= 0x10ffff) {
      input.at += 2 + hex;
      return String.fromCodePoint(point);
    }
  }
  if (!raw && unit >= 0x30 && unit <= 0x37) return yield* readOctal(input);
  input.at += 2;
  return plain ?? `\\${letter}`;
}

function* readOctal(input: Input): Reading<string | undefined> {
  let digits = "";
  while (digits.length < 3) {
    const unit = yield* code(input, 1 + digits.length);
    if (unit === CUT) return undefined;
    if (unit < 0x30 || unit > 0x37) break;
    digits += String.fromCharCode(unit);
  }
  input.at += 1 + digits.length;
  return String.fromCharCode(Number.parseInt(digits, 8));
}

/**
 * The JSON text of a Python literal.
 *
 * @example
 * pythonToJson("{'a': True}"); // '{"a":true}'
 */
export function pythonToJson(text: string): string | undefined {
  const input = new Input();
  // A word ends only where something stands behind it.
  input.feed(`${text} `);
  input.ended = true;
  let json = "";
  const { value } = readLiteral(input, PYTHON, (piece) => (json += piece)).next();
  return value === "whole" && input.text.slice(input.at).trim() === "" ? json : undefined;
}
