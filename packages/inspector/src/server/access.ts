// Who may ask the inspector's server for what. Owns the rules of access and the headers of every answer: what is shown may
// be anybody's, and whatever runs in the same browser must neither read it nor act through it.

import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

/**
 * Every answer carries these. Nothing is loaded from elsewhere or sent there, nothing written inside a page runs, and no
 * page may hold this one in a frame.
 */
export const SECURITY_HEADERS: Readonly<OutgoingHttpHeaders> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "cache-control": "no-store",
};

/** What is asked for. */
export interface Asked {
  readonly method?: string | undefined;
  /** The request target. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** The path behind the token, or the status that refuses it. */
export type Access = { readonly path: string; readonly query: URLSearchParams } | { readonly refused: number };

/**
 * Decides on a request.
 *
 * @param asked The request.
 * @param port The port that the server listens on.
 * @param token The secret in the address.
 */
export function accessTo({ method, url, headers }: Asked, port: number, token: string): Access {
  // A name that somebody points to 127.0.0.1 (DNS rebinding) comes with that name.
  if (headers.host !== `127.0.0.1:${port}` && headers.host !== `localhost:${port}`) return { refused: 421 };
  if (method !== "GET" && method !== "HEAD") return { refused: 405 };
  // Browsers say where a request comes from; only our own page, and a person who opens the address, may ask.
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return { refused: 403 };
  const [target = "", query = ""] = (url ?? "").split("?", 2);
  const [, given = "", ...rest] = target.split("/");
  if (!sameSecret(given, token) || rest.length === 0) return { refused: 404 };
  return { path: rest.join("/"), query: new URLSearchParams(query) };
}

/** Compares in a time that tells nothing of where they differ. */
function sameSecret(given: string, secret: string): boolean {
  const one = Buffer.from(given);
  const other = Buffer.from(secret);
  return one.length === other.length && timingSafeEqual(one, other);
}
