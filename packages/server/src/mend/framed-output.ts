// What is sent, in the framing that the client wants: bytes passed on as they came, and frames written anew between them. Owns
// the commas of an array and the ends of lines.

import { DONE, type OutFrame, type OutFraming } from "./dialect.ts";

const BRACE = 0x7b;
const LINE_FEED = 0x0a;

/** Bytes on their way to one client. */
export class FramedOutput {
  readonly #framing: OutFraming;
  #out: Uint8Array[] = [];
  #mended = false;
  /** Elements of a JSON array that were sent. */
  #elements = 0;
  /** The last line that was passed on lacks its end. */
  #lineOpen = false;

  constructor(framing: OutFraming) {
    this.#framing = framing;
  }

  /** Whether anything was written otherwise than it came. */
  get mended(): boolean {
    return this.#mended;
  }

  /** Whether blanks between frames are for the client: behind a line that was written anew its end is there already. */
  get wantsBlanks(): boolean {
    return !this.#mended || this.#lineOpen;
  }

  /** What has been put out since this was last asked. */
  take(): readonly Uint8Array[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** Bytes that stand between frames. */
  between(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#out.push(bytes);
    this.#lineOpen = false;
  }

  /** A frame as it came; in an array behind the comma that is right now. */
  pass(raw: Uint8Array): void {
    if (this.#framing === "json-array" && this.#mended)
      this.#out.push(Buffer.from(this.#elements === 0 ? "[" : ","), raw.subarray(Math.max(0, raw.indexOf(BRACE))));
    else this.#out.push(raw);
    this.#elements++;
    this.#lineOpen = this.#framing === "ndjson" && raw.at(-1) !== LINE_FEED;
  }

  /** Frames written anew. */
  write(frames: readonly OutFrame[]): void {
    this.#mended = true;
    for (const frame of frames) {
      this.#out.push(Buffer.from(this.#framed(frame)));
      this.#elements++;
      this.#lineOpen = false;
    }
  }

  /** The end: of an array its bracket, else what the server sent behind the last frame. */
  end(tail: readonly Uint8Array[]): void {
    if (this.#framing === "json-array" && this.#mended) this.#out.push(Buffer.from(this.#elements === 0 ? "[]" : "]"));
    else this.#out.push(...tail);
  }

  #framed({ value, event }: OutFrame): string {
    const text = value === DONE ? "[DONE]" : JSON.stringify(value);
    switch (this.#framing) {
      case "sse":
        return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
      case "ndjson":
        return `${this.#lineOpen ? "\n" : ""}${text}\n`;
      default:
        return `${this.#elements === 0 ? "[" : ","}${text}`;
    }
  }
}
