// A client of one vendor in front of a server of another, in all twelve directions: the same task over five turns, each vendor's
// own SDK as the client, a mock of the other vendor as the server.

import { LLMock } from "@copilotkit/aimock";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import type { RequestWire } from "unbraid/translate";
import { clients, type Task } from "./clients.test-kit.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { ask, chunk, FAULTY, proxyTo, rawUpstream, streamed, upstream } from "./proxy.test-kit.ts";

const WIRES = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const NOTE = 'quote " and \\ and ☂\nand a line';

const string = { type: "string" };
const TOOLS: Task["tools"] = [
  { name: "get_weather", description: "Weather.", parameters: { type: "object", properties: { city: string } } },
  { name: "get_time", description: "Time.", parameters: { type: "object", properties: {} } },
  {
    name: "write_file",
    description: "Writes.",
    parameters: { type: "object", properties: { path: string, content: string } },
  },
];

const call = (id: string, name: string, args: object): { id: string; name: string; arguments: string } => ({
  id,
  name,
  arguments: JSON.stringify(args),
});

/** What the model does, by how many results it has seen. */
const SCRIPT: ReadonlyMap<number, object> = new Map<number, object>([
  [
    0,
    {
      content: "Let me look. ☂",
      toolCalls: [call("call_a1", "get_weather", { city: "Zürich" }), call("call_a2", "get_time", {})],
    },
  ],
  [2, { toolCalls: [call("call_b1", "write_file", { path: "a.txt", content: NOTE })] }],
  [3, { toolCalls: [call("call_c1", "get_weather", { city: "Nowhere" })] }],
  [
    4,
    {
      content: "Once more.",
      toolCalls: [call("call_d1", "get_weather", { city: "Oslo" }), call("call_d2", "get_weather", { city: "Oslo" })],
    },
  ],
  [6, { content: "All done: ☂." }],
]);

const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 7 });
let tap: Proxy;
/** What the server was asked, as it stands on its wire. */
let asked: string[] = [];
let headers: string[] = [];

beforeAll(async () => {
  for (const [results, response] of SCRIPT)
    mock.on(
      { predicate: ({ messages }) => messages.filter(({ role }) => role === "tool").length === results },
      response,
    );
  await mock.start();
  tap = await startProxy({
    upstreams: [{ url: mock.url }],
    observers: [
      {
        begin: (exchange) => {
          headers = [...exchange.headers];
          return { request: (body) => void asked.push(Buffer.from(body).toString()) };
        },
      },
    ],
  });
});
afterAll(async () => {
  await tap.stop(0);
  await mock.stop();
});

/** The base URL as each vendor's clients have it. */
const BASE: Readonly<Record<RequestWire, string>> = {
  "openai-chat": "/v1",
  "openai-responses": "/v1",
  anthropic: "",
  gemini: "/v1beta",
};

const directions = WIRES.flatMap((client) =>
  WIRES.filter((server) => server !== client).map((server) => ({ client, server })),
);

describe.each(directions)("a client of $client at a server of $server", ({ client, server }) => {
  test("does a task of five turns", async () => {
    asked = [];
    const url = `${tap.url}${BASE[server]}`;
    const proxy = await proxyTo(url, { upstream: { as: client, protocol: server } });
    const ran: unknown[] = [];
    const done = await clients[client]({
      url: proxy.url,
      system: "Be terse.",
      text: "What is it like in Zürich?",
      image: PIXEL,
      tools: TOOLS,
      run: (name, args) => {
        ran.push([name, args]);
        if (JSON.stringify(args).includes("Nowhere")) throw new Error("no such city");
        return `result ${ran.length}: ${name} ☂`;
      },
    });
    expect(done).toEqual({ text: "All done: ☂.", turns: 5 });
    expect(ran).toEqual([
      ["get_weather", { city: "Zürich" }],
      ["get_time", {}],
      ["write_file", { path: "a.txt", content: NOTE }],
      ["get_weather", { city: "Nowhere" }],
      ["get_weather", { city: "Oslo" }],
      ["get_weather", { city: "Oslo" }],
    ]);
    // Everything that was said stands in the last request, in the server's own form.
    expect(asked).toHaveLength(5);
    const last = asked.at(-1)!;
    for (const words of [
      "Be terse.",
      "What is it like in Zürich?",
      PIXEL,
      "Let me look. ☂",
      "no such city",
      "result 6",
    ])
      expect(last).toContain(words);
    expect(headers.join(" ")).toContain("the-clients-key");
  });
});

describe("translated answers", () => {
  const request = { model: "theirs", max_tokens: 9, messages: [{ role: "user", content: "?" }] };

  test("that are not streamed", async () => {
    const proxy = await proxyTo(`${tap.url}/v1`, { upstream: { as: "anthropic" } });
    const client = new Anthropic({ apiKey: "k", authToken: null, baseURL: proxy.url, maxRetries: 0 });
    const message = await client.messages.create({ ...request, messages: [{ role: "user", content: "?" }] });
    expect(message).toMatchObject({
      type: "message",
      model: "theirs",
      stop_reason: "tool_use",
      content: [
        { type: "text" },
        { type: "tool_use", name: "get_weather", input: { city: "Zürich" } },
        { name: "get_time", input: {} },
      ],
    });
  });

  test("are mended on the way, and ask the model that is configured", async () => {
    let model: unknown;
    const { url } = await upstream((given, response, body) => {
      model = (JSON.parse(body.toString()) as { model: unknown }).model;
      return streamed(FAULTY)(given, response, body);
    });
    const proxy = await proxyTo(url, { upstream: { as: "anthropic", model: "ours" } });
    const client = new Anthropic({ apiKey: "k", authToken: null, baseURL: proxy.url, maxRetries: 0 });
    const message = await client.messages
      .stream({ ...request, messages: [{ role: "user", content: "?" }] })
      .finalMessage();
    expect(model).toBe("ours");
    expect(message).toMatchObject({
      model: "theirs",
      content: [{ text: "Hi. " }, { type: "tool_use", id: "c1", name: "f", input: { a: 1 } }],
    });
  });

  test("of a malformed call, repaired where that is wanted", async () => {
    const frames = [
      chunk({
        role: "assistant",
        tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: '{"a":1,}' } }],
      }),
      chunk({}, "tool_calls"),
      "data: [DONE]\n\n",
    ];
    const { url } = await upstream(streamed(frames));
    const inputOf = async (repair: boolean): Promise<unknown> => {
      const proxy = await proxyTo(url, { upstream: { as: "anthropic", hold: true, repair } });
      const client = new Anthropic({ apiKey: "k", authToken: null, baseURL: proxy.url, maxRetries: 0 });
      const { content } = await client.messages
        .stream({ ...request, messages: [{ role: "user", content: "?" }] })
        .finalMessage();
      return (content[0] as { input: unknown }).input;
    };
    expect(await inputOf(false)).toEqual({ invalid_arguments: '{"a":1,}' });
    expect(await inputOf(true)).toEqual({ a: 1 });
  });

  test("of an error, in the client's form and with its status", async () => {
    const { url } = await upstream((_, response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "3" });
      response.end('{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limit"}}');
    });
    const proxy = await proxyTo(url, { upstream: { as: "anthropic" } });
    const got = await ask(`${proxy.url}/v1/messages`, { body: JSON.stringify(request) });
    expect(got).toMatchObject({ status: 429, headers: { "retry-after": "3" } });
    expect(JSON.parse(got.body.toString())).toMatchObject({ type: "error", error: { message: "slow down" } });
  });

  it.each([true, false])("of a server that breaks off (stream: %s)", async (stream) => {
    const { url } = await rawUpstream((socket) => {
      socket.once("data", () =>
        socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n${FAULTY[0]}`),
      );
    });
    const proxy = await proxyTo(url, { upstream: { as: "anthropic" } });
    const got = await ask(`${proxy.url}/v1/messages`, { body: JSON.stringify({ ...request, stream }) });
    if (stream) expect(got.body.toString()).toMatch(/event: error\ndata: \{"type":"error","error":\{/);
    else expect(JSON.parse(got.body.toString())).toMatchObject({ type: "error", error: { type: "api_error" } });
  });
});

describe("requests that cannot be translated", () => {
  test.each([
    ["no JSON", "{", /no JSON object/],
    ["no messages", "{}", /messages/],
    ["a message of a wrong type", '{"messages":[1],"max_tokens":1}', /messages\[0\]/],
  ])("%s", async (_, body, words) => {
    const proxy = await proxyTo("http://127.0.0.1:9", { upstream: { as: "anthropic" } });
    const got = await ask(`${proxy.url}/v1/messages`, { body });
    expect(got.status).toBe(400);
    const { type, error } = JSON.parse(got.body.toString()) as {
      type: string;
      error: { type: string; message: string };
    };
    expect([type, error.type]).toEqual(["error", "invalid_request_error"]);
    expect(error.message).toMatch(words);
  });

  test("are refused at the start where a wire has none", async () => {
    await expect(startProxy({ upstreams: [{ url: "http://a", as: "ollama" }] })).rejects.toThrow(
      /cannot be translated for ollama/,
    );
  });

  test("other paths of the upstream stay reachable", async () => {
    const { url } = await upstream((given, response) => void response.end(`plain ${given.url}`));
    const proxy = await proxyTo(url, { upstream: { as: "anthropic" } });
    expect((await ask(`${proxy.url}/v1/models`)).body.toString()).toBe("plain /v1/models");
  });
});
