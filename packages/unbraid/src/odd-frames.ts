// Frames that are not what they should be: faults that the framer saw, frames that are no JSON, several messages in one.
// Owns what is said about them and what of them can still be read; sound frames never come here.

import type { ResponseAssembler } from "./assembly/response-assembler.ts";
import { DONE, isDisguisedComment, parse, splitGlued } from "./framing/glued.ts";
import type { Frame, FrameFaultCode } from "./framing/index.ts";

/** UTF-16 units of a lost frame that are shown. */
const SHOWN = 1000;

/** What the reader does with what can still be read. */
export interface FrameTaker {
  /** True once nothing more is read. */
  over(): boolean;
  /** The wire must be known now. */
  decide(): void;
  /** The end marker came. */
  done(): void;
  /** A message came. */
  value(value: unknown, event: string | undefined): void;
}

/** What judges frames. */
export interface FrameJudge {
  /** A sound frame came: what was wrong before it did not end the stream. */
  sound?(): void;
  /** The framer saw a fault. True where there is nothing more to read in the frame. */
  fault(frame: Frame): boolean;
  /** A frame is not JSON. */
  notJson(frame: Frame): void;
  /** The body is over. */
  endOfBody?(): void;
}

/** See the file's head. */
export class OddFrames implements FrameJudge {
  readonly #assembler: ResponseAssembler;
  readonly #to: FrameTaker;
  /** The last frame's text, when it was whole and no JSON: only the end of the body tells whether that was fatal. */
  #lastBad: string | undefined;

  constructor(assembler: ResponseAssembler, to: FrameTaker) {
    this.#assembler = assembler;
    this.#to = to;
  }

  sound(): void {
    this.#lastBad = undefined;
  }

  /** What the framer saw. True where there is nothing more to read in the frame. */
  fault(frame: Frame): boolean {
    const { code = "bare-line", message = "" } = frame.fault ?? {};
    if (isFatal(code)) {
      // What was lost may have been a part of any open call: none of them can be trusted.
      this.#to.decide();
      this.#assembler.notice(code, message);
      this.#assembler.stop(code, code === "not-a-stream" ? `The body is no stream: ${excerptOf(frame.data)}` : message);
    } else if (code === "cut-frame") {
      this.#assembler.notice(code, message, { reason: code });
    } else if (code === "stray-text" || code === "after-array") {
      this.notJson(frame);
    } else {
      this.#assembler.notice("bare-line", message);
      return false;
    }
    return true;
  }

  /** A frame that is not JSON: comments in disguise, glued frames, an upstream's error page, a frame that was cut. */
  notJson(frame: Frame): void {
    const pieces = splitGlued(frame.data);
    if (pieces !== undefined)
      this.#assembler.notice("glued-frames", "Several messages stood in one frame; they were read one by one.");
    for (const piece of pieces ?? [frame.data.trim()]) {
      if (this.#to.over()) return;
      const value = pieces && parse(piece);
      if (piece === DONE) this.#to.done();
      else if (value === undefined) this.#bad(piece, frame);
      else this.#to.value(value, frame.event);
    }
  }

  #bad(text: string, { terminated, event }: Frame): void {
    if (text === "") return;
    if (event === "error") return this.#assembler.error("non-json-frame", excerptOf(text), undefined);
    if (!isDisguisedComment(text)) this.#lastBad = terminated ? text : undefined;
    // It may have held the arguments of any call.
    if (text.includes("{")) this.#assembler.calls.lost = true;
    if (terminated)
      this.#assembler.notice("non-json-frame", `A frame that is not JSON was passed over: ${excerptOf(text)}`, {
        reason: "unparseable-frame",
        argumentsText: text.slice(0, SHOWN),
      });
    else noticeCut(this.#assembler, text);
  }

  /** The body is over: a last frame that is no JSON, where no terminal signal came, is what ended the stream. */
  endOfBody(): void {
    if (this.#lastBad !== undefined && !this.#assembler.finishing)
      this.#assembler.error("non-json-frame", `The stream ended with: ${excerptOf(this.#lastBad)}`, undefined);
  }
}

/** Says that the body ended inside a frame, which is lost. */
export function noticeCut(assembler: ResponseAssembler, text: string): void {
  const message = "The body ended inside a frame; what was there of it is lost.";
  assembler.notice("cut-frame", message, { reason: "cut-frame", argumentsText: text.slice(0, SHOWN) });
}

/** Faults that end the reading. */
export function isFatal(code: FrameFaultCode | undefined): code is "frame-too-large" | "broken-frame" | "not-a-stream" {
  return code === "frame-too-large" || code === "broken-frame" || code === "not-a-stream";
}

/** The beginning of a text, on one line. */
export function excerptOf(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}
