// One object of a request while it is read. Owns the checks of its fields' types, and that what nobody read is told.

import type { TranslateNotices } from "./notices.ts";
import { RequestError } from "./request-error.ts";

/** A value and where it stands. */
export interface Placed {
  readonly value: unknown;
  readonly path: string;
}

/** A field that is null counts as absent, as it does for every vendor. */
export class RequestObject {
  readonly path: string;
  readonly notices: TranslateNotices;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #read: Set<string> = new Set();
  readonly #children: RequestObject[] = [];
  #skipped = false;
  readonly #snake: boolean;

  /**
   * @param placed What should be an object.
   * @param notices Takes what nobody reads.
   * @param snake Fields may be spelled in snake_case where camelCase is asked for, as Gemini's may.
   * @throws RequestError where it is none.
   */
  constructor({ value, path }: Placed, notices: TranslateNotices, snake = false) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(path, "an object", value);
    this.#fields = value as Readonly<Record<string, unknown>>;
    this.path = path;
    this.notices = notices;
    this.#snake = snake;
  }

  /** Where a field stands. */
  at(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  /** Whether a field is there and not null. */
  has(name: string): boolean {
    return this.#look(name) !== undefined;
  }

  /** A field of any type, undefined where it is absent; it counts as read. */
  take(name: string): unknown {
    this.#read.add(this.#key(name));
    return this.#look(name);
  }

  string(name: string): string | undefined {
    return this.#typed(name, "string", "a string") as string | undefined;
  }

  number(name: string): number | undefined {
    return this.#typed(name, "number", "a number") as number | undefined;
  }

  boolean(name: string): boolean | undefined {
    return this.#typed(name, "boolean", "true or false") as boolean | undefined;
  }

  /** A string that must be there. */
  needString(name: string): string {
    return this.string(name) ?? this.#missing(name);
  }

  object(name: string): RequestObject | undefined {
    const value = this.take(name);
    return value === undefined ? undefined : this.inside({ value, path: this.at(name) });
  }

  needObject(name: string): RequestObject {
    return this.object(name) ?? this.#missing(name);
  }

  /** A list, undefined where it is absent. */
  list(name: string): readonly Placed[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw wrong(this.at(name), "a list", value);
    return value.map((each: unknown, index) => ({ value: each, path: `${this.at(name)}[${index}]` }));
  }

  /** A list of objects; none where it is absent. */
  objects(name: string): readonly RequestObject[] {
    return (this.list(name) ?? []).map((each) => this.inside(each));
  }

  /** A list of strings. */
  strings(name: string): readonly string[] | undefined {
    return this.list(name)?.map(({ value, path }) => {
      if (typeof value !== "string") throw wrong(path, "a string", value);
      return value;
    });
  }

  /** The JSON text of a call's arguments; a text in their place is what a client was given of a call that has none. */
  argumentsText(name: string): string {
    const value = this.#look(name);
    return typeof value === "string" ? (this.string(name) ?? "") : JSON.stringify(this.json(name) ?? {});
  }

  /** An object of JSON, as it is: a schema. */
  json(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw wrong(this.at(name), "an object", value);
    return value as Readonly<Record<string, unknown>>;
  }

  /** An object that stands in this one. */
  inside(placed: Placed): RequestObject {
    const child = new RequestObject(placed, this.notices, this.#snake);
    this.#children.push(child);
    return child;
  }

  /** The object is left out as a whole, which the caller has told. */
  skip(): void {
    this.#skipped = true;
  }

  /** Fields that mean nothing to another vendor and whose loss nobody needs to know of. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(this.#key(name));
  }

  /** All that is to be read has been: what is left in it, and in the objects that were read in it, is told. */
  done(): void {
    if (this.#skipped) return;
    for (const child of this.#children) child.done();
    for (const [name, value] of Object.entries(this.#fields)) {
      if (value === null || value === undefined || this.#read.has(name)) continue;
      this.notices.say(
        "field-left-out",
        `"${name.slice(0, 80)}" has no counterpart and was left out.`,
        this.at(name.slice(0, 80)),
      );
    }
  }

  #typed(name: string, type: string, words: string): unknown {
    const value = this.take(name);
    if (value === undefined || typeof value === type) return value;
    throw wrong(this.at(name), words, value);
  }

  #missing(name: string): never {
    throw new RequestError("malformed", this.at(name), "is missing");
  }

  #key(name: string): string {
    if (!this.#snake || Object.hasOwn(this.#fields, name)) return name;
    return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  #look(name: string): unknown {
    const key = this.#key(name);
    return Object.hasOwn(this.#fields, key) ? (this.#fields[key] ?? undefined) : undefined;
  }
}

/** The error of a value that is of another type. */
export function wrong(path: string, wanted: string, value: unknown): RequestError {
  const got =
    value === null
      ? "null"
      : Array.isArray(value)
        ? "a list"
        : value === undefined
          ? "nothing"
          : `${article(typeof value)} ${typeof value}`;
  return new RequestError("malformed", path, `must be ${wanted}, got ${got}`);
}

function article(word: string): string {
  return /^[aeiou]/.test(word) ? "an" : "a";
}
