// What the streamed and the whole form of an Anthropic answer share: stop reasons, token counts, kinds of error.

import type { WireError } from "../events.ts";
import type { Usage } from "./usage.ts";
import type { Ending } from "./wire-encoder.ts";

const STOP: Readonly<Record<Ending["reason"], readonly string[]>> = {
  tool_calls: ["tool_use"],
  stop: ["end_turn", "stop_sequence", "pause_turn", "compaction"],
  length: ["max_tokens", "model_context_window_exceeded"],
  content_filter: ["refusal"],
};

/** The stop reason: the vendor's own word where it means what the response came to. */
export function stopReason({ reason, raw }: Ending): string {
  const words = STOP[reason];
  return raw !== null && words.includes(raw) ? raw : (words[0] ?? "end_turn");
}

/** Token counts as Anthropic spells them. The SDK reads them without asking whether they are there. */
export function anthropicUsage(usage: Usage): Readonly<Record<string, unknown>> {
  const own = usage.rawFor("anthropic");
  if (own !== undefined) return { input_tokens: 0, output_tokens: 0, ...own };
  const { input = 0, output = 0, cached = 0, cacheWritten = 0 } = usage.counts ?? {};
  return {
    input_tokens: Math.max(0, input - cached - cacheWritten),
    output_tokens: output,
    ...(cached === 0 ? {} : { cache_read_input_tokens: cached }),
    ...(cacheWritten === 0 ? {} : { cache_creation_input_tokens: cacheWritten }),
  };
}

/** The kinds of error by HTTP status: https://platform.claude.com/docs/en/api/errors */
const ERRORS: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};
const ERROR_TYPES: ReadonlySet<unknown> = new Set(Object.values(ERRORS));

/** An error body: the kind that fits, and beside it the vendor's own code. */
export function anthropicError({ code, message, status }: WireError): Readonly<Record<string, unknown>> {
  const byStatus = ERRORS[status ?? (typeof code === "number" ? code : 500)];
  const type = ERROR_TYPES.has(code) ? code : (byStatus ?? "api_error");
  return { type: "error", error: { type, message, ...(code === null || code === type ? {} : { code }) } };
}
