// What `unbraid turn` says of one body to a person. Owns the order of its parts.

import { brush, fit } from "../terminal/fit.ts";
import type { Page } from "../terminal/page.ts";
import { errorLines, finishWords } from "../report/ending.ts";
import { jsonLine } from "../report/json-line.ts";
import type { TurnDocument } from "./document.ts";

/** Lines of one message that are shown; `--json` has them all. */
const MAX_LINES = 200;

/** The report on one body, in lines. */
export function turnPage(document: TurnDocument, rawFinish: string | null, page: Page): string {
  const { style } = page;
  const columns = page.columns();
  const head = style.bold(fit(document.file, columns).text);
  if (document.error?.fatal === true && document.form === null)
    return [head, ...errorLines(document.error, page)].join("\n");
  const pending = document.pending.length === 0 ? "no call" : document.pending.join(", ");
  return [
    head,
    document.form ?? "no known wire",
    `${style.bold("finish")}  ${finishWords(document.finish, rawFinish, columns - 8, style)}`,
    ...(document.error === null ? [] : errorLines(document.error, page)),
    style.bold("assistant"),
    ...messageLines(document.assistant, page),
    style.bold("results of calls that cannot run"),
    ...messageLines(document.results, page),
    `${style.bold("waits for a result")}  ${fit(pending, columns - 20).text}`,
  ].join("\n");
}

function messageLines(value: unknown, { style, columns }: Page): string[] {
  if (value === null || (Array.isArray(value) && value.length === 0)) return [style.dim("  none")];
  const lines = prettyJson(value).split("\n");
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => `  ${fit(line, columns() - 2, { brush: brush(style, (text) => text), count: true }).text}`);
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, style.dim(`  and ${more} more lines`)] : shown;
}

/** Indented, unless it is nested deeper than the stack goes. */
function prettyJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return jsonLine(value);
  }
}
