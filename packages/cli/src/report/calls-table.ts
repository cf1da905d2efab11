// The calls in a table: a line of facts each, the arguments under it, and what is wrong with them at the place where it
// is wrong. Owns that layout.

import type { CallIdentity, CallKind, CallProblem, CallStatus, ToolCall } from "unbraid";
import { around, brush, cell, fit, widthOf, wrap } from "../terminal/fit.ts";
import { counted, grouped, type Page } from "../terminal/page.ts";
import type { Paint, Style } from "../terminal/style.ts";
import type { ToolDiagnostic } from "../tools/check.ts";
import type { Row } from "./tally.ts";

const INDENT = 5;
const STATUS = 10;
const COUNT = 5;
const BYTES = 7;

/** What a kind of call means to a reader of the report. */
const KINDS: Readonly<Record<CallKind, string>> = {
  function: "a function",
  custom: "free text, no JSON",
  builtin: "a tool of the vendor's that the client runs",
  server: "run by the vendor",
  mcp: "run by the vendor on an MCP server",
  "mcp-approval": "the vendor asks whether it may run it",
};

/** Columns of the two texts of a line. */
interface Widths {
  readonly name: number;
  readonly id: number;
}

/**
 * The table.
 *
 * @param rows The calls.
 * @param found What is wrong with calls, seen from their tools.
 * @param page Where it is written.
 * @returns Its lines.
 */
export function callsTable(rows: readonly Row[], found: readonly ToolDiagnostic[], page: Page): string[] {
  if (rows.length === 0) return [page.style.dim("  no calls")];
  const widths = widthsFor(rows, page.columns());
  const { dim } = page.style;
  const head = `${"#".padStart(INDENT - 2)}  ${cell("name", widths.name)}  ${cell("id", widths.id)}  ${"status".padEnd(STATUS)}${"frags".padStart(COUNT)}${"bytes".padStart(BYTES)}`;
  return [dim(head), ...rows.flatMap((row) => callLines(row, found, widths, page))];
}

function widthsFor(rows: readonly Row[], columns: number): Widths {
  const longest = (texts: readonly string[], least: number): number =>
    Math.max(least, ...texts.map((text) => widthOf(text.slice(0, columns))));
  const room = columns - INDENT - 4 - STATUS - COUNT - BYTES;
  const id = longest(
    rows.map(({ call }) => call.id),
    2,
  );
  const name = longest(
    rows.map(({ call }) => call.name),
    4,
  );
  if (id + name <= room) return { name, id };
  const half = Math.floor(room / 2);
  return {
    name: Math.max(4, Math.min(name, Math.max(half, room - id))),
    id: Math.max(2, Math.min(id, Math.max(half, room - name))),
  };
}

function callLines(row: Row, found: readonly ToolDiagnostic[], widths: Widths, page: Page): string[] {
  const { call } = row;
  const { style } = page;
  const color = style.call(row.number - 1);
  const bytes = grouped(Buffer.byteLength(row.text));
  const facts = [
    color(String(row.number).padStart(INDENT - 2)),
    cell(call.name === "" ? "(no name)" : call.name, widths.name, (text) => style.bold(color(text))),
    cell(call.id, widths.id, style.dim),
    statusCell(row, style) + grouped(row.fragments).padStart(COUNT) + bytes.padStart(BYTES),
  ];
  const lines = [facts.join("  "), ...argumentLines(row, page)];
  const beside = [
    ...(call.kind === "function" ? [] : [KINDS[call.kind]]),
    ...(call.choice === 0 ? [] : [`choice ${call.choice}`]),
    ...(call.madeId === true ? ["the id was made here: the wire had none of its own"] : []),
  ];
  if (beside.length > 0)
    lines.push(...wrap(beside.join(" · "), page.columns() - INDENT).map((line) => indented(style.dim(line))));
  for (const { call: key, code, message } of found) {
    if (key === call.key) lines.push(...noted(style.red(code), code, message, page));
  }
  return lines;
}

function indented(text: string): string {
  return " ".repeat(INDENT) + text;
}

/** A word in front of a message that may take several lines. */
function noted(painted: string, plain: string, message: string, page: Page): string[] {
  const room = page.columns() - INDENT;
  const [first = "", ...rest] = wrap(message, room - 2, room - plain.length - 2);
  return [indented(`${painted}  ${first}`), ...rest.map((line) => indented(`  ${line}`))];
}

/** How a status is painted. */
export function statusPaint(status: CallStatus, style: Style): Paint {
  return status === "complete" ? style.green : style.red;
}

function statusCell({ call, retracted }: Row, style: Style): string {
  if (retracted !== undefined) return style.yellow("taken back".padEnd(STATUS));
  if (!isClosed(call)) return style.red("open".padEnd(STATUS));
  return statusPaint(call.status, style)(call.status.padEnd(STATUS));
}

function isClosed(call: Row["call"]): call is ToolCall {
  return "status" in call;
}

function argumentLines({ call, text, retracted }: Row, page: Page): string[] {
  const { style } = page;
  const room = page.columns() - INDENT;
  const problem = isClosed(call) ? call.problem : undefined;
  const lines =
    problem === undefined
      ? [indented(fit(text, room, { brush: brush(style, (shown) => shown), count: true, edges: true }).text)]
      : problemLines(text, problem, page);
  if (text === "") lines[0] = indented(style.dim("(no argument text)"));
  if (retracted !== undefined) lines.push(indented(style.yellow(`taken back: ${retracted}`)));
  const repair = isClosed(call) ? call.repair : undefined;
  if (repair !== undefined) {
    const label = "repair offered  ";
    const shown = fit(repair.argumentsText, room - label.length, { brush: brush(style, (part) => part), count: true });
    lines.push(indented(style.green(label) + shown.text));
    lines.push(indented(style.dim(`  ${repair.codes.join(", ")}`)));
  }
  return lines;
}

/** The text at the place of its fault, a caret under that, and what is wrong. */
function problemLines(text: string, problem: CallProblem, page: Page): string[] {
  const { style } = page;
  const room = page.columns() - INDENT;
  const { offset, line, column, message, code } = problem;
  const place =
    offset === undefined
      ? ""
      : ` (${line === 1 || line === undefined ? "" : `line ${line}, `}column ${column ?? offset + 1})`;
  const words = noted(style.red(code), code, `${message}${place}`, page);
  const paints = brush(style, (shown) => shown);
  if (offset === undefined) return [indented(fit(text, room, { brush: paints, count: true }).text), ...words];
  const { text: shown, column: at } = around(text, offset, room, paints);
  return [indented(shown), indented(" ".repeat(Math.min(at, room - 1)) + style.red("^")), ...words];
}

/**
 * Which calls may run, in words; nothing where there is no call.
 *
 * @param runnable Their ids.
 * @param rows All calls.
 * @param finish How the response ended.
 */
export function mayRunLines(
  runnable: readonly string[],
  rows: readonly Row[],
  finish: string | null,
  page: Page,
): string[] {
  const { style } = page;
  if (rows.length === 0) return [];
  const numbers = rows.filter(({ call }) => runnable.includes(call.id)).map(({ number }) => `#${number}`);
  if (numbers.length > 0) return labelled("may run", style.green, numbers.join(" "), page);
  return labelled("nothing may run", style.red, whyNot(rows, finish), page);
}

function whyNot(rows: readonly Row[], finish: string | null): string {
  if (rows.every(({ call }) => !isClientCall(call))) return "the vendor runs these calls itself";
  if (rows.every(({ retracted }) => retracted !== undefined)) return "the calls were taken back";
  if (finish !== "tool_calls") return `the response ended with ${finish ?? "no terminal signal"}`;
  return "no call is whole and valid";
}

/** A label and words behind it, in as many lines as they take. */
function labelled(label: string, paint: Paint, words: string, page: Page): string[] {
  const room = page.columns() - label.length - 2;
  return wrap(words, room).map((line, at) =>
    at === 0 ? `${paint(label)}  ${line}` : " ".repeat(label.length + 2) + line,
  );
}

/** Whether the client is to run a call; what the vendor runs, or asks about, is not. */
export function isClientCall({ kind }: Pick<CallIdentity, "kind">): boolean {
  return kind === "function" || kind === "custom" || kind === "builtin";
}

/** A body's counts in words: `2 calls, 14 fragments`. */
export function countsOf(rows: readonly Row[]): string {
  const fragments = rows.reduce((sum, row) => sum + row.fragments, 0);
  return `${counted(rows.length, "call")}, ${counted(fragments, "fragment")}`;
}
