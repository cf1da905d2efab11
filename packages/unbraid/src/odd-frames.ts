// Frames that are not what they should be: faults that the framer saw, frames that are no JSON, several messages in one.
// Owns what is said about them and what of them can still be read; sound frames never come here.

import type { Assembler } from "./assembly/assembler.ts";
import { type Frame, type FrameFaultCode, isDisguisedComment, splitGlued } from "./framing/index.ts";

/** The word that ends the streams of OpenAI and many others. */
export const DONE = "[DONE]";

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

/** See the file's head. */
export class OddFrames {
  readonly #assembler: Assembler;
  readonly #to: FrameTaker;
  /** The last frame, when it was no JSON: only the end of the body tells whether that was fatal. */
  #lastBad: { readonly text: string; readonly terminated: boolean } | undefined;

  constructor(assembler: Assembler, to: FrameTaker) {
    this.#assembler = assembler;
    this.#to = to;
  }

  /** A sound frame came: what was wrong before it did not end the stream. */
  sound(): void {
    this.#lastBad = undefined;
  }

  /** What the framer saw. True where there is nothing more to read in the frame. */
  fault(frame: Frame): boolean {
    const { code, message } = frame.fault ?? { code: "bare-line", message: "" };
    switch (code) {
      case "frame-too-large":
        // What was lost may have been a part of any open call: none of them can be trusted.
        this.#to.decide();
        this.#assembler.notice("frame-too-large", message);
        this.#assembler.stop("frame-too-large", `${message} (maxFrameBytes)`);
        return true;
      case "broken-frame":
        this.#to.decide();
        this.#assembler.notice("broken-frame", message);
        this.#assembler.stop("broken-frame", message);
        return true;
      case "cut-frame":
        this.#assembler.notice("cut-frame", message, { reason: "cut-frame" });
        return true;
      case "not-a-stream":
        this.#to.decide();
        this.#assembler.notice("not-a-stream", message);
        this.#assembler.stop("not-a-stream", `The body is no stream: ${excerpt(frame.data)}`);
        return true;
      case "stray-text":
      case "after-array":
        if (frame.data.trim() === DONE) this.#to.done();
        else this.#bad(frame.data, frame);
        return true;
      default:
        this.#assembler.notice("bare-line", message);
        return false;
    }
  }

  /** A frame that is not JSON: comments in disguise, glued frames, an upstream's error page, a frame that was cut. */
  notJson(frame: Frame): void {
    const pieces = splitGlued(frame.data);
    if (pieces !== undefined) {
      this.#assembler.notice("glued-frames", "Several messages stood in one frame; they were read one by one.");
      for (const piece of pieces) {
        if (this.#to.over()) return;
        const value = piece === DONE ? undefined : parse(piece);
        if (piece === DONE) this.#to.done();
        else if (value === undefined) this.#bad(piece, frame);
        else this.#to.value(value, frame.event);
      }
      return;
    }
    this.#bad(frame.data, frame);
  }

  #bad(text: string, { terminated, event }: Frame): void {
    if (text.trim() === "") return;
    if (event === "error") return this.#assembler.error("non-json-frame", excerpt(text), undefined);
    const comment = isDisguisedComment(text);
    if (!comment) this.#lastBad = { text, terminated };
    const code = terminated ? "non-json-frame" : "cut-frame";
    this.#assembler.notice(
      code,
      terminated
        ? `A frame that is not JSON was passed over: ${excerpt(text)}`
        : "The body ended inside a frame; what was there of it is lost.",
      {
        reason: terminated ? "unparseable-frame" : "cut-frame",
        argumentsText: text.slice(0, 1000),
      },
    );
  }

  /** The body is over: a last frame that is no JSON, where no terminal signal came, is what ended the stream. */
  endOfBody(): void {
    const bad = this.#lastBad;
    if (bad?.terminated === true && !this.#assembler.finishing)
      this.#assembler.error("non-json-frame", `The stream ended with: ${excerpt(bad.text)}`, undefined);
  }
}

/** Faults that end the reading. */
export function isFatal(code: FrameFaultCode | undefined): boolean {
  return code === "frame-too-large" || code === "broken-frame" || code === "not-a-stream";
}

/** The value of a JSON text; undefined where it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}
