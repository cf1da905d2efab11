// The comparison on the page: one mark a call, and under each difference the text with the place where it begins. Owns
// that layout and the sentence at its end.

import { type Comparison, grouped, type NaiveResult } from "@unbraid/inspector/analysis";
import { around, brush, fit, wrap } from "../terminal/fit.ts";
import { counted, type Page } from "../terminal/page.ts";

const TITLE = "naive reader";
const INDENT = 9;

const MARKS: Readonly<Record<Comparison["verdict"], string>> = { same: "=", differs: "!", extra: "+", missed: "-" };

/**
 * The lines of a comparison.
 *
 * @param result What the naive reader made of the body.
 * @param list The comparison of its calls with ours.
 * @param page Where it is written.
 */
export function naiveLines(result: NaiveResult, list: readonly Comparison[], page: Page): string[] {
  const { style } = page;
  if (list.length === 0) return [];
  const how = `by ${result.key}, text added up, then JSON.parse`;
  if (list.every(({ verdict, words }) => verdict === "same" && words === ""))
    return [
      `${style.bold(TITLE)}  ${style.green("the same")}  ${style.dim(fit(how, page.columns() - TITLE.length - 12).text)}`,
    ];
  return [
    `${style.bold(TITLE)}  ${style.dim(fit(how, page.columns() - TITLE.length - 2).text)}`,
    ...grouped(list).flatMap(({ comparison, count }) => [
      ...comparisonLines(comparison, page),
      ...(count === 1 ? [] : [style.dim(`${" ".repeat(INDENT)}and ${count - 1} more like it`)]),
    ]),
    ...conclusion(list, page),
  ];
}

function comparisonLines(comparison: Comparison, page: Page): string[] {
  const { style } = page;
  const { verdict, harm, ours, naive, words, offset } = comparison;
  const mark = MARKS[verdict];
  const paint = verdict === "same" ? style.green : harm ? (text: string) => style.bold(style.red(text)) : style.red;
  const number = ours === undefined ? "  " : `#${ours.number}`.padEnd(2);
  const name = fit(naive?.name ?? ours?.call.name ?? "(no name)", 24);
  const painted = ours === undefined ? name.text : style.call(ours.number - 1)(name.text);
  const text = naive === undefined ? "" : naive.text;
  const room = page.columns() - INDENT;
  const first = `  ${paint(mark)}  ${number.padEnd(4)}${painted}`;
  if (words === "") {
    const shown = fit(text, room - name.width - 2, { brush: brush(style, (part) => part), count: true });
    return [`${first}  ${shown.text}`];
  }
  const [head = "", ...rest] = wrap(words, room - 2, room - name.width - 2);
  const lines = [`${first}  ${paint(head)}`, ...rest.map((line) => " ".repeat(INDENT + 2) + paint(line))];
  if (naive === undefined) return lines;
  return [...lines, ...textLines(text, offset, room, page)];
}

/** The naive text, and a caret where it leaves ours. */
function textLines(text: string, offset: number | undefined, room: number, page: Page): string[] {
  const { style } = page;
  const paints = brush(style, style.dim);
  const indent = " ".repeat(INDENT);
  if (text === "") return [`${indent}${style.dim("(no argument text)")}`];
  if (offset === undefined) return [indent + fit(text, room, { brush: paints, count: true }).text];
  const pointed = around(text, offset, room, paints);
  const column = Math.min(pointed.column, room - 1);
  const note = "differs from here";
  const beside = column + note.length + 2 <= room ? `^ ${note}` : "^";
  return [indent + pointed.text, `${indent}${" ".repeat(column)}${style.red(beside)}`];
}

function conclusion(list: readonly Comparison[], page: Page): string[] {
  const calls = list.filter(({ ours }) => ours !== undefined);
  const right = calls.filter(({ verdict }) => verdict === "same").length;
  const harmful = list.filter(({ harm }) => harm).length;
  const words = `It gets ${right} of ${counted(calls.length, "call")} right`;
  const whole = harmful === 0 ? `${words}.` : `${words}, and would run ${harmful} that must not run like that.`;
  return wrap(whole, page.columns() - 2).map((line) => `  ${harmful === 0 ? line : page.style.red(line)}`);
}
