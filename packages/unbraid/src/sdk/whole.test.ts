// The vendors' SDKs read the whole bodies that we write: the calls and the text are those of the events, and an error is thrown
// with its status.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { collect, type ProtocolName } from "../index.ts";
import {
  wholeAnthropic,
  wholeGemini,
  wholeOllama,
  wholeOpenaiChat,
  wholeOpenaiResponses,
  type WholeResponse,
} from "../encode/index.ts";
import { failed, finish } from "../encode/events.test-kit.ts";
import { firstResponse } from "../encode/round-trip.test-kit.ts";
import { protocols } from "../protocols/index.ts";
import { eventsOf } from "../protocols/reading.test-kit.ts";
import { fixturesOf } from "../protocols/suite.test-suite.ts";
import type { StreamEvent } from "../events.ts";
import { loopback, whole } from "./loopback.test-kit.ts";

const server = loopback();

interface Told {
  readonly text: string;
  readonly calls: readonly { readonly name: string | undefined; readonly value: unknown }[];
}

interface Target {
  readonly name: string;
  readonly make: (events: Iterable<StreamEvent>, options: { readonly from: ProtocolName }) => WholeResponse;
  readonly ask: (url: string) => Promise<Told>;
}

const USER = { role: "user" as const, content: "?" };
const openai = (url: string): OpenAI => new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0, logLevel: "off" });

const targets: readonly Target[] = [
  {
    name: "openai.chat.completions.create()",
    make: wholeOpenaiChat,
    ask: async (url) => {
      const { choices } = await openai(url).chat.completions.create({ model: "m", messages: [USER] });
      const { content, tool_calls: calls = [] } = choices[0]!.message;
      const told = calls.flatMap((call) =>
        call.type === "function"
          ? [{ name: call.function.name, value: JSON.parse(call.function.arguments) as unknown }]
          : [],
      );
      return { text: content ?? "", calls: told };
    },
  },
  {
    name: "openai.responses.create()",
    make: wholeOpenaiResponses,
    ask: async (url) => {
      const { output, output_text: text } = await openai(url).responses.create({ model: "m", input: "?" });
      const told = output.flatMap((item) =>
        item.type === "function_call" ? [{ name: item.name, value: JSON.parse(item.arguments) as unknown }] : [],
      );
      return { text, calls: told };
    },
  },
  {
    name: "anthropic.messages.create()",
    make: wholeAnthropic,
    ask: async (url) => {
      const client = new Anthropic({ apiKey: "none", authToken: null, baseURL: url, maxRetries: 0, logLevel: "off" });
      const { content } = await client.messages.create({ model: "m", max_tokens: 10, messages: [USER] });
      return {
        text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        calls: content.flatMap((block) =>
          block.type === "tool_use" ? [{ name: block.name, value: block.input }] : [],
        ),
      };
    },
  },
  {
    name: "google.models.generateContent()",
    make: wholeGemini,
    ask: async (url) => {
      const google = new GoogleGenAI({ apiKey: "none", vertexai: false, httpOptions: { baseUrl: url } });
      const { candidates } = await google.models.generateContent({ model: "m", contents: "?" });
      const parts = candidates?.[0]?.content?.parts ?? [];
      return {
        text: parts.map(({ text = "", thought }) => (thought === true ? "" : text)).join(""),
        calls: parts.flatMap(({ functionCall: call }) =>
          call === undefined ? [] : [{ name: call.name, value: call.args }],
        ),
      };
    },
  },
  {
    name: "Ollama.chat()",
    make: wholeOllama,
    ask: async (url) => {
      const { message } = await new Ollama({ host: url }).chat({ model: "m", messages: [USER] });
      const calls = (message.tool_calls ?? []).map(({ function: named }) => ({
        name: named.name,
        value: named.arguments,
      }));
      return { text: message.content, calls };
    },
  },
];

const FROM = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const satisfies readonly ProtocolName[];
const bodies = FROM.flatMap((from) =>
  [...fixturesOf(from)].map(([name, body]) => ({
    name: `${from}/${name}`,
    from,
    events: firstResponse(eventsOf(protocols[from], [body])),
  })),
);

describe.each(targets)("$name", ({ make, ask }) => {
  const serve = (events: readonly StreamEvent[], from: ProtocolName): string => {
    const { status, contentType, body } = make(events, { from });
    return server.at(whole(JSON.stringify(body), { status, type: contentType })).url;
  };

  test.each(bodies)("reads $name", async ({ from, events }) => {
    const ours = await collect(events);
    const asked = ask(serve(events, from));
    if (ours.finish === null || ours.finish === "error" || ours.finish === "cancelled")
      return expect(asked).rejects.toThrow();
    const first = ours.calls.filter(
      ({ kind, choice, status }) => kind === "function" && choice === 0 && status === "complete",
    );
    // What is not whole, or no JSON, may not be read at all.
    const faulty = ours.calls.some(({ status }) => status !== "complete");
    const told = await asked.catch((error: unknown) => error as Error);
    if (faulty && told instanceof Error) return undefined;
    if (told instanceof Error) throw told;
    const values = first.map(({ name, arguments: value }) => ({ name, value }));
    if (faulty) return expect(told.calls).toEqual(expect.arrayContaining(values));
    const own = told.calls.filter(({ name }) => first.some((call) => call.name === name));
    return expect(own).toEqual(values);
  });

  test("throws an error with its status", async () => {
    const asked = ask(serve([failed("rate_limit_error", "Slow down.", 429), finish("error")], "text"));
    await expect(asked).rejects.toThrow(/Slow down/);
    await expect(asked).rejects.toMatchObject({ [make === wholeOllama ? "status_code" : "status"]: 429 });
  });
});
