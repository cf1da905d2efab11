// Validity, and nothing else: reads a JSON text that comes in fragments and says at any moment whether it can still
// become JSON, whether it is whole, and where it broke. Keeps no text and builds no value.

import { characterFault, depthFault, endFault, type JsonFault, type JsonPlace } from "./fault.ts";
import {
  AFTER_ELEMENT,
  AFTER_MEMBER,
  BROKEN,
  CLOSE,
  END,
  FAULT,
  FIRST_ACTION,
  FIRST_ELEMENT,
  FIRST_KEY,
  isWholeNumber,
  KEY_STRING,
  KEY_UNICODE_1,
  LINE,
  move,
  OPEN_ARRAY,
  OPEN_OBJECT,
  runEnd,
  START,
  UNICODE_1,
  VALUE,
  VALUE_END,
} from "./grammar.ts";

/** Levels of nesting that are read when the caller sets no limit. */
export const DEFAULT_MAX_DEPTH = 10_000;

/**
 * Where a text stands:
 *
 * - `empty`: nothing but white space so far;
 * - `open`: a value has begun and not ended. A number that is the whole text stays open, since a digit may follow; see
 *   {@link JsonScanner.canEnd};
 * - `closed`: a whole value stands there, only white space may follow;
 * - `broken`: no continuation is JSON.
 */
export type JsonTextState = "empty" | "open" | "closed" | "broken";

/** What the value of a text is, as its first character tells. */
export type JsonKind = "object" | "array" | "string" | "number" | "literal";

/** Options of a {@link JsonScanner}. */
export interface JsonScannerOptions {
  /** Levels of nesting that are allowed; one more is the fault `too-deep`. Default 10,000. */
  readonly maxDepth?: number;
}

/**
 * Reads one JSON value, with optional white space around it, from fragments of any size; accepts exactly what
 * `JSON.parse` accepts (RFC 8259). Reads every character once, without recursion; a `feed` costs what its fragment costs
 * and allocates nothing unless it breaks. Memory grows with the depth of nesting only.
 *
 * @example
 * const scanner = new JsonScanner();
 * scanner.feed('{"city":"Os'); // true, scanner.state is "open"
 * scanner.feed('lo"}'); // true, scanner.state is "closed"
 * scanner.feed("!"); // false
 * scanner.fault?.message; // "expected nothing more behind the value, found '!'"
 * scanner.undo(); // closed again
 */
export class JsonScanner {
  readonly #maxDepth: number;
  #state: number = START;
  #depth = 0;
  #length = 0;
  #line = 1;
  #lineStart = 0;
  #kind: JsonKind | undefined = undefined;
  #fault: JsonFault | undefined = undefined;
  #scanned = 0;
  #numbered = false;
  /** By level, the state after a value in the container there: END outside all, else AFTER_MEMBER or AFTER_ELEMENT. */
  readonly #after: number[] = [END];

  // What the last `feed` found, for `undo`. `#lost` holds the entries of `#after` that it took from the old top downwards
  // to `#low`, since it may have written others over them.
  #undoable = false;
  #oldState: number = START;
  #oldDepth = 0;
  #oldLength = 0;
  #oldLine = 1;
  #oldLineStart = 0;
  #low = 0;
  readonly #lost: number[] = [];

  /**
   * Starts with no text.
   *
   * @param options Limits.
   */
  constructor(options: JsonScannerOptions = {}) {
    this.#maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  }

  /**
   * Reads the next fragment.
   *
   * @param text Any number of characters, also none; may begin and end anywhere, also inside a surrogate pair.
   * @param start Where the fragment begins in `text`, in UTF-16 units; at its beginning by default.
   * @param end Where it ends; at its end by default.
   * @returns True while the text so far is JSON or can become JSON by appending. After false the scanner only counts.
   */
  feed(text: string, start = 0, end: number = text.length): boolean {
    const before = this.#state;
    this.#undoable = true;
    this.#oldState = before;
    this.#oldDepth = this.#low = this.#depth;
    this.#oldLength = this.#length;
    this.#oldLine = this.#line;
    this.#oldLineStart = this.#lineStart;
    if (before !== BROKEN) {
      this.#scan(text, start, end);
      if (before === START && this.#state !== START) this.#kind = kindOf(text, start);
    }
    this.#length += end - start;
    return this.#state !== BROKEN;
  }

  #scan(text: string, start: number, end: number): void {
    const after = this.#after;
    // The place of a character, from that in the range.
    const base = this.#length - start;
    let state = this.#state;
    let at = start;
    while (at < end) {
      if (state <= KEY_STRING) {
        at = runEnd(text, at, end);
        if (at === end) break;
      }
      const unit = text.charCodeAt(at);
      const next = move(state, unit);
      if (next < FIRST_ACTION) {
        if (next === UNICODE_1 || next === KEY_UNICODE_1) this.#numbered = true;
        state = next;
        at++;
      } else if (next === VALUE_END) {
        state = after[this.#depth] as number;
        at++;
      } else if (next === OPEN_OBJECT || next === OPEN_ARRAY) {
        if (this.#depth >= this.#maxDepth)
          return this.#break(depthFault(unit, this.#maxDepth, this.#place(base + at)), at - start);
        after[++this.#depth] = next === OPEN_OBJECT ? AFTER_MEMBER : AFTER_ELEMENT;
        state = next === OPEN_OBJECT ? FIRST_KEY : FIRST_ELEMENT;
        at++;
      } else if (next === CLOSE) {
        state = this.#close();
        at++;
      } else if (next === LINE) {
        at++;
        this.#line++;
        this.#lineStart = base + at;
      } else if (next === FAULT) {
        return this.#break(characterFault(state, unit, this.#place(base + at)), at - start);
      } else {
        // NUMBER_END: the character is read again by the state after the value.
        state = after[this.#depth] as number;
      }
    }
    this.#state = state;
    this.#scanned += end - start;
  }

  #close(): number {
    const after = this.#after;
    if (this.#depth === this.#low) {
      this.#lost[this.#oldDepth - this.#low] = after[this.#depth] as number;
      this.#low--;
    }
    return after[--this.#depth] as number;
  }

  #break(fault: JsonFault, before: number): void {
    this.#state = BROKEN;
    this.#fault = fault;
    this.#scanned += before + 1;
  }

  #place(offset: number): JsonPlace {
    return { offset, line: this.#line, column: offset - this.#lineStart + 1 };
  }

  /**
   * Takes the last `feed` back, as if it had not been called (only `scanned` keeps counting). One level: a second `undo`
   * without a `feed` between is a mistake of the caller.
   *
   * @throws Error when there is no `feed` to take back.
   */
  undo(): void {
    if (!this.#undoable) throw new Error("JsonScanner.undo: there is no feed to take back");
    this.#undoable = false;
    for (let level = this.#oldDepth; level > this.#low; level--)
      this.#after[level] = this.#lost[this.#oldDepth - level] as number;
    this.#state = this.#oldState;
    this.#depth = this.#oldDepth;
    this.#length = this.#oldLength;
    this.#line = this.#oldLine;
    this.#lineStart = this.#oldLineStart;
    if (this.#state === START) this.#kind = undefined;
    if (this.#state !== BROKEN) this.#fault = undefined;
  }

  /** Forgets everything, ready for another text. */
  reset(): void {
    this.#state = START;
    this.#depth = 0;
    this.#length = 0;
    this.#line = 1;
    this.#lineStart = 0;
    this.#kind = undefined;
    this.#fault = undefined;
    this.#scanned = 0;
    this.#numbered = false;
    this.#undoable = false;
  }

  /** Where the text stands. */
  get state(): JsonTextState {
    if (this.#state === BROKEN) return "broken";
    if (this.#state === START) return "empty";
    return this.#state === END ? "closed" : "open";
  }

  /** True when the text so far is a whole JSON text: it is closed, or a number such as `12`. */
  get canEnd(): boolean {
    return this.#state === END || (this.#depth === 0 && isWholeNumber(this.#state));
  }

  /** True when the next character other than white space may be the first of a value (or its container may end). */
  get expectsValue(): boolean {
    return this.#state === VALUE || this.#state === START || this.#state === FIRST_ELEMENT;
  }

  /** What the value is; undefined until its first character has come, or when that was none. */
  get kind(): JsonKind | undefined {
    return this.#kind;
  }

  /** Characters fed, in UTF-16 units, also those behind a fault. */
  get length(): number {
    return this.#length;
  }

  /** Containers that are open now; when broken, those that were open at the fault. */
  get depth(): number {
    return this.#depth;
  }

  /** The first fault; undefined while there is none. A text that only ends too early has none: see {@link end}. */
  get fault(): JsonFault | undefined {
    return this.#fault;
  }

  /** Characters examined since the start or the last `reset`, `undo` or not: a measure of the work done. */
  get scanned(): number {
    return this.#scanned;
  }

  /** Whether a `\\u` escape may stand in the text: false is certain, `undo` does not take true back. */
  get numbered(): boolean {
    return this.#numbered;
  }

  /**
   * What is wrong if the text ends here. Changes nothing.
   *
   * @returns Undefined when the text is JSON; else its fault, `unexpected-end` when it is only incomplete.
   *
   * @example
   * const scanner = new JsonScanner();
   * scanner.feed('{"a":[1');
   * scanner.end()?.message; // "expected ',' or ']' after a value in an array, found the end of the text; open levels: 2"
   */
  end(): JsonFault | undefined {
    if (this.#fault !== undefined || this.canEnd) return this.#fault;
    const state = isWholeNumber(this.#state) ? (this.#after[this.#depth] as number) : this.#state;
    return endFault(state, this.#depth, this.#place(this.#length));
  }
}

/** The kind of a value by the first character from `start` on that is no white space. */
function kindOf(text: string, start: number): JsonKind | undefined {
  const first = /[^ \n\r\t]/.exec(text.slice(start))?.[0] ?? "";
  if (/[-\d]/.test(first)) return "number";
  return KINDS[first];
}

const KINDS: Readonly<Record<string, JsonKind>> = {
  "{": "object",
  "[": "array",
  '"': "string",
  t: "literal",
  f: "literal",
  n: "literal",
};
