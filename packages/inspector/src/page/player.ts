// Where in a response the page stands. Owns the moment, its motion while it plays, and the part of the time line that is
// shown; what there is to see at that moment, the recording knows.

import type { Axis, Recording } from "../model/recording.ts";
import { shifted, type View, wholeView, zoomed } from "../model/time-line.ts";
import { Observable } from "./observable.ts";

/** How fast it plays. */
export const SPEEDS: readonly number[] = [0.1, 0.25, 0.5, 1, 2, 5, 10];

/** Without times, frames go by at this rate… */
const FRAMES_A_SECOND = 12;
/** …or faster, so that a long response does not take longer than this. */
const LONGEST_PLAY_SECONDS = 20;

/** Moves through a recording. */
export class Player extends Observable {
  /** What it moves through. */
  readonly recording: Recording;
  /** The last frame that has come at this moment; -1 before the first. */
  frame: number;
  /** The moment on the axis. */
  position: number;
  /** What the axis shows. */
  axis: Axis;
  /** The part of the axis that is shown. */
  view: View;
  /** Whether it moves by itself. */
  playing = false;
  /** Times as fast as it came. */
  speed = 1;
  /** The lane that is looked at. */
  lane: string | undefined;
  /** Stays at the end while more comes. */
  following = true;
  #lastTick = 0;
  /** All of the axis when more came last: a view that showed all of it shows all of what is there now. */
  #grownWhole: View | undefined;

  /** @param recording What to move through. */
  constructor(recording: Recording) {
    super();
    this.recording = recording;
    this.axis = recording.timed ? "time" : "frame";
    this.frame = recording.frames - 1;
    this.position = this.#positionOf(this.frame);
    this.view = wholeView(recording, this.axis);
  }

  /** All of the axis. */
  get whole(): View {
    return wholeView(this.recording, this.axis);
  }

  /** Whether a part of the axis is out of sight. */
  get isZoomed(): boolean {
    return this.view.to - this.view.from < (this.whole.to - this.whole.from) * 0.999;
  }

  /** Goes to a frame. */
  toFrame(frame: number): void {
    this.frame = Math.max(-1, Math.min(this.recording.frames - 1, Math.round(frame)));
    this.position = this.#positionOf(this.frame);
    this.following = this.frame === this.recording.frames - 1;
    this.#keepInView();
    this.changed();
  }

  /** Goes to a place on the axis. */
  toPosition(position: number): void {
    const { from, to } = this.whole;
    this.position = Math.max(from, Math.min(to, position));
    this.frame = this.recording.frameAt(this.position, this.axis);
    this.following = this.frame === this.recording.frames - 1;
    this.#keepInView();
    this.changed();
  }

  /** Goes on by so many frames. */
  step(frames: number): void {
    this.pause();
    this.toFrame(this.frame + frames);
  }

  /** Goes to the next notice, error or finish, or with -1 to the one before. */
  toPin(direction: 1 | -1): void {
    this.pause();
    const frames = this.recording.pins.map((pin) => pin.frame);
    const next =
      direction === 1 ? frames.find((frame) => frame > this.frame) : frames.findLast((frame) => frame < this.frame);
    if (next !== undefined) this.toFrame(next);
  }

  /** Plays on, or stops. At the end it begins anew. */
  toggle(): void {
    if (this.playing) return this.pause();
    if (this.frame >= this.recording.frames - 1) this.toFrame(-1);
    this.playing = true;
    this.#lastTick = performance.now();
    requestAnimationFrame(this.#tick);
    this.changed();
  }

  /** Stops. */
  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }

  /** Plays faster or slower. */
  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  /** Shows times or numbers of frames. */
  setAxis(axis: Axis): void {
    this.axis = axis;
    this.view = this.whole;
    this.position = this.#positionOf(this.frame);
    this.changed();
  }

  /** Shows more (`factor` above 1) or less of the axis around a place. */
  zoom(factor: number, around: number = this.position): void {
    this.view = zoomed(this.view, this.whole, around, factor);
    this.changed();
  }

  /** Moves the part that is shown by a share of its width. */
  pan(share: number): void {
    const by = share * (this.view.to - this.view.from);
    this.view = shifted({ from: this.view.from + by, to: this.view.to + by }, this.whole);
    this.changed();
  }

  /** Shows all of the axis. */
  showAll(): void {
    this.view = this.whole;
    this.changed();
  }

  /** Looks at a lane. */
  choose(lane: string | undefined): void {
    this.lane = lane;
    this.changed();
  }

  /** Looks at the next lane, or with -1 at the one before. */
  chooseNext(direction: 1 | -1): void {
    const { lanes } = this.recording;
    const at = lanes.findIndex(({ id }) => id === this.lane);
    this.choose(lanes[at < 0 ? 0 : Math.max(0, Math.min(lanes.length - 1, at + direction))]?.id);
  }

  /** More has come. */
  grown(): void {
    if (this.axis === "frame" && this.recording.timed && this.recording.frames < 50) this.axis = "time";
    const before = this.#grownWhole ?? this.view;
    if (this.view.to - this.view.from >= (before.to - before.from) * 0.999) this.view = this.whole;
    this.#grownWhole = this.whole;
    if (this.following && !this.playing) {
      this.frame = this.recording.frames - 1;
      this.position = this.#positionOf(this.frame);
    }
    this.changed();
  }

  #positionOf(frame: number): number {
    return frame < 0 ? 0 : this.recording.position(frame, this.axis) || 0;
  }

  readonly #tick = (now: number): void => {
    if (!this.playing) return;
    const seconds = Math.max(0, now - this.#lastTick) / 1000;
    this.#lastTick = now;
    const rate = this.axis === "time" ? 1000 : Math.max(FRAMES_A_SECOND, this.recording.frames / LONGEST_PLAY_SECONDS);
    const { recording } = this;
    const last = recording.frames - 1;
    this.position += seconds * rate * this.speed;
    this.frame = recording.frameAt(this.position, this.axis);
    if (this.frame >= last && recording.over) {
      this.position = this.#positionOf(last);
      this.playing = false;
      this.following = true;
    }
    this.#keepInView();
    this.changed();
    if (this.playing) requestAnimationFrame(this.#tick);
  };

  #keepInView(): void {
    const { from, to } = this.view;
    if (this.position >= from && this.position <= to) return;
    const width = to - from;
    this.view = shifted({ from: this.position - width * 0.1, to: this.position + width * 0.9 }, this.whole);
  }
}
