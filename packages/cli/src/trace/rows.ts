// The columns of a trace: where a line came from, the lanes, a word, and the body. Owns the layout, and the line that is
// still being written.

import type { WirePosition } from "unbraid";
import { fit, wrap } from "../terminal/fit.ts";
import type { Page } from "../terminal/page.ts";
import type { Paint } from "../terminal/style.ts";
import type { Lanes } from "./lanes.ts";

const FRAME = 5;
const BYTE = 8;
const TIME = 8;
const WORD = 10;

/** Columns between two columns of the layout. */
const GAP = 1;

/** Columns that are left for a body however narrow the page is. */
const MIN_BODY = 12;

/** Columns that one piece of text or reasoning may take. */
const SHORT = 40;

/** Stands between the fragments of one line. */
const SEAM = "¦";

/** Writes lines. */
export class Rows {
  readonly #page: Page;
  readonly #lanes: Lanes;
  /** Columns for the arrival, where it is known. */
  readonly #time: number;
  #text = "";
  /** The line that has no end yet: its word, and the columns that are left in it. */
  #open: { readonly word: string; left: number } | undefined;

  /**
   * @param page Where the lines are written.
   * @param lanes The lanes beside them.
   * @param timed Whether each line says when its bytes came.
   */
  constructor(page: Page, lanes: Lanes, timed = false) {
    this.#page = page;
    this.#lanes = lanes;
    this.#time = timed ? TIME : 0;
  }

  /** Columns for the body of a line. */
  get room(): number {
    return Math.max(MIN_BODY, this.#page.columns() - this.#margin);
  }

  get #margin(): number {
    return this.#time + FRAME + BYTE + 2 + this.#lanes.width + GAP + WORD;
  }

  /** What has been written since this was last asked. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** The heading. */
  head(): void {
    const { dim } = this.#page.style;
    const call = "call".padEnd(this.#lanes.width + GAP);
    this.#text += `${dim(`${this.#time === 0 ? "" : `${"ms".padStart(TIME - 1)} `}${"frame".padStart(FRAME)}${"byte".padStart(BYTE)}  ${call}${"so far".padEnd(WORD)}fragment`)}\n`;
  }

  /**
   * One line.
   *
   * @param at Where it came from.
   * @param lanes The lanes, drawn.
   * @param paint Paints the word.
   * @param word What it is, at most ten columns.
   * @param body Ready to be shown, no wider than `room`.
   */
  row(at: WirePosition, lanes: string, paint: Paint, word: string, body: string): void {
    this.close();
    this.#text += `${this.#start(at, lanes, paint, word)}${body}`.trimEnd() + "\n";
  }

  /** A further line under the body of the last one. */
  under(body: string): void {
    this.close();
    this.#text += `${" ".repeat(this.#time + FRAME + BYTE + 2)}${this.#lanes.draw()}${" ".repeat(GAP + WORD)}${body}\n`;
  }

  /** A message under the body of the last line, in as many lines as it takes. */
  words(message: string, paint: Paint): void {
    for (const line of wrap(message, this.room)) this.under(paint(line));
  }

  /** A piece of a run of text: on the line that is being written, if it has room, or at the beginning of the next. */
  flow(at: WirePosition, word: string, piece: string): void {
    const { dim, odd } = this.#page.style;
    const shown = fit(piece, Math.min(SHORT, this.room), { brush: { plain: dim, space: dim, odd } });
    const open = this.#open;
    if (open?.word === word && shown.width + 1 <= open.left) {
      this.#text += SEAM + shown.text;
      open.left -= shown.width + 1;
      return;
    }
    this.close();
    this.#text += this.#start(at, this.#lanes.draw(), dim, word) + shown.text;
    this.#open = { word, left: this.room - shown.width };
  }

  /** Ends the line that is being written. */
  close(): void {
    if (this.#open !== undefined) this.#text += "\n";
    this.#open = undefined;
  }

  #start(at: WirePosition, lanes: string, paint: Paint, word: string): string {
    const time = this.#time === 0 ? "" : `${(at.time === undefined ? "" : at.time.toFixed(0)).padStart(TIME - 1)} `;
    const place = `${time}${String(at.frame).padStart(FRAME)}${(at.start < 0 ? "" : String(at.start)).padStart(BYTE)}`;
    return `${this.#page.style.dim(place)}  ${lanes}${" ".repeat(GAP)}${paint(word)}${" ".repeat(WORD - word.length)}`;
  }
}
