// The entry `unbraid/protocols/openai-chat`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { openaiChat as protocol } from "../protocols/openai-chat.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * OpenAI Chat Completions, and every server that calls itself compatible.
 *
 * @example
 * import { openaiChat } from "unbraid/protocols/openai-chat";
 *
 * const reader = openaiChat.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const openaiChat: Wire = bareWire(protocol);
