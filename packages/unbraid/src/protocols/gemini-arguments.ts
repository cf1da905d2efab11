// Gemini's partial arguments: values by JSON path, written as one JSON text that only grows. Owns the writing order and the
// value so far. Source of the form: PartialArg of @google/genai 3.3.0 and RFC 9535 paths such as "$.a.b[0].c".

import { fields, type Fields } from "./fields.ts";
import { tooDeep } from "../wire-values.ts";

type Segment = string | number;

/** A container that is open in the text. */
interface Open {
  readonly array: boolean;
  /** Key or index of the entry written last. */
  at: Segment | undefined;
  /** The entries written, for an object: its keys. */
  readonly keys: Set<string>;
}

/** Entries that array indexes of one call may skip; more is hostile or broken and is refused. */
const MAX_GAP = 1000;
const MAX_SEGMENTS = 1000;
const PATH = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The arguments of one call while they come in parts. */
export class PartialArguments {
  #value: Record<string, unknown> | undefined;
  readonly #open: Open[] = [];
  /** Path of the string that is open in the text. */
  #string: string | undefined;
  #inOrder = true;
  /** Strings whose end has not come, also those that others were written after. */
  readonly #unended: Set<string> = new Set();
  /** Entries that array indexes have skipped. */
  #gaps = 0;

  /** False once a part went back to something already written: the text given out does not hold, `text` does. */
  get inOrder(): boolean {
    return this.#inOrder;
  }

  /** The whole text of what has come, written anew; costs its length. */
  get text(): string {
    return this.#value === undefined ? "" : JSON.stringify(this.#value);
  }

  /**
   * Takes one part.
   *
   * @param part `{jsonPath, stringValue | numberValue | boolValue | nullValue, willContinue?}`
   * @returns The JSON text to append, or undefined where the path cannot be read or written: the part is lost.
   */
  add(part: Fields): string | undefined {
    const raw = part["jsonPath"];
    if (typeof raw !== "string") return undefined;
    const emptyArray = raw.endsWith("[]");
    const path = parsePath(emptyArray ? raw.slice(0, -2) : raw);
    if (path === undefined) return undefined;
    const root = (this.#value ??= emptyObject());
    const value = emptyArray ? [] : valueOf(part);
    const key = path.join("\u0000");
    const more = part["willContinue"] === true;
    if (typeof value === "string" && this.#unended.has(key)) {
      append(root, path, value);
      if (!more) this.#unended.delete(key);
      if (this.#string === key) return escaped(value) + this.#closeString(!more);
      this.#inOrder = false;
      return "";
    }
    if (typeof value === "string" && more) this.#unended.add(key);
    // A part without a value ends the string or the array that stands there, or is an empty object where nothing does.
    if (value === undefined || emptyArray) {
      const there = at(root, path);
      if (there !== undefined) return this.#string === key ? this.#closeString(true) : "";
    }
    return this.#write(root, path, key, value === undefined ? emptyObject() : value, more);
  }

  /** The text that ends the object; empty where nothing came. */
  end(): string {
    if (this.#open.length === 0) return "";
    return this.#closeString(true) + this.#closeTo(0);
  }

  #write(
    root: Record<string, unknown>,
    path: readonly Segment[],
    key: string,
    value: unknown,
    more: boolean,
  ): string | undefined {
    if (!this.#assign(root, path, value)) return undefined;
    let text = this.#closeString(true);
    if (!this.#inOrder) return "";
    if (this.#open.length === 0) text += this.#enter(false);
    text += this.#closeTo(this.#shared(path) + 1);
    for (let depth = this.#open.length - 1; depth < path.length; depth++) {
      const segment = path[depth] ?? "";
      const lead = this.#lead(segment);
      if (lead === undefined) {
        this.#inOrder = false;
        return "";
      }
      text += lead;
      if (depth < path.length - 1) text += this.#enter(typeof path[depth + 1] === "number");
    }
    if (typeof value !== "string") return text + JSON.stringify(value);
    text += `"${escaped(value)}`;
    this.#string = key;
    return text + this.#closeString(!more);
  }

  #assign(root: Record<string, unknown>, path: readonly Segment[], value: unknown): boolean {
    const gap = assign(root, path, value, MAX_GAP - this.#gaps);
    if (gap === undefined) return false;
    this.#gaps += gap;
    return true;
  }

  /** How many leading segments of the path are open in the text. */
  #shared(path: readonly Segment[]): number {
    let shared = 0;
    while (shared < path.length - 1 && shared < this.#open.length - 1 && this.#open[shared]?.at === path[shared])
      shared++;
    return shared;
  }

  /** Comma and key in front of an entry; undefined where the entry cannot stand here. */
  #lead(segment: Segment): string | undefined {
    const top = this.#open.at(-1);
    if (top === undefined || top.array !== (typeof segment === "number")) return undefined;
    const comma = top.at === undefined ? "" : ",";
    if (typeof segment === "string") {
      if (top.keys.has(segment)) return undefined;
      top.keys.add(segment);
      top.at = segment;
      return `${comma}${JSON.stringify(segment)}:`;
    }
    const next = top.at === undefined ? 0 : Number(top.at) + 1;
    if (segment < next) return undefined;
    top.at = segment;
    return comma + "null,".repeat(segment - next);
  }

  #enter(array: boolean): string {
    this.#open.push({ array, at: undefined, keys: new Set() });
    return array ? "[" : "{";
  }

  #closeTo(depth: number): string {
    let text = "";
    while (this.#open.length > depth) text += this.#open.pop()?.array === true ? "]" : "}";
    return text;
  }

  #closeString(over: boolean): string {
    if (!over || this.#string === undefined) return "";
    this.#string = undefined;
    return this.#inOrder ? '"' : "";
  }
}

/** `$.a['b c'][0]` as its segments; undefined where it is no such path. */
function parsePath(path: string): Segment[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const segments: Segment[] = [];
  PATH.lastIndex = 1;
  while (PATH.lastIndex < path.length) {
    const match = PATH.exec(path);
    if (match === null || segments.length >= MAX_SEGMENTS) return undefined;
    const quoted = match[3] ?? match[4];
    segments.push(
      match[2] !== undefined
        ? Number(match[2])
        : quoted === undefined
          ? (match[1] ?? "")
          : quoted.replace(/\\(.)/g, "$1"),
    );
  }
  return segments.length > 0 && typeof segments[0] === "string" ? segments : undefined;
}

function valueOf(part: Fields): unknown {
  if (typeof part["stringValue"] === "string") return part["stringValue"];
  if (typeof part["numberValue"] === "number" || typeof part["boolValue"] === "boolean")
    return part["numberValue"] ?? part["boolValue"];
  if (part["nullValue"] !== undefined) return null;
  const structure = part["structValue"] ?? part["listValue"];
  return typeof structure === "object" && structure !== null && tooDeep(structure) ? null : structure;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Without a prototype: `__proto__` is a key like any other. */
function emptyObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function at(root: unknown, path: readonly Segment[]): unknown {
  let value = root;
  for (const segment of path) {
    if (Array.isArray(value) && typeof segment === "number") value = value[segment] as unknown;
    else value = typeof segment === "string" ? fields(value)?.[segment] : undefined;
  }
  return value;
}

/** Puts a value where the path says; gives the entries that were skipped, undefined where those are too many or something stands in the way. */
function assign(
  root: Record<string, unknown>,
  path: readonly Segment[],
  value: unknown,
  maySkip: number,
): number | undefined {
  let target: unknown = root;
  let skipped = 0;
  for (const [depth, segment] of path.entries()) {
    const last = depth === path.length - 1;
    const existing = at(target, [segment]);
    const next = last
      ? value
      : typeof existing === "object" && existing !== null
        ? existing
        : typeof path[depth + 1] === "number"
          ? []
          : emptyObject();
    if (Array.isArray(target) && typeof segment === "number") {
      skipped += Math.max(0, segment - target.length);
      if (skipped > maySkip) return undefined;
      while (target.length < segment) target.push(null);
      target[segment] = next;
    } else if (!Array.isArray(target) && typeof target === "object" && target !== null && typeof segment === "string") {
      (target as Record<string, unknown>)[segment] = next;
    } else {
      return undefined;
    }
    target = next;
  }
  return skipped;
}

function append(root: Record<string, unknown>, path: readonly Segment[], text: string): void {
  const held = at(root, path);
  assign(root, path, typeof held === "string" ? held + text : text, 0);
}
