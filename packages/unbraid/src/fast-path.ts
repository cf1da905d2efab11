// When frames are matched against a template instead of being parsed. Owns the moment: a template counts only for frames
// that directly follow the one it was learned from, so that no other frame can have changed what the wire means.

import type { Sink } from "./assembly/sink.ts";
import { FrameTemplate } from "./frame-template.ts";
import type { Frame } from "./framing/index.ts";
import type { FragmentFrame, ProtocolReader } from "./protocols/protocol.ts";

/** Templates after which those must have paid for themselves. */
const TRIAL = 32;

/** The fast path of one reader. `frame-template.ts` says why it is exact. */
export class FastPath {
  #template: FrameTemplate | undefined;
  #fragment: FragmentFrame | undefined;
  /** The frame before was a fragment too: one alone is not worth a template. */
  #warm = false;
  #made = 0;
  #matched = 0;

  /** Says what a frame means without parsing it, where it matches. False: it must be parsed. */
  say(frame: Frame, sink: Sink): boolean {
    const template = this.#template;
    if (template === undefined) return false;
    if (frame.fault === undefined && frame.terminated && template.match(frame.data)) {
      this.#matched++;
      this.#fragment?.say(template.values, sink);
      return true;
    }
    this.#template = undefined;
    return false;
  }

  /** Learns from a frame that was parsed and read. */
  learn(frame: Frame, value: unknown, wire: ProtocolReader): void {
    // A wire that alternates between kinds of frames pays for templates that nothing matches.
    if (this.#made >= TRIAL && this.#matched < this.#made * 4) return;
    const fragment = wire.fragment?.(value);
    if (fragment !== undefined && this.#warm) {
      this.#made++;
      this.#fragment = fragment;
      this.#template = FrameTemplate.from(frame.data, fragment.holes);
    }
    this.#warm = fragment !== undefined;
  }
}
