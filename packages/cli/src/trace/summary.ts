// What is said at the end of a trace: the calls, how the response ended, what may run, and what a naive reader would have
// made of it. Owns the order of these parts.

import { compare, type NaiveResult } from "@unbraid/inspector/analysis";
import type { Collected } from "unbraid";
import { callsTable, countsOf, mayRunLines } from "../report/calls-table.ts";
import type { CallsDocument } from "../report/document.ts";
import { errorLines, finishLine, tokenWords } from "../report/ending.ts";
import { naiveLines } from "../report/naive-lines.ts";
import type { Tally } from "../report/tally.ts";
import { wrap } from "../terminal/fit.ts";
import { counted, type Page } from "../terminal/page.ts";
import type { ToolDiagnostic } from "../tools/check.ts";

/** What a summary is made of. */
export interface Summary {
  readonly document: CallsDocument;
  readonly collected: Collected;
  readonly tally: Tally;
  /** What is wrong with its calls, seen from their tools. */
  readonly found: readonly ToolDiagnostic[];
  readonly naive: NaiveResult | undefined;
}

/**
 * The end of a trace.
 *
 * @param summary What was read.
 * @param page Where it is written.
 * @returns Lines.
 */
export function summaryText({ document, collected, tally, found, naive }: Summary, page: Page): string {
  const { style } = page;
  const { rows } = tally;
  const notices = collected.notices.length === 0 ? "" : counted(collected.notices.length, "notice");
  const facts = [document.protocol ?? "no known wire", countsOf(rows), tokenWords(tally.tokens), notices]
    .filter((fact) => fact !== "")
    .join(" · ");
  const comparison = naive === undefined ? [] : compare(rows, naive.calls, new Set(document.runnable));
  return [
    "",
    ...callsTable(rows, found, page),
    "",
    ...wrap(facts, page.columns()).map((line) => line.replace(/\d+ notices?$/, style.yellow)),
    finishLine(document, page),
    ...(document.error === null ? [] : errorLines(document.error, page)),
    ...mayRunLines(document.runnable, rows, document.finish, page),
    ...(comparison.length === 0 ? [] : [""]),
    ...(naive === undefined ? [] : naiveLines(naive, comparison, page)),
  ].join("\n");
}
