// Tool definitions as Chat Completions declares functions, and what every vendor wants of a schema. Owns both.

import type { JsonSchema, ToolDefinition } from "./turn-form.ts";

/**
 * A schema whose root is an object's, as every vendor wants it, and without `$schema`, which only names the dialect and
 * which some refuse.
 *
 * @example
 * objectSchema({}); // { type: "object", properties: {} }
 */
export function objectSchema(schema: JsonSchema): JsonSchema {
  const { $schema: _, ...rest } = schema as { $schema?: unknown };
  const typed: JsonSchema = Object.hasOwn(rest, "type") ? rest : { type: "object", ...rest };
  // Chat of OpenAI refuses an object's schema without properties.
  return typed["type"] === "object" && !Object.hasOwn(typed, "properties") ? { ...typed, properties: {} } : typed;
}

/**
 * Definitions as Chat declares them, for the wires that took them over.
 *
 * @param withStrict Whether the wire knows `strict`.
 */
export function functionTools(definitions: readonly ToolDefinition[], withStrict: boolean): readonly unknown[] {
  return definitions.map(({ name, description, parameters, strict }) => ({
    type: "function",
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      parameters: objectSchema(parameters),
      ...(withStrict && strict === true ? { strict } : {}),
    },
  }));
}

/** Definitions whose fields stand beside the type, as Realtime and Interactions want them. */
export function flatTools(definitions: readonly ToolDefinition[]): readonly unknown[] {
  return definitions.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    ...(description === undefined ? {} : { description }),
    parameters: objectSchema(parameters),
  }));
}
