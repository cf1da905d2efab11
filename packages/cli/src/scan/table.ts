// The audit's report on a terminal. Owns its layout.

import { cell, fit, wrap } from "../terminal/fit.ts";
import { counted, grouped, type Page } from "../terminal/page.ts";
import type { Paint } from "../terminal/style.ts";
import { type Histogram, HistogramBuilder } from "./histogram.ts";
import { count, milliseconds, percent, size, spread } from "./numbers.ts";
import type { Group, ScanReport } from "./report.ts";

/** Groups that are shown; `--json`, `--csv` and `--html` have all. */
const MAX_GROUPS = 30;

/** Notice codes that are shown. */
const MAX_NOTICES = 20;

/** Broken files and worst bodies that are shown. */
const MAX_NAMES = 10;

const NUMBERS = ["responses", "calls", "complete", "truncated", "malformed"] as const;
const WIDTH = 11;

/**
 * The report as lines of text.
 *
 * @param seconds How long it took; absent for a merged report.
 */
export function scanTable(report: ScanReport, page: Page, seconds?: number): string {
  const { totals, groups } = report;
  const parts = [
    headLines(report, page, seconds),
    totals.responses === 0 ? [] : groupLines(groups, totals, page),
    sumLines(report, page),
    noticeLines(report, page),
    worstLines(report, page),
    brokenLines(report, page),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function headLines({ interrupted, files, skipped, totals }: ScanReport, page: Page, seconds?: number): string[] {
  const pace = seconds === undefined ? [] : [`${Number(seconds.toFixed(1))} s`, `${count(files / seconds)} files/s`];
  const said = [
    counted(files, "file"),
    counted(totals.responses, "response"),
    counted(totals.calls, "call"),
    size(totals.bytes),
  ];
  return [
    ...(interrupted === true ? [page.style.red("interrupted: this is what was read until then")] : []),
    page.style.bold(fit([...said, ...pace].join(" · "), page.columns()).text),
    ...(skipped > 0 ? [page.style.dim(`${counted(skipped, "other file")} without a stream in them`)] : []),
  ];
}

function groupLines(groups: readonly Group[], totals: Group["counts"], page: Page): string[] {
  const room = Math.max(12, page.columns() - NUMBERS.length * WIDTH);
  const manyServers = new Set(groups.map(({ server }) => server)).size > 1;
  const shown = groups.slice(0, MAX_GROUPS);
  const protocols = [...new Set(shown.map(({ protocol }) => protocol))];
  const head = cell("model", room) + NUMBERS.map((name) => name.padStart(WIDTH)).join("");
  return [
    page.style.dim(head),
    ...protocols.flatMap((protocol) => [
      page.style.bold(protocol ?? "no known wire"),
      ...shown
        .filter((group) => group.protocol === protocol)
        .map((group) => rowOf(`  ${labelOf(group, manyServers)}`, group.counts, room, page)),
    ]),
    ...(groups.length > shown.length
      ? [page.style.dim(`  and ${counted(groups.length - shown.length, "more model")}`)]
      : []),
    rowOf("all", totals, room, page),
    page.style.dim(cell("", room + 2 * WIDTH) + sharesOf(totals)),
  ];
}

function labelOf({ model, server }: Group, manyServers: boolean): string {
  const name = model ?? "(no model named)";
  return manyServers ? `${name} @ ${server ?? "?"}` : name;
}

function rowOf(label: string, counts: Group["counts"], room: number, page: Page): string {
  const { red, dim } = page.style;
  const paintOf = (name: (typeof NUMBERS)[number]): Paint => {
    if (counts[name] === 0) return dim;
    return name === "truncated" || name === "malformed" ? red : (text) => text;
  };
  const numbers = NUMBERS.map((name) => paintOf(name)(grouped(counts[name]).padStart(WIDTH)));
  return cell(label, room) + numbers.join("");
}

function sharesOf({ calls, complete, truncated, malformed }: Group["counts"]): string {
  return [complete, truncated, malformed].map((part) => percent(part, calls).padStart(WIDTH)).join("");
}

/** What the table has no column for. */
function sumLines({ totals, groups }: ScanReport, page: Page): string[] {
  const said = [
    totals.unfinished > 0 ? `${counted(totals.unfinished, "response")} without a terminal signal` : "",
    totals.errors > 0 ? `${counted(totals.errors, "response")} with an error` : "",
    totals.repeats > 0 ? `${counted(totals.repeats, "repeat")} dropped` : "",
    totals.rescued > 0 ? `${counted(totals.rescued, "call")} found in text` : "",
    totals.repaired > 0 ? `${counted(totals.repaired, "malformed call")} with one corrected reading` : "",
    totals.retracted > 0 ? `${counted(totals.retracted, "call")} taken back` : "",
  ].filter((words) => words !== "");
  const spreads: readonly (readonly [string, string | undefined])[] = [
    ["fragments a call", spread(joined(groups, "fragments"), count)],
    ["first fragment", spread(joined(groups, "firstFragment"), milliseconds)],
    ["between fragments", spread(joined(groups, "gaps"), milliseconds)],
  ];
  return [
    ...(said.length === 0 ? [] : wrap(said.join(" · "), page.columns())),
    ...spreads.flatMap(([label, words]) =>
      words === undefined ? [] : [`${page.style.dim(label.padEnd(18))}${words}`],
    ),
  ];
}

/** One distribution over all groups. */
export function joined(groups: readonly Group[], name: "fragments" | "firstFragment" | "gaps"): Histogram {
  const builder = new HistogramBuilder();
  for (const group of groups) builder.merge(group[name]);
  return builder.result;
}

function noticeLines({ notices, totals }: ScanReport, page: Page): string[] {
  const all = Object.entries(notices);
  if (all.length === 0) return [];
  const most = Math.max(...all.map(([, times]) => times));
  const name = Math.max(...all.map(([code]) => code.length));
  const bar = Math.max(4, page.columns() - name - 16);
  return [
    `${page.style.bold("notices")}  in ${grouped(totals.irregular)} of ${counted(totals.responses, "response")}`,
    ...all.slice(0, MAX_NOTICES).map(([code, times]) => {
      const length = Math.max(1, Math.round((times / most) * bar));
      return `  ${page.style.yellow(cell(code, name))}  ${grouped(times).padStart(9)}  ${page.style.dim("▪".repeat(length))}`;
    }),
    ...(all.length > MAX_NOTICES ? [page.style.dim(`  and ${all.length - MAX_NOTICES} more codes`)] : []),
  ];
}

function worstLines({ worst }: ScanReport, page: Page): string[] {
  if (worst.length === 0) return [];
  return [
    page.style.bold("look at these first"),
    ...worst
      .slice(0, MAX_NAMES)
      .flatMap(({ name, what }) => [
        `  ${fit(name, page.columns() - 2).text}`,
        `    ${page.style.dim(fit(what.join(", "), page.columns() - 4).text)}`,
      ]),
  ];
}

function brokenLines({ broken, brokenFiles }: ScanReport, page: Page): string[] {
  if (brokenFiles === 0) return [];
  const more = brokenFiles - Math.min(broken.length, MAX_NAMES);
  return [
    page.style.bold(`${counted(brokenFiles, "file")} could not be read, or not to the end`),
    ...broken
      .slice(0, MAX_NAMES)
      .map(({ name, message }) => `  ${fit(`${name}: ${message}`, page.columns() - 2).text}`),
    ...(more > 0 ? [page.style.dim(`  and ${grouped(more)} more`)] : []),
  ];
}
