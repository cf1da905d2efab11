// Reading without naming the wire, or naming it by a word. Owns the choice between all wires; to bundle only one, import
// its own entry.

import { detect, protocols } from "./protocols/index.ts";
import { FastPath } from "./fast-path.ts";
import type { Protocol, ProtocolName } from "./protocols/protocol.ts";
import { beginsRawText } from "./protocols/text.ts";
import { type EventStream, type ReadOptions, readWith } from "./read.ts";
import type { Source } from "./sources.ts";
import { type Detector, Reader, type ReaderOptions } from "./reader.ts";
import { type Wire, wire } from "./wire.ts";

/** Options of `createReader`. */
export interface AnyReaderOptions extends ReaderOptions {
  /** The wire, by name or as imported; found from the first frames when absent. */
  readonly protocol?: ProtocolName | Wire;
}

/** Options of `read`. */
export interface AnyReadOptions extends ReadOptions {
  /** The wire, by name or as imported; found from the first frames when absent. */
  readonly protocol?: ProtocolName | Wire;
}

/** Every wire by its name. */
export const wires: Readonly<Record<ProtocolName, Wire>> = {
  "openai-chat": wire(protocols["openai-chat"]),
  "openai-responses": wire(protocols["openai-responses"]),
  "openai-realtime": wire(protocols["openai-realtime"]),
  anthropic: wire(protocols.anthropic),
  gemini: wire(protocols.gemini),
  bedrock: wire(protocols.bedrock),
  cohere: wire(protocols.cohere),
  mistral: wire(protocols.mistral),
  ollama: wire(protocols.ollama),
  text: wire(protocols.text),
};

/** Finds any wire, in any framing. */
const anyWire: Detector = Object.assign((...frame: Parameters<typeof detect>) => detect(...frame), {
  rawWire: (head: Uint8Array) => {
    const begins = beginsRawText(head);
    return begins === true ? protocols.text : begins === false ? undefined : null;
  },
  fastPath: FastPath,
  extraFramings: Object.values(protocols).flatMap((protocol) => protocol.extraFramings ?? []),
});

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
  return new Reader(choose(options.protocol), options);
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
  return readWith(choose(options.protocol), source, options);
}

function choose(protocol: ProtocolName | Wire | undefined): Protocol | Detector {
  if (protocol === undefined) return anyWire;
  const name = typeof protocol === "string" ? protocol : protocol.name;
  if (!Object.hasOwn(protocols, name)) {
    throw new TypeError(`unknown protocol "${name}"; known are ${Object.keys(protocols).join(", ")}`);
  }
  return protocols[name];
}
