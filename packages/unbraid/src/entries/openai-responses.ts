// The entry `unbraid/protocols/openai-responses`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { openaiResponses as protocol } from "../protocols/openai-responses.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * OpenAI Responses and its clones.
 *
 * @example
 * import { openaiResponses } from "unbraid/protocols/openai-responses";
 *
 * const reader = openaiResponses.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const openaiResponses: Wire = bareWire(protocol);
