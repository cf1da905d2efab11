// The entry `unbraid/protocols/openai-realtime`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { openaiRealtime as protocol } from "../protocols/openai-realtime.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * OpenAI Realtime (xAI and Azure too) and OpenAI Live: sessions over WebSocket, one JSON message a line.
 *
 * @example
 * import { openaiRealtime } from "unbraid/protocols/openai-realtime";
 *
 * const reader = openaiRealtime.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const openaiRealtime: Wire = bareWire(protocol);
