// The entry `unbraid/protocols/anthropic`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { anthropic as protocol } from "../protocols/anthropic.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * Anthropic Messages and its compatible endpoints.
 *
 * @example
 * import { anthropic } from "unbraid/protocols/anthropic";
 *
 * const reader = anthropic.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const anthropic: Wire = bareWire(protocol);
