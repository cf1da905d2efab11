// A client's key where another vendor looks for it. Owns the places; the key itself is only carried.

import type { RequestWire } from "unbraid/translate";
import { headerOf, type RawHeaders } from "./headers.ts";

/** The version of Anthropic's API that requests are written for. */
const ANTHROPIC_VERSION = "2023-06-01";

/**
 * The header fields of a translated request.
 *
 * @param raw What the client sent: its key is taken from where any of the vendors has it.
 * @param url The client's request target, for a key in the query.
 * @param server The wire that is asked.
 */
export function translatedHeaders(raw: RawHeaders, url: string, server: RequestWire, stream: boolean): string[] {
  const key = keyIn(raw, url);
  const agent = headerOf(raw, "user-agent");
  return [
    "Content-Type",
    "application/json",
    "Accept",
    stream ? "text/event-stream" : "application/json",
    ...(agent === undefined ? [] : ["User-Agent", agent]),
    ...(key === undefined ? [] : credentials(server, key)),
    ...(server === "anthropic" ? ["Anthropic-Version", ANTHROPIC_VERSION] : []),
  ];
}

function keyIn(raw: RawHeaders, url: string): string | undefined {
  const bearer = /^Bearer\s+(\S.*)$/i.exec(headerOf(raw, "authorization") ?? "")?.[1];
  const named = headerOf(raw, "x-api-key") ?? headerOf(raw, "x-goog-api-key") ?? headerOf(raw, "api-key");
  const mark = url.indexOf("?");
  const query = mark < 0 ? undefined : (new URLSearchParams(url.slice(mark)).get("key") ?? undefined);
  return named ?? bearer ?? query;
}

function credentials(server: RequestWire, key: string): string[] {
  switch (server) {
    case "anthropic":
      return ["X-Api-Key", key];
    case "gemini":
      return ["X-Goog-Api-Key", key];
    default:
      return ["Authorization", `Bearer ${key}`];
  }
}
