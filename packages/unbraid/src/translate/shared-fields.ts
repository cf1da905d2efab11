// What the readers of several vendors share: efforts, lists of tools, messages of the user's. Owns
// these.

import type { ContentPart } from "../turns/content.ts";
import type { CallResult, ToolDefinition } from "../turns/turn-form.ts";
import type { Effort, NeutralTurn } from "./neutral-request.ts";
import { RequestError } from "./request-error.ts";
import type { RequestObject } from "./request-object.ts";

/** From least to most. */
export const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** An effort by its word. */
export function effortOf(word: string | undefined, path: string): Effort | undefined {
  if (word === undefined) return undefined;
  const effort = EFFORTS.find((each) => each === word.toLowerCase());
  if (effort === undefined) throw new RequestError("malformed", path, `is "${word.slice(0, 40)}", which is no effort`);
  return effort;
}

/** Tools, each read by `read`, which gives nothing for one that only its own vendor runs. */
export function toolsOf(
  list: readonly RequestObject[],
  read: (tool: RequestObject) => ToolDefinition | undefined,
): readonly ToolDefinition[] {
  const seen = new Set<string>();
  return list.flatMap((tool) => {
    const definition = read(tool);
    if (definition === undefined) {
      const said = tool.take("type");
      const type = typeof said === "string" ? said.slice(0, 40) : "";
      tool.skip();
      tool.notices.say("tool-left-out", `A tool of type "${type}" runs at its own vendor; it was left out.`, tool.path);
      return [];
    }
    if (definition.name === "") throw new RequestError("malformed", tool.path, "has an empty name");
    if (seen.has(definition.name))
      throw new RequestError(
        "malformed",
        tool.path,
        `has the name "${definition.name.slice(0, 80)}", which another tool has`,
      );
    seen.add(definition.name);
    return [definition];
  });
}

/** A message of the user's that holds results too: they come before what the user says. */
export function userTurns(
  results: readonly CallResult[],
  content: readonly ContentPart[],
  path: string,
): NeutralTurn[] {
  const answers: NeutralTurn[] = results.length === 0 ? [] : [{ role: "results", results, path }];
  return content.length === 0 && results.length > 0 ? answers : [...answers, { role: "user", content, path }];
}
