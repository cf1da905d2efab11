// A wire whose readers have every part, for those who do not count bytes.

import { withParts } from "./parts/with-parts.ts";
import type { Protocol } from "./protocols/protocol.ts";
import { type Wire, wire } from "./wire.ts";

/** Joins a protocol with its readers and all their parts. */
export function fullWire(protocol: Protocol): Wire {
  const { reader, read, ...rest } = wire(protocol);
  return {
    ...rest,
    reader: (options = {}) => reader(withParts(options)),
    read: (source, options = {}) => read(source, withParts(options)),
  };
}
