// Which malformed calls run by their one reading. Owns that choice: what is echoed to the model must be what was run.

import { type Answer, withRepairs } from "../turns/answer.ts";
import { decide } from "./policy.ts";
import type { ToolSet } from "./tool-set.ts";

/** The answer with the readings in their places by which calls will run; others stay as the model wrote them. */
export async function repairsThatRun(answer: Answer, tools: ToolSet): Promise<Answer> {
  const isMalformed = answer.items.some((item) => item.type === "call" && item.call.repair !== undefined);
  if (!isMalformed) return answer;
  const decisions = await decide(answer, tools, { repair: true });
  const running = new Set(
    decisions.flatMap((decision) =>
      decision.action === "run" && decision.repair !== undefined ? [decision.call.key] : [],
    ),
  );
  const repaired = withRepairs(answer);
  return {
    ...answer,
    items: answer.items.map((item, at) =>
      item.type === "call" && running.has(item.call.key) ? (repaired.items[at] ?? item) : item,
    ),
  };
}
