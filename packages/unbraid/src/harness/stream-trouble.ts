// Whether a response that did not end well is worth asking for again. Owns that judgement about errors inside a stream;
// those before it are model-error.ts.

import type { WireError } from "../events.ts";
import { isRetryable, ModelError } from "./model-error.ts";
import { maskSecrets } from "./secrets.ts";

/** The words of vendors, and ours, for what the same request will meet again. In small letters. */
const LASTING = new Set([
  // ours: the next response is as long, and the server breaks the same rule
  "limit",
  "frame-too-large",
  "not-a-stream",
  "irregular",
  // Anthropic, OpenAI
  "invalid_request_error",
  "invalid_request",
  "authentication_error",
  "permission_error",
  "billing_error",
  "not_found_error",
  "model_not_found",
  "request_too_large",
  "insufficient_quota",
  "context_length_exceeded",
  "invalid_prompt",
  "content_policy_violation",
  // Google
  "invalid_argument",
  "failed_precondition",
  "permission_denied",
  "unauthenticated",
  "not_found",
  // AWS
  "validationexception",
  "accessdeniedexception",
  "resourcenotfoundexception",
]);

/** Whether the same request may be answered better. A stream that ended without a word may. */
export function mayBeBetter(error: WireError | null): boolean {
  if (error === null) return true;
  const { status, code } = error;
  if (status !== undefined) return isRetryable(status);
  if (typeof code === "number") return code < 400 || isRetryable(code);
  return code === null || !LASTING.has(code.toLowerCase());
}

/** A response that did not end well, as the error that ends a run. */
export function streamError(error: WireError | null, attempts: number): ModelError {
  if (error === null)
    return new ModelError("stream", "The model's answer ended before it was finished.", { attempts, retryable: true });
  const { status, code, message } = error;
  // A server may repeat a key that it was sent; here nobody knows it any more.
  return new ModelError("stream", maskSecrets(message), {
    attempts,
    retryable: mayBeBetter(error),
    ...(status === undefined ? {} : { status }),
    ...(code === null ? {} : { vendorCode: code }),
  });
}
