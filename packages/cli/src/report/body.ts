// What `unbraid calls` says of one body to a person. Owns the order of its parts.

import { brush, fit, wrap } from "../terminal/fit.ts";
import type { Page } from "../terminal/page.ts";
import type { ToolDiagnostic } from "../tools/check.ts";
import { callsTable, countsOf, mayRunLines } from "./calls-table.ts";
import type { CallsDocument, Diagnostic } from "./document.ts";
import { errorLines, finishLine } from "./ending.ts";
import type { Tally } from "./tally.ts";

/** Notices that are shown of one body; `unbraid trace` and `--json` show them all. */
const MAX_NOTICES = 12;

/**
 * The report on one body.
 *
 * @param document What was read.
 * @param tally Its calls.
 * @param found What is wrong with them, seen from their tools.
 * @param page Where it is written.
 * @returns Lines.
 */
export function bodyReport(
  document: CallsDocument,
  tally: Tally,
  found: readonly ToolDiagnostic[],
  page: Page,
): string {
  const { style } = page;
  const { rows } = tally;
  if (document.error?.fatal === true && rows.length === 0)
    return [style.bold(fit(document.file, page.columns()).text), ...errorLines(document.error, page)].join("\n");
  const lines = [
    style.bold(fit(document.file, page.columns()).text),
    `${document.protocol ?? "no known wire"} · ${countsOf(rows)}`,
    finishLine(document, page),
    ...(document.error === null ? [] : errorLines(document.error, page)),
    ...callsTable(rows, found, page),
    ...quoted("text", document.text, page),
    ...noticeLines(document, tally, found, page),
  ];
  return [...lines, ...mayRunLines(document.runnable, rows, document.finish, page)].join("\n");
}

function quoted(label: string, text: string, page: Page): string[] {
  if (text === "") return [];
  const shown = fit(text, page.columns() - label.length - 2, { brush: brush(page.style, page.style.dim), count: true });
  return [`${page.style.dim(label)}  ${shown.text}`];
}

function noticeLines(
  { diagnostics }: CallsDocument,
  tally: Tally,
  found: readonly ToolDiagnostic[],
  page: Page,
): string[] {
  const notices = timesOf(diagnostics.filter((one) => !isInTable(one, found)));
  const lines = notices.slice(0, MAX_NOTICES).flatMap(({ code, message, call, times }) => {
    const number = call === undefined ? undefined : tally.number(call);
    const label = `${code}${number === undefined ? "" : ` #${number}`}${times === 1 ? "" : ` ×${times}`}`;
    const room = page.columns() - 4;
    const [first = "", ...rest] = wrap(message, room, room - label.length);
    return [`  ${page.style.yellow(label)}  ${first}`, ...rest.map((line) => `    ${line}`)];
  });
  const more = notices.length - MAX_NOTICES;
  return more > 0 ? [...lines, page.style.dim(`  and ${more} more notices`)] : lines;
}

type AnyDiagnostic = Diagnostic | ToolDiagnostic;

/** Notices that say the same, once with how often. */
function timesOf(notices: readonly AnyDiagnostic[]): readonly (AnyDiagnostic & { readonly times: number })[] {
  const said = new Map<string, AnyDiagnostic & { times: number }>();
  for (const notice of notices) {
    const key = JSON.stringify([notice.code, notice.message, notice.call]);
    const known = said.get(key);
    if (known === undefined) said.set(key, { ...notice, times: 1 });
    else known.times += 1;
  }
  return [...said.values()];
}

/** The table says by itself what is wrong with a call. */
function isInTable({ code, call }: Diagnostic | ToolDiagnostic, found: readonly ToolDiagnostic[]): boolean {
  return code === "malformed-arguments" || found.some((one) => one.code === code && one.call === call);
}
