// What a tool's schema says about the type of a value that was written as bare text. Owns the reading of the schema and
// the choice of a JSON text for such a value. Pure functions.

import { JsonScanner } from "../json/scanner.ts";
import { pythonToJson } from "./literal.ts";

/** A set of JSON types as bits; 0 where the schema does not say. */
export type Types = number;
export const STRING: Types = 1;
export const NUMBER: Types = 2;
export const BOOLEAN: Types = 4;
export const NULL: Types = 8;
export const OBJECT: Types = 16;
export const ARRAY: Types = 32;

/** The names of types, those that Python programmers write among them. */
const NAMES: Readonly<Record<string, Types>> = {
  string: STRING,
  str: STRING,
  integer: NUMBER,
  int: NUMBER,
  number: NUMBER,
  float: NUMBER,
  boolean: BOOLEAN,
  bool: BOOLEAN,
  null: NULL,
  object: OBJECT,
  dict: OBJECT,
  array: ARRAY,
  list: ARRAY,
};

/** Schemas inside schemas that are followed; also stops a schema that refers to itself. */
const MAX_DEPTH = 16;

type Schema = Readonly<Record<string, unknown>>;

/** A tool's schema, asked about its parts. */
export class ToolSchema {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** The schema of the whole arguments. */
  get root(): unknown {
    return this.#root;
  }

  /** The schema of a member of an object; undefined where nothing is said. */
  property(schema: unknown, key: string): unknown {
    for (const part of this.#parts(schema, 0)) {
      const { properties } = part as { properties?: unknown };
      if (isSchema(properties) && Object.hasOwn(properties, key)) return properties[key];
    }
    for (const part of this.#parts(schema, 0)) {
      const { additionalProperties } = part as { additionalProperties?: unknown };
      if (isSchema(additionalProperties)) return additionalProperties;
    }
    return undefined;
  }

  /** The schema of an element of an array; undefined where nothing is said. */
  element(schema: unknown, index: number): unknown {
    for (const part of this.#parts(schema, 0)) {
      const { prefixItems, items } = part as { prefixItems?: unknown; items?: unknown };
      if (Array.isArray(prefixItems) && index < prefixItems.length) return prefixItems[index] as unknown;
      if (isSchema(items)) return items;
    }
    return undefined;
  }

  /** The types that a schema allows. */
  types(schema: unknown): Types {
    let types = 0;
    for (const part of this.#parts(schema, 0)) types |= ownTypes(part);
    return types;
  }

  /** A schema and those that it is made of: references, alternatives, conjunctions. */
  *#parts(schema: unknown, depth: number): Generator<Schema> {
    if (!isSchema(schema) || depth > MAX_DEPTH) return;
    yield schema;
    const { $ref } = schema as { $ref?: unknown };
    if (typeof $ref === "string") yield* this.#parts(this.#resolve($ref), depth + 1);
    for (const word of ["anyOf", "oneOf", "allOf"]) {
      const list = schema[word];
      if (Array.isArray(list)) for (const one of list) yield* this.#parts(one, depth + 1);
    }
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    let at: unknown = this.#root;
    for (const step of reference.slice(1).split("/").slice(1)) {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
      at = Reflect.get(at, name);
    }
    return at;
  }
}

function ownTypes(schema: Schema): Types {
  const { type, enum: words, const: only, nullable, properties, items } = schema as Record<string, unknown>;
  let types = 0;
  for (const name of Array.isArray(type) ? (type as unknown[]) : [type]) {
    if (typeof name === "string") types |= NAMES[name.toLowerCase()] ?? 0;
  }
  if (types === 0) {
    for (const value of Array.isArray(words) ? (words as unknown[]) : []) types |= typeOf(value);
    if (only !== undefined) types |= typeOf(only);
    if (properties !== undefined) types |= OBJECT;
    if (items !== undefined) types |= ARRAY;
  }
  return nullable === true ? types | NULL : types;
}

function typeOf(value: unknown): Types {
  if (value === null) return NULL;
  if (Array.isArray(value)) return ARRAY;
  return NAMES[typeof value] ?? 0;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The JSON text of a value that was written as bare text. A field that is a string, or of which nothing is known, is
 * never parsed; of the other types, the first that the text can be is taken, and a text that fits none stays a string.
 *
 * @example
 * jsonOf("5", NUMBER); // "5"
 * jsonOf("5", STRING); // '"5"'
 * jsonOf("None", STRING | NULL); // "null"
 */
export function jsonOf(text: string, types: Types): string {
  if (types === 0 || types === STRING) return JSON.stringify(text);
  const value = text.trim();
  // A value of another type alone can be nothing else than what its letters say.
  const strict = (types & STRING) !== 0;
  const may = (type: Types): boolean => !strict || (types & type) !== 0;
  if (may(NULL) && (value === "null" || value === "None")) return "null";
  if (may(BOOLEAN) && /^(?:true|false)$/i.test(value)) return value.toLowerCase();
  if (may(NUMBER) && JSON_NUMBER.test(value)) return value;
  const first = value.charAt(0);
  if ((first === "{" && may(OBJECT)) || (first === "[" && may(ARRAY))) {
    if (isJson(value)) return value;
    const json = pythonToJson(value);
    if (json !== undefined) return json;
  }
  return JSON.stringify(text);
}

/** Whether a text is one whole JSON value. */
export function isJson(text: string): boolean {
  const scanner = new JsonScanner();
  return scanner.feed(text) && scanner.canEnd;
}
