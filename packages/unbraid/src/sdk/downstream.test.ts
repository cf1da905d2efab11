// The readers of the AI SDK's UI and of AG-UI read what we write for them: the same calls, and what is faulty as faulty.

import { EventType } from "@ag-ui/core";
import { EventSchema } from "@ag-ui/core/schemas";
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { createParser } from "eventsource-parser";
import { describe, expect, test } from "vitest";
import { collect, type ProtocolName, type StreamEvent } from "../index.ts";
import { encodeAgUi, encodeAiSdkUi } from "../encode/index.ts";
import { bodyOf, firstResponse } from "../encode/round-trip.test-kit.ts";
import { protocols } from "../protocols/index.ts";
import { eventsOf } from "../protocols/reading.test-kit.ts";
import { fixturesOf } from "../protocols/suite.test-suite.ts";
import { loopback, whole } from "./loopback.test-kit.ts";

const server = loopback();

const FROM = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const satisfies readonly ProtocolName[];
const bodies = FROM.flatMap((from) =>
  [...fixturesOf(from)].map(([name, body]) => ({
    name: `${from}/${name}`,
    events: firstResponse(eventsOf(protocols[from], [body])),
  })),
);

/** A call as either of these wires carries it. */
interface Told {
  readonly id: string;
  readonly name: string;
  readonly state: "ready" | "faulty";
  readonly input: unknown;
}

/** The calls of the first choice; those that were taken back are faulty. */
function told(events: readonly StreamEvent[], hasApprovals: boolean): Told[] {
  const calls = new Map<string, Told>();
  const ids = new Map<string, string>();
  for (const event of events) {
    if (
      event.type === "call.start" &&
      event.call.choice === 0 &&
      (hasApprovals || event.call.kind !== "mcp-approval")
    ) {
      ids.set(event.call.key, event.call.id);
      calls.set(event.call.key, { id: event.call.id, name: event.call.name, state: "faulty", input: null });
    }
    if (event.type === "call.close" && calls.has(event.call.key)) {
      const { key, name, status, arguments: value, argumentsText } = event.call;
      const complete = status === "complete";
      const input = complete ? (value ?? argumentsText) : argumentsText;
      calls.set(key, { id: ids.get(key) ?? "", name, state: complete ? "ready" : "faulty", input });
    }
    if (event.type === "call.retract" && calls.has(event.call.key))
      calls.set(event.call.key, { id: event.call.id, name: event.call.name, state: "faulty", input: null });
  }
  return [...calls.values()];
}

async function messageOf(events: readonly StreamEvent[]): Promise<{ message: UIMessage; errors: unknown[] }> {
  const encoder = encodeAiSdkUi({ dynamic: true });
  const { "content-type": type = "", ...headers } = encoder.headers;
  expect(headers).toMatchObject({ "x-vercel-ai-ui-message-stream": "v1" });
  const { url } = server.at(whole(bodyOf(encoder, events), { type }));
  const stream = await new DefaultChatTransport({ api: url }).sendMessages({
    trigger: "submit-message",
    chatId: "c",
    messageId: undefined,
    messages: [],
    abortSignal: undefined,
  });
  const errors: unknown[] = [];
  let message: UIMessage = { id: "", role: "assistant", parts: [] };
  for await (const each of readUIMessageStream({ stream, onError: (error) => errors.push(error) })) message = each;
  return { message, errors };
}

describe("the AI SDK's UI", () => {
  test.each(bodies)("reads $name", async ({ events }) => {
    const ours = await collect(events);
    const { message, errors } = await messageOf(events);
    const tools = message.parts.filter((part) => part.type === "dynamic-tool");
    expect(
      tools.map(({ toolCallId, toolName, state, input, ...rest }) => ({
        id: toolCallId,
        name: toolName,
        state: state === "output-error" ? "faulty" : "ready",
        input: input ?? (rest as { rawInput?: unknown }).rawInput ?? null,
      })),
    ).toEqual(told(events, true).map((call) => (call.name === "" ? { ...call, name: "unnamed_tool" } : call)));
    const spoken = events.flatMap((event) => (event.type === "text" && event.choice === 0 ? [event.text] : []));
    expect(message.parts.map((part) => (part.type === "text" ? part.text : "")).join("")).toBe(spoken.join(""));
    const failed = ours.finish === null || ours.finish === "error";
    expect(errors.length > 0).toBe(failed);
  });
});

describe("AG-UI", () => {
  test.each(bodies)("reads $name", ({ events }) => {
    const frames: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => frames.push(data) });
    parser.feed(bodyOf(encodeAgUi({ threadId: "t", runId: "r" }), events));
    const list = frames.map((data) => EventSchema.parse(JSON.parse(data)));
    const calls = new Map<string, { name: string; text: string; ended: boolean; answered: boolean }>();
    const open = new Set<string>();
    for (const event of list) {
      switch (event.type) {
        case EventType.TOOL_CALL_START:
          calls.set(event.toolCallId, { name: event.toolCallName, text: "", ended: false, answered: false });
          break;
        case EventType.TOOL_CALL_ARGS:
          calls.get(event.toolCallId)!.text += event.delta;
          break;
        case EventType.TOOL_CALL_END:
          expect(calls.get(event.toolCallId)!.ended).toBe(false);
          calls.get(event.toolCallId)!.ended = true;
          break;
        case EventType.TOOL_CALL_RESULT:
          calls.get(event.toolCallId)!.answered = true;
          break;
        case EventType.TEXT_MESSAGE_START:
        case EventType.REASONING_MESSAGE_START:
          expect(open.has(event.messageId)).toBe(false);
          open.add(event.messageId);
          break;
        case EventType.TEXT_MESSAGE_END:
        case EventType.REASONING_MESSAGE_END:
          expect(open.delete(event.messageId)).toBe(true);
          break;
        default:
      }
    }
    expect(open.size).toBe(0);
    expect([...calls.values()].every(({ ended }) => ended)).toBe(true);
    const ready = told(events, false).filter(({ state }) => state === "ready");
    const replaced = events.some(({ type }) => type === "call.replace");
    const unanswered = [...calls].filter(([, { answered }]) => !answered);
    expect(unanswered.map(([id, { name }]) => ({ id, name }))).toEqual(ready.map(({ id, name }) => ({ id, name })));
    if (!replaced)
      for (const [at, [, { text }]] of unanswered.entries())
        expect(typeof ready[at]?.input === "string" ? text : JSON.parse(text)).toEqual(ready[at]?.input);
    const last = list.at(-1);
    const finish = events.at(-1);
    const failed = finish?.type === "finish" && (finish.reason === null || finish.reason === "error");
    expect(last?.type).toBe(failed ? EventType.RUN_ERROR : EventType.RUN_FINISHED);
  });
});
