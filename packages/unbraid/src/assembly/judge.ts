// What is to be noticed about a call that has closed: what is wrong in it, and what does not fit the declared tools. Owns
// those notices; changes nothing.

import type { ToolCall } from "../events.ts";
import { type DeclaredTools, requiredOf } from "./declared-tools.ts";
import { isClientKind } from "../kinds.ts";
import type { NoticedCall, Speech } from "./speech.ts";

/** Says the notices of a closed call. */
export function judge(speech: Speech, tools: DeclaredTools, record: NoticedCall, call: ToolCall): void {
  const { name, problem, arguments: values } = call;
  if (call.status === "malformed") speech.notice("malformed-arguments", record, problem?.message);
  if (tools !== undefined && isClientKind(call.kind) && name !== "") {
    const missing = values === null ? [] : requiredOf(tools, name).filter((each) => !Object.hasOwn(values, each));
    if (!tools.has(name)) speech.notice("unknown-tool", record, name.slice(0, 80));
    else if (missing.length > 0) speech.notice("missing-required-arguments", record, missing.join(", "));
  }
}
