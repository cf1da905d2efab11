// What a frame must be like for the next one like it not to be parsed. Owns the words in which a protocol describes it.

import type { Sink } from "../assembly/sink.ts";
import type { Hole, HoleValues } from "./holes.ts";

/**
 * A frame that only adds a fragment to a call, described so that the next one like it need not be parsed: which values may
 * differ from frame to frame, and how to say what such a frame means.
 */
export interface FragmentFrame {
  readonly holes: readonly Hole[];
  /** Whether such a frame still means what it meant, after what has been read since: false where the reader must see it. */
  holds(): boolean;
  /**
   * Whether the wire has sent this frame before, so that it says nothing but a notice: asked in the place of `say`, of each
   * frame once. Absent: none has.
   */
  isReplay?(values: HoleValues): boolean;
  /**
   * Finds in the ASCII at an event's beginning a string that may say again all text of the call whose second name is
   * `item`: where its inside begins. Absent: the wire does not say a text again.
   */
  restated?(beginning: string): { readonly at: number; readonly item: string } | undefined;
  /**
   * Says the same as `read` would of the frame with these values in its holes. Of frames with the same index and item, one
   * behind the other, it says the same but for the text, unless one is a replay.
   */
  say(values: HoleValues, sink: Sink): void;
}
