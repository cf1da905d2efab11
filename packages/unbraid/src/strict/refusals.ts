// Frames that are sound and known to no strict reader: those of a wire's other forms, and those that come again. Owns what is
// refused before a protocol reads it, and knows the vendors for that; what a frame means is not looked at.

import type { FramingName } from "../framing/frame.ts";
import { type Fields, fields } from "../protocols/fields.ts";
import { isInteraction } from "../protocols/gemini-interactions.ts";
import { isLive } from "../protocols/gemini-live.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { isSocket } from "../protocols/responses-session.ts";
import type { StrictAssembler } from "./assembler.ts";

/** Says what a frame breaks, in plain words; undefined where it is to be read. */
type Refusal = (frame: Fields, event: string | undefined, framing: FramingName | undefined) => string | undefined;

const OTHER = "a frame of another wire";

/**
 * Lets a protocol read only what is not refused.
 *
 * @param start Makes what reads the frames of a response.
 * @param refusal Makes what judges them.
 */
export function refusing(start: Protocol["start"], refusal: () => Refusal): Protocol["start"] {
  return () => {
    const reader = start();
    const refused = refusal();
    return {
      // Its protocol speaks to no other assembler.
      read(value, sink: StrictAssembler, event, framing) {
        const what = refused(fields(value) ?? {}, event, framing);
        if (what === undefined) reader.read(value, sink, event, framing);
        else sink.refuse(what);
      },
    };
  };
}

/** Of Responses: messages of a socket, and events whose number does not grow. Said again, a fragment would be appended again. */
export function responsesRefusal(): Refusal {
  let last = -1;
  return (frame, _, framing) => {
    if (isSocket(frame, framing)) return OTHER;
    const { sequence_number: number, type } = frame as { sequence_number?: unknown; type?: unknown };
    // Of an error only the words count.
    if (typeof number !== "number" || type === "error") return undefined;
    if (number <= last) return "an event again, or not in its place";
    last = number;
    return undefined;
  };
}

/** Of Gemini: messages of Live, and events of Interactions. */
export function geminiRefusal(): Refusal {
  return (frame, event) => (isLive(frame) || isInteraction(frame, event) ? OTHER : undefined);
}
