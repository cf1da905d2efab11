// The tools that a request declared, as far as assembly needs them. Owns the reading of their names and parameters.

/** A declared tool. */
export interface DeclaredTool {
  /** The name. */
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: unknown;
}

/** The schema of each declared tool's arguments, by its name; undefined where none were declared. */
export type DeclaredTools = ReadonlyMap<string, unknown> | undefined;

/** Reads the list that a caller gave. */
export function declaredTools(tools: readonly DeclaredTool[] | undefined): DeclaredTools {
  return tools ? new Map(tools.map((tool) => [tool.name, tool.parameters])) : undefined;
}

/** Names of the parameters that a declared tool's schema requires. */
export function requiredOf(tools: DeclaredTools, tool: string): readonly string[] {
  const schema = tools?.get(tool);
  const required: unknown = typeof schema === "object" && schema !== null ? Reflect.get(schema, "required") : undefined;
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}
