// Which wire a response comes in, where none was named. Owns the looking at its first bytes and frames, and keeps these until
// it knows: the reader reads them then. Whose they are, the wires themselves say.

import { SessionAssembler } from "./assembly/session-assembler.ts";
import type { ExtraFraming } from "./framing/index.ts";
import { joined } from "./framing/bytes.ts";
import { DONE, parse } from "./framing/glued.ts";
import { isFatal } from "./odd-frames.ts";
import { detect, protocols } from "./protocols/index.ts";
import type { Protocol } from "./protocols/protocol.ts";
import { beginsRawText } from "./protocols/text.ts";
import type { Finder, Held } from "./tolerant-reader.ts";

/** Frames that are looked at before the likeliest wire is taken. */
const FRAMES = 8;
/** How sure a wire must be of a frame to settle it. */
const SURE = 0.7;
/** First bytes that may say that a body is one text. A body with more blanks before its first word is none. */
const MAX_HEAD = 1024;

const extraFramings = Object.values(protocols).flatMap((each) => each.extraFramings ?? []);

/** Finds the wire of one response, in any framing. */
export class WireFinder implements Finder {
  readonly assembler: typeof SessionAssembler = SessionAssembler;
  readonly extraFramings: readonly ExtraFraming[] = extraFramings;
  readonly held: Held[] = [];
  #likeliest: ReturnType<typeof detect>;
  /** First bytes that do not tell whether the body is one text; undefined once they have. */
  #head: Uint8Array | undefined = new Uint8Array(0);

  begin(bytes: Uint8Array): { readonly bytes?: Uint8Array; readonly protocol?: Protocol } {
    if (this.#head === undefined) return { bytes };
    const head = joined(this.#head, bytes);
    const isText = beginsRawText(head.subarray(0, MAX_HEAD));
    if (isText === undefined && head.length < MAX_HEAD) {
      this.#head = head.slice();
      return {};
    }
    this.#head = undefined;
    return isText === true ? { bytes: head, protocol: protocols.text } : { bytes: head };
  }

  rest(): Uint8Array | undefined {
    const head = this.#head;
    this.#head = undefined;
    return head;
  }

  take(held: Held): Protocol | undefined {
    this.held.push(held);
    const { frame } = held;
    const found = frame === undefined ? detect(held.value) : detect(parse(frame.data), frame.event);
    if (found !== undefined && found.sure > (this.#likeliest?.sure ?? 0)) this.#likeliest = found;
    const isLast = frame !== undefined && (frame.data.trim() === DONE || isFatal(frame.fault?.code));
    const sure = this.#likeliest?.sure ?? 0;
    return isLast || sure >= SURE || this.held.length >= FRAMES ? this.decide() : undefined;
  }

  decide(): Protocol | undefined {
    return this.held.length === 0 ? undefined : (this.#likeliest?.protocol ?? protocols["openai-chat"]);
  }
}
