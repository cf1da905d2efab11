// Which calls of an answer could run, and what is told of those that cannot. Owns how `--tools` and `--repair` reach the
// harness, which decides.

import type { ToolCall } from "unbraid";
import { decide, type Tool, ToolSet } from "unbraid/harness";
import type { Answer, CallResult } from "unbraid/turns";
import type { ToolCheck } from "../tools/check.ts";

/** What becomes of the calls of an answer. */
export interface Decided {
  /** Calls that wait for a result: those that could run, and questions whether the vendor may. */
  readonly waiting: readonly ToolCall[];
  /** Keys of those among them that are read by the one reading of their malformed text. */
  readonly repaired: ReadonlySet<string>;
  /** The answers to those that cannot run. */
  readonly results: readonly CallResult[];
}

/** Decides about every call that needs a result. */
export async function decided(answer: Answer, check: ToolCheck | undefined, repair: boolean): Promise<Decided> {
  const tools = check === undefined ? undefined : new ToolSet(toolsOf(check));
  const decisions = await decide(answer, tools, { repair });
  return {
    waiting: decisions.flatMap((one) => {
      const asks = one.action === "leave" && one.why === "vendor" && one.call.kind === "mcp-approval";
      return one.action === "run" || asks ? [one.call] : [];
    }),
    repaired: new Set(
      decisions.flatMap((one) => (one.action === "run" && one.repair !== undefined ? [one.call.key] : [])),
    ),
    results: decisions.flatMap((one) => (one.action === "answer" ? [one.result] : [])),
  };
}

/** Declared tools as the harness judges by them; nothing is run. Of two with one name the later counts. */
function toolsOf(check: ToolCheck): readonly Tool[] {
  const names = new Set(check.tools.map(({ name }) => name));
  return [...names].map((name) => ({
    name,
    parameters: {},
    // A custom call's text is judged by nothing, as `unbraid calls` has it.
    validate: (args) => {
      const issues = typeof args === "string" ? [] : check.issues(name, args);
      return issues.length === 0 ? { ok: true, value: args } : { ok: false, issues };
    },
    execute: () => {
      throw new Error("unbraid turn runs no tools");
    },
  }));
}
