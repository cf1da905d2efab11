// What goes wrong between us and a model, as one error. Owns its shape, and what of a foreign error may be shown; may not
// hold anything of the request: keys travel in it.

import { failureOf } from "../failure.ts";

/**
 * Where it went wrong.
 *
 * - `connection`: no answer came: no such host, refused, reset, TLS.
 * - `timeout`: no answer came in time.
 * - `refused`: the answer is an HTTP error; `status` has it.
 * - `redirected`: the answer points elsewhere, where a key must not be sent.
 * - `client`: an SDK client threw something without a status.
 * - `stream`: the answer began, and carried an error or broke off, at every attempt.
 */
export type ModelErrorCode = "connection" | "timeout" | "refused" | "redirected" | "client" | "stream";

/** What is known of a failure. */
export interface ModelErrorDetails {
  /** The HTTP status. */
  readonly status?: number;
  /** The vendor's own code or type, `rate_limit_exceeded`. */
  readonly vendorCode?: string | number;
  /** The vendor's id of the request, for its support. */
  readonly requestId?: string;
  /** Milliseconds that the vendor asks to wait. */
  readonly retryAfterMs?: number;
  /** How often it was tried. */
  readonly attempts?: number;
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean;
}

const BRAND = Symbol.for("unbraid.ModelError");

/**
 * A model could not be asked, or did not answer.
 *
 * @example
 * const { reason, error } = await run.done;
 * if (isModelError(error) && error.status === 429) console.log("again in", error.retryAfterMs, "ms");
 */
export class ModelError extends Error {
  /** `ModelError`. */
  override readonly name = "ModelError";
  /** Where it went wrong. */
  readonly code: ModelErrorCode;
  /** The HTTP status. */
  readonly status: number | undefined;
  /** The vendor's own code or type, `rate_limit_exceeded`. */
  readonly vendorCode: string | number | undefined;
  /** The vendor's id of the request, for its support. */
  readonly requestId: string | undefined;
  /** Milliseconds that the vendor asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** How often it was tried. */
  readonly attempts: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;

  /**
   * Without a `cause` on purpose: the errors of HTTP clients may hold the request, and that holds the key.
   *
   * @param code Where it went wrong.
   * @param message Plain words, without anything secret.
   */
  constructor(code: ModelErrorCode, message: string, details: ModelErrorDetails = {}) {
    super(message);
    this.code = code;
    this.status = details.status;
    this.vendorCode = details.vendorCode;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.attempts = details.attempts ?? 1;
    this.retryable = details.retryable ?? false;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The same failure after so many tries. */
  after(attempts: number): ModelError {
    return new ModelError(this.code, this.message, { ...detailsOf(this), attempts });
  }
}

function detailsOf(error: ModelError): ModelErrorDetails {
  const { status, vendorCode, requestId, retryAfterMs, retryable } = error;
  return { ...present({ status, vendorCode, requestId, retryAfterMs }), retryable };
}

/** True for a `ModelError`, of any copy of this library. */
export function isModelError(error: unknown): error is ModelError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/**
 * The failure of an SDK client, or of anything else that was asked to send a request, brought to one shape.
 *
 * @param error What was thrown.
 */
export function modelErrorOf(error: unknown): ModelError {
  if (isModelError(error)) return error;
  const { code, message } = failureOf(error);
  const status = statusOf(error);
  const headers = field(error, "headers") ?? field(field(error, "rawResponse"), "headers");
  return new ModelError(status === undefined ? "client" : "refused", message, {
    ...present({
      status,
      vendorCode: code ?? namedFault(error),
      requestId: requestIdOf(error),
      retryAfterMs: retryAfter(headers),
    }),
    retryable: status === undefined ? true : isRetryable(status),
  });
}

/** Whether an HTTP status may be another at the next try. */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

/**
 * Milliseconds that an answer asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110,
 * 10.2.3).
 *
 * @param headers A `Headers`, or a plain record with names in small letters.
 */
export function retryAfter(headers: unknown, now: number = Date.now()): number | undefined {
  const milliseconds = Number.parseFloat(header(headers, "retry-after-ms") ?? "");
  if (milliseconds >= 0) return milliseconds;
  const said = header(headers, "retry-after");
  if (said === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(said)) return Number(said) * 1_000;
  const date = Date.parse(said);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Where the vendors put the id of a request. */
const REQUEST_IDS = ["x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "x-debug-trace-id"];

/** The vendor's id of a request, out of the answer's headers. */
export function requestIdIn(headers: unknown): string | undefined {
  for (const name of REQUEST_IDS) {
    const id = header(headers, name);
    if (id !== undefined && id !== "") return id;
  }
  return undefined;
}

/** One header. */
export function header(headers: unknown, name: string): string | undefined {
  const get = field(headers, "get");
  const value: unknown =
    typeof get === "function" ? (get as (name: string) => unknown).call(headers, name) : field(headers, name);
  return typeof value === "string" ? value : undefined;
}

/** OpenAI and Anthropic: `status`; Cohere, Mistral: `statusCode`; Ollama: `status_code`; AWS: `$metadata`. */
function statusOf(error: unknown): number | undefined {
  for (const name of ["status", "statusCode", "status_code"]) {
    const status = field(error, name);
    if (typeof status === "number") return status;
  }
  const status = field(field(error, "$metadata"), "httpStatusCode");
  return typeof status === "number" ? status : undefined;
}

function requestIdOf(error: unknown): string | undefined {
  for (const value of [
    field(error, "requestID"),
    field(error, "request_id"),
    field(field(error, "$metadata"), "requestId"),
  ])
    if (typeof value === "string") return value;
  return requestIdIn(field(error, "headers"));
}

/** AWS names its faults: `ThrottlingException`. */
function namedFault(error: unknown): string | undefined {
  return field(error, "$fault") !== undefined && error instanceof Error ? error.name : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Without the members that have no value. */
function present<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
