// Calls as a reader closes them, for tests of the harness.

import { Collector } from "../collect.ts";
import type { FinishReason, ToolCall } from "../events.ts";
import { createReader } from "../any-wire.ts";
import type { Answer } from "../turns/answer.ts";

/** A complete call. */
export function call(name: string, args: Record<string, unknown> = {}, more: Partial<ToolCall> = {}): ToolCall {
  const index = more.index ?? 0;
  return {
    key: `call-${index}`,
    id: `id_${index}`,
    name,
    kind: "function",
    choice: 0,
    index,
    status: "complete",
    argumentsText: JSON.stringify(args),
    arguments: args,
    ...more,
  };
}

/** A call whose argument text is judged by a real reader, in a response that ended with this word or, with null, never. */
export function callFrom(text: string, finish: string | null = "tool_calls", name = "search"): ToolCall {
  const delta = { tool_calls: [{ index: 0, id: "id_0", type: "function", function: { name, arguments: text } }] };
  const frames: unknown[] = [{ choices: [{ index: 0, delta }] }];
  if (finish !== null) frames.push({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  const collector = new Collector();
  const reader = createReader({ protocol: "openai-chat" });
  for (const frame of frames)
    for (const event of reader.push(`data: ${JSON.stringify(frame)}\n\n`)) collector.add(event);
  for (const event of reader.end()) collector.add(event);
  const [first] = collector.result.calls;
  if (first === undefined) throw new Error("the reader saw no call");
  return first;
}

/** An answer that holds these calls. */
export function answerOf(
  calls: readonly ToolCall[],
  finish: FinishReason | null = "tool_calls",
  answered: readonly string[] = [],
): Answer {
  return {
    protocol: "openai-chat",
    response: {},
    items: calls.map((each) => ({ type: "call", call: each })),
    answered,
    finish,
    rawFinish: finish,
    error: null,
  };
}
