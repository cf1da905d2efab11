// Plots as SVG in text. Owns their geometry; a name that stands in one is escaped here.

import { type Histogram, spans } from "./histogram.ts";
import { count, percent } from "./numbers.ts";
import type { Group } from "./report.ts";

const WIDTH = 960;
const ROW = 22;
const LABEL = 280;
const VALUE = 110;

/** Text that may stand in HTML and in attributes in double quotes. Characters that turn the writing round are made visible. */
export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replace(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
    );
}

/** A bar a group, in three parts: complete, truncated, malformed calls. */
export function statusPlot(groups: readonly (Group & { readonly label: string })[]): string {
  if (groups.length === 0) return "";
  const parts = [
    ["complete", "good"],
    ["truncated", "cut"],
    ["malformed", "broken"],
  ] as const;
  const rows = groups.map(({ label, counts }, row) => {
    let from = LABEL;
    const bars = parts.map(([name, look]) => {
      const width = (counts[name] / counts.calls) * (WIDTH - LABEL - VALUE);
      const bar =
        width === 0
          ? ""
          : `<rect class="${look}" x="${fixed(from)}" y="${row * ROW + 3}" width="${fixed(Math.max(width, 1))}" height="${ROW - 6}"><title>${count(counts[name])} ${name} (${escaped(percent(counts[name], counts.calls))})</title></rect>`;
      from += width;
      return bar;
    });
    return `${labelAt(label, row)}${bars.join("")}${valueAt(`${count(counts.calls)} ${counts.calls === 1 ? "call" : "calls"}`, row)}`;
  });
  const key = parts.map(
    ([name, look]) =>
      `<span><svg viewBox="0 0 10 10" style="display:inline;width:.8em"><rect class="${look}" width="10" height="10"/></svg> ${name}</span>`,
  );
  return `<p class="key">${key.join("")}</p>\n${drawing(rows, groups.length * ROW, "Shares of complete, truncated and malformed calls")}`;
}

/** A bar a name. */
export function barPlot(values: readonly (readonly [string, number])[]): string {
  const most = Math.max(...values.map(([, value]) => value));
  if (values.length === 0) return "";
  const rows = values.map(([name, value], row) => {
    const width = Math.max(1, (value / most) * (WIDTH - LABEL - VALUE));
    return `${labelAt(name, row)}<rect class="bar" x="${LABEL}" y="${row * ROW + 3}" width="${fixed(width)}" height="${ROW - 6}"/>${valueAt(count(value), row)}`;
  });
  return drawing(rows, values.length * ROW, "How often each irregularity was seen");
}

/** Bars of a distribution plot, and its height. */
const BARS = 60;
const HEIGHT = 140;

/** A distribution on a logarithmic axis. */
export function distributionPlot(histogram: Histogram, word: (value: number) => string): string {
  if (histogram.count === 0) return "";
  const low = Math.log(Math.max(1, histogram.min));
  const high = Math.max(Math.log(Math.max(1, histogram.max)), low + 0.1);
  const placeOf = (value: number): number => (Math.log(Math.max(1, value)) - low) / (high - low);
  const bars = Array.from({ length: BARS }, () => 0);
  for (const { from, to, count: values } of spans(histogram)) {
    const at = Math.max(0, Math.min(BARS - 1, Math.floor(placeOf((from + to) / 2) * BARS)));
    bars[at] = (bars[at] ?? 0) + values;
  }
  const most = Math.max(...bars);
  const step = WIDTH / BARS;
  const shapes = bars.map((values, at) =>
    values === 0
      ? ""
      : `<rect class="bar" x="${fixed(at * step + 1)}" y="${fixed(HEIGHT - (values / most) * HEIGHT)}" width="${fixed(step - 2)}" height="${fixed((values / most) * HEIGHT)}"><title>${count(values)}</title></rect>`,
  );
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((place) => {
    const anchor = place === 0 ? "start" : place === 1 ? "end" : "middle";
    return `<text class="dim" x="${fixed(place * WIDTH)}" y="${HEIGHT + 18}" text-anchor="${anchor}">${escaped(word(Math.exp(low + place * (high - low))))}</text>`;
  });
  const axis = `<line class="axis" x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}"/>`;
  return drawing([...shapes, axis, ...ticks], HEIGHT + 24, "Distribution, logarithmic axis");
}

function drawing(parts: readonly string[], height: number, title: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">${parts.join("\n")}</svg>`;
}

/** Characters of a label that fit beside the bars. */
const LABEL_LENGTH = 38;

function labelAt(label: string, row: number): string {
  const shown = label.length > LABEL_LENGTH ? `${label.slice(0, LABEL_LENGTH - 1)}…` : label;
  return `<text x="${LABEL - 10}" y="${row * ROW + 15}" text-anchor="end">${escaped(shown)}<title>${escaped(label)}</title></text>`;
}

function valueAt(value: string, row: number): string {
  return `<text class="dim" x="${WIDTH - VALUE + 10}" y="${row * ROW + 15}">${escaped(value)}</text>`;
}

function fixed(value: number): string {
  return String(Number(value.toFixed(2)));
}
