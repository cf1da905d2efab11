// The geometry of the time line: what falls into which column of pixels, where the gaps are, which numbers stand at its
// edge. Owns the arithmetic; the work depends on the width of the picture, not on the number of fragments.

import type { Lane } from "./lane.ts";
import type { Axis, Recording } from "./recording.ts";

/** The part of the axis that is shown. */
export interface View {
  /** Position at the left edge. */
  readonly from: number;
  /** Position at the right edge, above `from`. */
  readonly to: number;
}

/** The marks of one lane that fall into one column of pixels. */
export interface Bar {
  /** The column. */
  readonly x: number;
  /** How many marks. */
  readonly count: number;
  /** UTF-16 units of their fragments together. */
  readonly size: number;
}

/** A stretch in which nothing came. */
export interface Gap {
  /** Position of the last frame before it. */
  readonly from: number;
  /** Position of the first frame behind it. */
  readonly to: number;
}

/** The whole of a recording, with a little room so that the last mark is seen. */
export function wholeView(recording: Recording, axis: Axis): View {
  const last = axis === "time" ? recording.duration : Math.max(0, recording.frames - 1);
  return { from: 0, to: last > 0 ? last * 1.025 : 1 };
}

/** The part of a view around a position, wider (`factor` above 1) or narrower, within the whole. */
export function zoomed(view: View, whole: View, around: number, factor: number): View {
  const smallest = (whole.to - whole.from) / 1e6;
  const width = Math.min(whole.to - whole.from, Math.max(smallest, (view.to - view.from) * factor));
  const share = (around - view.from) / (view.to - view.from);
  return shifted({ from: around - share * width, to: around + (1 - share) * width }, whole);
}

/** A view moved so that it lies within the whole. */
export function shifted(view: View, whole: View): View {
  const width = Math.min(view.to - view.from, whole.to - whole.from);
  const from = Math.min(Math.max(view.from, whole.from), whole.to - width);
  return { from, to: from + width };
}

/** The column of a position. */
export function columnOf(position: number, view: View, width: number): number {
  return ((position - view.from) / (view.to - view.from)) * width;
}

/** The position of a column. */
export function positionOf(column: number, view: View, width: number): number {
  return view.from + (column / width) * (view.to - view.from);
}

/**
 * The marks of a lane by columns, left to right.
 *
 * @param lane The lane.
 * @param recording Its recording.
 * @param axis What the axis shows.
 * @param view What of it is shown.
 * @param width Columns of the picture.
 * @returns At most one bar a column: each costs two searches, however many marks it stands for.
 */
export function bars(lane: Lane, recording: Recording, axis: Axis, view: View, width: number): readonly Bar[] {
  const found: Bar[] = [];
  let mark = marksBefore(view.from, lane, recording, axis);
  while (mark < lane.marks) {
    const position = recording.position(lane.frames.at(mark), axis);
    if (position > view.to) break;
    const x = Math.floor(columnOf(position, view, width));
    const next = Math.max(mark + 1, marksBefore(positionOf(x + 1, view, width), lane, recording, axis));
    found.push({ x, count: next - mark, size: lane.size(mark, next) });
    mark = next;
  }
  return found;
}

/** Marks whose position is below one. */
function marksBefore(position: number, lane: Lane, recording: Recording, axis: Axis): number {
  return lane.frames.below(axis === "time" ? recording.frameTimes.below(position) : Math.ceil(position));
}

/** Bytes that came by columns: the flow of the body. */
export function flow(recording: Recording, axis: Axis, view: View, width: number): Float64Array {
  const columns = new Float64Array(width);
  const before = (position: number): number =>
    axis === "time"
      ? recording.frameTimes.below(position)
      : Math.min(recording.frames, Math.ceil(Math.max(0, position)));
  const bytes = (frames: number): number => (frames <= 0 ? 0 : recording.frameEnds.at(frames - 1));
  let last = bytes(before(view.from));
  for (let x = 0; x < width; x++) {
    const next = bytes(before(positionOf(x + 1, view, width)));
    columns[x] = next - last;
    last = next;
  }
  return columns;
}

/** Gaps that are shown at most. */
const MAX_GAPS = 24;
/** A gap is this much of the whole at least… */
const GAP_SHARE = 0.02;
/** …and this many times as long as the frames are apart on the average. */
const GAP_TIMES = 4;

/** The longest stretches in which nothing came, in order; none where no times are known. */
export function gaps(recording: Recording): readonly Gap[] {
  const { frames, duration, frameTimes } = recording;
  if (duration <= 0 || frames < 2) return [];
  const shortest = Math.max(GAP_SHARE * duration, (GAP_TIMES * duration) / (frames - 1));
  const found: Gap[] = [];
  for (let frame = 1; frame < frames; frame++) {
    const from = frameTimes.at(frame - 1);
    const to = frameTimes.at(frame);
    if (to - from >= shortest) found.push({ from, to });
  }
  return found
    .toSorted((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, MAX_GAPS)
    .toSorted((a, b) => a.from - b.from);
}

/** Where numbers stand at the edge. */
export function ticks(
  view: View,
  width: number,
  axis: Axis,
): readonly { readonly at: number; readonly label: string }[] {
  const wanted = Math.max(1, Math.floor(width / 90));
  const step = roundStep((view.to - view.from) / wanted, axis === "frame");
  const found: { at: number; label: string }[] = [];
  for (let n = Math.ceil(view.from / step); n * step <= view.to; n++)
    found.push({ at: n * step, label: axis === "time" ? timeWords(n * step) : String(Math.round(n * step)) });
  return found;
}

/** The next of 1, 2, 5, 10, 20, … above a number. */
function roundStep(least: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least * 0.999) ?? 10 * power;
  return whole ? Math.max(1, step) : step;
}

/** A stretch of time in words: `340 µs`, `12 ms`, `1.25 s`, `3 min 20 s`. */
export function timeWords(milliseconds: number): string {
  if (milliseconds === 0) return "0";
  if (milliseconds < 1) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 1000) return `${trimmed(milliseconds, milliseconds < 10 ? 1 : 0)} ms`;
  if (milliseconds < 60_000) return `${trimmed(milliseconds / 1000, milliseconds < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function trimmed(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
