// Turns in the form of Gemini's generateContent. Owns the echo of parts: a signature goes back on the part that bore it, and
// an id only where the vendor gave one.

import type { ToolCall } from "../events.ts";
import { needsResult, type Answer } from "./answer.ts";
import { NO_OUTPUT, isMedia, leftOut, textOf, wellFormed, type ContentPart, type MediaPart } from "./content.ts";
import { objectSchema } from "./function-tools.ts";
import { behindResults, inPlaceOf, standsBehind } from "./result-words.ts";
import { argumentsOf, checkNames, nameOf, type NameRule } from "./echoed-call.ts";
import { inCallOrder } from "./paired-results.ts";
import { SpokenText } from "./spoken-text.ts";
import type { CallResult, RequestParts, ToolDefinition, TurnForm } from "./turn-form.ts";

/** https://ai.google.dev/api/caching#FunctionDeclaration */
export const GEMINI_NAMES: NameRule = {
  refused: /[^a-zA-Z0-9_.:-]/gu,
  length: 128,
  badStart: /^[^a-zA-Z_]/,
  words: "1 to 128 of a-z, A-Z, 0-9, _, ., : and -, with a letter or _ first",
};

/** What the vendor takes in place of a signature that was lost: https://ai.google.dev/gemini-api/docs/thought-signatures */
const NO_SIGNATURE = "skip_thought_signature_validator";

type Part = Readonly<Record<string, unknown>>;

function request({ system, messages, tools: definitions = [] }: RequestParts): Record<string, unknown> {
  return {
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: messages,
    ...(definitions.length === 0 ? {} : { tools: declarations(definitions) }),
  };
}

/** Definitions as Gemini declares them: JSON Schema as it is, not the dialect of `parameters`. */
export function declarations(definitions: readonly ToolDefinition[]): readonly unknown[] {
  checkNames(definitions, GEMINI_NAMES);
  const list = definitions.map(({ name, description, parameters }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    parametersJsonSchema: objectSchema(parameters),
  }));
  return list.length === 0 ? [] : [{ functionDeclarations: list }];
}

function assistant(answer: Answer): readonly unknown[] {
  const parts = modelParts(answer);
  return parts.length === 0 ? [] : [{ role: "model", parts }];
}

/** The parts of an answer, for generateContent and for Live. */
export function modelParts(answer: Answer): readonly Part[] {
  const turn = new SpokenText<Part>((text) => ({ text: wellFormed(text) }));
  const thoughts = new SpokenText<Part>(() => undefined);
  const answered = new Set(answer.answered);
  for (const item of answer.items) {
    if (item.type === "text") turn.say(item.text);
    // Thoughts need not go back, unless one is signed.
    else if (item.type === "reasoning") thoughts.say(item.text);
    else if (item.type === "part") addPart(item.part as Part, turn, thoughts);
    else if (needsResult(item.call, answered)) turn.push(callPart(item.call));
    else if (isServers(item.call)) turn.push(item.call.echo?.["part"] as Part);
  }
  turn.flush();
  return signed(turn.items, answer);
}

function addPart(part: Part, turn: SpokenText<Part>, thoughts: SpokenText<Part>): void {
  const { text, thought } = part as { text?: unknown; thought?: unknown };
  if (typeof text !== "string" || (thought === true ? thoughts : turn).unsay(text)) turn.push(camel(part));
}

/** Proxies and dumps spell fields as protobufs do. */
function camel(part: Part): Part {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

function isServers({ kind, status, echo }: ToolCall): boolean {
  return kind === "server" && status === "complete" && typeof echo?.["part"] === "object";
}

function callPart(call: ToolCall): Part {
  return {
    functionCall: { ...idOf(call), name: nameOf(call.name, GEMINI_NAMES), args: argumentsOf(call) },
    ...call.echo,
  };
}

/** The vendor takes back only ids that it gave. */
function idOf({ id, madeId }: ToolCall): { readonly id?: string } {
  return madeId === true ? {} : { id };
}

/** Gemini 3 refuses a turn whose first call bears no signature; where the wire brought none, it is told so. */
function signed(parts: readonly Part[], { response }: Answer): readonly Part[] {
  if (!isThird(response.model)) return parts;
  const calls = parts.filter((part) => part["functionCall"] !== undefined);
  const [first] = calls;
  if (first === undefined || calls.some((part) => part["thoughtSignature"] !== undefined)) return parts;
  return parts.map((part) => (part === first ? { ...part, thoughtSignature: NO_SIGNATURE } : part));
}

function isThird(model: string | undefined): boolean {
  return /gemini-(?:[3-9]|\d\d)/.test(model ?? "");
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  const ordered = inCallOrder(given, answer);
  const inside = isThird(answer?.response.model);
  const responses = ordered.map((result) => ({ functionResponse: functionResponse(result, inside) }));
  // Before Gemini 3 media stand beside the results, in the same message.
  const beside = inside ? [] : behindResults(ordered, inlineData, (text) => ({ text }));
  return responses.length === 0 ? [] : [{ role: "user", parts: [...responses, ...beside] }];
}

/**
 * The answer to a call.
 *
 * @param inside Whether media may stand in it, as from Gemini 3 on.
 * @param say What is said in place of media that do not stand in it.
 */
export function functionResponse(
  { call, content, isError }: CallResult,
  inside: boolean,
  say: (part: MediaPart) => string = inPlaceOf(inlineData, standsBehind),
): Part {
  const media = inside ? content.filter(isMedia).flatMap((part) => inlineData(part) ?? []) : [];
  const words =
    media.length === 0 ? content : content.filter((part) => !isMedia(part) || inlineData(part) === undefined);
  const text = words.length === 0 && media.length > 0 ? "(see the attached parts)" : textOf(words, say);
  return {
    ...idOf(call),
    name: nameOf(call.name, GEMINI_NAMES),
    response: isError === true ? { error: text } : { output: text },
    ...(media.length === 0 ? {} : { parts: media }),
  };
}

/** A part with bytes, or the address of a file that the vendor holds. */
function inlineData(part: MediaPart): Part | undefined {
  const { data, url, mediaType: mimeType } = part;
  if (data !== undefined) return { inlineData: { mimeType, data } };
  return url === undefined ? undefined : { fileData: { mimeType, fileUri: url } };
}

/** Content of the user's, for generateContent and for Live. */
export function userParts(content: readonly ContentPart[]): readonly Part[] {
  const parts = content.flatMap((part): readonly Part[] => {
    if (!isMedia(part)) return part.text === "" ? [] : [{ text: wellFormed(part.text) }];
    return [inlineData(part) ?? { text: leftOut(part) }];
  });
  return parts.length === 0 ? [{ text: NO_OUTPUT }] : parts;
}

/** Gemini's generateContent, of the Gemini API and of Vertex. */
export const geminiTurns: TurnForm = {
  name: "gemini",
  protocol: "gemini",
  shape: { assistant: "message", results: "message" },
  tools: declarations,
  assistant,
  results,
  user: (content) => [{ role: "user", parts: userParts(content) }],
  request,
};
