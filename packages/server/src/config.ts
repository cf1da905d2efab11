// The configuration file: several upstreams, and everything that the command line can say. Owns its schema and the words for
// what is wrong with a file.

import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { ProxyOptions } from "./proxy/settings.ts";

const count = z.int().positive();
const port = z.int().min(0).max(65_535);
const protocol = z.enum([
  "openai-chat",
  "openai-responses",
  "openai-realtime",
  "anthropic",
  "gemini",
  "bedrock",
  "cohere",
  "mistral",
  "ollama",
  "text",
]);

const upstream = z.strictObject({
  url: z.string(),
  name: z.string().min(1).optional(),
  prefix: z.string().startsWith("/").optional(),
  host: z.string().min(1).optional(),
  protocol: protocol.optional(),
  as: protocol.optional(),
  model: z.string().min(1).optional(),
  rescue: z.boolean().optional(),
  hold: z.boolean().optional(),
  repair: z.boolean().optional(),
});

const config = z.strictObject({
  upstreams: z.array(upstream).min(1),
  host: z.string().min(1).optional(),
  port: port.optional(),
  adminPort: port.optional(),
  limits: z
    .strictObject({
      maxRequestBytes: count.optional(),
      maxHeaderBytes: count.optional(),
      maxExchanges: count.optional(),
      maxWholeBytes: count.optional(),
    })
    .optional(),
  timeouts: z
    .strictObject({
      connect: count.optional(),
      firstByte: count.optional(),
      silence: count.optional(),
      stall: count.optional(),
      settle: count.optional(),
      keepAlive: count.optional(),
      grace: count.optional(),
    })
    .optional(),
  reading: z
    .strictObject({
      maxArgumentBytes: count.optional(),
      maxResponseBytes: count.optional(),
      maxCalls: count.optional(),
      maxDepth: count.optional(),
      maxFrameBytes: count.optional(),
    })
    .optional(),
  record: z
    .strictObject({
      folder: z.string().min(1),
      maxBytes: count.optional(),
      maxBodyBytes: count.optional(),
    })
    .optional(),
});

/** What a configuration file can say. */
export type ProxyConfig = Omit<ProxyOptions, "log" | "observers">;

/** A configuration that cannot be. The message says where and why. */
export class ConfigError extends Error {
  /** Tells it from other errors. */
  override readonly name = "ConfigError";
}

/**
 * Checks a configuration.
 *
 * @param value What stands in the file, parsed.
 * @throws ConfigError naming each place that is wrong.
 * @example
 * parseConfig({ upstreams: [{ url: "http://127.0.0.1:8000/v1", rescue: true }], port: 8787 });
 */
export function parseConfig(value: unknown): ProxyConfig {
  const result = config.safeParse(value);
  if (result.success) return withoutUndefined(result.data) as ProxyConfig;
  const places = result.error.issues.map(({ path, message }) => {
    const place = path.map(String).join(".");
    return place === "" ? message : `${place}: ${message}`;
  });
  throw new ConfigError(places.join("; "));
}

/**
 * Reads a configuration file: JSON.
 *
 * @throws ConfigError where it cannot be read, is no JSON, or is wrong.
 */
export async function readConfig(path: string): Promise<ProxyConfig> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new ConfigError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  try {
    return parseConfig(value);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${path}: ${error.message}`, { cause: error }) : error;
  }
}

/** Schemas give `undefined` for what is not there. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutUndefined);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, withoutUndefined(each)]),
  );
}
