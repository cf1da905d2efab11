// Text and reasoning, which come in hundreds of fragments and are there for orientation only: a run of them shares lines,
// each fragment set off from the next. Owns what goes on the line that is being written, and what a run amounts to where
// it is not shown.

import type { StreamEvent, WirePosition } from "unbraid";
import { counted } from "../terminal/page.ts";

/** The words under which a run is shown. */
export type RunWord = "text" | "reasoning" | "refusal";

/** A run that is over. */
export interface Run {
  readonly word: RunWord;
  /** Where its first fragment came from. */
  readonly at: WirePosition;
  /** Its size in words. */
  readonly summary: string;
}

/** The word of an event, where it is part of a run. */
export function runWord(event: StreamEvent): RunWord | undefined {
  if (event.type === "reasoning") return "reasoning";
  if (event.type !== "text") return undefined;
  return event.refusal === true ? "refusal" : "text";
}

/** Counts the fragments of the run that is going on. */
export class TextRun {
  #word: RunWord | undefined;
  #at: WirePosition = { frame: 0, start: 0, end: 0 };
  #fragments = 0;
  #characters = 0;

  /**
   * Takes the next event.
   *
   * @returns The run that it ends, if it ends one.
   */
  take(event: StreamEvent): Run | undefined {
    const word = runWord(event);
    if (word === undefined) return isSilent(event) ? undefined : this.#end();
    const ended = word === this.#word ? undefined : this.#end();
    if (this.#word === undefined) {
      this.#word = word;
      this.#at = event.at;
    }
    this.#fragments++;
    this.#characters += "text" in event ? event.text.length : 0;
    return ended;
  }

  #end(): Run | undefined {
    const word = this.#word;
    if (word === undefined) return undefined;
    const summary = `${counted(this.#fragments, "fragment")}, ${counted(this.#characters, "character")}`;
    this.#word = undefined;
    this.#fragments = 0;
    this.#characters = 0;
    return { word, at: this.#at, summary };
  }
}

/** Events of which a trace shows nothing do not end a run. */
function isSilent(event: StreamEvent): boolean {
  return event.type === "part" || event.type === "call.answered";
}
