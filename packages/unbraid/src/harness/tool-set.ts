// The tools of a run, by name. Owns that names are unique, and what a request declares of each.

import type { ToolDefinition } from "../turns/turn-form.ts";
import type { Tool } from "./tool.ts";

/**
 * Tools by name.
 *
 * @example
 * const tools = new ToolSet([weather, writeFile]);
 * await tools.prepare();
 * openaiChatTurn.tools(tools.definitions);
 */
export class ToolSet {
  /** The names, in the order of the tools. */
  readonly names: readonly string[];
  readonly #tools: ReadonlyMap<string, Tool>;

  /**
   * Takes tools, whose names must be their own.
   *
   * @param tools Tools with names of their own.
   * @throws TypeError where two have one name, or one is no tool.
   */
  constructor(tools: readonly Tool[]) {
    if (!isList(tools)) throw new TypeError("`tools` must be an array of tools");
    const byName = new Map<string, Tool>();
    for (const [at, one] of tools.entries()) {
      if (!isTool(one)) throw new TypeError(`tools[${at}] is no tool: make it with tool({ name, schema, execute })`);
      if (byName.has(one.name))
        throw new TypeError(`two tools are named "${one.name}"; a name must be one tool's alone`);
      byName.set(one.name, one);
    }
    this.#tools = byName;
    this.names = [...byName.keys()];
  }

  /** The tool of a name; undefined where there is none. */
  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** All tools, in order. */
  [Symbol.iterator](): Iterator<Tool> {
    return this.#tools.values();
  }

  /** What a request declares. */
  get definitions(): readonly ToolDefinition[] {
    return [...this.#tools.values()].map(({ name, description, parameters, strict, custom }) => ({
      name,
      parameters,
      ...(description === undefined ? {} : { description }),
      ...(strict === undefined ? {} : { strict }),
      ...(custom === undefined ? {} : { custom }),
    }));
  }

  /**
   * Loads and compiles what judging needs, so that a schema that cannot be used is known before a model is asked.
   *
   * @throws TypeError (by rejecting) as {@link Tool.prepare} does.
   */
  async prepare(): Promise<void> {
    await Promise.all([...this.#tools.values()].map(async (one) => one.prepare?.()));
  }
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

/** Definitions for a request, and tools of other libraries, lack what judges arguments. */
function isTool(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, validate, execute } = value as Partial<Tool>;
  return typeof name === "string" && typeof validate === "function" && typeof execute === "function";
}
