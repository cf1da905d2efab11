// The small parts of the proxy, each by itself.

import { describe, expect, it, test } from "vitest";
import { toolsOf } from "./declared-tools.ts";
import { passedOn, requestHeaders, withHeader } from "./headers.ts";
import { isRefusal, targetOf, upstreamOf } from "./target.ts";
import { errorBody } from "./wire-errors.ts";
import { asksForStream, framingFor, wireOfFrame, wireOfPath } from "./wire-of.ts";

describe("headers", () => {
  it("pass in their order and spelling, less those between neighbours and those named so", () => {
    const raw = ["X-B", "1", "Connection", "X-Gone, close", "x-gone", "2", "X-A", "3", "X-B", "4", "TE", "trailers"];
    expect(passedOn(raw)).toEqual(["X-B", "1", "X-A", "3", "X-B", "4"]);
  });

  it("cannot be made to lose what makes the message", () => {
    expect(passedOn(["Connection", "content-type, content-length", "Content-Type", "a/b"])).toEqual([
      "Content-Type",
      "a/b",
    ]);
  });

  it("of a request name the upstream and the length", () => {
    const raw = ["Host", "client", "Content-Length", "9", "Expect", "100-continue", "A", "b"];
    expect(requestHeaders(raw, "up:1", 3)).toEqual(["Host", "up:1", "A", "b", "Content-Length", "3"]);
    expect(requestHeaders(raw, "up:1", undefined)).toEqual(["Host", "up:1", "A", "b"]);
  });

  it("can be set anew", () => {
    expect(withHeader(["content-type", "a", "X", "y"], "Content-Type", "b")).toEqual(["X", "y", "Content-Type", "b"]);
  });
});

describe("targets", () => {
  const upstreams = [{ url: "https://h/api" }, { url: "http://b", prefix: "/b/" }].map(upstreamOf);
  const path = (url: string): unknown => {
    const target = targetOf("POST", url, "x", upstreams);
    return isRefusal(target) ? target.status : `${target.upstream.name}${target.path}`;
  };

  test.each([
    ["/x", "h/api/x"],
    ["/", "h/api/"],
    ["/?q=/../", "h/api/?q=/../"],
    ["/b", "b/"],
    ["/b/", "b/"],
    ["/b/c?d", "b/c?d"],
    ["/a..b/c", "h/api/a..b/c"],
    ["/...", "h/api/..."],
    ["/.", 400],
    ["/..", 400],
    ["/a/./b", 400],
    ["/a/.%2e", 400],
    ["/a/%2E%2e%2fb", 400],
    ["/a%5c..%5cb", 400],
    ["http://h/x", 400],
    ["*", 400],
    ["", 400],
    ["/a b", 400],
    ["/a\u0000", 400],
  ])("%s", (url, expected) => expect(path(url)).toBe(expected));

  it("of nobody are none", () => {
    expect(targetOf("GET", "/x", "h", [upstreamOf({ url: "http://b", prefix: "/b" })])).toMatchObject({ status: 404 });
  });
});

describe("wires", () => {
  test.each([
    ["/v1/chat/completions", "openai-chat"],
    ["/openai/deployments/d/chat/completions", "openai-chat"],
    ["/v1/responses", "openai-responses"],
    ["/v1/messages", "anthropic"],
    ["/v1beta/models/g:streamGenerateContent", "gemini"],
    ["/v1beta/models/g:generateContent", "gemini"],
    ["/api/chat", "ollama"],
    ["/v2/chat", "cohere"],
    ["/model/m/converse-stream", "bedrock"],
  ])("%s", (path, protocol) => expect(wireOfPath(path)?.protocol).toBe(protocol));

  test.each([
    "/v1/models",
    "/v1/responses/r1/cancel",
    "/v1/messages/count_tokens",
    "/v1/threads/t/messages/x",
    "/v1/embeddings",
  ])("%s is none", (path) => expect(wireOfPath(path)).toBeUndefined());

  it("are told from a frame only where it is sure", () => {
    expect(wireOfFrame({ object: "chat.completion.chunk", choices: [] })).toBe("openai-chat");
    expect(wireOfFrame({ type: "message_start" })).toBe("anthropic");
    expect(wireOfFrame({ type: "response.created" })).toBe("openai-responses");
    expect(wireOfFrame({ candidates: [{ content: {} }] })).toBe("gemini");
    expect(wireOfFrame({ model: "m", done: false, message: {} })).toBe("ollama");
    for (const other of [
      {},
      { choices: [] },
      { type: "progress" },
      { jsonrpc: "2.0", result: {} },
      [],
      "x",
      null,
      { candidates: [1] },
    ])
      expect(wireOfFrame(other)).toBeUndefined();
  });

  it("stream where the request says so", () => {
    expect(asksForStream("openai-chat", "/x", { stream: true })).toBe(true);
    expect(asksForStream("openai-chat", "/x", {})).toBe(false);
    expect(asksForStream("openai-chat", "/x", undefined)).toBeUndefined();
    expect(asksForStream("ollama", "/x", {})).toBe(true);
    expect(asksForStream("ollama", "/x", { stream: false })).toBe(false);
    expect(asksForStream("gemini", "/m:streamGenerateContent", undefined)).toBe(true);
    expect(framingFor("gemini", "/m?key=1&alt=sse")).toBe("sse");
    expect(framingFor("gemini", "/m")).toBe("json-array");
  });
});

describe("errors", () => {
  it("have each wire's own form", () => {
    const of = (protocol: Parameters<typeof errorBody>[0]): unknown =>
      JSON.parse(errorBody(protocol, 503, "overloaded", "Busy.").body);
    expect(of("openai-chat")).toEqual({
      error: { message: "Busy.", type: "server_error", param: null, code: "overloaded" },
    });
    expect(of("openai-responses")).toEqual(of("openai-chat"));
    expect(of(undefined)).toEqual(of("openai-chat"));
    expect(of("anthropic")).toEqual({ type: "error", error: { type: "overloaded_error", message: "Busy." } });
    expect(of("gemini")).toEqual({ error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } });
    expect(of("ollama")).toEqual({ error: "Busy." });
    expect(of("cohere")).toEqual({ message: "Busy." });
    expect(of("bedrock")).toEqual({ message: "Busy." });
    expect(of("mistral")).toMatchObject({ object: "error", message: "Busy." });
  });
});

describe("declared tools", () => {
  const schema = { type: "object" };
  test.each([
    ["chat", { tools: [{ type: "function", function: { name: "f", parameters: schema } }] }],
    ["responses", { tools: [{ type: "function", name: "f", parameters: schema }] }],
    ["the old functions", { functions: [{ name: "f", parameters: schema }] }],
    ["anthropic", { tools: [{ name: "f", input_schema: schema }] }],
    ["gemini", { tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: schema }] }] }],
  ])("of %s", (_, body) => expect(toolsOf(body)).toEqual([{ name: "f", parameters: schema }]));

  it("are none in what is none", () => {
    for (const body of [undefined, {}, { tools: "x" }, { tools: [null, 1, { name: 3 }, {}] }])
      expect(toolsOf(body)).toBeUndefined();
    expect(toolsOf({ tools: Array.from({ length: 5000 }, (_, at) => ({ name: `t${at}` })) })).toHaveLength(1024);
  });
});
