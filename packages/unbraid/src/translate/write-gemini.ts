// Requests of Gemini's generateContent. Owns their writing; model and stream stand in the address.

import { isMedia } from "../turns/content.ts";
import { geminiTurns } from "../turns/gemini.ts";
import { defined, type NeutralRequest } from "./neutral-request.ts";
import { RequestError } from "./request-error.ts";
import {
  budgetIn,
  effortIn,
  leaveOut,
  chosenTools,
  historyOf,
  mediaPart,
  systemInFront,
  type UserTurn,
  type WriteContext,
} from "./writing.ts";

const MAX_STOPS = 5;

/** Writes a request. */
export function writeGemini(request: NeutralRequest, context: WriteContext): Record<string, unknown> {
  leaveOut(request, ["user", "verbosity"], context);
  if (request.parallelCalls === false) leaveOut(request, ["parallelCalls"], context);
  const contents = historyOf(request, geminiTurns, context, {
    user: (turn) => userMessages(turn, context),
    system: () => [],
  });
  if (contents.length === 0)
    throw new RequestError("malformed", "", "holds no message of the user's, which this vendor wants");
  const { tools, config } = toolsOf(request, context);
  const system = systemInFront(request, context);
  const generationConfig = configOf(request, context);
  return {
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
    contents,
    ...(tools.length === 0 ? {} : { tools: geminiTurns.tools(tools) }),
    ...(config === undefined || tools.length === 0 ? {} : { toolConfig: { functionCallingConfig: config } }),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
  };
}

function userMessages({ content, path }: UserTurn, context: WriteContext): readonly unknown[] {
  const parts = content.map((part) =>
    isMedia(part) ? mediaPart(part, geminiTurns, path, context) : { text: part.text },
  );
  return [{ role: "user", parts: parts.length === 0 ? [{ text: "" }] : parts }];
}

function toolsOf(
  request: NeutralRequest,
  context: WriteContext,
): { readonly tools: NeutralRequest["tools"]; readonly config: Readonly<Record<string, unknown>> | undefined } {
  const { tools, toolChoice } = request;
  if (tools.some(({ strict }) => strict === true))
    context.notices.say("field-left-out", 'This vendor has no "strict" on tools.');
  switch (toolChoice?.mode) {
    case undefined:
      return { tools, config: undefined };
    case "none":
      return { tools, config: { mode: "NONE" } };
    case "required": {
      const { names } = toolChoice ?? {};
      return { tools, config: { mode: "ANY", ...(names === undefined ? {} : { allowedFunctionNames: names }) } };
    }
    default:
      return { tools: chosenTools(request, context), config: { mode: "AUTO" } };
  }
}

function configOf(request: NeutralRequest, { notices }: WriteContext): Record<string, unknown> {
  const { format, stop } = request;
  if ((stop?.length ?? 0) > MAX_STOPS)
    notices.say("value-changed", `This vendor takes ${MAX_STOPS} stop sequences; the first ones were kept.`);
  return defined({
    maxOutputTokens: request.maxTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    stopSequences: stop?.slice(0, MAX_STOPS),
    responseMimeType: format === undefined ? undefined : "application/json",
    responseJsonSchema: format?.type === "schema" ? format.schema : undefined,
    thinkingConfig: thinkingOf(request),
  });
}

/** Gemini 3 has levels, and earlier models a budget. */
function thinkingOf({ reasoning, model }: NeutralRequest): unknown {
  if (reasoning === undefined) return undefined;
  const shown = defined({ includeThoughts: reasoning.shown });
  const effort = effortIn(reasoning);
  if (effort === undefined) return Object.keys(shown).length === 0 ? undefined : shown;
  if (/gemini-(?:[3-9]|\d\d)/.test(model ?? "")) return { ...shown, thinkingLevel: LEVELS[effort] };
  return { ...shown, thinkingBudget: budgetIn(reasoning) };
}

const LEVELS = {
  none: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
} as const;
