// Tools of an MCP server as tools of ours. Owns the listing and the calling; what a result holds is put into the model's
// form where all tools' results are.

import type { ToolCall } from "../events.ts";
import { beginning } from "../harness/excerpt.ts";
import { JsonSchemaCheck } from "../harness/json-schema.ts";
import type { Tool } from "../harness/tool.ts";
import type { JsonSchema } from "../turns/turn-form.ts";
import type { McpClient, McpProgress, McpTool } from "./client.ts";
import { toolName } from "./names.ts";

/** What `mcpTools` may be told. */
export interface McpToolsOptions {
  /** Put before every name, with `_` between: tells the tools of several servers apart. */
  readonly prefix?: string;
  /** Which tools to take; all by default. */
  readonly filter?: (tool: McpTool) => boolean;
  /**
   * Believes the server's hints: tools that are read-only or idempotent may be run again after a crash. False by default:
   * the hints of a server that you do not run are its own word only.
   */
  readonly trustAnnotations?: boolean;
  /** Whether a person must say yes first, for each tool; no by default. */
  readonly needsApproval?: (tool: McpTool, args: Readonly<Record<string, unknown>>) => boolean | Promise<boolean>;
  /** Milliseconds that a call may take; progress starts them anew. 0 or Infinity for never. Default 60,000. */
  readonly timeoutMs?: number;
  /** Told how far a call has come. */
  readonly onProgress?: (progress: McpProgress, call: ToolCall) => void;
}

/** The tools of one server. */
export interface McpToolSet {
  /** As of the last listing. */
  readonly tools: readonly Tool[];
  /** Says that the list is out of date: the next `current()` asks the server. */
  changed(): void;
  /** The tools, listed again where the list is out of date. */
  current(): Promise<readonly Tool[]>;
}

const TIMEOUT = 60_000;
/** A server that never stops to give pages is not followed further. */
const MAX_PAGES = 200;
/** Progress that never ends does not keep a call alive for ever: so many times the time that it has. */
const LONGEST = 10;
/** The longest time that timers take, and so the client's: it has no word for never. */
const MAX_TIMER = 2_147_483_647;
/** UTF-16 units of a description that go to the model, with every request. */
const MAX_DESCRIPTION = 16_384;
/** How many tools of one server are taken. */
const MAX_TOOLS = 2_000;

/**
 * Lists the tools of a server.
 *
 * @param client Connected, and closed by you.
 * @throws What the client throws where the server cannot be asked.
 * @throws RangeError where the server gives more than 2,000 tools, or does not stop to give pages.
 * @example
 * const client = new Client({ name: "app", version: "1" });
 * await client.connect(new StreamableHTTPClientTransport(new URL("http://127.0.0.1:3001/mcp")));
 * const server = await mcpTools(client, { prefix: "docs" });
 * client.setNotificationHandler("notifications/tools/list_changed", () => server.changed());
 * runTools({ model, messages, tools: async () => [mine, ...(await server.current())] });
 */
export async function mcpTools(client: McpClient, options: McpToolsOptions = {}): Promise<McpToolSet> {
  let tools = await listed(client, options);
  let stale = false;
  let listing: Promise<readonly Tool[]> | undefined;
  const again = async (): Promise<readonly Tool[]> => {
    // What changes while the server is asked makes the answer old.
    stale = false;
    try {
      return (tools = await listed(client, options));
    } catch (error) {
      stale = true;
      throw error;
    } finally {
      listing = undefined;
    }
  };
  return {
    get tools() {
      return tools;
    },
    changed: () => {
      stale = true;
    },
    current: async () => (listing === undefined && !stale ? tools : (listing ??= again())),
  };
}

async function listed(client: McpClient, options: McpToolsOptions): Promise<readonly Tool[]> {
  const taken = new Set<string>();
  const tools: Tool[] = [];
  for (const described of await descriptions(client)) {
    if (typeof (described.name as unknown) !== "string") continue;
    if (options.filter?.(described) === false) continue;
    const name = toolName(described.name, options.prefix, taken);
    taken.add(name);
    tools.push(toolOf(client, name, described, options));
  }
  return tools;
}

async function descriptions(client: McpClient): Promise<readonly McpTool[]> {
  const all: McpTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
    all.push(...tools);
    if (all.length > MAX_TOOLS) throw new RangeError(`The MCP server lists more than ${MAX_TOOLS} tools.`);
    if (nextCursor === undefined || nextCursor === cursor) return all;
    cursor = nextCursor;
  }
  throw new RangeError(`The MCP server gave ${MAX_PAGES} pages of tools, and more are to come.`);
}

function toolOf(client: McpClient, name: string, described: McpTool, options: McpToolsOptions): Tool {
  const { description, annotations } = described;
  const inputSchema = isObjectSchema(described.inputSchema) ? described.inputSchema : { type: "object" };
  const { trustAnnotations = false, needsApproval, onProgress } = options;
  const timeoutMs = Math.min((options.timeoutMs ?? TIMEOUT) || MAX_TIMER, MAX_TIMER);
  const repeatable = trustAnnotations && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true);
  return {
    name,
    ...(description === undefined ? {} : { description: beginning(description, MAX_DESCRIPTION) }),
    parameters: inputSchema,
    ...judge(name, inputSchema),
    ...(repeatable ? { repeatable } : {}),
    ...(needsApproval === undefined
      ? {}
      : { needsApproval: (args) => needsApproval(described, args as Readonly<Record<string, unknown>>) }),
    // The client keeps the time, for it knows of progress.
    timeoutMs: 0,
    execute: (args, { signal, call }) =>
      client.callTool(
        { name: described.name, arguments: args as Record<string, unknown> },
        {
          signal,
          timeout: timeoutMs,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: Math.min(LONGEST * timeoutMs, MAX_TIMER),
          ...(onProgress === undefined ? {} : { onprogress: (progress) => onProgress(progress, call) }),
        },
      ),
  };
}

/** Vendors refuse a request, with all its tools, for one whose arguments are no object. */
function isObjectSchema(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return false;
  const { type } = schema as { readonly type?: unknown };
  return type === undefined || type === "object";
}

/** A schema that cannot be used here is the server's own to judge: it will say what is wrong. */
function judge(name: string, schema: JsonSchema): Pick<Tool, "prepare" | "validate"> {
  const check = new JsonSchemaCheck(name, withoutPatterns(schema));
  let usable = !NAMES_BY_PATTERN.test(JSON.stringify(schema));
  const prepare = async (): Promise<void> => {
    try {
      if (usable) await check.prepare();
    } catch {
      usable = false;
    }
  };
  return {
    prepare,
    validate: async (args) => {
      await prepare();
      return usable ? check.validate(args) : { ok: true, value: args };
    },
  };
}

/**
 * Regular expressions of a server are not run here: one such as `^(a+)+$` would hold up the whole process. Properties
 * that are chosen by one cannot be judged without it, nor can what is left over by them.
 */
function withoutPatterns(schema: JsonSchema): JsonSchema {
  const kept = (key: string, value: unknown): unknown =>
    key === "pattern" && typeof value === "string" ? undefined : value;
  return JSON.parse(JSON.stringify(schema), kept) as JsonSchema;
}

const NAMES_BY_PATTERN = /"patternProperties":/;
