// The tools file: what a request declared, in any vendor's form, brought to one. Owns the reading of those forms.

import { readFile } from "node:fs/promises";
import { messageOf, Misuse } from "../failure.ts";
import { inputFailure } from "../input/open.ts";

/** A declared tool. */
export interface Tool {
  readonly name: string;
  /** JSON Schema of the arguments; undefined where none was given, as for free text and vendors' own tools. */
  readonly parameters: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a tools file.
 *
 * @param path A JSON file: see {@link declaredTools}.
 * @throws Misuse where it cannot be read or is not understood.
 */
export async function readToolsFile(path: string): Promise<readonly Tool[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new Misuse(`cannot read the tools file ${path}: ${inputFailure(error).message}`, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Misuse(`the tools file ${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  return declaredTools(value, path);
}

/**
 * The tools that a value declares.
 *
 * @param value A list of tools, or a request body that holds one under `tools` or `functions`. A tool may be written
 *   plainly (`{name, parameters}`), as for OpenAI's two wires (nested under `function` or `custom`, or flat), Anthropic
 *   (`input_schema`), MCP and the AI SDK (`inputSchema`), Bedrock (`toolSpec`), or Gemini (`functionDeclarations`).
 * @param where The file's name, for the message.
 * @throws Misuse where it is none of these.
 * @example
 * declaredTools([{ type: "function", function: { name: "now" } }], "tools.json"); // [{ name: "now", parameters: undefined }]
 */
export function declaredTools(value: unknown, where: string): readonly Tool[] {
  const list = Array.isArray(value) ? value : listIn(value);
  if (list === undefined) {
    throw new Misuse(
      `the tools file ${where} must hold a JSON list of tools, [{"name": …, "parameters": {…}}], or a request with "tools"`,
    );
  }
  return list.flatMap((entry: unknown, index) => {
    const tools = toolsOf(entry);
    if (tools === undefined)
      throw new Misuse(`the tools file ${where} has an entry without a name, number ${index + 1}`);
    return tools;
  });
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function listIn(value: unknown): readonly unknown[] | undefined {
  const body = fieldsOf(value);
  const list = body?.["tools"] ?? body?.["functions"] ?? fieldsOf(body?.["toolConfig"])?.["tools"];
  if (Array.isArray(list)) return list as readonly unknown[];
  // One Gemini entry without the list around it.
  return body?.["functionDeclarations"] === undefined && body?.["function_declarations"] === undefined
    ? undefined
    : [body];
}

function toolsOf(value: unknown): readonly Tool[] | undefined {
  const entry = fieldsOf(value);
  if (entry === undefined) return undefined;
  const declarations = entry["functionDeclarations"] ?? entry["function_declarations"];
  if (Array.isArray(declarations)) {
    const tools = declarations.map((declaration: unknown) => toolOf(fieldsOf(declaration) ?? {}));
    return tools.every((tool) => tool !== undefined) ? tools : undefined;
  }
  const tool = toolOf(fieldsOf(entry["function"] ?? entry["custom"] ?? entry["toolSpec"]) ?? entry);
  if (tool !== undefined) return [tool];
  const name = vendorsOwn(entry);
  return name === undefined ? undefined : [{ name, parameters: undefined }];
}

/** Fields of a tool of the user's: an entry with one of them lacks its name. */
const OURS = new Set(["function", "custom", "toolSpec", "parameters", "input_schema", "inputSchema"]);

/** A vendor's own tool has no name of its own: `{"type": "shell"}`, `{"googleSearch": {}}`. */
function vendorsOwn(entry: Fields): string | undefined {
  const { type } = entry as { type?: unknown };
  if (typeof type === "string") return type === "function" || type === "custom" || type === "" ? undefined : type;
  const [only, second] = Object.keys(entry);
  if (only === undefined || second !== undefined || OURS.has(only)) return undefined;
  return fieldsOf(entry[only]) === undefined ? undefined : only;
}

function toolOf(fields: Fields): Tool | undefined {
  const { name } = fields as { name?: unknown };
  if (typeof name !== "string" || name === "") return undefined;
  const schema =
    fields["parameters"] ??
    fields["input_schema"] ??
    fields["inputSchema"] ??
    fields["parametersJsonSchema"] ??
    fields["parameters_json_schema"];
  const inner = fieldsOf(schema)?.["json"];
  // Bedrock wraps the schema once more.
  return { name, parameters: fieldsOf(inner) ?? schema ?? undefined };
}
