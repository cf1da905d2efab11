// As much of an MCP client as is used here. Owns these shapes; the official client has them.

import type { JsonSchema } from "../turns/turn-form.ts";

/** A tool as a server lists it. Everything in it comes from the server. */
export interface McpTool {
  /** Its name at the server. */
  readonly name: string;
  /** What it does. */
  readonly description?: string | undefined;
  /** The JSON Schema of its arguments. */
  readonly inputSchema: JsonSchema;
  /** Hints about its effects. The protocol warns against trusting them. */
  readonly annotations?: McpAnnotations | undefined;
}

/** Hints of a server about a tool's effects. */
export interface McpAnnotations {
  /** It changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** It may destroy something. */
  readonly destructiveHint?: boolean | undefined;
  /** Doing it again changes nothing more. */
  readonly idempotentHint?: boolean | undefined;
}

/** How far a tool has come, by its own count. */
export interface McpProgress {
  /** So much is done. */
  readonly progress: number;
  /** Of so much. */
  readonly total?: number | undefined;
  /** In words. */
  readonly message?: string | undefined;
}

/** What a request may be told. */
export interface McpRequestOptions {
  /** Cancels it, at the server too. */
  signal?: AbortSignal;
  /** Milliseconds to wait for an answer. */
  timeout?: number;
  /** Whether progress starts the wait anew. */
  resetTimeoutOnProgress?: boolean;
  /** Milliseconds to wait at most, with all progress. */
  maxTotalTimeout?: number;
  /** Told of progress. */
  onprogress?: (progress: McpProgress) => void;
}

/** A client that is connected to a server: the `Client` of `@modelcontextprotocol/client`, or anything like it. */
export interface McpClient {
  /** Lists tools, a page at a time. */
  listTools(
    params?: { cursor?: string },
    options?: { signal?: AbortSignal },
  ): Promise<{ readonly tools: readonly McpTool[]; readonly nextCursor?: string | undefined }>;
  /** Runs a tool. */
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: McpRequestOptions,
  ): Promise<unknown>;
}
