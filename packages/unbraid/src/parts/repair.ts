// The corrected reading that is offered beside a malformed call. Owns when one is looked for; what it is, json/repair.ts says.

import type { DeclaredTool } from "../assembly/declared-tools.ts";
import type { CallRepair, ToolCall } from "../events.ts";
import { repairArguments } from "../json/repair.ts";

/** Finds the one reading of a malformed call, where there is one; goes into `ReaderOptions.repair`. */
export type RepairPart = (call: ToolCall, tools?: readonly DeclaredTool[]) => CallRepair | undefined;

/** Longest malformed text for which a repair is looked for, in UTF-16 units. */
const MAX_REPAIR = 1 << 20;

/**
 * Repairs: the field `repair` beside the malformed calls of a reader that was made by the entry of one wire. The readers of
 * the main entry offer them by themselves. Offered, never applied.
 *
 * @param call A malformed call.
 * @param tools The declared tools: with their parameters' names a text whose beginning is missing can be repaired.
 * @returns The correction; undefined where there is none, or more than one.
 * @example
 * import { repair } from "unbraid/parts";
 * import { openaiChat } from "unbraid/protocols/openai-chat";
 *
 * const reader = openaiChat.reader({ repair });
 */
export function repair(call: ToolCall, tools?: readonly DeclaredTool[]): CallRepair | undefined {
  const { name, argumentsText } = call;
  if (argumentsText.length > MAX_REPAIR || name === "") return undefined;
  const schema = tools?.findLast((tool) => tool.name === name)?.parameters;
  const found = repairArguments(argumentsText, { parameters: parameterNames(schema) });
  return found && { argumentsText: found.text, arguments: found.value, codes: found.codes };
}

function parameterNames(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null || !("properties" in schema)) return [];
  const { properties } = schema;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}
