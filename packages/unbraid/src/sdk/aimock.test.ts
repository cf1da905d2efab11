// The mock server @copilotkit/aimock answers on loopback, on every endpoint of its that streams tool calls: what it was told
// to send is what we must read, over HTTP and over WebSocket.

import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  collect,
  Collector,
  createReader,
  read,
  runnable,
  type Collected,
  type ProtocolName,
  type StreamEvent,
} from "../index.ts";

const CALLS = [
  { id: "call_abc1", name: "get_weather", arguments: { city: "Zürich", days: 3, note: 'quote " and \\ and ☂' } },
  { id: "call_abc2", name: "get_time", arguments: {} },
  { id: "call_abc3", name: "get_weather", arguments: { city: "Ii" } },
];
const TEXT = "Let me look. ☂";
const toolCalls = CALLS.map((call) => ({ ...call, arguments: JSON.stringify(call.arguments) }));

const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 5 });
beforeAll(async () => {
  mock.onMessage("calls", { toolCalls });
  mock.onMessage("both", { content: TEXT, toolCalls });
  mock.onMessage("cut", { content: TEXT, toolCalls }, { truncateAfterChunks: 3 });
  await mock.start();
});
afterAll(() => mock.stop());

interface Endpoint {
  readonly name: string;
  readonly path: string;
  readonly protocol: ProtocolName;
  /** The request for a message. */
  readonly body: (message: string) => object;
  readonly rawFinish: string;
  /** The wire gives no ids. */
  readonly idless?: true;
  /** A model's plan that the server adds of its own. */
  readonly reasoning?: string;
  /** The wire has no finish word but the text one: nothing else can be cut off. */
}

const MODEL = "any-model";
const messages = (content: string): object[] => [{ role: "user", content }];
const contents = (text: string): object => ({ contents: [{ role: "user", parts: [{ text }] }] });
const chat = (message: string): object => ({ model: MODEL, stream: true, messages: messages(message) });

const ENDPOINTS: readonly Endpoint[] = [
  { name: "OpenAI Chat", path: "/v1/chat/completions", protocol: "openai-chat", body: chat, rawFinish: "tool_calls" },
  {
    name: "OpenRouter",
    path: "/api/v1/chat/completions",
    protocol: "openai-chat",
    body: chat,
    rawFinish: "tool_calls",
  },
  {
    name: "Azure",
    path: "/openai/deployments/x/chat/completions?api-version=1",
    protocol: "openai-chat",
    body: chat,
    rawFinish: "tool_calls",
  },
  {
    name: "BytePlus Ark",
    path: "/api/v3/chat/completions",
    protocol: "openai-chat",
    body: chat,
    rawFinish: "tool_calls",
  },
  {
    name: "OpenAI Responses",
    path: "/v1/responses",
    protocol: "openai-responses",
    body: (message) => ({ model: MODEL, stream: true, input: messages(message) }),
    rawFinish: "completed",
  },
  {
    name: "Anthropic Messages",
    path: "/v1/messages",
    protocol: "anthropic",
    body: (message) => ({ ...chat(message), max_tokens: 99 }),
    rawFinish: "tool_use",
  },
  {
    name: "Gemini",
    path: "/v1beta/models/gemini:streamGenerateContent?alt=sse",
    protocol: "gemini",
    body: contents,
    rawFinish: "FUNCTION_CALL",
  },
  {
    name: "Vertex",
    path: "/v1/projects/p/locations/l/publishers/google/models/gemini:streamGenerateContent?alt=sse",
    protocol: "gemini",
    body: contents,
    rawFinish: "FUNCTION_CALL",
  },
  {
    name: "Gemini Interactions",
    path: "/v1beta/interactions",
    protocol: "gemini",
    body: (input) => ({ model: MODEL, input, stream: true }),
    rawFinish: "requires_action",
  },
  {
    name: "Bedrock ConverseStream",
    path: "/model/any/converse-stream",
    protocol: "bedrock",
    body: (text) => ({ messages: [{ role: "user", content: [{ text }] }] }),
    rawFinish: "tool_use",
  },
  {
    name: "Bedrock InvokeModelWithResponseStream",
    path: "/model/anthropic.claude/invoke-with-response-stream",
    protocol: "bedrock",
    body: (message) => ({ anthropic_version: "bedrock-2023-05-31", max_tokens: 99, messages: messages(message) }),
    rawFinish: "tool_use",
  },
  { name: "Cohere", path: "/v2/chat", protocol: "cohere", body: chat, rawFinish: "TOOL_CALL" },
  { name: "Ollama", path: "/api/chat", protocol: "ollama", body: chat, rawFinish: "stop", idless: true },
];

function request({ path, body }: Endpoint, message: string): Promise<Response> {
  return fetch(mock.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify(body(message)),
  });
}

describe.each(ENDPOINTS)("$name", (endpoint) => {
  const { protocol, rawFinish, idless } = endpoint;

  test.each([
    ["calls", ""],
    ["both", TEXT],
  ])("%s", async (message, text) => {
    const events: StreamEvent[] = [];
    const stream = read(await request(endpoint, message));
    for await (const event of stream) events.push(event);
    const answer = await collect(events);
    expect(stream.reader.protocol).toBe(protocol);
    expect(
      answer.calls.map(({ id, name, arguments: args }) => ({ ...(idless ? {} : { id }), name, arguments: args })),
    ).toEqual(CALLS.map(({ id, ...rest }) => ({ ...(idless ? {} : { id }), ...rest })));
    expect(answer).toMatchObject({ text, finish: "tool_calls", rawFinish, error: null });
    expect(runnable(answer)).toHaveLength(CALLS.length);
    expect(answer.notices.map(({ code }) => code).filter((code) => code !== "id-missing")).toEqual([]);
  });

  test("a connection that breaks leaves nothing that runs", async () => {
    const answer = await collect(read(request(endpoint, "cut")));
    expect(runnable(answer)).toEqual([]);
    expect(answer.finish === "error" || answer.finish === null).toBe(true);
  });
});

/** One session: sends, answers what comes as `next` says, and closes when that is "close". */
async function session(
  path: string,
  first: readonly object[],
  next: (message: Readonly<Record<string, unknown>>) => readonly object[] | "close",
): Promise<Collected> {
  const socket = new WebSocket(mock.url.replace("http", "ws") + path);
  const reader = createReader();
  const collector = new Collector();
  const send = (all: readonly object[]): void => {
    for (const one of all) socket.send(JSON.stringify(one));
  };
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => send(first));
    socket.addEventListener("error", () => reject(new Error("the socket failed")));
    socket.addEventListener("close", () => resolve());
    socket.addEventListener("message", ({ data }: MessageEvent<string>) => {
      for (const event of reader.push(data)) collector.add(event);
      const answer = next(JSON.parse(data) as Readonly<Record<string, unknown>>);
      if (answer === "close") socket.close();
      else send(answer);
    });
  });
  for (const event of reader.end()) collector.add(event);
  return collector.result;
}

describe("WebSocket sessions", () => {
  const complete = CALLS.map((call) => ({ ...call, status: "complete" }));
  const user = (text: string): object => ({
    type: "conversation.item.create",
    item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  });

  test("OpenAI Realtime: one response", async () => {
    const answer = await session(
      "/v1/realtime?model=gpt-realtime",
      [user("both"), { type: "response.create" }],
      ({ type }) => (type === "response.done" ? "close" : []),
    );
    expect(answer).toMatchObject({
      calls: complete,
      text: TEXT,
      finish: "tool_calls",
      rawFinish: "completed",
      notices: [],
    });
  });

  test("OpenAI Realtime: results, then another response", async () => {
    let responses = 0;
    const results = CALLS.map(({ id }) => ({
      type: "conversation.item.create",
      item: { type: "function_call_output", call_id: id, output: "x" },
    }));
    const answer = await session(
      "/v1/realtime?model=gpt-realtime",
      [user("calls"), { type: "response.create" }],
      ({ type }) => {
        if (type !== "response.done") return [];
        return ++responses === 2 ? "close" : [...results, { type: "response.create" }];
      },
    );
    expect(answer.answered).toEqual(CALLS.map((_, at) => `call-${at}`));
    expect(answer.calls).toMatchObject([...complete, ...complete]);
    expect(new Set(answer.calls.map(({ key }) => key)).size).toBe(6);
  });

  test("OpenAI Responses: two on one socket", async () => {
    let responses = 0;
    const create = (text: string): object => ({ type: "response.create", model: MODEL, input: messages(text) });
    const answer = await session("/v1/responses", [create("both")], ({ type }) => {
      if (type !== "response.completed") return [];
      return ++responses === 2 ? "close" : [create("calls")];
    });
    expect(answer).toMatchObject({ calls: [...complete, ...complete], finish: "tool_calls", text: TEXT, notices: [] });
  });

  test("Gemini Live", async () => {
    const turn = { clientContent: { turns: [{ role: "user", parts: [{ text: "both" }] }], turnComplete: true } };
    const path = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
    const answer = await session(path, [{ setup: { model: "models/gemini" } }], (message) => {
      if (message["setupComplete"] !== undefined) return [turn];
      return message["toolCall"] === undefined ? [] : "close";
    });
    expect(answer).toMatchObject({ calls: complete, text: TEXT, finish: "tool_calls", notices: [] });
    expect(runnable(answer)).toHaveLength(CALLS.length);
  });
});
