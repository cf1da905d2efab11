import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { call } from "./calls.test-kit.ts";
import { customTool, tool, type Tool, type Validation } from "./tool.ts";

const execute = (): string => "done";
const context = { signal: new AbortController().signal, call: call("x"), attempt: 1 };
const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

async function issues(one: Tool, args: unknown): Promise<Validation> {
  return one.validate(args);
}

describe("a schema of a library", () => {
  test("zod: JSON Schema of its input, values of its output, issues by path", async () => {
    const schema = z.object({
      city: z.string(),
      days: z.string().transform(Number),
      nested: z.object({ a: z.array(z.int()) }),
    });
    const one = tool({ name: "weather", schema, execute });
    expect(one.parameters).toMatchObject({
      type: "object",
      properties: { city: { type: "string" }, days: { type: "string" } },
      required: ["city", "days", "nested"],
    });
    const good = { city: "Oslo", days: "3", nested: { a: [1] } };
    expect(await one.validate(good)).toEqual({ ok: true, value: { ...good, days: 3 } });
    expect(await issues(one, { city: 3, nested: { a: [1, "x"] } })).toEqual({
      ok: false,
      issues: [
        { path: ["city"], expected: "Invalid input: expected string, received number", sentence: true, received: "3" },
        {
          path: ["days"],
          expected: "Invalid input: expected string, received undefined",
          sentence: true,
          received: "nothing",
        },
        {
          path: ["nested", "a", 1],
          expected: "Invalid input: expected number, received string",
          sentence: true,
          received: '"x"',
        },
      ],
    });
  });

  test("arktype", async () => {
    const one = tool({ name: "weather", schema: type({ city: "string", "days?": "number" }), execute });
    expect(one.parameters).toMatchObject({ type: "object", required: ["city"] });
    expect(await one.validate({ city: "Oslo" })).toEqual({ ok: true, value: { city: "Oslo" } });
    expect(await issues(one, { city: 3 })).toMatchObject({ ok: false, issues: [{ path: ["city"], received: "3" }] });
  });

  test("valibot needs its JSON Schema beside it, and says so", async () => {
    const schema = v.object({ city: v.string() });
    expect(() => tool({ name: "weather", schema, execute })).toThrow(
      /tool "weather": a schema of valibot .*`parameters`/,
    );
    const one = tool({ name: "weather", schema, parameters: CITY, execute });
    expect(one.parameters).toBe(CITY);
    expect(await one.validate({ city: "Oslo" })).toEqual({ ok: true, value: { city: "Oslo" } });
    expect(await issues(one, { city: 3 })).toMatchObject({ ok: false, issues: [{ path: ["city"] }] });
  });

  test("a schema that its library cannot write is refused with the reason", () => {
    const schema = z.object({ when: z.date() });
    expect(() => tool({ name: "a", schema, execute })).toThrow(/zod cannot write this schema .*Date.*`parameters`/);
    expect(tool({ name: "a", schema, parameters: CITY, execute }).parameters).toBe(CITY);
  });

  test("a schema that waits is waited for", async () => {
    const schema = z.object({ city: z.string().refine(async (city) => Promise.resolve(city === "Oslo")) });
    const one = tool({ name: "weather", schema, execute });
    expect(await one.validate({ city: "Oslo" })).toMatchObject({ ok: true });
    expect(await one.validate({ city: "Rome" })).toMatchObject({ ok: false });
  });
});

describe("plain JSON Schema", () => {
  test("has words for what is wrong", async () => {
    const one = tool({
      name: "weather",
      schema: {
        type: "object",
        properties: {
          city: { type: "string", minLength: 2 },
          unit: { enum: ["C", "F"] },
          version: { const: 2 },
          days: { type: ["integer", "null"], minimum: 1 },
          list: { type: "array", items: { type: "object", required: ["a/b"] } },
        },
        required: ["city"],
        additionalProperties: false,
      },
      execute,
    });
    expect(await one.validate({ city: "Oslo" })).toEqual({ ok: true, value: { city: "Oslo" } });
    expect(await issues(one, { unit: "K", version: 1, days: 0.5, list: [{}, 1], extra: 1 })).toEqual({
      ok: false,
      issues: [
        { path: ["city"], expected: "a value, it is required", received: "nothing" },
        { path: ["extra"], expected: "nothing, there is no such property" },
        { path: ["unit"], expected: 'one of ["C","F"]', received: '"K"' },
        { path: ["version"], expected: "2", received: "1" },
        { path: ["days"], expected: "integer or null", received: "0.5" },
        { path: ["days"], expected: ">= 1", received: "0.5" },
        { path: ["list", 0, "a/b"], expected: "a value, it is required", received: "nothing" },
        { path: ["list", 1], expected: "object", received: "1" },
      ],
    });
    expect(await issues(one, { city: "O" })).toMatchObject({
      issues: [{ expected: "must not have fewer than 2 characters", received: '"O"' }],
    });
  });

  test("takes patterns that are valid only without the flag u, and keeps characters whole in the others", async () => {
    const pattern = (text: string): Tool =>
      tool({ name: "a", schema: { type: "object", properties: { a: { type: "string", pattern: text } } }, execute });
    const verdicts = ["x@y", "x!y"].map(async (a) => (await pattern("^[\\w\\-\\@]+$").validate({ a })).ok);
    expect(await Promise.all(verdicts)).toEqual([true, false]);
    expect((await pattern("^.$").validate({ a: "😀" })).ok).toBe(true);
  });

  test.each([
    ["2020-12", "https://json-schema.org/draft/2020-12/schema", { prefixItems: [{ type: "number" }] }],
    ["draft-07", "http://json-schema.org/draft-07/schema#", { items: [{ type: "number" }] }],
    ["none, which means 2020-12", undefined, { prefixItems: [{ type: "number" }] }],
    ["none, though written for draft-07", undefined, { items: [{ type: "number" }] }],
  ])("of the draft %s", async (_, $schema, list) => {
    const schema = { ...($schema === undefined ? {} : { $schema }), type: "object", properties: { list } };
    const one = tool({ name: "a", schema, execute });
    expect(await one.validate({ list: [1] })).toMatchObject({ ok: true });
    expect(await one.validate({ list: ["x"] })).toMatchObject({ ok: false, issues: [{ path: ["list", 0] }] });
  });

  test.each([
    ["another draft", { $schema: "http://json-schema.org/draft-04/schema#" }, /\$schema .* is not known/],
    ["an unknown type", { properties: { a: { type: "thing" } } }, /"a": its schema is no JSON Schema/],
    ["a reference to nowhere", { properties: { a: { $ref: "https://example.org/x" } } }, /can't resolve reference/],
  ])("that cannot be used is the programmer's error, by prepare() and by validate(): %s", async (_, schema, words) => {
    const one = tool({ name: "a", schema, execute });
    await expect(one.prepare?.()).rejects.toThrow(words);
    await expect(one.validate({})).rejects.toThrow(TypeError);
  });

  test("is compiled once, and two tools may share an $id", async () => {
    const schema = { $id: "https://example.org/x", type: "object", required: ["a"] };
    const [first, second] = [tool({ name: "a", schema, execute }), tool({ name: "b", schema: { ...schema }, execute })];
    await Promise.all([first.prepare?.(), second.prepare?.(), first.prepare?.()]);
    expect(await first.validate({})).toMatchObject({ ok: false });
    expect(await second.validate({ a: 1 })).toMatchObject({ ok: true });
  });

  test("cannot change what another schema refers to, whatever it calls itself", async () => {
    const inner = (kind: string) => ({
      type: "object",
      properties: { a: { $ref: "https://example.org/inner" } },
      $defs: { inner: { $id: "https://example.org/inner", type: kind } },
    });
    const text = tool({ name: "a", schema: inner("string"), execute });
    const number = tool({ name: "b", schema: inner("number"), execute });
    const meta = tool({
      name: "c",
      schema: { $id: "https://json-schema.org/draft/2020-12/schema", type: "object" },
      execute,
    });
    await meta.prepare?.().catch(() => {});
    for (const [one, good] of [
      [text, "x"],
      [number, 1],
      [text, "x"],
    ] as const) {
      expect(await one.validate({ a: good })).toMatchObject({ ok: true });
      expect(await one.validate({ a: null })).toMatchObject({ ok: false });
    }
    const later = tool({ name: "d", schema: { type: "object", required: ["later"] }, execute });
    expect(await later.validate({})).toMatchObject({ ok: false });
  });

  test("that is judged later than at once is refused", async () => {
    const one = tool({ name: "a", schema: { $async: true, type: "object" }, execute });
    await expect(one.prepare?.()).rejects.toThrow(/\$async cannot be used/);
  });

  test("says what to use where code cannot be made at run time", async () => {
    vi.resetModules();
    vi.doMock("ajv/dist/2020.js", () => ({
      Ajv2020: class {
        compile(): never {
          throw new EvalError("Code generation from strings disallowed for this context");
        }
        removeSchema(): void {}
      },
    }));
    const fresh = await import("./tool.ts");
    const one = fresh.tool({ name: "weather", schema: CITY, execute });
    await expect(one.prepare?.()).rejects.toThrow(/tool "weather": .*this runtime forbids that; give a schema of zod/);
    vi.doUnmock("ajv/dist/2020.js");
  });

  test("formats are not judged", async () => {
    const one = tool({ name: "a", schema: { properties: { mail: { type: "string", format: "email" } } }, execute });
    expect(await one.validate({ mail: "no mail" })).toMatchObject({ ok: true });
  });

  test("says what to install where ajv is not there", async () => {
    vi.resetModules();
    vi.doMock("ajv/dist/2020.js", () => {
      throw new Error("Cannot find package 'ajv'");
    });
    const fresh = await import("./tool.ts");
    const one = fresh.tool({ name: "weather", schema: CITY, execute });
    await expect(one.prepare?.()).rejects.toThrow(/tool "weather": .*npm install ajv/);
    vi.doUnmock("ajv/dist/2020.js");
  });
});

describe("hostile arguments", () => {
  const polluting = JSON.parse(
    '{"city": "Oslo", "__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
  ) as unknown;

  test.each<[string, Tool]>([
    ["JSON Schema", tool({ name: "a", schema: CITY, execute })],
    ["zod", tool({ name: "a", schema: z.object({ city: z.string() }), execute })],
    ["zod, loose", tool({ name: "a", schema: z.looseObject({ city: z.string() }), execute })],
    ["zod, record", tool({ name: "a", schema: z.record(z.string(), z.unknown()), execute })],
    ["arktype", tool({ name: "a", schema: type({ city: "string" }), execute })],
    ["valibot", tool({ name: "a", schema: v.looseObject({ city: v.string() }), parameters: CITY, execute })],
  ])("pollute no prototype: %s", async (_, one) => {
    const validation = await one.validate(polluting);
    expect((validation as { value?: { polluted?: unknown } }).value?.polluted).toBeUndefined();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("are not changed by judging", async () => {
    const schema = {
      properties: { a: { type: "string", default: "x" }, b: { type: "number" } },
      additionalProperties: false,
    };
    const args = { b: 1 };
    await tool({ name: "a", schema, execute }).validate(args);
    expect(args).toEqual({ b: 1 });
  });

  test("with a million faults give few issues, soon", async () => {
    const list = Array.from({ length: 300_000 }, () => "x");
    const one = tool({ name: "a", schema: { properties: { list: { items: { type: "number" } } } }, execute });
    const start = performance.now();
    expect(await issues(one, { list })).toMatchObject({ issues: { length: 1 } });
    expect(await issues(one, { list: list.slice(0, 1_000) })).toMatchObject({ issues: { length: 50 } });
    const typed = tool({ name: "a", schema: z.object({ list: z.array(z.number()) }), execute });
    expect(await issues(typed, { list: list.slice(0, 1_000) })).toMatchObject({ issues: { length: 50 } });
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  test("nested very deep are judged without falling", async () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = { n: deep };
    const schema = { $defs: { n: { type: "object", properties: { n: { $ref: "#/$defs/n" } } } }, $ref: "#/$defs/n" };
    expect(await issues(tool({ name: "a", schema, execute }), deep)).toMatchObject({
      issues: [{ expected: "less nesting" }],
    });
    interface Node {
      n?: Node | undefined;
    }
    const node: z.ZodType<Node, Node> = z.object({
      get n() {
        return node.optional();
      },
    });
    expect(await issues(tool({ name: "a", schema: node, execute }), deep)).toMatchObject({
      issues: [{ expected: "less nesting" }],
    });
  });
});

describe("what is the programmer's error", () => {
  test.each(["", "9lives", "-x", "with space", "a.b", "x".repeat(65), "größe", 'a"b'])("the name %j", (name) => {
    expect(() => tool({ name, schema: CITY, execute })).toThrow(/a name has 1 to 64/);
    expect(() => customTool({ name, execute })).toThrow(/a name has 1 to 64/);
  });

  test.each([-1, NaN])("a time of %s", (timeoutMs) => {
    expect(() => tool({ name: "a", schema: CITY, timeoutMs, execute })).toThrow(/timeoutMs/);
  });

  test("a schema of something other than an object", () => {
    expect(() => tool({ name: "a", schema: { type: "string" }, execute })).toThrow(
      /of an object, not of type "string"/,
    );
    expect(() => tool({ name: "a", schema: z.string(), execute })).toThrow(/of an object/);
    expect(() => tool({ name: "a", schema: null as never, execute })).toThrow(/must be an object/);
  });
});

test("settings that were not given are not there", () => {
  expect(Object.keys(tool({ name: "a", schema: CITY, execute })).toSorted()).toEqual([
    "execute",
    "name",
    "parameters",
    "prepare",
    "validate",
  ]);
  expect(
    tool({
      name: "a",
      schema: CITY,
      execute,
      early: true,
      parallel: false,
      repeatable: true,
      strict: true,
      timeoutMs: 5,
    }),
  ).toMatchObject({
    early: true,
    parallel: false,
    repeatable: true,
    strict: true,
    timeoutMs: 5,
  });
});

test("approval is a question, whatever it was written as", async () => {
  const ask = (needsApproval: boolean | ((args: { a: number }) => boolean)): Tool =>
    tool({ name: "a", schema: z.object({ a: z.number() }), needsApproval, execute });
  expect(Object.hasOwn(ask(false), "needsApproval")).toBe(false);
  expect(await ask(true).needsApproval?.({ a: 1 }, context.call)).toBe(true);
  expect(await ask(({ a }) => a > 1).needsApproval?.({ a: 1 }, context.call)).toBe(false);
});

describe("a custom tool", () => {
  const sql = customTool({ name: "sql", execute: (text) => text.length });

  test("takes text", async () => {
    expect(sql).toMatchObject({ custom: { type: "text" }, parameters: { required: ["input"] } });
    expect(await sql.validate("select 1")).toEqual({ ok: true, value: "select 1" });
    expect(sql.execute("select 1", context)).toBe(8);
  });

  test("takes a function's arguments with one text, from vendors without such tools", async () => {
    expect(await sql.validate({ input: "select 1" })).toEqual({ ok: true, value: "select 1" });
    expect(await issues(sql, { text: "x" })).toMatchObject({ ok: false, issues: [{ path: ["input"] }] });
    expect(await issues(sql, Object.create({ input: "inherited" }))).toMatchObject({ ok: false });
  });
});
