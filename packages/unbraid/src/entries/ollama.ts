// The entry `unbraid/protocols/ollama`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { ollama as protocol } from "../protocols/ollama.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * Ollama's native API.
 *
 * @example
 * import { ollama } from "unbraid/protocols/ollama";
 *
 * const reader = ollama.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const ollama: Wire = bareWire(protocol);
