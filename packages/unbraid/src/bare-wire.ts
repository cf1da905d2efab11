// A wire whose readers have the parts that they are given, for small bundles. The entry of each wire is made here.

import type { Protocol } from "./protocols/protocol.ts";
import { TolerantReader } from "./tolerant-reader.ts";
import { type Wire, wireOf } from "./wire.ts";

/** Joins a protocol with its readers. */
export function bareWire(protocol: Protocol): Wire {
  return wireOf(protocol, (options) => new TolerantReader(protocol, options));
}
