// A wire whose readers have every part, for those who do not count bytes.

import { withParts } from "./parts/with-parts.ts";
import type { Protocol } from "./protocols/protocol.ts";
import { TolerantReader } from "./tolerant-reader.ts";
import { type Wire, wireOf } from "./wire.ts";

/** Joins a protocol with its readers and all their parts. */
export function fullWire(protocol: Protocol): Wire {
  return wireOf(protocol, (options = {}) => new TolerantReader(protocol, withParts(options)));
}
