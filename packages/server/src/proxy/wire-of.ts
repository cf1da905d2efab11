// Which wire an exchange speaks, and whether its answer streams. Owns the table of paths and the telling by first frames.

import type { ProtocolName } from "unbraid";
import { type Obj, objectOf, type OutFraming } from "../mend/dialect.ts";

/** What a path says. */
export interface PathWire {
  readonly protocol: ProtocolName;
  /** Whether answers under it can be mended: some share a wire's name and are another form. */
  readonly mendable: boolean;
}

/** Ends of paths, most telling first. */
const PATHS: readonly (readonly [RegExp, PathWire])[] = [
  [/\/chat\/completions$/, { protocol: "openai-chat", mendable: true }],
  [/\/responses$/, { protocol: "openai-responses", mendable: true }],
  [/\/messages$/, { protocol: "anthropic", mendable: true }],
  [/:(?:streamGenerateContent|generateContent)$/, { protocol: "gemini", mendable: true }],
  [/\/interactions$/, { protocol: "gemini", mendable: false }],
  [/\/api\/(?:chat|generate)$/, { protocol: "ollama", mendable: true }],
  [/\/v2\/chat$/, { protocol: "cohere", mendable: false }],
  [/\/(?:converse-stream|converse|invoke-with-response-stream|invoke)$/, { protocol: "bedrock", mendable: false }],
  [/\/conversations(?:\/[^/]+)?(?:#stream)?$/, { protocol: "mistral", mendable: false }],
];

/**
 * The wire of a path.
 *
 * @param path Without the query.
 */
export function wireOfPath(path: string): PathWire | undefined {
  return PATHS.find(([pattern]) => pattern.test(path))?.[1];
}

/** Whether the client asked for a stream; undefined where nothing tells. */
export function asksForStream(protocol: ProtocolName, path: string, body: Obj | undefined): boolean | undefined {
  if (protocol === "gemini") return path.endsWith(":streamGenerateContent");
  if (body === undefined) return undefined;
  if (protocol === "ollama") return body["stream"] !== false;
  return body["stream"] === true;
}

/** How a client of a wire wants a stream framed. */
export function framingFor(protocol: ProtocolName, query: string): OutFraming {
  if (protocol === "ollama") return "ndjson";
  if (protocol === "gemini") return /[?&]alt=sse(?:&|$)/.test(query) ? "sse" : "json-array";
  return "sse";
}

/** The media type of a framing. */
export const MEDIA_TYPES: Readonly<Record<OutFraming, string>> = {
  sse: "text/event-stream",
  ndjson: "application/x-ndjson",
  "json-array": "application/json",
};

/**
 * The wire that a frame is surely of. Less willing than a reader, which must settle for some wire: streams that are none of
 * ours pass untouched.
 */
export function wireOfFrame(value: unknown): ProtocolName | undefined {
  const frame = objectOf(value);
  if (frame === undefined) return undefined;
  const { type, object, candidates, model, done } = frame;
  if (object === "chat.completion.chunk" || object === "chat.completion") return "openai-chat";
  if (type === "response.created" || object === "response") return "openai-responses";
  if (type === "message_start" || (type === "message" && Array.isArray(frame["content"]))) return "anthropic";
  if (Array.isArray(candidates) && objectOf((candidates as unknown[])[0])?.["content"] !== undefined) return "gemini";
  if (typeof model === "string" && typeof done === "boolean" && objectOf(frame["message"]) !== undefined)
    return "ollama";
  return undefined;
}
