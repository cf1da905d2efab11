// The picture of the time line. Owns what is drawn and how; where it stands is model/time-line.ts.

import type { Lane } from "../model/lane.ts";
import { bars, columnOf, flow, type Gap, gaps, ticks, timeWords } from "../model/time-line.ts";
import type { Player } from "./player.ts";

/** Heights in CSS pixels. */
export const ROWS = { ruler: 20, pins: 20, flow: 26, lane: 30 } as const;

/** Height of everything above the lanes. */
export const HEAD: number = ROWS.ruler + ROWS.pins + ROWS.flow;

/** Colours of the page as it looks now. */
interface Colours {
  readonly ink: string;
  readonly faint: string;
  readonly line: string;
  readonly edge: string;
  readonly veil: string;
  readonly warn: string;
  readonly bad: string;
  readonly good: string;
  readonly head: string;
  readonly lanes: readonly string[];
}

/** How many colours lanes have. */
const LANE_COLOURS = 8;

/** Reads the colours out of the style sheet. */
export function coloursOf(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: read("ink"),
    faint: read("dim"),
    line: read("line"),
    edge: read("edge"),
    veil: read("veil"),
    warn: read("warn"),
    bad: read("bad"),
    good: read("good"),
    head: read("accent"),
    lanes: Array.from({ length: LANE_COLOURS }, (_, at) => read(`lane-${at}`)),
  };
}

/** The colour number of a lane; undefined for text and reasoning, which are grey. */
export function laneColour({ kind, number }: Lane): number | undefined {
  return kind === "call" ? (number - 1) % LANE_COLOURS : undefined;
}

/** What is drawn on. */
export interface Picture {
  readonly context: CanvasRenderingContext2D;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** How far the lanes are scrolled up, in CSS pixels. */
  readonly scroll: number;
  readonly colours: Colours;
}

/** Draws everything that does not depend on the moment. Gives how many shapes that took. */
export function paintLanes(picture: Picture, player: Player, laneGaps: readonly Gap[]): number {
  const { context, width, height } = picture;
  context.clearRect(0, 0, width, height);
  paintRuler(picture, player);
  paintGaps(picture, player, laneGaps);
  paintFlow(picture, player);
  let shapes = paintPins(picture, player);
  context.save();
  context.beginPath();
  context.rect(0, HEAD, width, height - HEAD);
  context.clip();
  const { lanes } = player.recording;
  const first = Math.max(0, Math.floor(picture.scroll / ROWS.lane));
  const last = Math.min(lanes.length, Math.ceil((picture.scroll + height - HEAD) / ROWS.lane));
  for (let at = first; at < last; at++) {
    const lane = lanes[at];
    if (lane !== undefined) shapes += paintLane(picture, player, lane, HEAD + at * ROWS.lane - picture.scroll);
  }
  context.restore();
  return shapes;
}

/** The gaps of a player's recording; none where the axis shows no times. */
export function gapsOf(player: Player): readonly Gap[] {
  return player.axis === "time" ? gaps(player.recording) : [];
}

function paintRuler({ context, width, height, colours }: Picture, player: Player): void {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const { at, label } of ticks(player.view, width, player.axis)) {
    const x = Math.round(columnOf(at, player.view, width)) + 0.5;
    context.strokeStyle = colours.line;
    context.beginPath();
    context.moveTo(x, ROWS.ruler - 4);
    context.lineTo(x, height);
    context.stroke();
    context.fillStyle = colours.faint;
    context.textAlign = x < 20 ? "left" : x > width - 20 ? "right" : "center";
    context.fillText(label, x < 20 ? x + 2 : x, ROWS.ruler / 2);
  }
}

function paintGaps({ context, width, height, colours }: Picture, player: Player, found: readonly Gap[]): void {
  for (const { from, to } of found) {
    const left = columnOf(from, player.view, width) + 3;
    const right = columnOf(to, player.view, width) - 3;
    if (right < 0 || left > width || right - left < 6) continue;
    context.save();
    context.beginPath();
    context.rect(left, HEAD - ROWS.flow, right - left, height);
    context.clip();
    context.strokeStyle = colours.edge;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = Math.max(0, left) - height; x < Math.min(width, right); x += 9) {
      context.moveTo(x, height);
      context.lineTo(x + height, 0);
    }
    context.stroke();
    context.restore();
    const label = timeWords(to - from);
    const room = context.measureText(label).width + 10;
    if (right - left < room) continue;
    context.fillStyle = colours.faint;
    context.textAlign = "center";
    context.fillText(label, (Math.max(0, left) + Math.min(width, right)) / 2, HEAD - ROWS.flow / 2);
  }
}

function paintFlow({ context, width, colours }: Picture, player: Player): void {
  const columns = flow(player.recording, player.axis, player.view, Math.floor(width));
  const most = columns.reduce((max, bytes) => Math.max(max, bytes), 1);
  context.fillStyle = colours.faint;
  context.globalAlpha = 0.55;
  for (const [x, bytes] of columns.entries()) {
    if (bytes <= 0) continue;
    const high = 3 + (ROWS.flow - 9) * Math.sqrt(bytes / most);
    context.fillRect(x, HEAD - 3 - high, 2, high);
  }
  context.globalAlpha = 1;
}

function paintPins({ context, width, colours }: Picture, player: Player): number {
  let shapes = 0;
  let taken = -Infinity;
  const y = ROWS.ruler + ROWS.pins / 2;
  for (const { frame, event } of player.recording.pins) {
    const x = columnOf(player.recording.position(frame, player.axis) || 0, player.view, width);
    // Thousands of notices are one row of diamonds: one that nobody could see is not drawn.
    if (x < -6 || x > width + 6 || (event.type === "notice" && x - taken < 3)) continue;
    taken = x;
    shapes++;
    if (event.type === "finish") paintFlag(context, x, y, event.reason === null ? colours.bad : colours.faint);
    else paintDiamond(context, x, y, event.type === "error" ? colours.bad : colours.warn);
  }
  return shapes;
}

function paintDiamond(context: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, y - 6);
  context.lineTo(x + 5, y);
  context.lineTo(x, y + 6);
  context.lineTo(x - 5, y);
  context.fill();
}

function paintFlag(context: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(x - 0.75, y - 7, 1.5, 14);
  context.beginPath();
  context.moveTo(x, y - 7);
  context.lineTo(x - 8, y - 4);
  context.lineTo(x, y - 1);
  context.fill();
}

function paintLane({ context, width, colours }: Picture, player: Player, lane: Lane, top: number): number {
  const { recording, axis, view } = player;
  const number = laneColour(lane);
  const colour = number === undefined ? colours.faint : (colours.lanes[number] ?? colours.ink);
  const middle = top + ROWS.lane / 2;
  const place = (frame: number): number => columnOf(recording.position(frame, axis) || 0, view, width);
  const from = place(lane.startFrame);
  const end = Math.min(
    lane.endFrame,
    lane.kind === "call" ? recording.frames - 1 : lane.frames.at(lane.marks - 1) || lane.startFrame,
  );
  const to = place(end);
  context.fillStyle = colour;
  context.globalAlpha = lane.retracted === undefined ? 0.28 : 0.12;
  context.fillRect(from, middle - 1, Math.max(2, to - from), 2);
  context.globalAlpha = lane.retracted === undefined ? 1 : 0.4;
  const marks = bars(lane, recording, axis, view, width);
  for (const { x, count, size } of marks) {
    const high = 5 + Math.min(1, Math.sqrt(size / count) / 6) * (ROWS.lane - 11);
    context.fillRect(x - (count > 1 ? 0 : 0.5), middle - high / 2, count > 1 ? 2 : 2.5, high);
  }
  context.globalAlpha = 1;
  if (lane.kind === "call" && lane.endFrame !== Number.POSITIVE_INFINITY)
    paintEnd(context, to, middle, lane, colour, colours);
  return marks.length + 1;
}

/** How a call ended: a dot, half a dot, a cross. */
function paintEnd(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  lane: Lane,
  colour: string,
  colours: Colours,
): void {
  const status = lane.retracted === undefined ? lane.closed?.status : "retracted";
  const right = x + 7;
  context.lineWidth = 2;
  context.beginPath();
  if (status === "complete") {
    context.fillStyle = colour;
    context.arc(right, y, 4, 0, 2 * Math.PI);
    context.fill();
  } else if (status === "truncated") {
    context.fillStyle = context.strokeStyle = colours.bad;
    context.arc(right, y, 4, 0, 2 * Math.PI);
    context.stroke();
    context.beginPath();
    context.arc(right, y, 4, 0.5 * Math.PI, 1.5 * Math.PI);
    context.fill();
  } else {
    context.strokeStyle = status === "malformed" ? colours.bad : colours.faint;
    context.moveTo(right - 4, y - 4);
    context.lineTo(right + 4, y + 4);
    context.moveTo(right + 4, y - 4);
    context.lineTo(right - 4, y + 4);
    context.stroke();
  }
}

/** The ends of calls stand behind their last frame: those that have come are drawn again over the veil. */
function paintEndsBeside({ context, width, scroll, colours }: Picture, player: Player, edge: number): void {
  const { recording, axis, view, frame } = player;
  for (const [at, lane] of recording.lanes.entries()) {
    if (lane.kind !== "call" || lane.endFrame > frame) continue;
    const x = columnOf(recording.position(lane.endFrame, axis) || 0, view, width);
    const top = HEAD + at * ROWS.lane - scroll;
    if (x + 14 < edge || top < HEAD) continue;
    const number = laneColour(lane) ?? 0;
    paintEnd(context, x, top + ROWS.lane / 2, lane, colours.lanes[number] ?? colours.ink, colours);
  }
}

/** Draws what depends on the moment: what has not come is veiled, and a line stands where the page stands. */
export function paintMoment(picture: Picture, player: Player): void {
  const { context, width, height, colours } = picture;
  context.clearRect(0, 0, width, height);
  const x = player.frame < 0 ? -1 : columnOf(player.position, player.view, width);
  const edge = player.frame >= player.recording.frames - 1 ? width : Math.max(0, Math.min(width, x + 2));
  context.fillStyle = colours.veil;
  context.fillRect(edge, HEAD, width - edge, height - HEAD);
  paintEndsBeside(picture, player, edge);
  if (x < -2 || x > width + 2) return;
  context.fillStyle = colours.head;
  context.fillRect(Math.round(x) - 0.75, 6, 1.5, height - 6);
  context.beginPath();
  context.moveTo(x - 5, 2);
  context.lineTo(x + 5, 2);
  context.lineTo(x, 10);
  context.fill();
}
