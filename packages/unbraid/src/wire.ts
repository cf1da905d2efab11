// A protocol with its readers, as users import it. Owns the joining of the two; the entry of each wire is made here.

import type { FramingName } from "./framing/frame.ts";
import type { Protocol, ProtocolName } from "./protocols/protocol.ts";
import { EventStream, type ReadOptions } from "./read.ts";
import type { Source } from "./sources.ts";
import type { Reader, ReaderOptions } from "./reader.ts";
import { TolerantReader } from "./tolerant-reader.ts";

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

/** Joins a protocol with its readers. */
export function wire(protocol: Protocol): Wire {
  const reader = (options?: ReaderOptions): Reader => new TolerantReader(protocol, options);
  return {
    name: protocol.name,
    framing: protocol.framing,
    reader,
    read: (source, options = {}) => new EventStream(reader(options), source, options),
  };
}
