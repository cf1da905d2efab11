// The proxy's own errors in the form that a client of each wire understands. Owns these forms.

import type { ProtocolName } from "unbraid";

/** A body and what it is. */
export interface ErrorBody {
  readonly type: string;
  readonly body: string;
}

/** Google's words for a status (google.rpc.Code, as its HTTP mapping has them). */
const GOOGLE: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Anthropic's error types (https://docs.anthropic.com/en/api/errors). */
const ANTHROPIC: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  404: "not_found_error",
  405: "invalid_request_error",
  413: "request_too_large",
  503: "overloaded_error",
};

/**
 * An error answer.
 *
 * @param protocol The client's wire; undefined where it is not known.
 * @param status The HTTP status.
 * @param code One word for programs.
 * @param message Plain words.
 */
export function errorBody(
  protocol: ProtocolName | undefined,
  status: number,
  code: string,
  message: string,
): ErrorBody {
  return { type: "application/json", body: JSON.stringify(shaped(protocol, status, code, message)) };
}

function shaped(protocol: ProtocolName | undefined, status: number, code: string, message: string): object {
  switch (protocol) {
    case "anthropic":
      return { type: "error", error: { type: ANTHROPIC[status] ?? "api_error", message } };
    case "gemini":
      return { error: { code: status, message, status: GOOGLE[status] ?? "INTERNAL" } };
    case "ollama":
      return { error: message };
    case "cohere":
    case "bedrock":
      return { message };
    case "mistral":
      return { object: "error", message, type: code, param: null, code };
    default: {
      const type = status < 500 ? "invalid_request_error" : "server_error";
      return { error: { message, type, param: null, code } };
    }
  }
}
