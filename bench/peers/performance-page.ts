// The figures beside other readers as tables. Owns their layout; where they are written is ../page.ts.

import type { Body } from "../bodies.ts";
import { markdown, rounded } from "../page.ts";

/** One measurement, or why there is none. */
export interface Cell {
  readonly body: string;
  readonly chunk: string;
  readonly milliseconds?: number;
  /** To the floor on the same body and chunks. */
  readonly ratio?: number;
  readonly out?: string;
}

/** One reader on one wire. */
export interface Row {
  readonly wire: Body["protocol"];
  readonly name: string;
  readonly partials: boolean;
  readonly cells: readonly Cell[];
  readonly exponent?: number;
  readonly memory?: { readonly body: string; readonly bytes: number };
}

/** All tables; in Markdown. */
export function figures(rows: readonly Row[]): string {
  const wires = [...new Set(rows.map(({ wire }) => wire))];
  return wires
    .map((wire) =>
      section(
        wire,
        rows.filter((row) => row.wire === wire),
      ),
    )
    .join("\n\n");
}

function section(wire: string, rows: readonly Row[]): string {
  const bodies = [...new Set(rows.flatMap(({ cells }) => cells.map(({ body }) => body)))];
  const tables = [false, true].map((partials) => {
    const own = rows.filter((row) => row.partials === partials);
    const table = markdown([
      ["reader", ...bodies, "growth", "memory"],
      ...own.map((row) => [
        row.name,
        ...bodies.map((body) => cellsOf(row, body)),
        row.exponent?.toFixed(2) ?? "",
        row.memory === undefined ? "" : `${(row.memory.bytes / 1e6).toFixed(0)} MB (${row.memory.body})`,
      ]),
    ]);
    return own.length === 0 ? "" : `With${partials ? "" : "out"} the value so far at every fragment:\n\n${table}`;
  });
  const troubles = rows.flatMap(({ name, cells }) =>
    cells.flatMap(({ body, chunk, out }) =>
      out === undefined || out.startsWith(">") ? [] : [`- ${name}, ${body}, chunks of ${chunk}: ${out}`],
    ),
  );
  return [`### ${wire}`, ...tables, ...(troubles.length > 0 ? [`Not read:\n\n${troubles.join("\n")}`] : [])]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The ratios of a body by chunk size. */
function cellsOf({ cells }: Row, body: string): string {
  return cells
    .filter((cell) => cell.body === body)
    .map(({ ratio, out }) => (ratio === undefined ? (out?.startsWith(">") ? out : "failed") : rounded(ratio)))
    .join(" · ");
}
