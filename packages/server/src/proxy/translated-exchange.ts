// An exchange between a client of one vendor and a server of another. Owns what differs from an exchange in one wire: the
// request that is written anew, where it goes, and errors of the server in the client's form.

import type { IncomingMessage } from "node:http";
import { isRequestError, translateRequest, type RequestWire, type TranslatedRequest } from "unbraid/translate";
import type { Obj } from "../mend/dialect.ts";
import type { Question } from "./ask.ts";
import { translatedHeaders } from "./credentials.ts";
import { ExchangeFailure } from "./failure.ts";
import { headerOf, type RawHeaders } from "./headers.ts";
import { pathAt, type Target, type Upstream } from "./target.ts";

/** A request in the server's wire, and what the way back needs. */
export interface Asked {
  readonly client: RequestWire;
  readonly server: RequestWire;
  readonly request: TranslatedRequest;
  readonly question: Question;
}

/**
 * Writes a request for the server.
 *
 * @param message The client's request.
 * @param target Where it goes.
 * @param body Its parsed body.
 * @throws ExchangeFailure with status 400 where it cannot be read or asked.
 */
export function askedOf(message: IncomingMessage, target: Target, body: Obj | undefined): Asked {
  const { upstream, asked } = target;
  const { between } = upstream;
  if (between === undefined) throw new TypeError("the upstream speaks the client's wire");
  if (body === undefined) throw new ExchangeFailure(400, "bad_request", "The request's body is no JSON object.");
  const request = translated(body, asked, upstream, between);
  const bytes = Buffer.from(JSON.stringify(request.body));
  const fields = translatedHeaders(message.rawHeaders, message.url ?? "", between.server, request.stream);
  const headers = ["Host", upstream.base.host, ...fields, "Content-Length", String(bytes.length)];
  const question = { method: "POST", path: pathAt(upstream, request.path), headers, body: bytes };
  return { ...between, request, question };
}

function translated(
  body: Obj,
  asked: string,
  { model }: Upstream,
  { client, server }: NonNullable<Upstream["between"]>,
): TranslatedRequest {
  const gemini = client === "gemini" ? /\/([^/]+):(stream)?generateContent$/i.exec(asked) : null;
  const address =
    gemini === null ? {} : { model: decodeURIComponent(gemini[1] ?? ""), stream: gemini[2] !== undefined };
  try {
    return translateRequest(body, {
      from: client,
      to: server,
      ...address,
      write: model === undefined ? {} : { model },
    });
  } catch (error) {
    if (isRequestError(error)) throw new ExchangeFailure(400, "bad_request", error.message, error);
    throw error;
  }
}

/** Fields of the server's answer that mean the same to any client. */
const KEPT = ["retry-after", "x-request-id", "request-id"];

/** The fields that go on. */
export function keptHeaders(raw: RawHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headerOf(raw, name);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** What a server's error says, in any vendor's form. */
export function errorWords(bytes: Uint8Array, status: number): { readonly code: string; readonly message: string } {
  const text = Buffer.from(bytes).toString("utf8");
  const fallback = { code: "upstream_error", message: `The upstream answered with status ${status}.` };
  try {
    const value = JSON.parse(text) as unknown;
    const first = (Array.isArray(value) ? (value as unknown[])[0] : value) as {
      error?: unknown;
      message?: unknown;
    } | null;
    const error = (first?.error ?? first) as { code?: unknown; type?: unknown; message?: unknown } | string | null;
    if (typeof error === "string") return { code: fallback.code, message: error };
    const { code, type, message } = error ?? {};
    const word = [code, type].find((each): each is string => typeof each === "string");
    return { code: word ?? fallback.code, message: typeof message === "string" ? message : fallback.message };
  } catch {
    return fallback;
  }
}
