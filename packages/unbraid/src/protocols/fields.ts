// Looking into frames of which nothing is known. Owns the guards that every protocol needs. Pure functions.

/** An object's own fields, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The value as an object with fields, or undefined for anything else (arrays too).
 *
 * @example
 * fields({ a: 1 })?.["a"]; // 1
 */
export function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The objects in a list; a single object counts as a list of one, anything else as none. */
export function listOf(value: unknown): readonly Fields[] {
  if (Array.isArray(value)) return value.map(fields).filter((item) => item !== undefined);
  const one = fields(value);
  return one === undefined ? [] : [one];
}

/** The value if it is a string, else the empty string. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The first value that is a string with something in it; undefined where there is none. */
export function firstString(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value.trim() !== "");
}

/**
 * A field in camelCase, as REST and SDKs write it, or in snake_case, as other wires and dumps of protobufs do.
 *
 * @example
 * either({ finish_reason: "STOP" }, "finishReason"); // "STOP"
 */
export function either(from: Fields, name: string): unknown {
  return from[name] ?? from[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** Those of the named fields that are there and not null; undefined where there is none. */
export function pick(from: Fields, ...names: readonly string[]): Record<string, unknown> | undefined {
  let picked: Record<string, unknown> | undefined;
  for (const name of names) {
    const value = from[name];
    if (value !== undefined && value !== null) (picked ??= {})[name] = value;
  }
  return picked;
}

/** Whether all fields but those named are null, blank or an empty list. */
export function quiet(from: Fields, ...names: readonly string[]): boolean {
  return Object.entries(from).every(
    ([name, value]) =>
      value === null || value === "" || (Array.isArray(value) && value.length === 0) || names.includes(name),
  );
}
