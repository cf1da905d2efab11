// What is kept of the errors that HTTP clients and SDKs throw.

import { APIError as AnthropicError } from "@anthropic-ai/sdk";
import { APIConnectionError, APIError as OpenAIError } from "openai";
import { describe, expect, test } from "vitest";
import { isModelError, ModelError, modelErrorOf, requestIdIn, retryAfter } from "./model-error.ts";

describe("ModelError", () => {
  test("is known by its brand, of any copy of the library", () => {
    expect(isModelError(new ModelError("client", "?"))).toBe(true);
    expect(isModelError(Object.assign(new Error("?"), { [Symbol.for("unbraid.ModelError")]: true }))).toBe(true);
    for (const other of [new Error("?"), null, "ModelError", {}]) expect(isModelError(other)).toBe(false);
  });

  test("shows nothing but what it says", () => {
    const error = new ModelError("refused", "no", { status: 500, retryable: true });
    expect(Object.keys(error).toSorted()).toEqual(
      ["attempts", "code", "name", "requestId", "retryAfterMs", "retryable", "status", "vendorCode"].toSorted(),
    );
    expect(error.cause).toBeUndefined();
    expect(error.after(3)).toMatchObject({ attempts: 3, status: 500, retryable: true, code: "refused", message: "no" });
  });
});

describe("the errors of SDKs", () => {
  const headers = new Headers({ "x-request-id": "req_1", "retry-after": "2" });

  test("openai", () => {
    const body = { error: { message: "Too many", code: "rate_limit_exceeded", type: "requests" } };
    const error = OpenAIError.generate(429, body, undefined, headers);
    expect(modelErrorOf(error)).toMatchObject({
      code: "refused",
      status: 429,
      vendorCode: "rate_limit_exceeded",
      requestId: "req_1",
      retryAfterMs: 2_000,
      retryable: true,
    });
  });

  test("anthropic", () => {
    const body = { type: "error", error: { type: "invalid_request_error", message: "max_tokens: required" } };
    const error = AnthropicError.generate(400, body, undefined, new Headers({ "request-id": "req_2" }));
    expect(modelErrorOf(error)).toMatchObject({
      status: 400,
      vendorCode: "invalid_request_error",
      message: "max_tokens: required",
      requestId: "req_2",
      retryable: false,
    });
  });

  test("a connection that failed", () => {
    const error = new APIConnectionError({ cause: new Error("ECONNREFUSED") });
    expect(modelErrorOf(error)).toMatchObject({ code: "client", status: undefined, retryable: true });
  });

  test("aws", () => {
    class ThrottlingException extends Error {
      override readonly name = "ThrottlingException";
      readonly $fault = "client";
      readonly $metadata = { httpStatusCode: 429, requestId: "aws-1" };
    }
    expect(modelErrorOf(new ThrottlingException("slow down"))).toMatchObject({
      status: 429,
      vendorCode: "ThrottlingException",
      requestId: "aws-1",
      message: "slow down",
    });
  });

  test("ollama", () => {
    expect(
      modelErrorOf(Object.assign(new Error("model not found"), { error: "model not found", status_code: 404 })),
    ).toMatchObject({
      status: 404,
      message: "model not found",
      retryable: false,
    });
  });

  test("anything else that is thrown, and one of ours", () => {
    expect(modelErrorOf("what?")).toMatchObject({ code: "client", message: "what?" });
    const ours = new ModelError("timeout", "late");
    expect(modelErrorOf(ours)).toBe(ours);
  });
});

describe("retryAfter", () => {
  const now = Date.UTC(2026, 0, 1);

  test.each([
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }, 5_000],
    [{ "retry-after": "Thu, 01 Jan 2025 00:00:05 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after-ms": "-1" }, undefined],
    [{}, undefined],
  ])("%j", (headers, expected) => {
    expect(retryAfter(headers, now)).toBe(expected);
    expect(retryAfter(new Headers(headers as Record<string, string>), now)).toBe(expected);
  });

  test("of nothing", () => expect(retryAfter(undefined)).toBeUndefined());
});

test("requestIdIn passes over what is blank", () => {
  expect(requestIdIn({ "x-request-id": "", "request-id": "b" })).toBe("b");
  expect(requestIdIn(undefined)).toBeUndefined();
});
