// The tools that a request declares, whatever wire it is written for. Owns the reading; a body is hostile input, and what is
// not understood is left out.

import type { DeclaredTool } from "unbraid";
import { isWord, type Obj, objectOf, objectsOf } from "../mend/dialect.ts";

/** Tools that are read of one request; more are beyond any vendor's limit. */
const MAX_TOOLS = 1024;

/**
 * The client's tools.
 *
 * @param body The parsed request.
 * @returns Undefined where it declares none.
 */
export function toolsOf(body: Obj | undefined): readonly DeclaredTool[] | undefined {
  const tools: DeclaredTool[] = [];
  for (const entry of [...objectsOf(body?.["tools"]), ...objectsOf(body?.["functions"])]) {
    const nested = objectsOf(entry["functionDeclarations"] ?? entry["function_declarations"]);
    for (const each of nested.length > 0
      ? nested
      : [objectOf(entry["function"]) ?? objectOf(entry["custom"]) ?? entry]) {
      const { name, parameters } = each;
      const schema = parameters ?? each["input_schema"] ?? each["parametersJsonSchema"];
      if (isWord(name) && tools.length < MAX_TOOLS)
        tools.push(schema === undefined ? { name } : { name, parameters: schema });
    }
  }
  return tools.length === 0 ? undefined : tools;
}
