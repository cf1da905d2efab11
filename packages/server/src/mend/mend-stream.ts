// Mending for programs that have the bytes themselves. Owns the choice of the wire by its name.

import type { AnyReaderOptions, ProtocolName, StreamEvent } from "unbraid";
import { dialects } from "./dialects.ts";
import { Mender } from "./mender.ts";

/** How a stream is mended. */
export interface MendStreamOptions {
  /** How the client wants its frames: server-sent events unless told otherwise, JSON lines for Ollama. */
  readonly framing?: "sse" | "ndjson" | "json-array";
  /** Says a call only when it is whole. Default false. */
  readonly hold?: boolean;
  /** Says a malformed call that has exactly one reading as that; holds. Default false. */
  readonly repair?: boolean;
  /** One answer was asked for (Chat's `n` is 1 or not there): what comes in several choices is one. Default false. */
  readonly oneChoice?: boolean;
  /** What the reader is told: limits, the tools of the request, rescue. */
  readonly reader?: Omit<AnyReaderOptions, "protocol" | "fastPath">;
  /** Hears of every event of the reader. */
  readonly onEvents?: (events: readonly StreamEvent[]) => void;
}

/** Takes bytes, gives bytes. */
export interface StreamMender {
  /** The next bytes of the server. */
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** The body ended. */
  end(): readonly Uint8Array[];
  /** The body broke off; the client hears of it in its own words. */
  fail(error: unknown): readonly Uint8Array[];
  /** Whether anything was written otherwise than it came. */
  readonly mended: boolean;
}

/**
 * Mends one stream for a client that takes the wire at its word.
 *
 * @param protocol The wire: `openai-chat`, `openai-responses`, `anthropic`, `gemini` or `ollama`.
 * @param options See {@link MendStreamOptions}.
 * @throws TypeError for a wire that cannot be mended.
 * @example
 * const mender = mendStream("openai-chat");
 * for await (const chunk of upstream) for (const bytes of mender.push(chunk)) client.write(bytes);
 * for (const bytes of mender.end()) client.write(bytes);
 */
export function mendStream(protocol: ProtocolName, options: MendStreamOptions = {}): StreamMender {
  const dialect = dialects[protocol];
  if (dialect === undefined)
    throw new TypeError(`${protocol} cannot be mended; these can: ${Object.keys(dialects).join(", ")}`);
  return new Mender(dialect, { framing: protocol === "ollama" ? "ndjson" : "sse", ...options });
}
