// One whole text: its value or its fault. Owns the choice between the native parser and our own.

import type { JsonFault } from "./fault.ts";
import { DEFAULT_MAX_DEPTH, JsonScanner } from "./scanner.ts";
import { JsonValueBuilder } from "./value.ts";

/** Options of {@link parseJson}. */
export interface ParseJsonOptions {
  /** Makes the value of a number from its source text, for example `exactNumber`. Default: a double. Must not throw. */
  readonly number?: (source: string) => unknown;
  /** Levels of nesting that are allowed. Default 10,000. */
  readonly maxDepth?: number;
}

/** A value, or why there is none. */
export type ParseJsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: JsonFault };

/**
 * Parses a JSON text as `JSON.parse` does, and says where and why it fails instead of throwing.
 *
 * @param text The whole text.
 * @param options How numbers are read, and the limit of nesting (fault `too-deep`).
 * @returns The value, or the first fault.
 * @throws Only what the `number` option throws.
 *
 * @example
 * parseJson('{"a":1}'); // { ok: true, value: { a: 1 } }
 * parseJson('{"a":1'); // { ok: false, fault: { code: "unexpected-end", offset: 6, … } }
 */
export function parseJson(text: string, options: ParseJsonOptions = {}): ParseJsonResult {
  const { number, maxDepth = DEFAULT_MAX_DEPTH } = options;
  // A value that deep needs as many brackets to open and to close: most texts are too short to be scanned for it.
  const native = number === undefined;
  if (native && text.length < 2 * (maxDepth + 1)) {
    try {
      return { ok: true, value: JSON.parse(text) };
    } catch {
      // The scanner says where.
    }
  }
  const scanner = new JsonScanner({ maxDepth });
  scanner.feed(text);
  const fault = scanner.end();
  if (fault !== undefined) return { ok: false, fault };
  if (native) {
    try {
      return { ok: true, value: JSON.parse(text) };
    } catch {
      // Sound, but too deep for an engine that parses by recursion: the builder does not.
    }
  }
  const builder = new JsonValueBuilder(native ? { maxDepth } : { maxDepth, number });
  builder.feed(text);
  builder.end();
  return { ok: true, value: builder.value };
}
