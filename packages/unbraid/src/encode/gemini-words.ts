// What the streamed and the whole form of a Gemini answer share: finish reasons, token counts, errors.

import type { WireError } from "../events.ts";
import type { Usage } from "./usage.ts";
import type { Ending } from "./wire-encoder.ts";

/** The finish reason; there is none for calls. A filter's own word stays. */
export function geminiFinish({ reason, raw }: Ending): string {
  switch (reason) {
    case "length":
      return "MAX_TOKENS";
    case "content_filter":
      return raw ?? "SAFETY";
    default:
      return "STOP";
  }
}

/** Token counts as Gemini spells them; undefined where there are none. */
export function geminiUsage(usage: Usage): Readonly<Record<string, unknown>> | undefined {
  const own = usage.rawFor("gemini");
  if (own !== undefined) return own;
  const { counts } = usage;
  if (counts === undefined) return undefined;
  const { input = 0, output = 0, cached, reasoning = 0 } = counts;
  return {
    promptTokenCount: input,
    candidatesTokenCount: Math.max(0, output - reasoning),
    totalTokenCount: input + output,
    ...(cached === undefined ? {} : { cachedContentTokenCount: cached }),
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
  };
}

/** google.rpc.Code by HTTP status: https://google.aip.dev/193 */
const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** An error body. The code is an HTTP status here; another vendor's own stands in the details. */
export function geminiError({ code, message, status }: WireError): Readonly<Record<string, unknown>> {
  const http = status ?? (typeof code === "number" && code >= 400 && code < 600 ? code : 500);
  const reason = code === null || code === http ? {} : { details: [{ "@type": ERROR_INFO, reason: String(code) }] };
  return { error: { code: http, message, status: STATUS[http] ?? "UNKNOWN", ...reason } };
}

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
