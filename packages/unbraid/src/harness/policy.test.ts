import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answerOf, call, callFrom } from "./calls.test-kit.ts";
import { type CallDecision, decide, type PolicyOptions } from "./policy.ts";
import { customTool, tool } from "./tool.ts";
import { ToolSet } from "./tool-set.ts";

const execute = (): string => "done";
const tools = new ToolSet([
  tool({ name: "search", schema: z.object({ query: z.string() }), execute }),
  tool({ name: "read", schema: { type: "object", properties: { p: { type: "string" } }, required: ["p"] }, execute }),
  customTool({ name: "sql", execute }),
  tool({
    name: "broken",
    schema: z.object({
      a: z.string().refine(() => {
        throw new Error("refine fell over; Bearer hunter2hunter2");
      }),
    }),
    execute,
  }),
]);

/** What is decided, short. */
function short(decisions: readonly CallDecision[]): string[] {
  return decisions.map((each) =>
    each.action === "run" ? "run" : each.action === "leave" ? `leave: ${each.why}` : `answer: ${each.result.reason}`,
  );
}

async function one(given: Parameters<typeof answerOf>[0][number], options?: PolicyOptions): Promise<CallDecision> {
  const [decision] = await decide(answerOf([given]), tools, options);
  if (decision === undefined) throw new Error("no decision");
  return decision;
}

const textOf = (decision: CallDecision): string =>
  decision.action === "answer" ? decision.result.content.map((part) => ("text" in part ? part.text : "")).join() : "";

describe("which calls run", () => {
  test("a bad call beside a good one is answered, and the good one runs", async () => {
    const good = call("read", { p: "a" });
    const bad = { ...callFrom('{"query": ,}'), key: "call-1", id: "id_1", index: 1 };
    const decisions = await decide(answerOf([good, bad]), tools);
    expect(short(decisions)).toEqual(["run", "answer: malformed"]);
    expect(decisions[1]).toMatchObject({ result: { call: bad, isError: true } });
    expect(textOf(decisions[1] as CallDecision)).toContain('{"query": ,}');
  });

  test("a batch that was cut runs nothing, and each call is answered", async () => {
    const whole = call("read", { p: "a" });
    const cut = { ...callFrom('{"query": "x', "length"), key: "call-1", index: 1 };
    expect(short(await decide(answerOf([whole, cut], "length"), tools))).toEqual([
      "answer: not-run",
      "answer: truncated",
    ]);
  });

  test.each(["length", "content_filter", "error", "cancelled", "stop", null] as const)(
    "nothing runs after %s",
    async (finish) => {
      expect(short(await decide(answerOf([call("read", { p: "a" })], finish), tools))).toEqual(["answer: not-run"]);
    },
  );

  test("what the vendor runs, and what is answered already, is left", async () => {
    const calls = (["server", "mcp", "mcp-approval"] as const).map((kind, index) =>
      call("web_search", {}, { kind, index }),
    );
    expect(short(await decide(answerOf(calls, "stop"), tools))).toEqual(Array(3).fill("leave: vendor"));
    expect(short(await decide(answerOf([call("read", { p: "a" })], "tool_calls", ["call-0"]), tools))).toEqual([
      "leave: answered",
    ]);
  });

  test("an unknown tool is answered with the nearest names, whatever its arguments are", async () => {
    for (const given of [
      call("serch"),
      callFrom('{"query": ,}', "tool_calls", "serch"),
      callFrom('{"q', "length", "serch"),
    ]) {
      const decision = await one(given);
      expect(short([decision])).toEqual(["answer: unknown-tool"]);
      expect(textOf(decision)).toContain('Did you mean "search"?');
    }
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s is an unknown tool", async (name) => {
    expect(short([await one(call(name))])).toEqual(["answer: unknown-tool"]);
  });

  test("a call without a name is malformed", async () => {
    const nameless = call("", {}, { status: "malformed", problem: { code: "no-name", message: "No name." } });
    expect(textOf(await one(nameless))).toContain('Name one of: "search", "read", "sql", "broken".');
  });

  test("arguments that do not fit are answered, those that do are given as the schema has them", async () => {
    expect(short([await one(call("search", { query: 3 }))])).toEqual(["answer: invalid-arguments"]);
    expect(await one(call("search", { query: "x", extra: 1 }))).toMatchObject({ action: "run", args: { query: "x" } });
  });

  test("a schema whose own code throws is told without its secrets", async () => {
    const decision = await one(call("broken", { a: "x" }));
    expect(short([decision])).toEqual(["answer: threw"]);
    expect(textOf(decision)).toContain("refine fell over");
    expect(textOf(decision)).not.toContain("hunter2");
  });

  test("a schema that cannot be used rejects", async () => {
    const bad = new ToolSet([tool({ name: "read", schema: { $ref: "https://example.org/x" }, execute })]);
    await expect(decide(answerOf([call("read")]), bad)).rejects.toThrow(/tool "read"/);
    await expect(bad.prepare()).rejects.toThrow(/tool "read"/);
  });

  test("free text runs as it is", async () => {
    const custom = call("sql", {}, { kind: "custom", arguments: null, argumentsText: "select 1" });
    expect(await one(custom)).toMatchObject({ action: "run", args: "select 1" });
    const toFunction = { ...custom, name: "search" };
    expect(short([await one(toFunction)])).toEqual(["answer: invalid-arguments"]);
  });

  test("without tools neither names nor arguments are judged", async () => {
    const decisions = await decide(answerOf([call("anything", { a: 1 }), { ...callFrom('{"a": ,}'), index: 1 }]));
    expect(short(decisions)).toEqual(["run", "answer: malformed"]);
    expect(decisions[0]).toMatchObject({ args: { a: 1 }, tool: undefined });
  });

  test("what collect() gives will do", async () => {
    const calls = [call("read", { p: "a" }), call("read", {}, { index: 1 })];
    expect(short(await decide({ calls, answered: [], finish: "tool_calls" }, tools))).toEqual([
      "run",
      "answer: invalid-arguments",
    ]);
  });

  test("the texts are the user's where the user has some", async () => {
    const corrections = { malformed: () => "mine" };
    expect(textOf(await one(callFrom('{"query": ,}'), { corrections }))).toBe("mine");
  });
});

describe("arguments are the tool's own copy", () => {
  test.each(["read", "nothing known"])("%s", async (name) => {
    const given = call(name, { p: "a", deep: { list: [1] } });
    const [decision] = await decide(answerOf([given]), name === "read" ? tools : undefined);
    if (decision?.action !== "run") throw new Error("it may run");
    const args = decision.args as { deep: { list: number[] } };
    args.deep.list.push(2);
    expect(given.arguments).toEqual({ p: "a", deep: { list: [1] } });
  });

  test("with __proto__ as a key like any other", async () => {
    const given = callFrom('{"p": "a", "__proto__": {"polluted": true}}', "tool_calls", "read");
    const decision = await one(given);
    if (decision.action !== "run") throw new Error("it may run");
    expect(Object.keys(decision.args as object)).toEqual(["p", "__proto__"]);
    expect((decision.args as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("also nested ten thousand levels deep", async () => {
    const text = `${'{"n":'.repeat(9_000)}1${"}".repeat(9_000)}`;
    const [decision] = await decide(answerOf([callFrom(text)]));
    expect(decision?.action).toBe("run");
  });
});

describe("repair", () => {
  const broken = callFrom("{'query': 'x'}");

  test("is not done unasked", async () => {
    expect(short([await one(broken)])).toEqual(["answer: malformed"]);
  });

  test("is done where it is allowed and fits", async () => {
    expect(await one(broken, { repair: true })).toMatchObject({
      action: "run",
      args: { query: "x" },
      repair: { argumentsText: '{"query": "x"}' },
    });
  });

  test("is not done where the reading does not fit the schema, or there is none", async () => {
    expect(short([await one(callFrom("{'query': 3}"), { repair: true })])).toEqual(["answer: malformed"]);
    expect(short([await one(callFrom('{"query": ,}'), { repair: true })])).toEqual(["answer: malformed"]);
  });

  test("is not done in a response that did not end well, nor for a truncated call", async () => {
    expect(short(await decide(answerOf([broken], "length"), tools, { repair: true }))).toEqual(["answer: malformed"]);
    expect(short([await one(callFrom("{'query': 'x'", "length"), { repair: true })])[0]).toMatch(/^answer/);
  });
});

describe("ToolSet", () => {
  test("names are unique", () => {
    const twice = [
      customTool({ name: "a", execute }),
      customTool({ name: "b", execute }),
      customTool({ name: "a", execute }),
    ];
    expect(() => new ToolSet(twice)).toThrow('two tools are named "a"');
  });

  test("declares what a request needs", () => {
    const set = new ToolSet([
      tool({ name: "read", description: "Reads", schema: { type: "object" }, strict: true, early: true, execute }),
      customTool({ name: "sql", format: { type: "grammar", syntax: "regex", definition: "select .*" }, execute }),
    ]);
    expect(set.definitions).toEqual([
      { name: "read", description: "Reads", parameters: { type: "object" }, strict: true },
      {
        name: "sql",
        parameters: expect.objectContaining({ required: ["input"] }),
        custom: { type: "grammar", syntax: "regex", definition: "select .*" },
      },
    ]);
    expect([...set].map(({ name }) => name)).toEqual(set.names);
  });
});
