// Turns in the form of Gemini Live: messages that the client sends over the socket. The session keeps the history, so that
// only results are sent as a rule; an answer is echoed into a session that is begun anew.

import type { Answer } from "./answer.ts";
import { leftOut } from "./content.ts";
import { declarations, functionResponse, modelParts, userParts } from "./gemini.ts";
import { inCallOrder } from "./paired-results.ts";
import type { CallResult, RequestParts, TurnForm } from "./turn-form.ts";

/** The fields of the set-up. */
function request({ system, tools = [] }: RequestParts): Record<string, unknown> {
  return {
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length === 0 ? {} : { tools: declarations(tools) }),
  };
}

function assistant(answer: Answer): readonly unknown[] {
  const parts = modelParts(answer);
  // The model shall not speak before the results have come.
  return parts.length === 0 ? [] : [{ clientContent: { turns: [{ role: "model", parts }], turnComplete: false } }];
}

/** Words and nothing else are taken here. */
function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  const functionResponses = inCallOrder(given, answer).map((result) => functionResponse(result, false, leftOut));
  return functionResponses.length === 0 ? [] : [{ toolResponse: { functionResponses } }];
}

/** Gemini Live. */
export const geminiLiveTurns: TurnForm = {
  name: "gemini/live",
  protocol: "gemini",
  variant: "live",
  shape: { assistant: "message", results: "message" },
  tools: declarations,
  assistant,
  results,
  user: (content) => [{ clientContent: { turns: [{ role: "user", parts: userParts(content) }], turnComplete: true } }],
  request,
};
