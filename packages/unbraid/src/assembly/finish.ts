// How a response ended, from all that the wire said about it. Owns the order of strength and the words that the
// OpenAI-like wires share. Pure functions.

import type { FinishReason } from "../events.ts";

/** The strongest word wins: an error outweighs a length, a length the calls, the calls a stop. */
const STRENGTH: Record<FinishReason, number> = {
  stop: 0,
  tool_calls: 1,
  content_filter: 2,
  length: 3,
  cancelled: 4,
  error: 5,
};

/** The stronger of two finish reasons; null is weaker than any. */
export function stronger(a: FinishReason | null, b: FinishReason | null): FinishReason | null {
  if (a === null || b === null) return a ?? b;
  return STRENGTH[b] > STRENGTH[a] ? b : a;
}

/**
 * The reason that is given out. `stop` and `tool_calls` are said by servers in both directions, so presence of a
 * client's call decides between them.
 */
export function settleFinish(said: FinishReason | null, ended: boolean, clientCalls: boolean): FinishReason | null {
  if (said === "stop" || said === "tool_calls" || (said === null && ended)) return clientCalls ? "tool_calls" : "stop";
  return said;
}
