// Frames that are not what they should be, for a reader that reads no others: they end the reading, but for one that the end of
// the body has cut.

import { type Frame, STRAY_TEXT } from "../framing/frame.ts";
import { excerptOf, type FrameJudge, noticeCut } from "../odd-frames.ts";
import type { StrictAssembler } from "./assembler.ts";

/** See the file's head. */
export class StrictFrames implements FrameJudge {
  readonly #assembler: StrictAssembler;

  constructor(assembler: StrictAssembler) {
    this.#assembler = assembler;
  }

  fault({ fault = STRAY_TEXT, data }: Frame): boolean {
    const { code, message } = fault;
    if (code === "cut-frame") this.#cut(data);
    else this.#assembler.stop(code === "stray-text" ? "irregular" : code, excerptOf(`${message}. ${data}`));
    return true;
  }

  notJson({ data, event, terminated }: Frame): void {
    const words = excerptOf(data);
    if (words === "") return;
    if (!terminated) this.#cut(data);
    else if (event === "error") this.#assembler.error("non-json-frame", words, undefined);
    else this.#assembler.stop("non-json-frame", `A frame is not JSON: ${words}`);
  }

  /** What was in the frame may have been the arguments of any call. */
  #cut(data: string): void {
    this.#assembler.calls.lost = true;
    noticeCut(this.#assembler, data);
  }
}
