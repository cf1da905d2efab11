// A wire, as users import it. Owns the joining of a wire with what makes its readers; which readers, the rooms beside it say.

import type { FramingName } from "./framing/frame.ts";
import type { ProtocolName } from "./protocols/protocol.ts";
import { EventStream, type ReadOptions } from "./read.ts";
import type { Source } from "./sources.ts";
import type { Reader, ReaderOptions } from "./reader.ts";

/** One vendor wire, ready to be read. */
export interface Wire {
  /** The wire's name. */
  readonly name: ProtocolName;
  /** How the vendor frames it when nobody breaks it. */
  readonly framing: FramingName;
  /**
   * A reader for one response: push form, no promise a fragment.
   *
   * @throws TypeError where a limit is no whole number above 0.
   */
  readonly reader: (options?: ReaderOptions) => Reader;
  /** The events of a source, as they come. See `read` of the package's main entry. */
  readonly read: (source: Source | PromiseLike<Source>, options?: ReadOptions) => EventStream;
}

/** Joins a protocol with what makes its readers. */
export function wireOf({ name, framing }: Pick<Wire, "name" | "framing">, reader: Wire["reader"]): Wire {
  return { name, framing, reader, read: (source, options = {}) => new EventStream(reader(options), source, options) };
}
