// The columns at the left of a trace in which parallel calls run side by side. Owns which call has which column: a call
// takes the first free one when it starts and leaves it when it is over.

import type { Style } from "../terminal/style.ts";

/** Columns of the terminal that one lane takes. */
const LANE = 2;

/** Lanes that are drawn; further calls share the last one. */
const MAX_LANES = 8;

/** Lanes for which there is always room, so that a second call does not shift the page. */
const MIN_LANES = 2;

interface Lane {
  readonly key: string;
  /** The number of the call, from 1. */
  readonly number: number;
}

/** The lanes of one trace. */
export class Lanes {
  readonly #style: Style;
  #lanes: (Lane | undefined)[] = [];
  #most = MIN_LANES;

  /**
   * @param style How they are painted.
   */
  constructor(style: Style) {
    this.#style = style;
  }

  /** Columns of the terminal that the lanes take now; never becomes less. */
  get width(): number {
    return this.#most * LANE;
  }

  /** Gives a call a lane. */
  open(key: string, number: number): void {
    const free = this.#lanes.indexOf(undefined);
    if (free < 0) this.#lanes.push({ key, number });
    else this.#lanes[free] = { key, number };
    this.#most = Math.max(this.#most, Math.min(MAX_LANES, this.#lanes.length));
  }

  /** Takes a call's lane back. */
  close(key: string): void {
    this.#lanes = this.#lanes.map((lane) => (lane?.key === key ? undefined : lane));
  }

  /**
   * The lanes in one line.
   *
   * @param key The call that the line is about; its lane shows `mark`, the others a bar.
   * @param mark What to show; the call's number when absent.
   */
  draw(key?: string, mark?: string): string {
    const own = key === undefined ? -1 : this.#lanes.findIndex((lane) => lane?.key === key);
    const at = Math.min(own, this.#most - 1);
    let line = "";
    for (let place = 0; place < this.#most; place++)
      line += this.#cell(place, place === at ? this.#lanes[own] : undefined, mark);
    return line;
  }

  #cell(place: number, marked: Lane | undefined, mark: string | undefined): string {
    if (marked !== undefined) {
      const text = (mark ?? String(marked.number)).slice(-LANE);
      return this.#style.bold(this.#style.call(marked.number - 1)(text)) + " ".repeat(LANE - text.length);
    }
    const lane = this.#lanes[place];
    if (lane === undefined) return " ".repeat(LANE);
    return this.#style.dim(this.#style.call(lane.number - 1)("│")) + " ".repeat(LANE - 1);
  }
}
