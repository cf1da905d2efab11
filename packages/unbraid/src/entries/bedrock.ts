// The entry `unbraid/protocols/bedrock`: this one wire and its readers, for small bundles.

import { bareWire } from "../bare-wire.ts";
import { bedrock as protocol } from "../protocols/bedrock.ts";
import type { Wire } from "../wire.ts";

export * from "../one-wire.ts";

/**
 * Amazon Bedrock: ConverseStream, in AWS's binary event stream or as JSON lines, and InvokeModelWithResponseStream.
 *
 * @example
 * import { bedrock } from "unbraid/protocols/bedrock";
 *
 * const reader = bedrock.reader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export const bedrock: Wire = bareWire(protocol);
