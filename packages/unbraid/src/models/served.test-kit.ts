// A scripted model behind a real HTTP server on loopback, and a model of ours for every way to reach it: over fetch, and
// over each vendor's official client. Owns the joining; the bodies are scripted.test-kit.ts.

import type { ServerResponse } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { CohereClientV2 } from "cohere-ai";
import { Ollama } from "ollama/browser";
import OpenAI from "openai";
import type { Model } from "../harness/model.ts";
import type { loopback } from "../sdk/loopback.test-kit.ts";
import {
  anthropic,
  bedrock,
  cohere,
  gemini,
  geminiInteractions,
  mistral,
  ollama,
  openaiChat,
  openaiResponses,
} from "./index.ts";
import { bodyOf, type ScriptedAnswer, type ScriptedWire } from "./scripted.test-kit.ts";

/** What a scripted server was asked. */
export interface Served {
  /** The base URL. */
  readonly url: string;
  /** The bodies of the requests, parsed, in order. */
  readonly bodies: Record<string, unknown>[];
  /** The headers of the requests. */
  readonly headers: NodeJS.Dict<string | string[]>[];
}

/** Gives the answer to a request; a number is an HTTP status without an answer. */
export type Script = (request: number, body: Record<string, unknown>) => ScriptedAnswer | number;

/** Plays a script for one wire. Frames are sent one by one. */
export function serve(server: ReturnType<typeof loopback>, wire: ScriptedWire, script: Script): Served {
  const bodies: Record<string, unknown>[] = [];
  const headers: Served["headers"] = [];
  const visits = server.at(async (response, request) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text === "" ? "{}" : text) as Record<string, unknown>;
    bodies.push(body);
    headers.push(request.headers);
    const answer = script(bodies.length - 1, body);
    if (typeof answer === "number") response.writeHead(answer, { "retry-after-ms": "1" }).end("{}");
    else say(response, wire, answer);
  });
  return { url: visits.url, bodies, headers };
}

function say(response: ServerResponse, wire: ScriptedWire, answer: ScriptedAnswer): void {
  const { contentType, frames } = bodyOf(wire, answer);
  response.writeHead(200, { "content-type": contentType });
  for (const frame of frames) response.write(frame);
  if (answer.finish !== null) response.end();
  // What is written in the same turn as the socket is destroyed would be lost.
  else setTimeout(() => response.socket?.destroy(), 10);
}

/** A way to reach a model. */
export interface Way {
  readonly name: string;
  readonly wire: ScriptedWire;
  readonly model: (url: string) => Model;
}

const MODEL = "scripted";
const KEY = "key-of-nobody";
const over = (url: string): { model: string; apiKey: string; baseURL: string } => ({
  model: MODEL,
  apiKey: KEY,
  baseURL: url,
});

/** Every wire over fetch. */
export const overFetch: readonly Way[] = [
  { name: "openaiChat over fetch", wire: "openai-chat", model: (url) => openaiChat(over(url)) },
  { name: "openaiResponses over fetch", wire: "openai-responses", model: (url) => openaiResponses(over(url)) },
  { name: "anthropic over fetch", wire: "anthropic", model: (url) => anthropic(over(url)) },
  { name: "gemini over fetch", wire: "gemini", model: (url) => gemini(over(url)) },
  {
    name: "geminiInteractions over fetch",
    wire: "gemini-interactions",
    model: (url) => geminiInteractions(over(url)),
  },
  { name: "bedrock over fetch", wire: "bedrock", model: (url) => bedrock(over(url)) },
  { name: "cohere over fetch", wire: "cohere", model: (url) => cohere(over(url)) },
  { name: "mistral over fetch", wire: "mistral", model: (url) => mistral(over(url)) },
  { name: "ollama over fetch", wire: "ollama", model: (url) => ollama(over(url)) },
];

/** Every wire that has an official client, over that client. */
export const overClients: readonly Way[] = [
  {
    name: "openaiChat over openai",
    wire: "openai-chat",
    model: (url) =>
      openaiChat({ model: MODEL, client: new OpenAI({ apiKey: KEY, baseURL: url, maxRetries: 0, logLevel: "off" }) }),
  },
  {
    name: "openaiResponses over openai",
    wire: "openai-responses",
    model: (url) =>
      openaiResponses({
        model: MODEL,
        client: new OpenAI({ apiKey: KEY, baseURL: url, maxRetries: 0, logLevel: "off" }),
      }),
  },
  {
    name: "anthropic over @anthropic-ai/sdk",
    wire: "anthropic",
    model: (url) =>
      anthropic({
        model: MODEL,
        client: new Anthropic({ apiKey: KEY, authToken: null, baseURL: url, maxRetries: 0, logLevel: "off" }),
      }),
  },
  {
    name: "gemini over @google/genai",
    wire: "gemini",
    model: (url) => gemini({ model: MODEL, client: google(url) }),
  },
  {
    name: "geminiInteractions over @google/genai",
    wire: "gemini-interactions",
    model: (url) => geminiInteractions({ model: MODEL, client: google(url) }),
  },
  {
    name: "bedrock over @aws-sdk/client-bedrock-runtime",
    wire: "bedrock",
    model: (url) =>
      bedrock({
        model: MODEL,
        client: new BedrockRuntimeClient({
          region: "us-east-1",
          endpoint: url,
          credentials: { accessKeyId: "nobody", secretAccessKey: KEY },
          maxAttempts: 1,
          requestHandler: new NodeHttpHandler(),
        }),
        command: (input) => new ConverseStreamCommand(input),
      }),
  },
  {
    name: "cohere over cohere-ai",
    wire: "cohere",
    model: (url) =>
      cohere({ model: MODEL, client: new CohereClientV2({ token: KEY, environment: url, maxRetries: 0 }) }),
  },
  {
    name: "mistral over @mistralai/mistralai",
    wire: "mistral",
    model: (url) => mistral({ model: MODEL, client: new Mistral({ apiKey: KEY, serverURL: url }) }),
  },
  {
    name: "ollama over ollama",
    wire: "ollama",
    model: (url) => ollama({ model: MODEL, client: new Ollama({ host: url }) }),
  },
];

function google(url: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: KEY, apiVersion: "v1beta", vertexai: false, httpOptions: { baseUrl: url } });
}
