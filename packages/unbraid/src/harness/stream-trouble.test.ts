// Which errors inside a stream are worth another try.

import { describe, expect, test } from "vitest";
import type { WireError } from "../events.ts";
import { mayBeBetter, streamError } from "./stream-trouble.ts";

const error = (more: Partial<WireError>): WireError => ({ code: null, message: "?", ...more });

describe("another try", () => {
  test.each([
    [null],
    [error({})],
    [error({ code: "overloaded_error" })],
    [error({ code: "server_error" })],
    [error({ code: "rate_limit_exceeded" })],
    [error({ code: "source" })],
    [error({ code: "throttlingException" })],
    [error({ code: "UNAVAILABLE" })],
    [error({ code: 503 })],
    [error({ code: 429 })],
    [error({ code: "http", status: 500 })],
  ])("may help with %j", (one) => expect(mayBeBetter(one)).toBe(true));

  test.each([
    [error({ code: "invalid_request_error" })],
    [error({ code: "INVALID_ARGUMENT" })],
    [error({ code: "validationException" })],
    [error({ code: "context_length_exceeded" })],
    [error({ code: "insufficient_quota" })],
    [error({ code: "limit" })],
    [error({ code: 400 })],
    [error({ code: 404 })],
    [error({ code: "http", status: 401 })],
  ])("does not help with %j", (one) => expect(mayBeBetter(one)).toBe(false));
});

test("the error that ends a run holds what is known", () => {
  expect(streamError(null, 3)).toMatchObject({ code: "stream", attempts: 3, retryable: true });
  expect(streamError(error({ code: "invalid_prompt", message: "No.", status: 400 }), 1)).toMatchObject({
    message: "No.",
    vendorCode: "invalid_prompt",
    status: 400,
    retryable: false,
  });
});

test("a key that the server repeats is masked", () => {
  const words = streamError(error({ message: "The key sk-proj-0123456789abcdefghijklmnop is not valid." }), 1).message;
  expect(words).toMatch(/^The key .* is not valid\.$/);
  expect(words).not.toContain("0123456789");
});
