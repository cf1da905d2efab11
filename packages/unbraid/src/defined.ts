// Objects of which some fields may be unknown. Owns the leaving out of those; imports nothing, so that every room may use it.

type Unknown<T> = { [Name in keyof T]: undefined extends T[Name] ? Name : never }[keyof T];

/** An object without its undefined fields. */
export type Defined<T> = { [Name in Exclude<keyof T, Unknown<T>>]: T[Name] } & {
  [Name in Unknown<T>]?: Exclude<T[Name], undefined>;
};

/**
 * A copy without the fields that are undefined: an event equals what JSON makes of it.
 *
 * @example
 * defined({ id: "a", name: undefined }); // { id: "a" }
 */
export function defined<T extends object>(fields: T): Defined<T> {
  const all: Partial<T> = {};
  // Engines keep the names of an object's own fields; a list of pairs would be made for each. Nobody gives what inherits.
  for (const name in fields) if (fields[name] !== undefined) all[name] = fields[name];
  return all as Defined<T>;
}
