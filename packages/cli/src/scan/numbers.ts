// Numbers of a report in words that people read. Owns the spelling of shares, times and sizes.

import { grouped } from "../terminal/page.ts";
import { type Histogram, quantile } from "./histogram.ts";

/** A part of a whole in per cent; empty where there is no whole. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "";
  const share = (100 * part) / whole;
  if (part > 0 && share < 0.1) return "<0.1 %";
  if (part < whole && share > 99.9) return ">99.9 %";
  return `${share < 10 || share > 90 ? Number(share.toFixed(1)) : Math.round(share)} %`;
}

/** Milliseconds. */
export function milliseconds(value: number): string {
  if (value < 10) return `${Number(value.toFixed(1))} ms`;
  if (value < 1_000) return `${Math.round(value)} ms`;
  return value < 60_000 ? `${Number((value / 1_000).toFixed(1))} s` : `${Number((value / 60_000).toFixed(1))} min`;
}

/** Bytes. */
export function size(bytes: number): string {
  for (const [unit, name] of [
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "kB"],
  ] as const)
    if (bytes >= unit) return `${Number((bytes / unit).toFixed(1))} ${name}`;
  return `${bytes} bytes`;
}

/** A count. */
export function count(value: number): string {
  return grouped(Math.round(value));
}

/**
 * Median, 95th percentile and maximum of a distribution.
 *
 * @param word Spells a value.
 * @returns Undefined where there is no value.
 */
export function spread(histogram: Histogram, word: (value: number) => string): string | undefined {
  const [median, high] = [quantile(histogram, 0.5), quantile(histogram, 0.95)];
  if (median === null || high === null) return undefined;
  return `median ${word(median)}, 95 % below ${word(high)}, at most ${word(histogram.max)}`;
}
