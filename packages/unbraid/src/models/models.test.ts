// Every model, over fetch and over its vendor's client, against a scripted server: what is sent, and that what comes is
// read.

import { describe, expect, test } from "vitest";
import { collect } from "../collect.ts";
import { isModelError } from "../harness/model-error.ts";
import type { Model, ModelRequest } from "../harness/model.ts";
import { loopback } from "../sdk/loopback.test-kit.ts";
import { anthropic, bedrock, gemini, openaiChat, openaiResponses } from "./index.ts";
import { overClients, overFetch, serve } from "./served.test-kit.ts";

const server = loopback();

const TOOLS = [
  {
    name: "get_weather",
    description: "The weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];

function requestOf(model: Model, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: model.form.user([{ type: "text", text: "The weather in Oslo?" }]),
    tools: TOOLS,
    signal: new AbortController().signal,
    ...more,
  };
}

describe.each([...overFetch, ...overClients])("$name", ({ wire, model: make }) => {
  test("asks with history, tools and instructions, and its answer is read", async () => {
    const served = serve(server, wire, () => ({
      id: "r1",
      text: "Let me look. ☂",
      calls: [
        { id: "call00001", name: "get_weather", text: '{"city":"Oslo"}' },
        { id: "call00002", name: "get_weather", text: '{"city":"Lima"}' },
      ],
    }));
    const model = make(served.url);
    const answer = await collect(model.wire.read(await model.send(requestOf(model, { system: "Be brief." }))));
    expect(answer).toMatchObject({ finish: "tool_calls", error: null, text: "Let me look. ☂" });
    expect(answer.calls.map(({ name, arguments: args, status }) => ({ name, args, status }))).toEqual([
      { name: "get_weather", args: { city: "Oslo" }, status: "complete" },
      { name: "get_weather", args: { city: "Lima" }, status: "complete" },
    ]);
    expect(answer.usage).toMatchObject({ outputTokens: 7 });
    const sent = JSON.stringify(served.bodies);
    for (const part of ["The weather in Oslo?", "get_weather", "Be brief."]) expect(sent).toContain(part);
    expect(sent).not.toContain("key-of-nobody");
  });

  test("no tools are declared where there are none", async () => {
    const served = serve(server, wire, () => ({ id: "r1", text: "Hello" }));
    const model = make(served.url);
    const answer = await collect(model.wire.read(await model.send(requestOf(model, { tools: [] }))));
    expect(answer).toMatchObject({ finish: "stop", text: "Hello" });
    expect(Object.keys(served.bodies[0] ?? {}).filter((name) => /tool/i.test(name))).toEqual([]);
  });

  test("a refusal is a ModelError with the status, and no key", async () => {
    const served = serve(server, wire, () => 401);
    const model = make(served.url);
    const error: unknown = await model.send(requestOf(model)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!isModelError(error)) throw new Error(`no ModelError: ${String(error)}`);
    expect(error).toMatchObject({ code: "refused", status: 401, retryable: false });
    expect(JSON.stringify(error) + String(error.stack)).not.toContain("key-of-nobody");
  });

  test("an abort before and during the stream closes the connection", async () => {
    const reason = new Error("enough");
    const served = serve(server, wire, () => ({ id: "r1", text: "Hello" }));
    const model = make(served.url);
    await expect(model.send(requestOf(model, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(served.bodies).toEqual([]);

    const controller = new AbortController();
    const silent = server.at(
      (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).write(" "),
    );
    const waiting = make(silent.url);
    const reading = waiting
      .send(requestOf(waiting, { signal: controller.signal }))
      .then(async (source) => collect(waiting.wire.read(source, { signal: controller.signal })));
    setTimeout(() => controller.abort(reason), 50);
    await reading.then(
      (answer) => expect(answer.finish).toBe("cancelled"),
      (error: unknown) => expect(error).toBe(reason),
    );
    await silent.left;
  });
});

describe("the request", () => {
  async function sent(make: (url: string) => Model): Promise<{ body: object; headers: object; path: string }> {
    let path = "";
    const body: string[] = [];
    let headers: object = {};
    const visits = server.at(async (response, request) => {
      path = request.url ?? "";
      ({ headers } = request);
      for await (const chunk of request) body.push(String(chunk));
      response.end();
    });
    const model = make(visits.url);
    await model.send(requestOf(model));
    return { body: JSON.parse(body.join("")) as object, headers, path: path.replace(/^\/\d+/, "") };
  }

  test("fields of `body` are merged in: objects one level deep, tools behind ours, the rest in place", async () => {
    const { body } = await sent((baseURL) =>
      openaiChat({
        model: "m",
        baseURL,
        body: {
          temperature: 0,
          stream_options: { include_obfuscation: false },
          tools: [{ type: "custom", custom: { name: "own" } }],
        },
      }),
    );
    expect(body).toMatchObject({
      temperature: 0,
      stream_options: { include_usage: true, include_obfuscation: false },
      tools: [{ type: "function" }, { type: "custom" }],
    });
  });

  test("a key that is a function is asked each time, and a query in the address is kept", async () => {
    const { headers, path } = await sent((url) =>
      openaiChat({
        model: "m",
        baseURL: `${url}/?api-version=7`,
        apiKey: async () => "fresh",
        headers: { "x-own": "1" },
      }),
    );
    expect(headers).toMatchObject({ authorization: "Bearer fresh", "x-own": "1" });
    expect(path).toBe("/chat/completions?api-version=7");
  });

  test("each vendor's own place and header for the key", async () => {
    expect(await sent((baseURL) => anthropic({ model: "m", baseURL, apiKey: "k" }))).toMatchObject({
      path: "/messages",
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
      body: { max_tokens: 8_192 },
    });
    expect(await sent((baseURL) => gemini({ model: "g-1", baseURL, apiKey: "k" }))).toMatchObject({
      path: "/models/g-1:streamGenerateContent?alt=sse",
      headers: { "x-goog-api-key": "k" },
    });
    expect(await sent((baseURL) => bedrock({ model: "a.b-v1:0", baseURL, apiKey: "k" }))).toMatchObject({
      path: "/model/a.b-v1%3A0/converse-stream",
      headers: { authorization: "Bearer k" },
    });
  });

  test("Responses keeps nothing at the vendor, and asks for encrypted reasoning of models that reason", async () => {
    const ask = async (model: string): Promise<object> =>
      (await sent((baseURL) => openaiResponses({ model, baseURL }))).body;
    for (const model of ["o3", "gpt-5", "gpt-5.1-codex", "gpt-6"])
      expect(await ask(model)).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    for (const model of ["gpt-4o", "gpt-5-chat-latest", "llama"])
      expect(await ask(model)).not.toHaveProperty("include");
    const told = await sent((baseURL) => openaiResponses({ model: "llama", baseURL, encryptedReasoning: true }));
    expect(told.body).toHaveProperty("include");
  });
});

describe("options that cannot be used", () => {
  test.each([
    ["no model", () => openaiChat({ model: "" }), "give `model`"],
    ["no address", () => bedrock({ model: "m", apiKey: "k" }), "give `baseURL`"],
    ["no address at all", () => openaiChat({ model: "m", baseURL: "localhost" }), "begins with http"],
    ["tries without number", () => openaiChat({ model: "m", retries: Number.NaN }), "retries must be"],
    ["a time before now", () => openaiChat({ model: "m", timeoutMs: -1 }), "timeoutMs must be"],
    ["a password in it", () => openaiChat({ model: "m", baseURL: "http://me:hunter2@127.0.0.1/v1" }), "in `headers`"],
  ])("%s", (_, make, words) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(words);
    expect(make).not.toThrow("hunter2");
  });
});
