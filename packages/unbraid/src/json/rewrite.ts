// Rewrites one malformed object, token by token, to the JSON it can only mean. Owns the faults inside an object. It is
// no parser: what it lets pass is judged by `JSON.parse` afterwards, so it looks only at what has to be changed.

import { escaped } from "./fault.ts";
import { DEFAULT_MAX_DEPTH } from "./scanner.ts";

/**
 * What was corrected:
 *
 * - `control-character`: a raw character below U+0020 in a string, escaped;
 * - `python-literal`: strings in single quotes (JavaScript too), `True`, `False`, `None`, tuples, `u` before a string;
 * - `trailing-comma`: a comma before a closing bracket;
 * - `escape-outside-string`: `\n`, `\r`, `\t` as two characters between tokens, made a space each;
 * - `escaped-quotes`: all strings stand in `\"`, as in an object that was escaped once too often;
 * - `foreign-space`: white space between tokens that JSON does not know (a byte order mark, U+00A0), made a space;
 * - `object-in-array`: an array with one object in it, for the object;
 * - `missing-opening`: the text starts with a declared parameter, without the brace and perhaps the quote before it;
 * - `markdown-fence`: a fence around the object;
 * - `surrounding-prose`: words behind the object, or before its fence.
 */
export type RepairCode =
  | "control-character"
  | "python-literal"
  | "trailing-comma"
  | "escape-outside-string"
  | "escaped-quotes"
  | "foreign-space"
  | "object-in-array"
  | "missing-opening"
  | "markdown-fence"
  | "surrounding-prose";

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;

const WORDS: ReadonlyMap<string, string> = new Map([
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

/**
 * The JSON of the value that starts a text.
 *
 * @param text Text that starts with a bracket.
 * @param codes Takes what was corrected.
 * @returns The JSON, which may still be malformed, and where the value ends in `text`; undefined when it cannot be read.
 *
 * @example
 * rewrite("{'a': 1,} etc.", new Set()); // { json: '{"a": 1}', end: 9 }
 */
export function rewrite(text: string, codes: Set<RepairCode>): { json: string; end: number } | undefined {
  const rewriter = new Rewriter(text, codes);
  return rewriter.run() ? { json: rewriter.out, end: rewriter.at } : undefined;
}

/**
 * Where layout ends: white space of any kind, and the escapes of line breaks and tabs, which outside strings can be
 * nothing else.
 *
 * @param codes Takes what JSON does not allow of it, when given.
 *
 * @example
 * layoutEnd("  \n{", 0); // 3
 */
export function layoutEnd(text: string, from: number, codes?: Set<RepairCode>): number {
  let at = from;
  for (;;) {
    const length = layoutAt(text, at);
    if (length === 0) return at;
    if (length === 2) codes?.add("escape-outside-string");
    else if (!isJsonSpace(text.charCodeAt(at))) codes?.add("foreign-space");
    at += length;
  }
}

/** Characters of one piece of layout: 1 for white space, 2 for `\n`, `\r`, `\t`, 0 for anything else. */
function layoutAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (isJsonSpace(unit) || isForeignSpace(unit)) return 1;
  if (unit !== BACKSLASH) return 0;
  const next = text[at + 1];
  return next === "n" || next === "r" || next === "t" ? 2 : 0;
}

function isJsonSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** White space of ECMAScript and of Unicode that JSON does not know, with the zero-width space and the byte order mark. */
function isForeignSpace(unit: number): boolean {
  if (unit < 0xa0) return unit === 0x0b || unit === 0x0c || unit === 0x85;
  if (unit >= 0x2000 && unit <= 0x200b) return true;
  return (
    unit === 0xa0 ||
    unit === 0x1680 ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}

/** An open bracket: what closes it, and what a tuple must know. */
interface Bracket {
  readonly close: string;
  commas: number;
}

/**
 * One rewriting. Invariants: `out` stands for the text before `#kept`; what lies between `#kept` and `at` is copied as it
 * is with the next change.
 */
class Rewriter {
  out = "";
  at = 0;
  readonly #text: string;
  readonly #codes: Set<RepairCode>;
  #kept = 0;
  readonly #open: Bracket[] = [];
  /** Whether the last token ends a value, so that a comma may follow. */
  #valueBefore = false;
  /** Strings in `\"`, and strings in plain quotes: both in one text have no common reading. */
  #escapedStrings = 0;
  #plainStrings = 0;

  constructor(text: string, codes: Set<RepairCode>) {
    this.#text = text;
    this.#codes = codes;
  }

  /** Reads up to the bracket that closes the first one. */
  run(): boolean {
    do {
      if (!this.#token()) return false;
    } while (this.#open.length > 0);
    this.#replace(this.at, this.at, "");
    return this.#escapedStrings === 0 || this.#plainStrings === 0;
  }

  #token(): boolean {
    const character = this.#text[this.at];
    switch (character) {
      case undefined:
        return false;
      case "{":
        return this.#bracket("}");
      case "[":
        return this.#bracket("]");
      case "(":
        return this.#bracket(")");
      case "}":
      case "]":
      case ")":
        return this.#close(character);
      case ",":
        return this.#comma();
      case ":":
        this.at++;
        this.#valueBefore = false;
        return true;
      case '"':
        return this.#doubleQuoted();
      case "'":
        return this.#singleQuoted();
      default:
        return this.#layout() || (character === "\\" ? this.#escapeQuoted() : this.#word() || this.#number());
    }
  }

  /** Copies what was kept, and `json` for the text from `from` to `to`. */
  #replace(from: number, to: number, json: string): void {
    this.out += this.#text.slice(this.#kept, from) + json;
    this.#kept = to;
  }

  #correct(code: RepairCode, from: number, to: number, json: string): void {
    this.#codes.add(code);
    this.#replace(from, to, json);
  }

  #bracket(close: string): boolean {
    if (this.#open.length >= DEFAULT_MAX_DEPTH) return false;
    if (close === ")") {
      // A value in parentheses without a comma is no tuple; `#close` looks.
      this.#correct("python-literal", this.at, this.at + 1, "[");
    }
    this.#open.push({ close, commas: 0 });
    this.at++;
    this.#valueBefore = false;
    return true;
  }

  #close(character: string): boolean {
    const bracket = this.#open.pop();
    if (bracket?.close !== character) return false;
    if (character === ")") {
      if (this.#valueBefore && bracket.commas === 0) return false;
      this.#replace(this.at, this.at + 1, "]");
    }
    this.at++;
    this.#valueBefore = true;
    return true;
  }

  /** A comma stays, unless nothing but layout stands between it and the bracket that closes. */
  #comma(): boolean {
    const bracket = this.#open.at(-1);
    if (bracket === undefined || !this.#valueBefore) return false;
    const comma = this.at;
    this.at++;
    bracket.commas++;
    if (this.#text[layoutEnd(this.#text, this.at)] !== bracket.close) {
      this.#valueBefore = false;
      return true;
    }
    // Of a tuple the comma is part: `(1,)`.
    this.#correct(bracket.close === ")" ? "python-literal" : "trailing-comma", comma, this.at, "");
    return true;
  }

  #layout(): boolean {
    const length = layoutAt(this.#text, this.at);
    if (length === 0) return false;
    const end = this.at + length;
    if (length === 2) this.#correct("escape-outside-string", this.at, end, " ");
    else if (!isJsonSpace(this.#text.charCodeAt(this.at))) this.#correct("foreign-space", this.at, end, " ");
    this.at = end;
    return true;
  }

  #word(): boolean {
    const start = this.at;
    let end = start;
    while (isWordUnit(this.#text.charCodeAt(end))) end++;
    const word = this.#text.slice(start, end);
    const next = this.#text[end];
    if (word === "u" && (next === "'" || next === '"')) {
      this.#correct("python-literal", start, end, "");
      this.at = end;
      return true;
    }
    const json = WORDS.get(word);
    if (json === undefined) return false;
    if (json !== word) this.#correct("python-literal", start, end, json);
    this.at = end;
    this.#valueBefore = true;
    return true;
  }

  /** A number is copied; the parser judges it. */
  #number(): boolean {
    const start = this.at;
    while (isNumberUnit(this.#text.charCodeAt(this.at))) this.at++;
    this.#valueBefore = true;
    return this.at > start;
  }

  #doubleQuoted(): boolean {
    this.#plainStrings++;
    this.at++;
    for (;;) {
      const unit = this.#text.charCodeAt(this.at);
      if (unit === QUOTE) return this.#endString(1);
      if (unit === BACKSLASH) {
        if (!isJsonEscape(this.#text.charCodeAt(this.at + 1))) return false;
        this.at += 2;
      } else if (!this.#plainCharacter(unit)) return false;
    }
  }

  /** A string in `\"`. A `\\` in it has two readings: escaped like the quotes, or not. */
  #escapeQuoted(): boolean {
    if (this.#text.charCodeAt(this.at + 1) !== QUOTE) return false;
    this.#escapedStrings++;
    this.#correct("escaped-quotes", this.at, this.at + 2, '"');
    this.at += 2;
    for (;;) {
      const unit = this.#text.charCodeAt(this.at);
      if (unit === QUOTE) return false;
      if (unit === BACKSLASH) {
        const next = this.#text.charCodeAt(this.at + 1);
        if (next === QUOTE) {
          this.#replace(this.at, this.at + 2, '"');
          return this.#endString(2);
        }
        if (next === BACKSLASH || !isJsonEscape(next)) return false;
        this.at += 2;
      } else if (!this.#plainCharacter(unit)) return false;
    }
  }

  #singleQuoted(): boolean {
    this.#plainStrings++;
    this.#correct("python-literal", this.at, this.at + 1, '"');
    this.at++;
    for (;;) {
      const unit = this.#text.charCodeAt(this.at);
      if (unit === APOSTROPHE) {
        this.#replace(this.at, this.at + 1, '"');
        return this.#endString(1);
      }
      if (unit === BACKSLASH) {
        if (!this.#literalEscape()) return false;
      } else if (unit === QUOTE) {
        this.#replace(this.at, this.at + 1, '\\"');
        this.at++;
      } else if (!this.#plainCharacter(unit)) return false;
    }
  }

  /** An escape in single quotes: those that Python and JavaScript read alike. */
  #literalEscape(): boolean {
    const start = this.at;
    const unit = this.#text.charCodeAt(start + 1);
    if (unit === APOSTROPHE) this.#replace(start, start + 2, "'");
    else if (unit === 0x76) this.#replace(start, start + 2, "\\u000b");
    else if (unit === 0x78) {
      // \x41. What follows is two digits or no escape at all, which the parser finds in \u00…
      this.#replace(start, start + 2, "\\u00");
    } else if (unit === SLASH || !isJsonEscape(unit)) return false;
    this.at += 2;
    return true;
  }

  /** A character inside a string that is no delimiter and no backslash. */
  #plainCharacter(unit: number): boolean {
    // NaN: the text ends inside the string.
    if (Number.isNaN(unit)) return false;
    if (unit < 0x20) this.#correct("control-character", this.at, this.at + 1, escaped(unit));
    this.at++;
    return true;
  }

  #endString(length: number): boolean {
    this.at += length;
    this.#valueBefore = true;
    return true;
  }
}

/** What may follow a backslash in JSON; the digits behind `u` are the parser's. */
function isJsonEscape(unit: number): boolean {
  return unit === QUOTE || unit === BACKSLASH || unit === SLASH || "bfnrtu".includes(String.fromCharCode(unit));
}

function isWordUnit(unit: number): boolean {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

/** Digits and signs; `e` and `E` only stand behind a digit, since a word would have been read before. */
function isNumberUnit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2b || unit === 0x2d || unit === 0x2e || (unit | 0x20) === 0x65;
}
