// The entry `unbraid/protocols/cohere`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { cohere as protocol } from "../protocols/cohere.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * Cohere chat, version 2.
 *
 * @example
 * import { cohere } from "unbraid/protocols/cohere";
 *
 * const reader = cohere.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const cohere: Wire = bareWire(protocol);
