// The tools that a request declared, as far as assembly needs them. Owns the reading of their names and parameters.

/** A declared tool. */
export interface DeclaredTool {
  /** The name. */
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: unknown;
}

/** All declared tools. */
export interface DeclaredTools {
  /** Undefined where none were declared. */
  readonly names: ReadonlySet<string> | undefined;
  /** Names of each tool's parameters. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
  /** Names of those parameters that each tool's schema requires. */
  readonly required: ReadonlyMap<string, readonly string[]>;
}

/** Reads the list that a caller gave. */
export function declaredTools(tools: readonly DeclaredTool[] | undefined): DeclaredTools {
  return {
    names: tools === undefined ? undefined : new Set(tools.map((tool) => tool.name)),
    parameters: new Map((tools ?? []).map((tool) => [tool.name, parameterNames(tool.parameters)])),
    required: new Map((tools ?? []).map((tool) => [tool.name, requiredNames(tool.parameters)])),
  };
}

function parameterNames(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null || !("properties" in schema)) return [];
  const { properties } = schema;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

function requiredNames(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null || !("required" in schema) || !Array.isArray(schema.required))
    return [];
  return schema.required.filter((name): name is string => typeof name === "string");
}
