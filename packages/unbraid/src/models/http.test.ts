// One request over real HTTP on loopback: what is tried again, what is not, and what is shown of a failure.

import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { isModelError, type ModelError } from "../harness/model-error.ts";
import { anthropic } from "../protocols/anthropic.ts";
import { bedrock } from "../protocols/bedrock.ts";
import { gemini } from "../protocols/gemini.ts";
import { ollama } from "../protocols/ollama.ts";
import { openaiChat } from "../protocols/openai-chat.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { loopback, unending } from "../sdk/loopback.test-kit.ts";
import { bareWire } from "../bare-wire.ts";
import { type HttpRequest, post } from "./http.ts";

const server = loopback();
const KEY = "sk-secret-0123456789";

function request(url: string, changed: Partial<HttpRequest> = {}): HttpRequest {
  return {
    url: new URL(url),
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: '{"a":1}',
    secrets: [KEY],
    signal: new AbortController().signal,
    fetch: undefined,
    retries: 2,
    timeoutMs: 10_000,
    wire: bareWire(openaiChat),
    ...changed,
  };
}

function answers(status: number, body: string, headers: Record<string, string> = {}): (to: ServerResponse) => void {
  return (response) => void response.writeHead(status, headers).end(body);
}

async function failure(of: HttpRequest): Promise<ModelError> {
  const error: unknown = await post(of).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isModelError(error)) throw new Error(`no ModelError: ${String(error)}`);
  return error;
}

const SOON = { "retry-after-ms": "5" };

describe("is tried again", () => {
  test.each([408, 409, 425, 429, 500, 503, 529])("on %d, as often as allowed", async (status) => {
    const visits = server.at(answers(status, "", SOON));
    const error = await failure(request(visits.url));
    expect(visits.requests).toBe(3);
    expect(error).toMatchObject({ code: "refused", status, attempts: 3, retryAfterMs: 5, retryable: true });
  });

  test("until it is answered", async () => {
    let visit = 0;
    const visits = server.at((response) => {
      visit++;
      if (visit < 3) answers(503, "", SOON)(response);
      else response.end("data: 1\n\n");
    });
    const response = await post(request(visits.url));
    expect(await response.text()).toBe("data: 1\n\n");
    expect(visits.requests).toBe(3);
  });

  test("when the connection breaks before an answer", async () => {
    const visits = server.at((response) => void response.socket?.destroy());
    const error = await failure(request(visits.url, { retries: 1 }));
    expect(visits.requests).toBe(2);
    expect(error).toMatchObject({ code: "connection", attempts: 2, retryable: true });
    expect(error.message).toContain(visits.url);
  });

  test("when the server says so", async () => {
    const visits = server.at(answers(400, "", { ...SOON, "x-should-retry": "true" }));
    await failure(request(visits.url));
    expect(visits.requests).toBe(3);
  });

  test("after as long as the server asks for", async () => {
    const visits = server.at(answers(429, "", { "retry-after": "0.1" }));
    const before = performance.now();
    await failure(request(visits.url, { retries: 1 }));
    expect(performance.now() - before).toBeGreaterThan(95);
  });

  test("with the same body", async () => {
    const bodies: string[] = [];
    const visits = server.at(async (response, incoming) => {
      let body = "";
      for await (const chunk of incoming) body += String(chunk);
      bodies.push(body);
      answers(503, "", SOON)(response);
    });
    await failure(request(visits.url));
    expect(bodies).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
  });
});

describe("is not tried again", () => {
  test.each([400, 401, 403, 404, 413, 422])("on %d", async (status) => {
    const visits = server.at(answers(status, "", SOON));
    expect(await failure(request(visits.url))).toMatchObject({ status, attempts: 1, retryable: false });
    expect(visits.requests).toBe(1);
  });

  test("when the server says so", async () => {
    const visits = server.at(answers(503, "", { ...SOON, "x-should-retry": "false" }));
    await failure(request(visits.url));
    expect(visits.requests).toBe(1);
  });

  test("when the quota is used up", async () => {
    const visits = server.at(answers(429, '{"error":{"message":"Pay","code":"insufficient_quota"}}', SOON));
    expect(await failure(request(visits.url))).toMatchObject({ vendorCode: "insufficient_quota", retryable: false });
    expect(visits.requests).toBe(1);
  });

  test("when the wait would be longer than anybody waits", async () => {
    const visits = server.at(answers(429, "", { "retry-after": "3600" }));
    expect(await failure(request(visits.url))).toMatchObject({ retryAfterMs: 3_600_000, attempts: 1 });
    expect(visits.requests).toBe(1);
  });

  test("when it may not", async () => {
    const visits = server.at(answers(503, "", SOON));
    await failure(request(visits.url, { retries: 0 }));
    expect(visits.requests).toBe(1);
  });
});

describe("an abort", () => {
  const reason = new Error("enough");

  test("before", async () => {
    const visits = server.at(answers(200, ""));
    await expect(post(request(visits.url, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(visits.requests).toBe(0);
  });

  test("while nothing answers", async () => {
    const controller = new AbortController();
    const visits = server.at(() => controller.abort(reason));
    await expect(post(request(visits.url, { signal: controller.signal }))).rejects.toBe(reason);
    await visits.left;
  });

  test("while it waits for the next try", async () => {
    const controller = new AbortController();
    const visits = server.at((response) => {
      answers(503, "", { "retry-after": "30" })(response);
      setTimeout(() => controller.abort(reason), 50);
    });
    await expect(post(request(visits.url, { signal: controller.signal }))).rejects.toBe(reason);
    expect(visits.requests).toBe(1);
  });

  test("leaves no listener behind", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...all: Parameters<typeof add>) => {
      listeners++;
      add(...all);
    };
    signal.removeEventListener = (...all: Parameters<typeof remove>) => {
      listeners--;
      remove(...all);
    };
    const visits = server.at(answers(503, "", SOON));
    await failure(request(visits.url, { signal }));
    expect(listeners).toBe(0);
  });
});

describe("time limits", () => {
  test("no answer", async () => {
    const visits = server.at(() => {});
    const error = await failure(request(visits.url, { timeoutMs: 60, retries: 0 }));
    expect(error).toMatchObject({ code: "timeout", retryable: true });
    await visits.left;
  });

  test.each([0, Infinity])("%s is for ever, as it is for tools", async (timeoutMs) => {
    const slow = server.at((response) => void setTimeout(() => response.end("data: {}\n\n"), 50));
    const response = await post(request(slow.url, { timeoutMs, retries: 0 }));
    expect(await response.text()).toBe("data: {}\n\n");
  });

  test("an error whose body never ends", async () => {
    const visits = server.at(unending("Internal", { status: 500 }));
    const error = await failure(request(visits.url, { timeoutMs: 100, retries: 0 }));
    expect(error.code).toBe("timeout");
    await visits.left;
  });

  test("does not hold for the body of an answer", async () => {
    const visits = server.at((response) => {
      response.write("data: ");
      setTimeout(() => response.end("1\n\n"), 150);
    });
    const response = await post(request(visits.url, { timeoutMs: 80 }));
    expect(await response.text()).toBe("data: 1\n\n");
  });
});

describe("what is shown", () => {
  const CASES: readonly [string, Protocol, string, string | number | null, string][] = [
    [
      "openai",
      openaiChat,
      '{"error":{"message":"No such model","type":"x","code":"model_not_found"}}',
      "model_not_found",
      "No such model",
    ],
    [
      "anthropic",
      anthropic,
      '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
      "overloaded_error",
      "Overloaded",
    ],
    ["gemini", gemini, '{"error":{"code":400,"message":"Bad schema","status":"INVALID_ARGUMENT"}}', 400, "Bad schema"],
    ["gemini, as a list", gemini, '[{"error":{"code":400,"message":"Bad schema"}}]', 400, "Bad schema"],
    ["ollama", ollama, '{"error":"model \\"x\\" not found"}', null, 'model "x" not found'],
    ["bedrock", bedrock, '{"message":"The security token is invalid."}', null, "The security token is invalid."],
    ["FastAPI", openaiChat, '{"detail":"Not Found"}', null, "Not Found"],
    ["no JSON", openaiChat, "<html>Bad gateway</html>", null, "<html>Bad gateway</html>"],
  ];

  test.each(CASES)("%s", async (_, protocol, body, vendorCode, words) => {
    const visits = server.at(answers(400, body, { "x-request-id": "req_1" }));
    const error = await failure(request(visits.url, { wire: bareWire(protocol) }));
    expect(error).toMatchObject({ status: 400, requestId: "req_1", vendorCode: vendorCode ?? undefined });
    expect(error.message).toContain(words);
  });

  test("a long body is cut", async () => {
    const visits = server.at(answers(400, "x".repeat(500_000)));
    expect((await failure(request(visits.url))).message.length).toBeLessThan(500);
  });

  test("never the key: not when a server repeats it", async () => {
    const visits = server.at(answers(401, `{"error":{"message":"Incorrect API key provided: ${KEY}."}}`));
    const error = await failure(request(visits.url));
    expect(error.message).toContain("Incorrect API key provided: [hidden].");
    expect(JSON.stringify(error) + String(error.stack)).not.toContain(KEY);
  });

  test("never the key: not when fetch refuses the header", async () => {
    const visits = server.at(answers(200, ""));
    const headers = { authorization: `Bearer ${KEY}\u0000` };
    const error = await failure(request(visits.url, { headers, retries: 0 }));
    expect(error.code).toBe("connection");
    expect(error.message + String(error.stack)).not.toContain(KEY);
  });

  test("never what stands in the address's query", async () => {
    const visits = server.at(answers(400, ""));
    expect((await failure(request(`${visits.url}?key=${KEY}`))).message).not.toContain("key=");
  });
});

test("a redirect is not followed: the key stays here", async () => {
  const elsewhere = server.at(answers(200, ""));
  const visits = server.at(answers(307, "", { location: elsewhere.url }));
  const error = await failure(request(visits.url));
  expect(error).toMatchObject({ code: "redirected", status: 307, retryable: false });
  expect(elsewhere.requests).toBe(0);
});
