// What the writers of all vendors share: turns in a vendor's form with a word about what the form leaves out, and how hard a
// model is to think in each vendor's measure. Owns these.

import type { Answer, AnswerItem } from "../turns/answer.ts";
import { isMedia, leftOut, type ContentPart, type MediaPart } from "../turns/content.ts";
import type { TurnForm } from "../turns/turn-form.ts";
import { INVALID_ARGUMENTS } from "../turns/echoed-call.ts";
import type { Effort, NeutralRequest, NeutralTurn, ReasoningRequest } from "./neutral-request.ts";
import type { TranslateNotices } from "./notices.ts";

/** What a writer is given beside the request. */
export interface WriteContext {
  readonly notices: TranslateNotices;
  /** Chat only: the field in which an assistant's reasoning goes back. Absent: it is left out. */
  readonly reasoningField?: string;
  /** Anthropic only: most tokens of the answer where the request does not say. */
  readonly defaultMaxTokens: number;
}

/** A message of the user's. */
export type UserTurn = Extract<NeutralTurn, { role: "user" }>;

/** What differs from vendor to vendor in a history. */
export interface TurnWriters {
  /** A message of the user's. */
  readonly user: (turn: UserTurn) => readonly unknown[];
  /** Instructions amid the history; nothing where the vendor has them in front alone. */
  readonly system: (text: string) => readonly unknown[];
}

/** The history in a vendor's form. */
export function historyOf(
  request: NeutralRequest,
  form: TurnForm,
  context: WriteContext,
  write: TurnWriters,
): readonly unknown[] {
  return request.turns.flatMap((turn): readonly unknown[] => {
    switch (turn.role) {
      case "system":
        return write.system(turn.text);
      case "user":
        return write.user(turn);
      case "assistant":
        return assistantMessages(turn, form, request.model, context);
      default:
        return resultMessages(turn, form, request.model, context);
    }
  });
}

/** All instructions, for vendors that have them in front of the history alone. */
export function systemInFront(request: NeutralRequest, { notices }: WriteContext): readonly string[] {
  const later = request.turns.flatMap((turn) => (turn.role === "system" ? [turn] : []));
  for (const { path } of later)
    notices.say("order-changed", "Instructions amid the history stand before it now.", path);
  return [...request.system, ...later.map(({ text }) => text)].filter((text) => text.trim() !== "");
}

/** The tools that may be called, for vendors that cannot be told to choose among some of those that are declared. */
export function chosenTools({ tools, toolChoice }: NeutralRequest, { notices }: WriteContext): NeutralRequest["tools"] {
  const names = toolChoice?.names;
  if (names === undefined) return tools;
  notices.say("value-changed", "This vendor cannot be told to choose among some tools: only those are declared.");
  return tools.filter(({ name }) => names.includes(name));
}

/** An assistant's turn in a vendor's form. */
function assistantMessages(
  turn: Extract<NeutralTurn, { role: "assistant" }>,
  form: TurnForm,
  model: string | undefined,
  { notices, reasoningField }: WriteContext,
): readonly unknown[] {
  const items = turn.items.map((item) => withField(item, reasoningField));
  if (items.some((item) => item.type === "reasoning" && item.field === undefined))
    notices.say(
      "reasoning-left-out",
      "Reasoning of earlier turns was left out: this vendor has no place for it.",
      turn.path,
    );
  if (items.some((item) => item.type === "call" && item.call.status === "malformed"))
    notices.say(
      "arguments-wrapped",
      `Arguments that are no JSON object go as the key "${INVALID_ARGUMENTS}" of one.`,
      turn.path,
    );
  return form.assistant(answerOf(items, form, model));
}

/** Only Chat has a field for it, and only where the caller says which: there the field of the client's own is kept too. */
function withField(item: AnswerItem, reasoningField: string | undefined): AnswerItem {
  if (item.type !== "reasoning") return item;
  return reasoningField === undefined ? { type: "reasoning", text: item.text } : { ...item, field: reasoningField };
}

function answerOf(items: readonly AnswerItem[], form: TurnForm, model: string | undefined): Answer {
  return {
    protocol: form.protocol,
    response: model === undefined ? {} : { model },
    items,
    answered: [],
    finish: "tool_calls",
    rawFinish: null,
    error: null,
  };
}

/** Results in a vendor's form, and what the form puts elsewhere or leaves out. */
function resultMessages(
  turn: Extract<NeutralTurn, { role: "results" }>,
  form: TurnForm,
  model: string | undefined,
  { notices }: WriteContext,
): readonly unknown[] {
  const { results, path } = turn;
  const calls = results.map(({ call }): AnswerItem => ({ type: "call", call }));
  const messages = form.results(results, answerOf(calls, form, model));
  const written = JSON.stringify(messages);
  for (const part of results.flatMap(({ content }) => content.filter(isMedia))) {
    if (holds(written, leftOut(part))) sayLeftOut(part, path, notices);
    else if (/it follows in the next message|it stands beside this result/.test(written))
      notices.say("order-changed", "Media of a result stand behind it: this vendor's results are text.", path);
  }
  if (form.protocol.startsWith("openai") && results.some(({ isError }) => isError === true))
    notices.say("field-left-out", "This vendor has no error flag on results: the text says that it is one.", path);
  return messages;
}

/** A part of a message of the user's that is no text, in a vendor's form. */
export function mediaPart(part: MediaPart, form: TurnForm, path: string, { notices }: WriteContext): unknown {
  const [message] = form.user([part]) as readonly { readonly content?: unknown; readonly parts?: unknown }[];
  const list = message?.content ?? message?.parts;
  const written: unknown = Array.isArray(list) ? list[0] : { type: "text", text: list };
  if (holds(JSON.stringify(written), leftOut(part))) sayLeftOut(part, path, notices);
  return written;
}

function holds(json: string, text: string): boolean {
  return json.includes(JSON.stringify(text).slice(1, -1));
}

function sayLeftOut(part: ContentPart, path: string, notices: TranslateNotices): void {
  const type = isMedia(part) ? part.mediaType : "text";
  notices.say(
    "content-left-out",
    `A part of type ${type.slice(0, 60)} is not one that this vendor takes here; words stand in its place.`,
    path,
  );
}

/** Fields that a vendor does not have. */
export function leaveOut(
  request: NeutralRequest,
  names: readonly (keyof NeutralRequest)[],
  { notices }: WriteContext,
): void {
  for (const name of names)
    if (request[name] !== undefined)
      notices.say("field-left-out", `This vendor has no counterpart of "${SPELLED[name] ?? name}".`);
}

const SPELLED: Partial<Readonly<Record<keyof NeutralRequest, string>>> = {
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  parallelCalls: "parallel tool calls",
};

/** Tokens of reasoning that an effort stands for, where a vendor counts them. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/** The effort of a request, from its budget where it says none. */
export function effortIn({ effort, budget }: ReasoningRequest): Effort | undefined {
  if (effort !== undefined || budget === undefined) return effort;
  if (budget <= 0) return "none";
  return budget <= BUDGETS.low ? "low" : budget <= BUDGETS.medium ? "medium" : "high";
}

/** The budget of a request, from its effort where it says none. */
export function budgetIn({ effort, budget }: ReasoningRequest): number | undefined {
  return budget ?? (effort === undefined ? undefined : BUDGETS[effort]);
}
