// Events by hand, in few words. Owns the short forms that the tests of this room share.

import type { CallIdentity, CallStatus, FinishReason, RetractReason, StreamEvent, ToolCall } from "../events.ts";

const at = { frame: 0, start: 0, end: 0 };

/** A call; its key is its id. */
export function call(id: string, name = "get_weather", more: Partial<CallIdentity> = {}): CallIdentity {
  return { key: id, id, name, kind: "function", choice: 0, index: 0, ...more };
}

/** A closed call. */
export function closed(
  one: CallIdentity,
  argumentsText: string,
  status: CallStatus = "complete",
  more: Partial<ToolCall> = {},
): ToolCall {
  const isObject = status === "complete" && one.kind !== "custom";
  return {
    ...one,
    status,
    argumentsText,
    arguments: isObject ? (JSON.parse(argumentsText) as Record<string, unknown>) : null,
    ...(status === "complete" ? {} : { problem: { code: "invalid-json", message: "It is no JSON." } }),
    ...more,
  };
}

export const response = (id: string, model: string): StreamEvent => ({ type: "response", id, model, at });
export const text = (words: string, choice = 0): StreamEvent => ({ type: "text", text: words, choice, at });
export const refusal = (words: string): StreamEvent => ({ type: "text", text: words, choice: 0, refusal: true, at });
export const reasoning = (words: string): StreamEvent => ({ type: "reasoning", text: words, choice: 0, at });
export const part = (value: unknown): StreamEvent => ({ type: "part", part: value, choice: 0, at });
export const start = (one: CallIdentity, echo?: Record<string, unknown>): StreamEvent => ({
  type: "call.start",
  call: one,
  ...(echo === undefined ? {} : { echo }),
  at,
});
export const append = (one: CallIdentity, words: string): StreamEvent => ({
  type: "call.append",
  call: one,
  text: words,
  at,
});
export const replace = (one: CallIdentity, words: string): StreamEvent => ({
  type: "call.replace",
  call: one,
  text: words,
  at,
});
export const close = (one: ToolCall): StreamEvent => ({ type: "call.close", call: one, at });
export const retract = (one: CallIdentity, reason: RetractReason = "repeated-call"): StreamEvent => ({
  type: "call.retract",
  call: one,
  reason,
  argumentsText: "",
  at,
});
export const finish = (reason: FinishReason | null, raw: string | null = reason): StreamEvent => ({
  type: "finish",
  reason,
  raw,
  at,
});
export const usage = (raw: Record<string, unknown>, inputTokens?: number, outputTokens?: number): StreamEvent => ({
  type: "usage",
  raw,
  ...(inputTokens === undefined ? {} : { inputTokens }),
  ...(outputTokens === undefined ? {} : { outputTokens }),
  at,
});
export const failed = (code: string | number | null, message: string, status?: number): StreamEvent => ({
  type: "error",
  error: { code, message, ...(status === undefined ? {} : { status }) },
  at,
});

/** A whole call in three events. */
export function calling(one: CallIdentity, args: string): StreamEvent[] {
  return [start(one), ...(args === "" ? [] : [append(one, args)]), close(closed(one, args))];
}
