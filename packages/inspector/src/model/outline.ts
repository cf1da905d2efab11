// The places of the values in a JSON text that grows. Owns a flat list of nodes in the order of their first characters, so
// that the value at any earlier moment is a beginning of that list: going back costs a search, not a second reading.
// Reads as far as the text can be JSON, and each character once.

import { Column } from "./column.ts";

/** What a node is. */
type NodeKind = "object" | "array" | "string" | "number" | "literal";

/** One value of the text. */
export interface OutlineNode {
  /** What it is. */
  readonly kind: NodeKind;
  /** UTF-16 offset of its first character. */
  readonly start: number;
  /** Offset just after its last character; Infinity where it has not ended. */
  readonly end: number;
  /** The node of the container it stands in; -1 for the outermost. */
  readonly parent: number;
  /** Containers around it. */
  readonly depth: number;
  /** Offsets of its key, with the quotes; undefined in an array and outside. */
  readonly key: readonly [number, number] | undefined;
  /** Its place in an array, from 0. */
  readonly index: number;
}

const KINDS: readonly NodeKind[] = ["object", "array", "string", "number", "literal"];
const OBJECT = 0;
const ARRAY = 1;
const STRING = 2;
const NUMBER = 3;
const LITERAL = 4;

/** Values beyond this are not listed: nobody looks at the millionth. */
const MAX_NODES = 1_000_000;

// What is being read. Anything else than a value, a key or what stands between them ends the reading: the scanner of
// the library says where a text is wrong, this only must not go on behind it.
const BETWEEN = 0;
const IN_STRING = 1;
const IN_ESCAPE = 2;
const IN_KEY = 3;
const IN_KEY_ESCAPE = 4;
const IN_WORD = 5;
const OVER = 6;

/** Follows one text. */
export class Outline {
  readonly #kind: Column = new Column();
  readonly #start: Column = new Column();
  readonly #end: Column = new Column();
  readonly #parent: Column = new Column();
  readonly #depth: Column = new Column();
  readonly #keyStart: Column = new Column();
  readonly #keyEnd: Column = new Column();
  readonly #index: Column = new Column();
  /** The open containers, outermost first. */
  readonly #open: number[] = [];
  /** Values so far in each of them. */
  readonly #counts: number[] = [];
  #state = BETWEEN;
  #at = 0;
  /** The key whose value is awaited. */
  #key: [number, number] | undefined;
  #keyFrom = 0;
  #last = -1;

  /** How many nodes there are. */
  get length(): number {
    return this.#start.length;
  }

  /** Takes what was added to the text. */
  feed(text: string): void {
    for (let at = 0; at < text.length && this.#state !== OVER; at++) this.#unit(text.charCodeAt(at), this.#at + at);
    this.#at += text.length;
  }

  /** Nodes that have begun when the text was this long. */
  countAt(length: number): number {
    return this.#start.below(length);
  }

  /** One node as it was when the text was this long. */
  node(at: number, length: number): OutlineNode | undefined {
    if (!(at >= 0 && at < this.#start.length)) return undefined;
    const end = this.#end.at(at);
    const kind = this.#kind.at(at);
    const keyStart = this.#keyStart.at(at);
    return {
      kind: KINDS[kind] ?? "literal",
      start: this.#start.at(at),
      // A number ends with what follows it: `12` may become `123`.
      end: end > length || (kind === NUMBER && end === length) ? Number.POSITIVE_INFINITY : end,
      parent: this.#parent.at(at),
      depth: this.#depth.at(at),
      key: keyStart < 0 ? undefined : [keyStart, this.#keyEnd.at(at)],
      index: this.#index.at(at),
    };
  }

  #unit(unit: number, at: number): void {
    switch (this.#state) {
      case IN_STRING:
        if (unit === 0x22) this.#finish(at + 1);
        else if (unit === 0x5c) this.#state = IN_ESCAPE;
        else if (unit < 0x20) this.#state = OVER;
        return;
      case IN_ESCAPE:
        this.#state = IN_STRING;
        return;
      case IN_KEY:
        if (unit === 0x22) {
          this.#key = [this.#keyFrom, at + 1];
          this.#state = BETWEEN;
        } else if (unit === 0x5c) this.#state = IN_KEY_ESCAPE;
        else if (unit < 0x20) this.#state = OVER;
        return;
      case IN_KEY_ESCAPE:
        this.#state = IN_KEY;
        return;
      case IN_WORD:
        if (isWord(unit)) return;
        this.#finish(at);
        return this.#between(unit, at);
      default:
        return this.#between(unit, at);
    }
  }

  #between(unit: number, at: number): void {
    const container = this.#open.at(-1);
    switch (unit) {
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
      case 0x3a: // a colon
      case 0x2c: // a comma
        return;
      case 0x22:
        if (container !== undefined && this.#kind.at(container) === OBJECT && this.#key === undefined) {
          this.#keyFrom = at;
          this.#state = IN_KEY;
          return;
        }
        return this.#begin(STRING, at, IN_STRING);
      case 0x7b:
        return this.#begin(OBJECT, at, BETWEEN);
      case 0x5b:
        return this.#begin(ARRAY, at, BETWEEN);
      case 0x7d:
      case 0x5d: {
        const node = this.#open.pop();
        this.#counts.pop();
        if (node === undefined) this.#state = OVER;
        else this.#end.set(node, at + 1);
        return;
      }
      default:
        if (!isWord(unit)) this.#state = OVER;
        else this.#begin(unit === 0x2d || (unit >= 0x30 && unit <= 0x39) ? NUMBER : LITERAL, at, IN_WORD);
    }
  }

  #begin(kind: number, at: number, state: number): void {
    if (this.#start.length >= MAX_NODES || (this.#open.length === 0 && this.#start.length > 0)) {
      this.#state = OVER;
      return;
    }
    const level = this.#open.length - 1;
    const index = level < 0 ? 0 : (this.#counts[level] as number);
    if (level >= 0) this.#counts[level] = index + 1;
    this.#kind.push(kind);
    this.#start.push(at);
    this.#end.push(Number.POSITIVE_INFINITY);
    this.#parent.push(this.#open.at(-1) ?? -1);
    this.#depth.push(this.#open.length);
    this.#keyStart.push(this.#key?.[0] ?? -1);
    this.#keyEnd.push(this.#key?.[1] ?? -1);
    this.#index.push(index);
    this.#key = undefined;
    this.#state = state;
    this.#last = this.#start.length - 1;
    if (kind === OBJECT || kind === ARRAY) {
      this.#open.push(this.#last);
      this.#counts.push(0);
    }
  }

  #finish(end: number): void {
    this.#end.set(this.#last, end);
    this.#state = BETWEEN;
  }
}

/** A character of a number or of `true`, `false`, `null`. */
function isWord(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    unit === 0x2b ||
    unit === 0x2d ||
    unit === 0x2e
  );
}
