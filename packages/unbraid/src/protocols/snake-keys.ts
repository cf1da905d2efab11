// The objects of SDKs that spell their fields in camelCase, in the spelling of the wire. Owns the renaming.

/**
 * Renames the keys of an object and of all objects inside: `toolCalls` becomes `tool_calls`.
 *
 * @param value Plain data, or anything, which is given back as it is.
 * @param keep Fields whose value is left alone: what the user or the model wrote.
 * @example
 * snakeKeys({ toolCalls: [{ arguments: { dryRun: true } }] }, new Set(["arguments"])); // {tool_calls: [{arguments: {dryRun: true}}]}
 */
export function snakeKeys(value: unknown, keep: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => snakeKeys(item, keep));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      keep.has(name) ? inner : snakeKeys(inner, keep),
    ]),
  );
}
