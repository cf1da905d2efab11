// The reader that does not guess: it reads what keeps the rules of its wire, and ends the response with an error where
// anything does not. Owns the choice of those rules, and the frames that break them.

import type { ResponseAssembler } from "../assembly/response-assembler.ts";
import type { Frame, Framer } from "../framing/frame.ts";
import { excerptOf, type FrameJudge } from "../odd-frames.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { BaseReader } from "../base-reader.ts";
import type { Reader } from "../reader.ts";
import { EventStream, type ReadOptions } from "../read.ts";
import type { ReaderOptions } from "../reader-options.ts";
import type { Wire } from "../wire.ts";
import { StrictAssembler } from "./assembler.ts";
import { irregular } from "./calls.ts";
import { StrictFramer } from "./framer.ts";

/** What a wire is to be read strictly: its name, its framing, its words. */
export interface StrictProtocol extends Pick<Protocol, "name" | "framing" | "start"> {
  /** Reads bodies that are no text, and gives the others to `text`. Frames longer than `limit` bytes are refused. */
  readonly binary?: (text: Framer, limit: number) => Framer;
}

/** Joins a protocol with its strict readers. */
export function strictWire(protocol: StrictProtocol): Wire {
  const reader = (options?: ReaderOptions): Reader => strictReader(protocol, options);
  return {
    name: protocol.name,
    framing: protocol.framing,
    reader,
    read: (source, options: ReadOptions = {}) => new EventStream(reader(options), source, options),
  };
}

function strictReader(protocol: StrictProtocol, options: ReaderOptions = {}): Reader {
  if (options.rescue !== undefined)
    throw new TypeError("a strict reader takes no rescue: calls in the text are a guess");
  return new BaseReader(
    protocol,
    { ...options, fastPath: false },
    {
      assembler: (say, limits, tools) => new StrictAssembler(say, limits, tools),
      framer({ framing = protocol.framing, maxFrameBytes: limit = 0 }) {
        const text = new StrictFramer(framing, limit);
        return protocol.binary?.(text, limit) ?? text;
      },
      oddFrames: (assembler) => new StrictFrames(assembler),
    },
  );
}

/** Frames that are not what they should be end the reading. */
class StrictFrames implements FrameJudge {
  readonly #assembler: ResponseAssembler;

  constructor(assembler: ResponseAssembler) {
    this.#assembler = assembler;
  }

  sound(): void {}

  fault({ fault, data }: Frame): boolean {
    const { code = "broken-frame", message = "" } = fault ?? {};
    if (code === "stray-text") this.#assembler.stop("irregular", irregular(`${message}: ${excerptOf(data)}`));
    else this.#assembler.stop(code, message);
    return true;
  }

  notJson({ data, event }: Frame): void {
    const words = excerptOf(data);
    if (event === "error") this.#assembler.error("non-json-frame", words, undefined);
    else if (words !== "") this.#assembler.stop("non-json-frame", `A frame is not JSON: ${words}`);
  }

  endOfBody(): void {}
}
