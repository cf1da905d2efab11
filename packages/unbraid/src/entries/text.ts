// The entry `unbraid/protocols/text`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { text as protocol } from "../protocols/text.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * A model's raw output, special tokens and all. Calls are found in it only with `rescue`; where no tools are named, every
 * call that its own tokens mark is taken.
 *
 * @example
 * import { text } from "unbraid/protocols/text";
 * import { rescue } from "unbraid/rescue";
 *
 * const reader = text.reader({ rescue, tools });
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const text: Wire = bareWire(protocol);
