// The entry `unbraid/protocols/mistral`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { mistral as protocol } from "../protocols/mistral.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * Mistral chat and Conversations.
 *
 * @example
 * import { mistral } from "unbraid/protocols/mistral";
 *
 * const reader = mistral.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const mistral: Wire = bareWire(protocol);
