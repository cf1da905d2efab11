// What goes back to the vendor after a response: the assistant's turn, and a result for each call. Owns what stands in for
// results that only the user's tools can give; the vendor's forms are the library's.

import type { ProtocolName, StreamEvent, ToolCall } from "unbraid";
import { correctiveResult } from "unbraid/harness";
import { type Answer, AnswerCollector, type CallResult, pending, type TurnForm, turnFormOf } from "unbraid/turns";

/** The turn of one response. */
export interface TurnView {
  /** The vendor's form. */
  readonly form: string;
  /** The message, where the vendor's turn is one, else the list of items. */
  readonly assistant: unknown;
  /** The results: the message where the vendor wants one, else the list. */
  readonly results: unknown;
  /** Calls that could run: words of ours stand where their results belong. */
  readonly runnable: readonly ToolCall[];
  /** Calls that cannot: their results say why, in words for the model. */
  readonly corrected: readonly ToolCall[];
  /** Why there is no turn. */
  readonly problem: string | undefined;
}

/** Stands where the result of a call belongs that could run. */
const PLACEHOLDER = "… what the tool gave …";

/**
 * The turns of a body: one, but for the record of a session.
 *
 * @param events What was said of it.
 * @param protocol The wire.
 */
export function turnsOf(events: readonly StreamEvent[], protocol: ProtocolName): readonly TurnView[] {
  const collector = new AnswerCollector(protocol);
  for (const event of events) collector.add(event);
  return collector.answers.map((answer) => turnOf({ ...answer, protocol }));
}

function turnOf(answer: Answer): TurnView {
  const form = turnFormOf(answer);
  const calls = pending(answer);
  const runnable = calls.filter((call) => couldRun(call, answer));
  const corrected = calls.filter((call) => !runnable.includes(call));
  const results = calls.map((call) => (runnable.includes(call) ? placeholder(call) : correction(call, answer)));
  const view = { form: form.name, runnable, corrected };
  try {
    return {
      ...view,
      assistant: shaped(form.shape.assistant, form.assistant(answer)),
      results: shaped(form.shape.results, form.results(results, answer)),
      problem: undefined,
    };
  } catch (error) {
    return { ...view, assistant: null, results: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

function couldRun(call: ToolCall, { finish }: Answer): boolean {
  return call.status === "complete" && (finish === "tool_calls" || call.kind === "mcp-approval");
}

function placeholder(call: ToolCall): CallResult {
  return { call, content: [{ type: "text", text: PLACEHOLDER }] };
}

function correction(call: ToolCall, { finish }: Answer): CallResult {
  if (call.status === "truncated") return correctiveResult({ reason: "truncated", call, finish });
  if (call.status === "malformed") return correctiveResult({ reason: "malformed", call, tools: [] });
  return correctiveResult({ reason: "not-run", call, finish });
}

function shaped(shape: TurnForm["shape"]["assistant"], list: readonly unknown[]): unknown {
  return shape === "message" ? (list[0] ?? null) : list;
}
