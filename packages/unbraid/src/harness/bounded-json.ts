// The JSON text of any value that a tool may give or a model may send, never longer than asked, whatever the value is:
// circular, endless, with getters that throw. Owns that writing. Runs no code of the value but `toJSON` and getters.

/** A JSON text, and whether something had to be left out at the end. */
export interface BoundedJson {
  /** JSON, unless it was cut. */
  readonly text: string;
  /** True where the value went on. */
  readonly cut: boolean;
}

/** Levels of nesting that are written; deeper values are named only. */
const MAX_DEPTH = 64;

/**
 * Writes a value as JSON.stringify does, with these differences: a bigint is written as its digits, a Map and a Set as an
 * object and an array, an Error as its name and message; what is circular, too deep or throws when it is read is named in
 * a string; bytes are counted.
 *
 * @param value Any value.
 * @param length UTF-16 units of the text at most.
 * @example
 * boundedJson({ id: 1n }, 100); // { text: '{"id":1}', cut: false }
 */
export function boundedJson(value: unknown, length: number): BoundedJson {
  const writer = new Writer(length);
  writer.value(value, "", 0);
  return { text: writer.text.slice(0, length), cut: writer.text.length > length };
}

class Writer {
  text = "";
  readonly #length: number;
  readonly #open: Set<object> = new Set();

  constructor(length: number) {
    this.#length = length;
  }

  get #full(): boolean {
    return this.text.length > this.#length;
  }

  /** Writes one value; what JSON has no word for becomes null. */
  value(given: unknown, key: string, depth: number): void {
    if (this.#full) return;
    const value = settled(given, key);
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "number":
        this.text += Number.isFinite(value) ? String(value) : "null";
        return;
      case "boolean":
        this.text += String(value);
        return;
      case "bigint":
        this.text += String(value);
        return;
      case "object":
        if (value !== null) return this.#object(value, depth);
        this.text += "null";
        return;
      case "undefined":
      case "function":
      case "symbol":
        this.text += "null";
    }
  }

  #string(value: string): void {
    const room = this.#length - this.text.length + 1;
    this.text += JSON.stringify(value.length > room ? value.slice(0, room) : value);
  }

  #object(value: object, depth: number): void {
    if (this.#open.has(value)) return this.#string("[circular]");
    if (depth >= MAX_DEPTH) return this.#string("[nested too deep]");
    this.#open.add(value);
    try {
      const plain = plainForm(value);
      if (typeof plain === "string") this.#string(plain);
      else if (Array.isArray(plain)) this.#array(plain, depth);
      else this.#members(plain, depth);
    } catch {
      this.#string("[unreadable]");
    }
    this.#open.delete(value);
  }

  #array(list: readonly unknown[], depth: number): void {
    this.text += "[";
    for (let at = 0; at < list.length && !this.#full; at++) {
      if (at > 0) this.text += ",";
      this.value(list[at], String(at), depth + 1);
    }
    this.text += "]";
  }

  #members(value: object, depth: number): void {
    this.text += "{";
    let first = true;
    for (const key of Object.keys(value)) {
      if (this.#full) break;
      const member = read(value, key);
      if (member === undefined || typeof member === "function" || typeof member === "symbol") continue;
      if (!first) this.text += ",";
      first = false;
      this.#string(key);
      this.text += ":";
      this.value(member, key, depth + 1);
    }
    this.text += "}";
  }
}

function read(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return "[unreadable]";
  }
}

/** What `toJSON` makes of a value. */
function settled(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  try {
    const { toJSON } = value as { toJSON?: unknown };
    return typeof toJSON === "function" ? (toJSON.call(value, key) as unknown) : value;
  } catch {
    return "[unreadable]";
  }
}

/** Objects that JSON.stringify would say nothing of. */
function plainForm(value: object): object | string {
  if (value instanceof Map)
    return Object.fromEntries([...(value as ReadonlyMap<unknown, unknown>)].map(([key, item]) => [String(key), item]));
  if (value instanceof Set) return [...(value as ReadonlySet<unknown>)];
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof RegExp) return String(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  return value;
}
