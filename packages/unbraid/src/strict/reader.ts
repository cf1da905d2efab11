// The reader that does not guess: it reads what keeps the rules of its wire, and ends the response with an error where
// anything does not. Owns the choice of those rules.

import { BaseReader } from "../base-reader.ts";
import { type Framer, LARGEST_FRAME } from "../framing/frame.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Reader } from "../reader.ts";
import type { ReaderOptions } from "../reader-options.ts";
import { type Wire, wireOf } from "../wire.ts";
import { StrictAssembler } from "./assembler.ts";
import { StrictFramer } from "./framer.ts";
import { StrictFrames } from "./frames.ts";

/** What a wire is to be read strictly: its name, its framing, its words. */
export interface StrictProtocol extends Pick<Protocol, "name" | "framing" | "start"> {
  /** Reads bodies that are no text, and gives the others to `text`. Frames longer than `limit` bytes are refused. */
  readonly binary?: (text: Framer, limit: number) => Framer;
}

/** Joins a protocol with its strict readers. */
export function strictWire(protocol: StrictProtocol): Wire {
  return wireOf(protocol, (options = {}) => strictReader(protocol, options));
}

/** Framings that a strict reader can be told. */
const TEXTUAL: readonly unknown[] = ["sse", "ndjson", "json", undefined];

function strictReader({ name, start, framing: promised, binary }: StrictProtocol, options: ReaderOptions): Reader {
  if (typeof options?.rescue === "function") throw new TypeError("a strict reader takes no rescue");
  return new BaseReader({ name, start }, options, {
    assembler: (say, limits, tools) => new StrictAssembler(say, limits, tools),
    framer({ framing, maxFrameBytes = LARGEST_FRAME }) {
      if (!TEXTUAL.includes(framing)) throw new TypeError(`a strict reader reads no framing "${framing}"`);
      const limit = Math.min(maxFrameBytes, LARGEST_FRAME);
      const text = new StrictFramer(promised, limit, framing);
      return framing === undefined && binary !== undefined ? binary(text, limit) : text;
    },
    oddFrames: (assembler: StrictAssembler) => new StrictFrames(assembler),
  });
}
