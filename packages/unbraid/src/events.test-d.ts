// The types as a user meets them: events narrow by their type, a switch over them can be exhaustive, options are exact.

import { describe, expectTypeOf, test } from "vitest";
import {
  type CallAnsweredEvent,
  type CallAppendEvent,
  type CallCloseEvent,
  type CallIdentity,
  type CallKind,
  type CallReplaceEvent,
  type CallRetractEvent,
  type CallStartEvent,
  type CallStatus,
  collect,
  type Collected,
  Collector,
  createReader,
  DEFAULT_LIMITS,
  type ErrorEvent,
  type EventStream,
  type FinishEvent,
  type FinishReason,
  type Limits,
  type NoticeCode,
  type NoticeEvent,
  type PartEvent,
  type ProtocolName,
  read,
  type Reader,
  type ReasoningEvent,
  type ResponseEvent,
  runnable,
  type Source,
  type StreamEvent,
  type TextEvent,
  type ToolCall,
  type UsageEvent,
  type Wire,
  type WirePosition,
  wires,
} from "./index.ts";
import { anthropic } from "./entries/anthropic.ts";
import { gemini } from "./entries/gemini.ts";
import { openaiChat } from "./entries/openai-chat.ts";
import { openaiResponses } from "./entries/openai-responses.ts";
import { createFramer, type Frame, type Framer } from "./framing/index.ts";
import { JsonScanner, JsonValueBuilder, parseJson } from "./json/index.ts";
import { fastPath, liveValues, repair } from "./parts/index.ts";

type Of<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>;

describe("StreamEvent", () => {
  test("narrows by its type", () => {
    expectTypeOf<Of<"response">>().toEqualTypeOf<ResponseEvent>();
    expectTypeOf<Of<"call.start">>().toEqualTypeOf<CallStartEvent>();
    expectTypeOf<Of<"call.append">>().toEqualTypeOf<CallAppendEvent>();
    expectTypeOf<Of<"call.replace">>().toEqualTypeOf<CallReplaceEvent>();
    expectTypeOf<Of<"call.close">>().toEqualTypeOf<CallCloseEvent>();
    expectTypeOf<Of<"call.retract">>().toEqualTypeOf<CallRetractEvent>();
    expectTypeOf<Of<"call.answered">>().toEqualTypeOf<CallAnsweredEvent>();
    expectTypeOf<Of<"text">>().toEqualTypeOf<TextEvent>();
    expectTypeOf<Of<"reasoning">>().toEqualTypeOf<ReasoningEvent>();
    expectTypeOf<Of<"part">>().toEqualTypeOf<PartEvent>();
    expectTypeOf<Of<"usage">>().toEqualTypeOf<UsageEvent>();
    expectTypeOf<Of<"finish">>().toEqualTypeOf<FinishEvent>();
    expectTypeOf<Of<"error">>().toEqualTypeOf<ErrorEvent>();
    expectTypeOf<Of<"notice">>().toEqualTypeOf<NoticeEvent>();
  });

  test("has each type once, and a position each", () => {
    expectTypeOf<StreamEvent["type"]>().toEqualTypeOf<
      | "response"
      | "call.start"
      | "call.append"
      | "call.replace"
      | "call.close"
      | "call.retract"
      | "call.answered"
      | "text"
      | "reasoning"
      | "part"
      | "usage"
      | "finish"
      | "error"
      | "notice"
    >();
    expectTypeOf<StreamEvent["at"]>().toEqualTypeOf<WirePosition>();
  });

  test("can be switched over without leaving one out", () => {
    const name = (event: StreamEvent): string => {
      switch (event.type) {
        case "response":
          return event.id ?? event.model ?? "";
        case "call.start":
          return event.call.name;
        case "call.append":
        case "call.replace":
          return event.text;
        case "call.close":
          return event.call.status;
        case "call.retract":
          return event.reason;
        case "call.answered":
          return event.id;
        case "text":
        case "reasoning":
          return event.text;
        case "part":
          return typeof event.part;
        case "usage":
          return String(event.outputTokens);
        case "finish":
          return event.reason ?? event.raw ?? "";
        case "error":
          return event.error.message;
        case "notice":
          return event.code;
        default:
          expectTypeOf(event).toBeNever();
          return event;
      }
    };
    expectTypeOf(name).returns.toBeString();
  });

  test("gives a whole call only where it is closed", () => {
    expectTypeOf<CallStartEvent["call"]>().toEqualTypeOf<CallIdentity>();
    expectTypeOf<CallCloseEvent["call"]>().toEqualTypeOf<ToolCall>();
    expectTypeOf<CallIdentity>().not.toHaveProperty("arguments");
    expectTypeOf<ToolCall>().toExtend<CallIdentity>();
  });

  test("cannot be written to", () => {
    const event = {} as TextEvent;
    // @ts-expect-error events are readonly
    event.text = "";
    const call = {} as ToolCall;
    // @ts-expect-error calls are readonly
    call.status = "complete";
    // @ts-expect-error arguments are readonly
    (call.arguments ?? {})["city"] = "";
  });
});

describe("ToolCall", () => {
  test("holds unknown values, or none", () => {
    expectTypeOf<ToolCall["arguments"]>().toEqualTypeOf<Readonly<Record<string, unknown>> | null>();
    expectTypeOf<ToolCall["argumentsText"]>().toBeString();
    expectTypeOf<NonNullable<ToolCall["arguments"]>[string]>().toBeUnknown();
  });

  test("has closed sets of words", () => {
    expectTypeOf<ToolCall["status"]>().toEqualTypeOf<CallStatus>();
    expectTypeOf<CallStatus>().toEqualTypeOf<"complete" | "truncated" | "malformed">();
    expectTypeOf<CallKind>().toEqualTypeOf<"function" | "custom" | "server" | "mcp" | "mcp-approval" | "builtin">();
    expectTypeOf<FinishEvent["reason"]>().toEqualTypeOf<FinishReason | null>();
    expectTypeOf<FinishReason>().toEqualTypeOf<
      "tool_calls" | "stop" | "length" | "content_filter" | "error" | "cancelled"
    >();
    expectTypeOf<string>().not.toExtend<NoticeCode>();
  });
});

describe("read()", () => {
  test("takes every source, and gives events", () => {
    expectTypeOf(read).parameter(0).toEqualTypeOf<Source | PromiseLike<Source>>();
    expectTypeOf(read).returns.toEqualTypeOf<EventStream>();
    expectTypeOf<EventStream>().toExtend<AsyncIterable<StreamEvent>>();
    expectTypeOf<Response>().toExtend<Source>();
    expectTypeOf<Promise<Response>>().toExtend<Parameters<typeof read>[0]>();
    expectTypeOf<ReadableStream<Uint8Array>>().toExtend<Source>();
    expectTypeOf<ReadableStream<string>>().toExtend<Source>();
    expectTypeOf<AsyncGenerator<{ choices: [] }>>().toExtend<Source>();
    expectTypeOf<NodeJS.ReadableStream>().toExtend<Source>();
    expectTypeOf<readonly string[]>().toExtend<Source>();
    expectTypeOf<Buffer>().toExtend<Source>();
    expectTypeOf<Blob>().toExtend<Source>();
    expectTypeOf<number>().not.toExtend<Source>();
  });

  test("takes exact options", () => {
    read("", { protocol: "anthropic", settleMilliseconds: 10, limits: { maxCalls: 3 }, framing: "sse" });
    // @ts-expect-error no such wire
    read("", { protocol: "anthropics" });
    // @ts-expect-error no such option
    read("", { timeout: 10 });
    // @ts-expect-error an option is given or absent, not undefined
    read("", { signal: undefined });
    // @ts-expect-error no such limit
    read("", { limits: { maxTools: 3 } });
    expectTypeOf(DEFAULT_LIMITS).toExtend<Limits>();
  });

  test("can be pushed instead", () => {
    expectTypeOf(createReader).returns.toEqualTypeOf<Reader>();
    expectTypeOf<Reader["push"]>().parameter(0).toEqualTypeOf<Uint8Array | string | object>();
    expectTypeOf<Reader["push"]>().returns.toEqualTypeOf<readonly StreamEvent[]>();
    expectTypeOf<Reader["partial"]>().returns.toBeUnknown();
    expectTypeOf<Reader["protocol"]>().toEqualTypeOf<ProtocolName | undefined>();
  });

  test("can be collected", () => {
    expectTypeOf(collect).returns.resolves.toEqualTypeOf<Collected>();
    expectTypeOf(collect).toBeCallableWith(read(""));
    expectTypeOf(collect).toBeCallableWith([] as readonly StreamEvent[]);
    expectTypeOf(new Collector().result).toEqualTypeOf<Collected>();
    expectTypeOf(runnable).returns.toEqualTypeOf<readonly string[]>();
    expectTypeOf<Collected["calls"]>().toEqualTypeOf<readonly ToolCall[]>();
  });
});

describe("the other entries", () => {
  test("are one wire each", () => {
    for (const wire of [openaiChat, openaiResponses, anthropic, gemini]) {
      expectTypeOf(wire).toEqualTypeOf<Wire>();
      expectTypeOf(wire.read("")).toEqualTypeOf<EventStream>();
    }
    expectTypeOf(wires).toEqualTypeOf<Readonly<Record<ProtocolName, Wire>>>();
    // @ts-expect-error its wire is named already
    openaiChat.read("", { protocol: "gemini" });
  });

  test("take parts, each in its own place", () => {
    openaiChat.reader({ liveValues, repair, fastPath });
    openaiChat.read("", { liveValues, repair, fastPath });
    createReader({ fastPath: false });
    // @ts-expect-error a part of another kind
    openaiChat.reader({ fastPath: liveValues });
    // @ts-expect-error a part of another kind
    openaiChat.reader({ liveValues: fastPath });
    // @ts-expect-error a part of another kind
    openaiChat.reader({ repair: liveValues });
    // @ts-expect-error a part is a value that is imported
    openaiChat.reader({ liveValues: true });
  });

  test("are rooms of their own", () => {
    expectTypeOf(createFramer).returns.toEqualTypeOf<Framer>();
    expectTypeOf<Frame["data"]>().toBeString();
    expectTypeOf(new JsonValueBuilder().value).toBeUnknown();
    const parsed = parseJson("{}");
    if (parsed.ok) expectTypeOf(parsed.value).toBeUnknown();
    // @ts-expect-error there is a value only where the text was JSON
    else void parsed.value;
    expectTypeOf(JsonScanner).toBeConstructibleWith();
  });
});
