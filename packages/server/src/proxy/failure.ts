// What can go wrong between the proxy and an upstream, in words for a client. Owns the codes, which are few: they are labels
// of metrics.

/** One word for programs. */
export type FailureCode =
  | "upstream_unreachable"
  | "upstream_connect_timeout"
  | "upstream_first_byte_timeout"
  | "upstream_silent"
  | "upstream_broke_off"
  | "upstream_bad_response"
  | "upstream_bad_encoding"
  | "stream_error"
  | "stream_incomplete"
  | "client_stalled"
  | "request_too_large"
  | "request_broken"
  | "overloaded"
  | "stopping"
  | "bad_request";

/** An exchange that failed, and how to say so. */
export class ExchangeFailure extends Error {
  override readonly name = "ExchangeFailure";
  readonly status: number;
  readonly code: FailureCode;

  /**
   * @param status The HTTP status to answer with, where no answer has begun.
   * @param code One word for programs.
   * @param message Plain words for the client; they name no host and no address.
   * @param cause What was thrown.
   */
  constructor(status: number, code: FailureCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.code = code;
  }
}

/** What was thrown by a connection to the upstream, before or in its answer. */
export function upstreamFailure(error: unknown, answering: boolean): ExchangeFailure {
  if (error instanceof ExchangeFailure) return error;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (code.startsWith("HPE_"))
    return new ExchangeFailure(
      502,
      "upstream_bad_response",
      `The upstream's answer is no valid HTTP (${code}).`,
      error,
    );
  if (answering || code === "ECONNRESET" || code === "EPIPE")
    return new ExchangeFailure(
      502,
      "upstream_broke_off",
      "The upstream closed the connection before its answer was whole.",
      error,
    );
  return new ExchangeFailure(
    502,
    "upstream_unreachable",
    `The upstream cannot be reached (${code || "no reason given"}).`,
    error,
  );
}
