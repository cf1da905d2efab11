// What is to be noticed about a call that has closed: what is wrong in it, and what does not fit the declared tools. Owns
// those notices; changes nothing.

import type { ToolCall } from "../events.ts";
import type { CallRecord } from "./call-record.ts";
import type { DeclaredTools } from "./declared-tools.ts";
import { isClientKind } from "../kinds.ts";
import { hasLoneSurrogate } from "./lone-surrogate.ts";
import type { Speech } from "./speech.ts";

/** Says the notices of a closed call. */
export function judge(speech: Speech, tools: DeclaredTools, record: CallRecord, call: ToolCall): void {
  if (call.status === "malformed")
    speech.notice("malformed-arguments", call.problem?.message ?? "The call is malformed.", record);
  if (tools.names !== undefined && isClientKind(call.kind) && call.name !== "") judgeTool(speech, tools, record, call);
  if (call.arguments !== null && holdsHalf(record, call)) {
    speech.notice("lone-surrogate", "The arguments hold half a surrogate pair: valid JSON, but no valid text.", record);
  }
}

function holdsHalf({ args }: CallRecord, { argumentsText, arguments: value }: ToolCall): boolean {
  return hasLoneSurrogate(argumentsText, value, args.scanner.numbered);
}

function judgeTool(speech: Speech, tools: DeclaredTools, record: CallRecord, call: ToolCall): void {
  if (tools.names?.has(call.name) !== true)
    return speech.notice("unknown-tool", `No tool "${call.name.slice(0, 80)}" was declared.`, record);
  const { arguments: values } = call;
  if (values === null) return;
  const missing = (tools.required.get(call.name) ?? []).filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0)
    speech.notice("missing-required-arguments", `Required and not there: ${missing.join(", ")}.`, record);
}
