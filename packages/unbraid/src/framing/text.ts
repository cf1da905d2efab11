// Text that is no stream: an HTML page, a gateway's plain words. Owns the bounded beginning that is shown of it.

import { ByteBuffer, decodeHead } from "./bytes.ts";
import type { EmitFrame, Framer } from "./frame.ts";

/** Bytes of text that are shown; enough for any error page's words, and little to keep. */
const SHOWN = 64 * 1024;

/** The first 64 KiB of what it is given. */
export class Beginning {
  readonly #bytes = new ByteBuffer();

  /** Takes more bytes; those beyond the bound are dropped. */
  append(bytes: Uint8Array): void {
    this.#bytes.append(bytes, 0, Math.min(bytes.length, SHOWN - this.#bytes.length));
  }

  /** The text so far; a character that the bound cuts is left out. */
  get text(): string {
    return decodeHead(this.#bytes.view);
  }
}

/** The message of the fault `not-a-stream`. */
export const NOT_A_STREAM = "the body holds no frame of any known framing";

/** Makes one frame of the whole body, when it is over, with the fault `not-a-stream`. */
export class TextFramer implements Framer {
  readonly framing = "text";
  readonly #beginning = new Beginning();
  readonly #start: number;
  #end: number;

  /** The text begins at body offset `offset`. */
  constructor(offset: number) {
    this.#start = offset;
    this.#end = offset;
  }

  push(bytes: Uint8Array): void {
    this.#beginning.append(bytes);
    this.#end += bytes.length;
  }

  end(emit: EmitFrame): void {
    emit({
      data: this.#beginning.text,
      event: undefined,
      start: this.#start,
      end: this.#end,
      index: 0,
      terminated: true,
      fault: { code: "not-a-stream", message: NOT_A_STREAM },
    });
  }
}
