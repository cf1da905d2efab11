// The audit's report for a spreadsheet: RFC 4180, a row a group. Owns the columns.

import { COUNTS } from "./facts.ts";
import { quantile } from "./histogram.ts";
import type { Group, ScanReport } from "./report.ts";

/** The report as CSV, with a line end behind each row. Notices are columns named by their codes. */
export function scanCsv({ groups, notices }: ScanReport): string {
  const codes = Object.keys(notices).toSorted();
  const head = ["protocol", "model", "server", ...COUNTS, ...TIMES.map(([name]) => name), ...codes];
  const rows = groups.map((group) => [
    group.protocol ?? "",
    group.model ?? "",
    group.server ?? "",
    ...COUNTS.map((name) => group.counts[name]),
    ...TIMES.map(([, value]) => value(group) ?? ""),
    ...codes.map((code) => (Object.hasOwn(group.notices, code) ? (group.notices[code] ?? 0) : 0)),
  ]);
  return [head, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

const TIMES: readonly (readonly [string, (group: Group) => number | null])[] = [
  ["fragments_median", ({ fragments }) => rounded(quantile(fragments, 0.5))],
  ["first_fragment_ms_median", ({ firstFragment }) => rounded(quantile(firstFragment, 0.5))],
  ["first_fragment_ms_p95", ({ firstFragment }) => rounded(quantile(firstFragment, 0.95))],
  ["gap_ms_median", ({ gaps }) => rounded(quantile(gaps, 0.5))],
  ["gap_ms_p95", ({ gaps }) => rounded(quantile(gaps, 0.95))],
];

function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(1));
}

function cellOf(value: string | number): string {
  // Names come from the bodies: a spreadsheet would run what begins like a formula (https://owasp.org/www-community/attacks/CSV_Injection).
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
