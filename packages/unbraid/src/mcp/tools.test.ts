// Tools of an MCP server: listing, calling and hints over a client of our own, and the real server-everything over stdio
// and HTTP, driven through the loop.

import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runTools, type RunEvent, type RunResult } from "../harness/index.ts";
import { scriptedModel } from "../harness/scripted-model.test-kit.ts";
import type { Tool } from "../harness/tool.ts";
import type { McpClient, McpProgress, McpTool } from "./client.ts";
import { mcpTools, type McpToolsOptions } from "./tools.ts";

const call = (name: string, args: object, id = "call00001"): { id: string; name: string; text: string } => ({
  id,
  name,
  text: JSON.stringify(args),
});

/** Plays one turn of calls over tools, and an answer. */
async function played(
  tools: readonly Tool[],
  calls: readonly ReturnType<typeof call>[],
  more: object = {},
): Promise<{ readonly result: RunResult; readonly events: readonly RunEvent[] }> {
  const events: RunEvent[] = [];
  const model = scriptedModel("anthropic", [
    { id: "r1", calls },
    { id: "r2", text: "Done." },
  ]);
  const messages = [{ role: "user", content: "?" }];
  const result = await runTools({ model, tools, messages, onEvent: (event) => events.push(event), ...more }).done;
  return { result, events };
}

function resultsOf(events: readonly RunEvent[]): readonly unknown[] {
  return events.flatMap((event) => (event.type === "tool.result" ? [event.result] : []));
}

const ECHO: McpTool = { name: "say/echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } };

/** A client that answers what it is told to. */
function client(
  pages: readonly (readonly McpTool[])[],
  answer: McpClient["callTool"] = async () => ({ content: [] }),
): McpClient & { listed: number } {
  const made = {
    listed: 0,
    listTools: async ({ cursor }: { cursor?: string } = {}) => {
      made.listed += 1;
      const page = Number(cursor ?? 0);
      return { tools: pages[page] ?? [], ...(page + 1 < pages.length ? { nextCursor: String(page + 1) } : {}) };
    },
    callTool: answer,
  };
  return made;
}

describe("listing", () => {
  test("takes all pages, prefixes names, and leaves out what is filtered", async () => {
    const pages = [[ECHO, { ...ECHO, name: "say.echo" }], [{ ...ECHO, name: "secret" }]];
    const { tools } = await mcpTools(client(pages), { prefix: "x", filter: ({ name }) => name !== "secret" });
    expect(tools.map(({ name }) => name)).toEqual(["x_say_echo", "x_say_echo_2"]);
    expect(tools[0]?.parameters).toBe(ECHO.inputSchema);
  });

  test("is done again only when it is out of date, once for all who ask", async () => {
    const server = client([[ECHO]]);
    const set = await mcpTools(server);
    expect(await set.current()).toBe(set.tools);
    expect(server.listed).toBe(1);
    set.changed();
    const [one, other] = await Promise.all([set.current(), set.current()]);
    expect(one).toBe(other);
    expect(server.listed).toBe(2);
    expect(set.tools).toBe(one);
    await set.current();
    expect(server.listed).toBe(2);
  });

  test("that fails leaves the old tools, and is tried again", async () => {
    const server = client([[ECHO]]);
    const set = await mcpTools(server);
    const listTools: McpClient["listTools"] = (...all) => listing(...all);
    const listing = server.listTools.bind(server);
    set.changed();
    Object.assign(server, { listTools: async () => Promise.reject(new Error("gone")) });
    await expect(set.current()).rejects.toThrow("gone");
    expect(set.tools).toHaveLength(1);
    Object.assign(server, { listTools });
    expect(await set.current()).toHaveLength(1);
  });

  test("has an end, whatever the server says", async () => {
    const endless: McpClient = {
      ...client([]),
      listTools: async ({ cursor = "0" } = {}) => ({ tools: [], nextCursor: `${Number(cursor) + 1}` }),
    };
    await expect(mcpTools(endless)).rejects.toThrow(RangeError);
    const many = Array.from({ length: 2_001 }, (_, at) => ({ ...ECHO, name: `t${at}` }));
    await expect(mcpTools(client([many]))).rejects.toThrow(RangeError);
    const same: McpClient = { ...client([]), listTools: async () => ({ tools: [ECHO], nextCursor: "a" }) };
    expect((await mcpTools(same)).tools.length).toBeLessThan(3);
  });
});

describe("hints of the server", () => {
  const read = { ...ECHO, annotations: { readOnlyHint: true } };
  const again = { ...ECHO, annotations: { idempotentHint: true } };

  test("are not believed unless told to", async () => {
    for (const one of [read, again]) {
      const [doubted] = (await mcpTools(client([[one]]))).tools;
      expect(doubted?.repeatable).toBeUndefined();
      const [trusted] = (await mcpTools(client([[one]]), { trustAnnotations: true })).tools;
      expect(trusted?.repeatable).toBe(true);
    }
    const [plain] = (await mcpTools(client([[ECHO]]), { trustAnnotations: true })).tools;
    expect(plain?.repeatable).toBeUndefined();
    expect(plain?.early).toBeUndefined();
  });
});

describe("calling", () => {
  async function answered(answer: unknown, options: McpToolsOptions = {}): Promise<readonly unknown[]> {
    const { tools } = await mcpTools(
      client([[ECHO]], async () => answer),
      options,
    );
    return resultsOf((await played(tools, [call("say_echo", { text: "hi" })])).events);
  }

  test("uses the server's own name, and hands on the signal and progress", async () => {
    const asked: unknown[] = [];
    const progress: [McpProgress, string][] = [];
    const { tools } = await mcpTools(
      client([[ECHO]], async (params, options) => {
        asked.push(params, options?.signal instanceof AbortSignal, options?.timeout, options?.resetTimeoutOnProgress);
        options?.onprogress?.({ progress: 1, total: 2 });
        return { content: [{ type: "text", text: "hi" }] };
      }),
      { timeoutMs: 500, onProgress: (how, { name }) => progress.push([how, name]) },
    );
    await played(tools, [call("say_echo", { text: "hi" })]);
    expect(asked).toEqual([{ name: "say/echo", arguments: { text: "hi" } }, true, 500, true]);
    expect(progress).toEqual([[{ progress: 1, total: 2 }, "say_echo"]]);
  });

  test("a hostile server's regular expressions hold up nobody, and the rest of its schema is judged", async () => {
    const inputSchema = {
      type: "object",
      properties: { a: { type: "string", pattern: "^(a+)+$" }, pattern: { type: "string" } },
      required: ["pattern"],
    };
    const named = { type: "object", patternProperties: { "^(a+)+$": { type: "number" } } };
    const asked: string[] = [];
    const { tools } = await mcpTools(
      client(
        [
          [
            { ...ECHO, inputSchema },
            { name: "named", inputSchema: named },
          ],
        ],
        async (params) => {
          asked.push(params.name);
          return { content: [] };
        },
      ),
    );
    const long = `${"a".repeat(60)}!`;
    const calls = [
      call("say_echo", { a: long, pattern: "x" }),
      call("named", { [long]: "no number" }),
      call("say_echo", { a: long }),
    ];
    const results = resultsOf((await played(tools, calls)).events);
    expect(asked).toEqual(["say/echo", "named"]);
    expect(JSON.stringify(results)).toContain("pattern: expected a value");
    expect(tools[0]?.parameters, "the model is told of it all").toEqual(inputSchema);
  });

  test("what vendors would refuse does not reach them: schemas of no object, endless descriptions", async () => {
    const junk = [undefined, null, true, [], { type: "string" }].map((inputSchema, at) => ({
      name: `t${at}`,
      description: "d".repeat(1_000_000),
      inputSchema,
    }));
    const { tools } = await mcpTools(client([[...junk, { inputSchema: {} }] as never]));
    expect(tools.map(({ name }) => name)).toEqual(["t0", "t1", "t2", "t3", "t4"]);
    for (const { parameters, description } of tools) {
      expect(parameters).toEqual({ type: "object" });
      expect(description?.length).toBeLessThan(17_000);
    }
  });

  test.each([
    [0, 2_147_483_647, 2_147_483_647],
    [Infinity, 2_147_483_647, 2_147_483_647],
    [300_000_000, 300_000_000, 2_147_483_647],
  ])("%d is no time that a timer would cut to nothing", async (timeoutMs, timeout, maxTotalTimeout) => {
    const asked: unknown[] = [];
    const { tools } = await mcpTools(
      client([[ECHO]], async (_, options) => {
        asked.push({ timeout: options?.timeout, maxTotalTimeout: options?.maxTotalTimeout });
        return { content: [] };
      }),
      { timeoutMs },
    );
    await played(tools, [call("say_echo", { text: "hi" })]);
    expect(asked).toEqual([{ timeout, maxTotalTimeout }]);
  });

  test("gives every kind of content", async () => {
    const content = [
      { type: "text", text: "hi" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "a://b", text: "in it" } },
      { type: "resource_link", uri: "a://c", name: "c" },
    ];
    expect(await answered({ content })).toMatchObject([
      {
        content: [
          { type: "text", text: "hi" },
          { type: "image", mediaType: "image/png", data: "aGk=" },
          { type: "file", mediaType: "audio/wav", data: "aGk=" },
          { type: "text", text: "in it" },
          { type: "text", text: "c: a://c" },
        ],
      },
    ]);
    expect(await answered({ content: [], structuredContent: { a: 1 } })).toMatchObject([
      { content: [{ type: "text", text: '{"a":1}' }] },
    ]);
  });

  test("says that the tool failed, and what the client threw", async () => {
    expect(await answered({ content: [{ type: "text", text: "no" }], isError: true })).toMatchObject([
      { isError: true },
    ]);
    const { tools } = await mcpTools(client([[ECHO]], async () => Promise.reject(new Error("MCP error -32602: bad"))));
    const { events } = await played(tools, [call("say_echo", {})]);
    expect(resultsOf(events)).toMatchObject([{ isError: true, reason: "threw" }]);
    expect(JSON.stringify(resultsOf(events))).toContain("bad");
  });

  test("judges arguments by the server's schema, and leaves it to the server where that cannot be used", async () => {
    const strict = { ...ECHO, inputSchema: { ...ECHO.inputSchema, required: ["text"] } };
    const { tools } = await mcpTools(client([[strict]]));
    expect(resultsOf((await played(tools, [call("say_echo", {})])).events)).toMatchObject([
      { reason: "invalid-arguments" },
    ]);
    const odd = { ...ECHO, inputSchema: { type: "object", properties: { text: { $ref: "https://example.org/x" } } } };
    const { tools: judgedThere } = await mcpTools(client([[odd]]));
    const [result] = resultsOf((await played(judgedThere, [call("say_echo", { text: 1 })])).events);
    expect(result).not.toHaveProperty("reason");
  });

  test("asks a person where it is told to", async () => {
    const asked: unknown[] = [];
    const { tools } = await mcpTools(client([[ECHO]]), {
      needsApproval: ({ name }, args) => asked.push(name, args) > 0,
    });
    const { events } = await played(tools, [call("say_echo", { text: "hi" })], { approve: () => false });
    expect(asked).toEqual(["say/echo", { text: "hi" }]);
    expect(resultsOf(events)).toMatchObject([{ reason: "refused" }]);
  });
});

const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe.each(["stdio", "HTTP"])("server-everything over %s", (transport) => {
  let mcp: Client;
  let server: ChildProcess | undefined;

  async function overHttp(): Promise<void> {
    const port = await freePort();
    server = spawn(process.execPath, [everything, "streamableHttp"], {
      env: { PATH: process.env["PATH"], PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      server?.stderr?.on("data", (text: Buffer) => String(text).includes("listening") && resolve());
      server?.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  }

  beforeAll(async () => {
    mcp = new Client({ name: "unbraid-tests", version: "0.0.0" });
    if (transport === "HTTP") return overHttp();
    await mcp.connect(
      new StdioClientTransport({ command: process.execPath, args: [everything, "stdio"], stderr: "ignore" }),
    );
  }, 30_000);
  afterAll(async () => {
    await mcp.close();
    server?.kill();
  });

  test("its tools are driven through the loop", async () => {
    const set = await mcpTools(mcp, { prefix: "all" });
    expect(set.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["all_echo", "all_get-sum"]));
    const { result, events } = await played(set.tools, [
      call("all_echo", { message: "Grüße ☂" }, "c1"),
      call("all_get-sum", { a: 2, b: 40 }, "c2"),
      call("all_get-tiny-image", {}, "c3"),
      call("all_get-structured-content", { location: "Chicago" }, "c4"),
      call("all_get-resource-links", { count: 2 }, "c5"),
      call("all_get-sum", { a: "two" }, "c6"),
    ]);
    expect(result).toMatchObject({ reason: "done", turns: 2 });
    const byId = Object.fromEntries(
      events.flatMap((event) => (event.type === "tool.result" ? [[event.result.call.id, event.result]] : [])),
    );
    expect(byId["c1"]?.content).toEqual([{ type: "text", text: "Echo: Grüße ☂" }]);
    expect(JSON.stringify(byId["c2"]?.content)).toContain("42");
    expect(byId["c3"]?.content.some(({ type }) => type === "image")).toBe(true);
    expect(JSON.stringify(byId["c4"]?.content)).toContain("temperature");
    expect(byId["c5"]?.content.length).toBeGreaterThan(1);
    expect(byId["c6"]).toMatchObject({ reason: "invalid-arguments", isError: true });
  });

  test("progress, an abort and a time limit reach it", async () => {
    const progress: McpProgress[] = [];
    const options = { onProgress: (how: McpProgress) => progress.push(how) };
    const slow = call("trigger-long-running-operation", { duration: 0.4, steps: 4 });
    const { tools } = await mcpTools(mcp, options);
    const { events } = await played(tools, [slow]);
    expect(resultsOf(events)).toMatchObject([{ content: [{ type: "text" }] }]);
    expect(progress.length).toBeGreaterThan(1);

    const limited = await mcpTools(mcp, { ...options, timeoutMs: 100 });
    const late = call("trigger-long-running-operation", { duration: 5, steps: 1 });
    expect(resultsOf((await played(limited.tools, [late])).events)).toMatchObject([{ isError: true, reason: "threw" }]);

    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 100);
    const before = performance.now();
    const { result } = await played(tools, [late], { signal: controller.signal });
    expect(result.reason).toBe("aborted");
    expect(performance.now() - before).toBeLessThan(3_000);
  });
});
