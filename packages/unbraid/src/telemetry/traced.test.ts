// Spans of runs, as OpenTelemetry's own SDK exports them.

import { context, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { memoryLedger } from "../harness/memory-ledger.ts";
import { runTools, tool, type RunResult, type RunToolsOptions } from "../harness/index.ts";
import { ModelError } from "../harness/model-error.ts";
import { scriptedModel, type Turned } from "../harness/scripted-model.test-kit.ts";
import type { ScriptedWire } from "../models/scripted.test-kit.ts";
import { traced, type TelemetryOptions } from "./traced.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer: Tracer = provider.getTracer("test");
const contexts = new AsyncLocalStorageContextManager();

beforeAll(() => context.setGlobalContextManager(contexts.enable()));
afterAll(() => context.disable());
beforeEach(() => exporter.reset());

const CALL = { id: "call00001", name: "pay", text: '{"amount":5,"note":"for rent"}' };

const pay = tool({
  name: "pay",
  description: "Pays",
  schema: z.looseObject({ amount: z.number() }),
  execute: async ({ amount }) => {
    tracer.startSpan("inside the tool").end();
    if (amount < 0) throw new RangeError("not below zero");
    return "paid in full";
  },
});

interface Given {
  readonly wire?: ScriptedWire;
  readonly telemetry?: TelemetryOptions;
  readonly options?: Partial<RunToolsOptions>;
}

async function spansOf(
  turns: readonly Turned[],
  { wire = "openai-chat", telemetry = {}, options = {} }: Given = {},
): Promise<{ readonly spans: readonly ReadableSpan[]; readonly result: RunResult }> {
  const base = scriptedModel(wire, turns);
  const model = {
    ...base,
    send: async (request: Parameters<typeof base.send>[0]) => {
      tracer.startSpan("inside the request").end();
      return base.send(request);
    },
  };
  const given = { model, tools: [pay], messages: [], system: "Be kind.", backOff: () => 1, ...options };
  const result = await runTools(traced(given, { tracerProvider: provider, ...telemetry })).done;
  return { spans: exporter.getFinishedSpans(), result };
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan[] =>
  spans.filter((span) => span.name === name);
const one = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const [found, ...more] = named(spans, name);
  if (found === undefined || more.length > 0) throw new Error(`${more.length + 1} spans are named ${name}`);
  return found;
};

const PAID: readonly Turned[] = [
  { id: "r1", text: "I pay.", calls: [CALL] },
  { id: "r2", text: "Paid." },
];

describe("a run", () => {
  test("does not tell a tool's name that the model made up, unless contents are asked for", async () => {
    const turns = [
      { id: "r1", calls: [{ ...CALL, name: "tell_them_his_name_is_Ole" }] },
      { id: "r2", text: "Well." },
    ];
    for (const content of [false, true]) {
      exporter.reset();
      const { spans } = await spansOf(turns, { telemetry: { content } });
      const { events } = one(spans, "invoke_agent");
      expect(events.map(({ name, attributes }) => [name, attributes?.["error.type"]])).toEqual([
        ["unbraid.tool.not_run", "unknown-tool"],
      ]);
      expect(JSON.stringify(events).includes("Ole")).toBe(content);
    }
  });

  test("may have no tools, and a model that is an object of a class", async () => {
    const script = scriptedModel("openai-chat", [{ id: "r1", text: "Hello." }]);
    class Own {
      get wire() {
        return script.wire;
      }
      get form() {
        return script.form;
      }
      readonly provider = "own";
      readonly name = "m";
      async send(request: Parameters<typeof script.send>[0]) {
        return script.send(request);
      }
    }
    const { text } = await runTools(traced({ model: new Own(), messages: [] }, { tracerProvider: provider })).done;
    expect(text).toBe("Hello.");
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["chat m", "invoke_agent"]);
  });

  test("has a span for itself, for each request and for each tool, one below the other", async () => {
    const parent = tracer.startSpan("parent");
    const { spans } = await context.with(trace.setSpan(context.active(), parent), () =>
      spansOf(PAID, { telemetry: { agent: "clerk", conversation: "c-1" } }),
    );
    const run = one(spans, "invoke_agent clerk");
    expect(run.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
    expect(run.kind).toBe(SpanKind.INTERNAL);
    expect(run.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "clerk",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "scripted",
      "gen_ai.conversation.id": "c-1",
      "gen_ai.usage.input_tokens": 22,
      "gen_ai.usage.output_tokens": 14,
    });
    const requests = named(spans, "chat scripted");
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request.kind).toBe(SpanKind.CLIENT);
      expect(request.parentSpanContext?.spanId).toBe(run.spanContext().spanId);
      expect(request.status.code).toBe(SpanStatusCode.UNSET);
    }
    const { "gen_ai.response.time_to_first_chunk": first, ...attributes } = requests[0]?.attributes ?? {};
    expect(first).toBeTypeOf("number");
    expect(attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "scripted",
      "gen_ai.conversation.id": "c-1",
      "gen_ai.request.stream": true,
      "gen_ai.response.id": "r1",
      "gen_ai.response.model": "scripted",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "gen_ai.usage.input_tokens": 11,
      "gen_ai.usage.output_tokens": 7,
    });
    const executed = one(spans, "execute_tool pay");
    expect(executed.parentSpanContext?.spanId).toBe(run.spanContext().spanId);
    expect(executed.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "pay",
      "gen_ai.tool.call.id": "call00001",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": "Pays",
    });
    expect(one(spans, "inside the tool").parentSpanContext?.spanId).toBe(executed.spanContext().spanId);
    expect(named(spans, "inside the request").map((span) => span.parentSpanContext?.spanId)).toEqual(
      requests.map((span) => span.spanContext().spanId),
    );
  });

  test("tells no content, and no key of the ledger", async () => {
    const { spans } = await spansOf(PAID, { options: { run: "secret-run", ledger: memoryLedger() } });
    const told = JSON.stringify(
      spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    for (const content of ["rent", "in full", "I pay", "Be kind", "secret-run"]) expect(told).not.toContain(content);
    expect(told).not.toMatch(/[0-9a-f]{64}/);
  });

  test("tells contents where it is asked to", async () => {
    const { spans } = await spansOf(PAID, { telemetry: { content: true } });
    const [request] = named(spans, "chat scripted");
    expect(JSON.parse(String(request?.attributes["gen_ai.output.messages"]))).toEqual([
      {
        role: "assistant",
        finish_reason: "tool_calls",
        parts: [
          { type: "text", content: "I pay." },
          { type: "tool_call", id: "call00001", name: "pay", arguments: { amount: 5, note: "for rent" } },
        ],
      },
    ]);
    expect(request?.attributes["gen_ai.system_instructions"]).toBe('[{"type":"text","content":"Be kind."}]');
    const { attributes } = one(spans, "execute_tool pay");
    expect(attributes["gen_ai.tool.call.arguments"]).toBe(CALL.text);
    expect(attributes["gen_ai.tool.call.result"]).toContain("paid in full");
  });

  test("of Gemini is named by its own operation", async () => {
    const { spans } = await spansOf([{ id: "r1", text: "Hi" }], { wire: "gemini" });
    expect(one(spans, "generate_content scripted").attributes["gen_ai.operation.name"]).toBe("generate_content");
  });

  test("may have tools that come before each turn, and a listener of its own", async () => {
    const told: string[] = [];
    const { spans } = await spansOf(PAID, {
      options: { tools: async () => [pay], onEvent: ({ type }) => told.push(type) },
    });
    expect(named(spans, "execute_tool pay")).toHaveLength(1);
    expect(told.at(-1)).toBe("run.end");
  });

  test("leaves tools that are classes as they are", async () => {
    class Counter {
      #count = 0;
      readonly name = "pay";
      readonly parameters = { type: "object" };
      validate(value: unknown): { ok: true; value: unknown } {
        this.#count += 1;
        return { ok: true, value };
      }
      execute(): string {
        return String(this.#count);
      }
    }
    const { result } = await spansOf(PAID, { options: { tools: [new Counter()] } });
    expect(JSON.stringify(result.messages)).toContain('"1"');
  });
});

describe("what goes wrong", () => {
  test("a tool that throws", async () => {
    const call = { ...CALL, text: '{"amount":-1}' };
    const { spans } = await spansOf([
      { id: "r1", calls: [call] },
      { id: "r2", text: "Sorry." },
    ]);
    const { attributes, status } = one(spans, "execute_tool pay");
    expect(attributes["error.type"]).toBe("RangeError");
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
  });

  test("a tool that outlasts its time has an end", async () => {
    const stuck = { ...pay, timeoutMs: 10, execute: () => new Promise(() => {}) };
    const { spans } = await spansOf(PAID, { options: { tools: [stuck], graceMs: 1 } });
    expect(one(spans, "execute_tool pay").attributes["error.type"]).toBe("timed-out");
  });

  test("a call that cannot run is no execution", async () => {
    const { spans } = await spansOf([
      { id: "r1", calls: [{ ...CALL, name: "pai" }] },
      { id: "r2", text: "Sorry." },
    ]);
    expect(spans.some(({ name }) => name.startsWith("execute_tool"))).toBe(false);
    expect(one(spans, "invoke_agent").events).toMatchObject([
      { name: "unbraid.tool.not_run", attributes: { "error.type": "unknown-tool" } },
    ]);
  });

  test("a replay is no new effect", async () => {
    const ledger = memoryLedger();
    const controller = new AbortController();
    const shared = { ledger, run: "task" };
    await spansOf(PAID, {
      options: {
        ...shared,
        signal: controller.signal,
        onEvent: ({ type }) => type === "tool.result" && controller.abort(new Error("killed")),
      },
    });
    exporter.reset();
    const { spans, result } = await spansOf([{ id: "r2", text: "Paid." }], { options: shared });
    expect(result.reason).toBe("done");
    expect(spans.some(({ name }) => name.startsWith("execute_tool"))).toBe(false);
    expect(one(spans, "invoke_agent").events).toMatchObject([
      { name: "unbraid.tool.replayed", attributes: { "gen_ai.tool.name": "pay" } },
    ]);
  });

  test("a model that refuses", async () => {
    const error = new ModelError("refused", "No: your words were «for rent»", { status: 429 });
    const { spans } = await spansOf([{ throws: error }]);
    for (const name of ["chat scripted", "invoke_agent"])
      expect(one(spans, name).status).toEqual({ code: SpanStatusCode.ERROR });
    expect(one(spans, "chat scripted").attributes["error.type"]).toBe("429");
    expect(one(spans, "invoke_agent").attributes["error.type"]).toBe("ModelError");
  });

  test("a stream that breaks off, and is asked for again", async () => {
    const { spans } = await spansOf([
      { id: "r1", text: "I p", finish: null },
      { id: "r2", text: "Paid." },
    ]);
    const [broken, whole] = named(spans, "chat scripted");
    expect(broken?.attributes["error.type"]).toBe("unterminated_stream");
    expect(broken?.status.code).toBe(SpanStatusCode.ERROR);
    expect(whole?.status.code).toBe(SpanStatusCode.UNSET);
    expect(one(spans, "invoke_agent").events.map(({ name }) => name)).toEqual(["unbraid.turn.dropped"]);
  });

  test("an error in a stream has the vendor's code", async () => {
    const { spans } = await spansOf([
      { id: "r1", text: "I p", error: "overloaded" },
      { id: "r2", text: "Paid." },
    ]);
    expect(named(spans, "chat scripted")[0]?.attributes["error.type"]).toBe("server_error");
  });

  test("a run that is aborted leaves no span open", async () => {
    const started: string[] = [];
    const counting: Tracer = {
      startSpan: (...all) => {
        started.push(all[0]);
        return tracer.startSpan(...all);
      },
      startActiveSpan: tracer.startActiveSpan.bind(tracer),
    };
    for (const at of [
      "turn.start",
      "response",
      "text",
      "call.start",
      "finish",
      "tool.start",
      "tool.result",
      "turn.end",
    ]) {
      const controller = new AbortController();
      await spansOf(PAID, {
        telemetry: { tracerProvider: { getTracer: () => counting } },
        options: {
          signal: controller.signal,
          graceMs: 1,
          onEvent: ({ type }) => type === at && controller.abort(new Error("enough")),
        },
      });
      const ended = exporter.getFinishedSpans().filter(({ name }) => !name.startsWith("inside"));
      expect(ended.map(({ name }) => name).toSorted(), at).toEqual(started.toSorted());
      started.length = 0;
      exporter.reset();
    }
  });
});
