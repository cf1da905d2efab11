// The entry `unbraid/protocols/gemini`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { gemini as protocol } from "../protocols/gemini.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * Gemini generateContent, of the Gemini API and of Vertex.
 *
 * @example
 * import { gemini } from "unbraid/protocols/gemini";
 *
 * const reader = gemini.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const gemini: Wire = bareWire(protocol);
