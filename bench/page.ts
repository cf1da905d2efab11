// Tables in Markdown, and their places in docs/performance.md. Owns the text between two marks there, and nothing outside.

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";

const page = new URL("../docs/performance.md", import.meta.url);

/**
 * A table with columns of even width.
 *
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

/** A ratio, with as many digits as it deserves. */
export function rounded(ratio: number): string {
  return ratio.toFixed(ratio < 10 ? 2 : 0);
}

/**
 * Writes figures between the marks `<!-- NAME:begin -->` and `<!-- NAME:end -->` of the page, below a line that says when and
 * where they were measured.
 *
 * @throws Error where the page has no such marks.
 */
export function writeFigures(name: string, figures: string): void {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no "${begin}" before "${end}"`);
  const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown kind"}, load average ${loadavg()[2]?.toFixed(1)}`;
  const head = `Measured ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${machine}.`;
  writeFileSync(page, `${text.slice(0, from)}${begin}\n\n${head}\n\n${figures}\n\n${text.slice(to)}`);
}
