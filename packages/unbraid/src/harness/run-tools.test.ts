// The loop over scripted models that need no network: what goes back, when it stops, and what is left where it is stopped.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunEvent, RunResult } from "./run-events.ts";
import { runTools, type RunToolsOptions } from "./run-tools.ts";
import { scriptedModel, type Turned } from "./scripted-model.test-kit.ts";
import { tool } from "./tool.ts";

const weather = tool({
  name: "get_weather",
  schema: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: sunny`,
});

const CALL = { id: "call00001", name: "get_weather", text: '{"city":"Oslo"}' };

function run(turns: readonly Turned[], more: Partial<RunToolsOptions> = {}): Promise<RunResult> {
  const model = scriptedModel("openai-chat", turns);
  return runTools({ model, tools: [weather], messages: [], backOff: () => 1, ...more }).done;
}

async function eventsOf(turns: readonly Turned[], more: Partial<RunToolsOptions> = {}): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const options = { model: scriptedModel("openai-chat", turns), tools: [weather], messages: [], ...more };
  for await (const event of runTools(options)) events.push(event);
  return events;
}

const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);

describe("a run", () => {
  test("goes on until the model asks for nothing more", async () => {
    const result = await run([
      { id: "r1", calls: [CALL] },
      { id: "r2", text: "Sunny in Oslo." },
    ]);
    expect(result).toMatchObject({
      reason: "done",
      turns: 2,
      text: "Sunny in Oslo.",
      usage: { inputTokens: 22, outputTokens: 14 },
    });
    expect(result.error).toBeUndefined();
    expect(result.messages).toMatchObject([
      { role: "assistant", tool_calls: [{ id: "call00001" }] },
      { role: "tool", tool_call_id: "call00001", content: "Oslo: sunny" },
      { role: "assistant", content: "Sunny in Oslo." },
    ]);
  });

  test("says what happens, in order", async () => {
    const events = await eventsOf([
      { id: "r1", calls: [CALL] },
      { id: "r2", text: "Done" },
    ]);
    expect(types(events).filter((type) => !["call.append", "text", "usage", "notice"].includes(type))).toEqual([
      "turn.start",
      "response",
      "call.start",
      "call.close",
      "finish",
      "tool.start",
      "tool.result",
      "turn.end",
      "turn.start",
      "response",
      "finish",
      "turn.end",
      "run.end",
    ]);
    expect(events.every((event) => event.type === "run.end" || typeof event.turn === "number")).toBe(true);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  test("tells a listener the same, without iteration", async () => {
    const told: RunEvent[] = [];
    await run([{ id: "r1", text: "Hi" }], { onEvent: (event) => told.push(event) });
    expect(types(told).at(0)).toBe("turn.start");
    expect(types(told).at(-1)).toBe("run.end");
  });

  test("ends with what a listener throws", async () => {
    const error = new Error("listener");
    const result = await run(
      [
        { id: "r1", calls: [CALL] },
        { id: "r2", text: "Hi" },
      ],
      {
        onEvent: ({ type }) => {
          if (type === "tool.result") throw error;
        },
      },
    );
    expect(result).toMatchObject({ reason: "error", error });
    expect(result.messages).toHaveLength(2);
  });

  test("takes tools anew before each turn", async () => {
    let asked = 0;
    const model = scriptedModel("openai-chat", [
      { id: "r1", calls: [CALL] },
      { id: "r2", text: "Hi" },
    ]);
    const tools = (): readonly [typeof weather] | readonly [] => (asked++ === 0 ? [weather] : []);
    expect(await runTools({ model, tools, messages: [] }).done).toMatchObject({ reason: "done" });
    expect(model.requests.map(({ tools: declared }) => declared.length)).toEqual([1, 0]);
  });

  test.each<[string, object, string]>([
    ["no model", { model: undefined }, "one of unbraid/models"],
    ["a definition in place of a tool", { tools: [{ name: "w", execute: () => "" }] }, "tools[0] is no tool"],
    ["no list of tools", { tools: {} }, "must be an array"],
    ["a lease of nothing", { leaseMs: 0 }, "leaseMs"],
    ["nothing side by side", { concurrency: 0 }, "concurrency"],
  ])("does not begin with %s", (_, options, words) => {
    const model = scriptedModel("openai-chat", []);
    expect(() => runTools({ model, messages: [], ...options })).toThrow(words);
  });

  test("its own ledger has room for whatever the history holds", async () => {
    const data = "A".repeat(5_000_000);
    const shot = tool({
      name: "shot",
      schema: { type: "object" },
      execute: () => [{ type: "image", mediaType: "image/png", data }],
    });
    const look = { id: "r1", calls: [{ id: "a", name: "shot", text: "{}" }] };
    const model = scriptedModel("openai-chat", [...Array.from({ length: 8 }, () => look), { id: "r2", text: "Seen." }]);
    const { reason, turns } = await runTools({ model, tools: [shot], messages: [] }).done;
    expect({ reason, turns }).toEqual({ reason: "done", turns: 9 });
  });

  test("ends with what gives the tools throws", async () => {
    const error = new Error("no tools");
    const result = await run([{ id: "r1", text: "Hi" }], {
      tools: () => {
        throw error;
      },
    });
    expect(result).toMatchObject({ reason: "error", error, turns: 0, messages: [] });
  });

  test("hands the model the whole history each time, and instructions apart from it", async () => {
    const first = { role: "user", content: "?" };
    const model = scriptedModel("openai-chat", [
      { id: "r1", calls: [CALL] },
      { id: "r2", text: "Hi" },
    ]);
    await runTools({ model, tools: [weather], messages: [first], system: "Be brief." }).done;
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
    expect(model.requests.every(({ system }) => system === "Be brief.")).toBe(true);
  });

  test.each([
    ["maxTurns", { maxTurns: 0 }],
    ["maxCorrections", { maxCorrections: 0.5 }],
    ["attempts", { attempts: 0 }],
    ["concurrency", { concurrency: 0 }],
    ["tools of one name", { tools: [weather, weather] }],
    ["messages", { messages: "Hi" as unknown as [] }],
  ])("refuses %s that make no sense", async (_, options) => {
    const model = scriptedModel("openai-chat", []);
    let thrown: unknown;
    try {
      ({ error: thrown } = await runTools({ model, tools: [weather], messages: [], ...options }).done);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TypeError);
  });
});

describe("limits", () => {
  const again = (count: number): Turned[] =>
    Array.from({ length: count }, (_, at) => ({ id: `r${at}`, calls: [CALL] }));

  test("of turns: the last one's results stand in the history", async () => {
    const result = await run(again(9), { maxTurns: 3 });
    expect(result).toMatchObject({ reason: "max-turns", turns: 3 });
    expect(result.messages).toHaveLength(6);
  });

  test("of corrections: results that a tool gave do not count", async () => {
    const wrong = again(9).map((turn) => ({
      ...turn,
      calls: [CALL, { ...CALL, id: "call00002", name: "get_wether" }],
    }));
    const result = await run(wrong, { maxCorrections: 2 });
    expect(result).toMatchObject({ reason: "max-corrections", turns: 3 });
    expect(result.messages).toHaveLength(9);
    expect(result.limit).toMatchObject({ limit: "corrections", tool: "get_wether", count: 3 });
    expect(await run(again(9), { maxCorrections: 1, maxTurns: 2 })).toMatchObject({ reason: "max-turns" });
  });
});

describe("an answer that did not end well", () => {
  test("cut by its length, with a call: the call is answered, and the model asked again", async () => {
    const cut = { id: "r1", calls: [{ ...CALL, text: '{"city":"Os' }], finish: "length" } as const;
    const result = await run([cut, { id: "r2", text: "Hi" }]);
    expect(result).toMatchObject({ reason: "done", turns: 2 });
    expect(result.messages[1]).toMatchObject({ role: "tool", tool_call_id: "call00001" });
    const twice = await run([cut, { ...cut, id: "r2" }, { id: "r3", text: "Hi" }], { maxInARow: 1 });
    expect(twice).toMatchObject({ reason: "max-corrections", limit: { limit: "in-a-row", reason: "truncated" } });
  });

  test("cut by its length, without a call", async () => {
    const result = await run([{ id: "r1", text: "Once upon", finish: "length" }]);
    expect(result).toMatchObject({ reason: "length", text: "Once upon", turns: 1 });
    expect(result.messages).toMatchObject([{ role: "assistant", content: "Once upon" }]);
  });

  test("held back by the vendor: nothing runs, and nobody is asked again", async () => {
    const held = { id: "r1", calls: [CALL], finish: "content_filter" } as const;
    const result = await run([held, { id: "r2", text: "Hi" }]);
    expect(result).toMatchObject({ reason: "content_filter", turns: 1 });
    expect(result.messages).toHaveLength(2);
  });

  test.each([
    ["broken off", { id: "r1", calls: [CALL], finish: null }],
    ["an error that may pass", { id: "r1", calls: [CALL], error: "overloaded" }],
  ] as const)("%s: dropped whole and asked again", async (_, broken) => {
    const model = scriptedModel("openai-chat", [broken, broken, { id: "r3", text: "Hi" }]);
    const events: RunEvent[] = [];
    const result = await runTools({ model, tools: [weather], messages: [], onEvent: (event) => events.push(event) })
      .done;
    expect(result).toMatchObject({ reason: "done", turns: 1, messages: [{ role: "assistant", content: "Hi" }] });
    expect(types(events).filter((type) => type === "turn.drop" || type.startsWith("tool."))).toEqual([
      "turn.drop",
      "turn.drop",
    ]);
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([0, 0, 0]);
  });

  test("broken off every time: the error says so", async () => {
    const model = scriptedModel(
      "openai-chat",
      Array.from({ length: 9 }, () => ({ id: "r1", text: "Onc", finish: null })),
    );
    const result = await runTools({ model, messages: [], attempts: 2, backOff: () => 1 }).done;
    expect(result).toMatchObject({
      reason: "error",
      turns: 0,
      messages: [],
      text: "Onc",
      error: { name: "ModelError", code: "stream", attempts: 2, retryable: true },
    });
    expect(model.requests).toHaveLength(2);
  });

  test("an error that will not pass is not asked for again", async () => {
    const model = scriptedModel("anthropic", [
      { raw: 'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"no"}}\n\n' },
    ]);
    const result = await runTools({ model, messages: [] }).done;
    expect(result).toMatchObject({ reason: "error", error: { vendorCode: "invalid_request_error", retryable: false } });
    expect(model.requests).toHaveLength(1);
  });

  test("the vendor found the call malformed: the model is told in a message", async () => {
    const model = scriptedModel("gemini", [
      {
        raw: 'data: {"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(get_weather("}]}\n\n',
      },
      { id: "r2", text: "Hi" },
    ]);
    const result = await runTools({ model, tools: [weather], messages: [], maxCorrections: 1 }).done;
    expect(result).toMatchObject({ reason: "done", turns: 2 });
    expect(JSON.stringify(result.messages[0])).toContain("could not be read");
    expect(result.messages[0]).toMatchObject({ role: "user" });
  });

  test("a model that cannot be asked", async () => {
    const error = new Error("no network");
    expect(await run([{ throws: error }])).toMatchObject({ reason: "error", error, turns: 0, messages: [] });
  });
});

describe("a turn that pauses", () => {
  test("is sent back as it is, and the model goes on", async () => {
    const paused = [
      '{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Searching"}}',
      '{"type":"content_block_stop","index":0}',
      '{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{"output_tokens":3}}',
      '{"type":"message_stop"}',
    ];
    const raw = paused.map((data) => `event: ${/"type":"(\w+)"/.exec(data)?.[1]}\ndata: ${data}\n\n`).join("");
    const model = scriptedModel("anthropic", [{ raw }, { id: "m2", text: "Found" }]);
    const result = await runTools({ model, messages: [{ role: "user", content: "?" }] }).done;
    expect(result).toMatchObject({ reason: "done", turns: 2, text: "Found" });
    expect(model.requests[1]?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "text", text: "Searching" }] },
    ]);
  });
});

describe("tools that start early", () => {
  /** A tool, and a promise that it has begun. */
  function early(): { readonly tool: typeof weather; readonly begun: Promise<void> } {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const one = tool({
      name: "get_weather",
      schema: z.object({ city: z.string() }),
      early: true,
      execute: ({ city }) => {
        begin();
        return `${city}: sunny`;
      },
    });
    return { tool: one, begun };
  }

  test("begin before the response has ended", async () => {
    const { tool: one, begun } = early();
    const calls = [CALL, { ...CALL, id: "call00002" }];
    const model = scriptedModel("anthropic", [
      { id: "r1", calls, after: begun },
      { id: "r2", text: "Hi" },
    ]);
    const events = await eventsOf([], { tools: [one], model });
    const first = types(events).indexOf("tool.start");
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(types(events).indexOf("finish"));
  });

  test("do not begin for another candidate answer than the first", async () => {
    const delta = (choice: number, city: string): string => {
      const call = {
        index: 0,
        id: `c${choice}`,
        type: "function",
        function: { name: "get_weather", arguments: `{"city":"${city}"}` },
      };
      return `data: ${JSON.stringify({ choices: [{ index: choice, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] })}\n\n`;
    };
    const { tool: one } = early();
    const model = scriptedModel("openai-chat", [
      { raw: `${delta(1, "Lima")}${delta(0, "Oslo")}data: [DONE]\n\n` },
      { id: "r2", text: "Hi" },
    ]);
    const events = await eventsOf([], { tools: [one], model });
    expect(events.flatMap((event) => (event.type === "tool.start" ? [event.call.arguments] : []))).toEqual([
      { city: "Oslo" },
    ]);
  });

  test("keep the turn where the stream breaks off: what ran is told, the rest is answered", async () => {
    const { tool: one, begun } = early();
    const calls = [CALL, { ...CALL, id: "call00002", text: '{"city":"Li' }];
    const model = scriptedModel("anthropic", [
      { id: "r1", calls, finish: null, cut: 1, after: begun },
      { id: "r2", text: "Hi" },
    ]);
    const result = await runTools({ model, tools: [one], messages: [{ role: "user", content: "?" }] }).done;
    expect(result).toMatchObject({ reason: "done", turns: 2 });
    const [, assistant, results] = result.messages as {
      content: { id?: string; tool_use_id?: string; is_error?: boolean }[];
    }[];
    const ids = assistant?.content.map(({ id }) => id);
    expect(ids).toEqual(["call00001", "call00002"]);
    expect(results?.content.map(({ tool_use_id: id }) => id)).toEqual(ids);
    expect(results?.content[0]).toMatchObject({ content: "Oslo: sunny" });
    expect(results?.content[1]).toMatchObject({ is_error: true });
  });
});

describe("who says yes", () => {
  const item = {
    type: "mcp_approval_request",
    id: "mcpr_1",
    server_label: "docs",
    name: "search",
    arguments: '{"q":"a"}',
  };
  const events = [
    { type: "response.created", response: { id: "r1", status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "r1", status: "completed", output: [item] } },
  ];
  const asked = { raw: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("") };

  test.each([
    ["a person who agrees", { approve: () => true }, { approve: true }],
    [
      "a person who does not",
      { approve: () => ({ approved: false, reason: "Too dear" }) },
      { approve: false, reason: "Too dear" },
    ],
    ["nobody", {}, { approve: false }],
  ])("to what the vendor wants to run itself: %s", async (_, options, expected) => {
    const model = scriptedModel("openai-responses", [asked, { id: "r2", text: "Found." }]);
    const result = await runTools({ model, tools: [], messages: [{ role: "user", content: "?" }], ...options }).done;
    expect(result).toMatchObject({ reason: "done", turns: 2 });
    expect(model.requests[1]?.messages.slice(1)).toMatchObject([
      { type: "mcp_approval_request", id: "mcpr_1" },
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", ...expected },
    ]);
  });

  test("to a tool of ours: the run waits, and says so", async () => {
    let agree: (yes: boolean) => void = () => {};
    const careful = { ...weather, needsApproval: () => true };
    const told: RunEvent[] = [];
    const result = await run(
      [
        { id: "r1", calls: [CALL] },
        { id: "r2", text: "Hi" },
      ],
      {
        tools: [careful],
        approve: () => new Promise<boolean>((resolve) => (agree = resolve)),
        onEvent: (event) => {
          told.push(event);
          if (event.type === "tool.approval") setTimeout(() => agree(true), 5);
        },
      },
    );
    expect(result.reason).toBe("done");
    expect(types(told).filter((type) => type.startsWith("tool."))).toEqual([
      "tool.approval",
      "tool.start",
      "tool.result",
    ]);
  });
});

describe("repairs, where they are allowed", () => {
  const broken = { ...CALL, text: '{"city":"Oslo",}' };

  test("run, are echoed as they ran, and the model is told", async () => {
    const result = await run(
      [
        { id: "r1", calls: [broken] },
        { id: "r2", text: "Hi" },
      ],
      { repair: true },
    );
    expect(result.reason).toBe("done");
    const [assistant, told] = result.messages as {
      tool_calls?: { function: { arguments: string } }[];
      content: unknown;
    }[];
    expect(assistant?.tool_calls?.[0]?.function.arguments).toBe('{"city":"Oslo"}');
    expect(JSON.stringify(told?.content)).toContain("Oslo: sunny");
    expect(JSON.stringify(told?.content).length).toBeGreaterThan("Oslo: sunny".length + 20);
  });

  test("do not run, and are echoed as an object of what was written, where they do not fit", async () => {
    const unfit = { ...CALL, text: '{"town":"Oslo",}' };
    const result = await run(
      [
        { id: "r1", calls: [unfit] },
        { id: "r2", text: "Hi" },
      ],
      { repair: true },
    );
    const [assistant] = result.messages as { tool_calls: { function: { arguments: string } }[] }[];
    expect(assistant?.tool_calls[0]?.function.arguments).toContain("invalid_arguments");
  });
});
