// The reader of one wire without its parts says what the reader with all of them says, but for the repairs; and it reads its
// messages in whatever framing they come.

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createReader, type ReaderOptions, type StreamEvent, type Wire } from "unbraid";
import { createFramer, type Frame } from "unbraid/framing";
import { fastPath, liveValues, repair } from "unbraid/parts";
import { anthropic } from "unbraid/protocols/anthropic";
import { bedrock } from "unbraid/protocols/bedrock";
import { cohere } from "unbraid/protocols/cohere";
import { gemini } from "unbraid/protocols/gemini";
import { mistral } from "unbraid/protocols/mistral";
import { ollama } from "unbraid/protocols/ollama";
import { openaiChat } from "unbraid/protocols/openai-chat";
import { openaiRealtime } from "unbraid/protocols/openai-realtime";
import { openaiResponses } from "unbraid/protocols/openai-responses";
import { text } from "unbraid/protocols/text";
import { rescue } from "unbraid/rescue";
import { answerOf, type Case, composedCases, type Tested } from "./compare.ts";

const WIRES: Readonly<Record<Tested, Wire>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "openai-realtime": openaiRealtime,
  anthropic,
  gemini,
  bedrock,
  cohere,
  mistral,
  ollama,
  text,
};

const cases = ["./cases/", "./cases-more/", "./cases-wires/", "./cases-text/"].flatMap((folder) =>
  composedCases(fileURLToPath(new URL(folder, import.meta.url))),
);

/** Bytes of a piece: events are looked at one by one, and cut. */
const PIECE = 300;

function eventsOf(one: Case, make: (options: ReaderOptions) => ReturnType<Wire["reader"]>): StreamEvent[] {
  const { tools, expected, bytes } = one;
  const reader = make({
    rescue,
    ...(tools === undefined ? {} : { tools }),
    ...(expected.limits === undefined ? {} : { limits: expected.limits }),
  });
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) events.push(...reader.push(bytes.subarray(at, at + PIECE)));
  return [...events, ...reader.end()];
}

function withoutRepair(event: StreamEvent): StreamEvent {
  if (event.type !== "call.close") return event;
  const { repair: _, ...call } = event.call;
  return { ...event, call };
}

/** The same messages in other framings than the vendor's: what a broken server or relay makes of a stream. */
const FRAMINGS: Readonly<Record<string, (messages: readonly unknown[]) => string>> = {
  SSE: (messages) => messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(""),
  "JSON lines": (messages) => messages.map((message) => `${JSON.stringify(message)}\n`).join(""),
  "JSON lines without the last line end": (messages) => messages.map((message) => JSON.stringify(message)).join("\n"),
  "printed documents": (messages) => messages.map((message) => `${JSON.stringify(message, null, 2)}\n`).join(""),
  "documents without line ends": (messages) => messages.map((message) => JSON.stringify(message)).join(""),
  "an array": (messages) => JSON.stringify(messages),
  "a printed array": (messages) => JSON.stringify(messages, null, 2),
  "an array as Google streams it": (messages) =>
    `[${messages.map((message) => JSON.stringify(message, null, 1)).join("\n,\r\n")}\n]\n`,
  "printed documents as SSE, the field named once": (messages) =>
    messages.map((message) => `data: ${JSON.stringify(message, null, 2)}\n\n`).join(""),
};

/** The messages of a case, where it is a stream of sound ones. */
function messagesOf({ bytes }: Case): readonly unknown[] | undefined {
  const frames: Frame[] = [];
  const framer = createFramer();
  framer.push(bytes, (frame) => frames.push(frame));
  framer.end((frame) => frames.push(frame));
  const texts = frames.filter(({ data }) => data !== "[DONE]");
  if (texts.length < 2 || texts.some(({ event, fault }) => event === "error" || fault !== undefined)) return undefined;
  try {
    return texts.map(({ data }): unknown => JSON.parse(data));
  } catch {
    return undefined;
  }
}

/** What does not depend on where the frames stand: made ids do. */
function answered(events: Iterable<StreamEvent>): unknown {
  const { calls, finish, ...answer } = answerOf(events);
  return { calls: calls.map((call) => (call.madeId ? { ...call, id: "" } : call)), finish, text: answer.text };
}

// Responses whose messages come as JSON lines are a session over a socket.
describe.each(["openai-chat", "anthropic", "gemini", "cohere", "mistral", "ollama"] as const)(
  "%s in another framing than its own",
  (name) => {
    const streams = cases
      .filter(({ protocol, expected }) => protocol === name && expected.limits === undefined)
      .flatMap((one) => {
        const messages = messagesOf(one);
        return messages === undefined ? [] : [{ one, messages }];
      });

    test.each(Object.keys(FRAMINGS))("%s", (framing) => {
      expect(streams.length).toBeGreaterThan(0);
      for (const { one, messages } of streams) {
        const bytes = new TextEncoder().encode(FRAMINGS[framing]?.(messages));
        const { tools } = one;
        const reader = WIRES[name].reader(tools === undefined ? { rescue } : { rescue, tools });
        const right = [...messages.flatMap((message) => reader.push(message as object)), ...reader.end()];
        expect(answered(eventsOf({ ...one, bytes }, WIRES[name].reader)), one.name).toEqual(answered(right));
      }
    });
  },
);

let repairs = 0;

test.each(Object.keys(WIRES) as Tested[])("%s", (name) => {
  const own = cases.filter(({ protocol }) => protocol === name);
  expect(own.length).toBeGreaterThan(5);
  for (const one of own) {
    const full = eventsOf(one, (options) => createReader({ ...options, protocol: name }));
    const bare = eventsOf(one, WIRES[name].reader);
    const parts = eventsOf(one, (options) => WIRES[name].reader({ ...options, liveValues, repair, fastPath }));
    expect(
      bare.some((event) => event.type === "call.close" && "repair" in event.call),
      one.name,
    ).toBe(false);
    expect(bare, one.name).toEqual(full.map(withoutRepair));
    expect(parts, one.name).toEqual(full);
    repairs += full.filter((event) => event.type === "call.close" && event.call.repair !== undefined).length;
  }
});

test("the full reader offered repairs that the bare one could not", () => {
  expect(repairs).toBeGreaterThan(5);
});
