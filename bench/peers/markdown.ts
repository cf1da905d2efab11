// A table in Markdown, with columns of even width. Owns that layout.

/**
 * @param rows The head, then the rest.
 * @param left How many of the first columns are words, not numbers.
 */
export function markdown([head = [], ...rows]: readonly (readonly string[])[], left = 1): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length), 3));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, at) => (at < left ? (row[at] ?? "").padEnd(width) : (row[at] ?? "").padStart(width))).join(" | ")} |`;
  const rule = widths.map((width, at) => (at < left ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map((row) => line(row))].join("\n");
}
