// Reading without naming the wire, or naming it by a word. Owns the choice between all wires; to bundle only one, import
// its own entry.

import { protocols } from "./protocols/index.ts";
import { fullWire } from "./full-wire.ts";
import { withParts } from "./parts/with-parts.ts";
import type { ProtocolName } from "./protocols/protocol.ts";
import { EventStream, type ReadOptions } from "./read.ts";
import type { Source } from "./sources.ts";
import type { Reader, ReaderOptions } from "./reader.ts";
import { type Detector, TolerantReader } from "./tolerant-reader.ts";
import type { Wire } from "./wire.ts";
import { WireFinder } from "./wire-finder.ts";

/** Options of `createReader`. */
export interface AnyReaderOptions extends ReaderOptions {
  /** The wire, by name or as imported, from `unbraid/strict` too; found from the first frames when absent. */
  readonly protocol?: ProtocolName | Wire;
}

/** Options of `read`. */
export interface AnyReadOptions extends ReadOptions {
  /** The wire, by name or as imported, from `unbraid/strict` too; found from the first frames when absent. */
  readonly protocol?: ProtocolName | Wire;
}

/** Every wire by its name. */
export const wires: Readonly<Record<ProtocolName, Wire>> = {
  "openai-chat": fullWire(protocols["openai-chat"]),
  "openai-responses": fullWire(protocols["openai-responses"]),
  "openai-realtime": fullWire(protocols["openai-realtime"]),
  anthropic: fullWire(protocols.anthropic),
  gemini: fullWire(protocols.gemini),
  bedrock: fullWire(protocols.bedrock),
  cohere: fullWire(protocols.cohere),
  mistral: fullWire(protocols.mistral),
  ollama: fullWire(protocols.ollama),
  text: fullWire(protocols.text),
};

/** Finds any wire. */
const anyWire: Detector = () => new WireFinder();

/**
 * A push reader for one response.
 *
 * @param options See `AnyReaderOptions`.
 * @throws TypeError for an unknown protocol name or a limit that is no whole number above 0.
 * @example
 * const reader = createReader();
 * for (const event of reader.push(chunk)) console.log(event.type);
 * for (const event of reader.end()) console.log(event.type);
 */
export function createReader(options: AnyReaderOptions = {}): Reader {
  const all = withParts(options);
  const { protocol } = options;
  if (protocol === undefined) return new TolerantReader(anyWire, all);
  return wireOf(protocol).reader(all);
}

/**
 * Reads a response as it comes.
 *
 * @param source A fetch `Response`, a byte stream, bytes or text, a Node stream, an iterable of chunks, a vendor SDK's
 *   stream of objects, or a promise of one of these.
 * @param options See `AnyReadOptions`.
 * @returns The events, once. Trouble on the wire never throws: it ends the stream with an `error` and a `finish` event.
 *   Leaving the loop cancels the source.
 * @throws TypeError for an unknown protocol name or a limit that is no whole number above 0.
 * @example
 * for await (const event of read(await fetch(url, request))) {
 *   if (event.type === "call.close" && event.call.status === "complete") plan.push(event.call);
 * }
 */
export function read(source: Source | PromiseLike<Source>, options: AnyReadOptions = {}): EventStream {
  return new EventStream(createReader(options), source, options);
}

function wireOf(protocol: ProtocolName | Wire): Wire {
  if (typeof protocol === "object" && typeof protocol.reader === "function") return protocol;
  const name = typeof protocol === "string" ? protocol : protocol.name;
  if (!Object.hasOwn(wires, name))
    throw new TypeError(`unknown protocol "${name}"; known are ${Object.keys(wires).join(", ")}`);
  return wires[name];
}
