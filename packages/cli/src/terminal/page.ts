// Where a report is written: its style and its width. Owns the pair, and the small phrases that all reports use.

import type { Style } from "./style.ts";

/** How to write on an output. */
export interface Page {
  readonly style: Style;
  /** Columns; a terminal may change them while we write. */
  readonly columns: () => number;
}

/**
 * A number and its noun.
 *
 * @example
 * counted(1, "fragment"); // "1 fragment"
 * counted(12000, "byte"); // "12,000 bytes"
 */
export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

/** A number with commas between groups of three digits. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
