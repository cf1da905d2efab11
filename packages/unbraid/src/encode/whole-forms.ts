// The bodies of responses that are not streamed, one function a wire. Owns their shapes.

import type { StreamEvent, ToolCall } from "../events.ts";
import { anthropicError, anthropicUsage, stopReason } from "./anthropic-words.ts";
import { ANTHROPIC_TRAITS, BLOCK_TYPES } from "./anthropic.ts";
import type { EncodeOptions, WholeResponse } from "./encoder.ts";
import { argumentsObject, unwhole } from "./faults.ts";
import { geminiError, geminiFinish, geminiUsage } from "./gemini-words.ts";
import { GEMINI_TRAITS } from "./gemini.ts";
import { ollamaUsage } from "./ollama-words.ts";
import { OLLAMA_TRAITS } from "./ollama.ts";
import { chatError, chatUsage } from "./openai-chat-words.ts";
import { CHAT_TRAITS, CUT_TEXT, type OpenaiChatEncodeOptions } from "./openai-chat.ts";
import { type Item, ResponseState } from "./openai-responses-items.ts";
import { contentOf, fieldOf, itemOf, RESPONSES_TRAITS, summaryOf } from "./openai-responses.ts";
import { textOf, type WholeAnswer, type WholeForm, type WholeItem, wholeOf } from "./whole.ts";

/**
 * A response as the body of OpenAI Chat Completions without `stream`.
 *
 * @param events All events of the response.
 * @param options See {@link OpenaiChatEncodeOptions}; `hold` and `includeUsage` mean nothing here.
 * @returns The body, or the error that the events end in with its status.
 * @example
 * const { status, body } = wholeOpenaiChat(events, { from: "anthropic" });
 * return Response.json(body, { status });
 */
export function wholeOpenaiChat(events: Iterable<StreamEvent>, options: OpenaiChatEncodeOptions = {}): WholeResponse {
  const reasoningField = options.reasoningField ?? "reasoning_content";
  return wholeOf(
    { traits: CHAT_TRAITS, body: (answer) => chatBody(answer, reasoningField), error: chatError },
    events,
    options,
  );
}

function chatBody(answer: WholeAnswer, reasoningField: string): Item {
  return {
    id: answer.id ?? `chatcmpl-${crypto.randomUUID()}`,
    object: "chat.completion",
    created: answer.created,
    model: answer.model,
    choices: [...answer.choices]
      .toSorted(([a], [b]) => a - b)
      .map(([index, items]) => ({
        index,
        message: chatMessage(answer, items, reasoningField),
        logprobs: null,
        finish_reason: chatFinish(answer, index),
      })),
    usage: chatUsage(answer.usage),
  };
}

function chatFinish(answer: WholeAnswer, index: number): string {
  const settled = answer.settled(index);
  if (settled !== "tool_calls" || !answer.truncatedText) return settled;
  answer.notice("finish-changed", CUT_TEXT);
  return "length";
}

function chatMessage(answer: WholeAnswer, items: readonly WholeItem[], reasoningField: string): Item {
  const content = textOf(items, "text");
  const refusal = textOf(items, "refusal");
  const reasoning = textOf(items, "reasoning");
  const calls = items.flatMap((item) => (item.type === "call" ? [item.call] : []));
  const tools = calls.filter(({ kind }) => kind !== "server").map((call) => chatCall(answer, call));
  const executed = calls.filter(({ kind }) => kind === "server").map((call) => answer.echoOf(call)["executed_tool"]);
  const parts = items.flatMap((item) => ("parts" in item ? item.parts : item.type === "part" ? [item.part] : []));
  return {
    role: "assistant",
    content: content === "" && (tools.length > 0 || refusal !== "") ? null : content,
    refusal: refusal === "" ? null : refusal,
    ...(reasoning === "" ? {} : { [reasoningField]: reasoning }),
    ...mergedParts(parts),
    ...(tools.length === 0 ? {} : { tool_calls: tools }),
    ...(executed.length === 0 ? {} : { executed_tools: executed }),
  };
}

/** Parts that came in pieces: lists are put one behind the other. */
function mergedParts(parts: readonly unknown[]): Item {
  const merged = new Map<string, unknown>();
  for (const part of parts) {
    for (const [name, value] of Object.entries(part ?? {}) as [string, unknown][]) {
      const held = merged.get(name);
      merged.set(
        name,
        Array.isArray(held) && Array.isArray(value) ? [...(held as unknown[]), ...(value as unknown[])] : value,
      );
    }
  }
  return Object.fromEntries(merged);
}

function chatCall(answer: WholeAnswer, call: ToolCall): Item {
  const id = answer.idOf(call);
  const name = answer.nameOf(call);
  if (call.status !== "complete") faulty(answer, call);
  return call.kind === "custom"
    ? { id, type: "custom", custom: { name, input: call.argumentsText } }
    : {
        ...answer.echoOf(call),
        id,
        type: "function",
        function: { name, arguments: call.argumentsText + unwhole(call) },
      };
}

function faulty(answer: WholeAnswer, call: ToolCall): void {
  answer.notice("arguments-faulty", `The call is ${call.status}; its arguments were written as they are.`, call.key);
}

/**
 * A response as the body of Anthropic Messages without `stream`.
 *
 * @param events All events of the response.
 * @param options See {@link EncodeOptions}; `hold` means nothing here.
 * @returns The body, or the error that the events end in with its status.
 * @example
 * const { status, body } = wholeAnthropic(events, { from: "openai-chat" });
 */
export function wholeAnthropic(events: Iterable<StreamEvent>, options: EncodeOptions = {}): WholeResponse {
  return wholeOf(ANTHROPIC, events, options);
}

const ANTHROPIC: WholeForm = {
  traits: ANTHROPIC_TRAITS,
  error: anthropicError,
  body: (answer) => {
    const items = answer.choices.get(0) ?? [];
    const refused = items.some(({ type }) => type === "refusal") && answer.ending.reason === "stop";
    return {
      id: answer.id ?? `msg_${crypto.randomUUID().replaceAll("-", "")}`,
      type: "message",
      role: "assistant",
      model: answer.model,
      content: items.map((item) => anthropicBlock(answer, item)),
      stop_reason: refused ? "refusal" : stopReason(answer.ending),
      stop_sequence: null,
      usage: anthropicUsage(answer.usage),
    };
  },
};

function anthropicBlock(answer: WholeAnswer, item: WholeItem): unknown {
  switch (item.type) {
    case "text":
      return item.parts[0] ?? { type: "text", text: item.text };
    case "refusal":
      answer.notice("refusal-as-text", "The refusal was written as text.");
      return { type: "text", text: item.text };
    case "reasoning":
      return item.parts[0] ?? { type: "thinking", thinking: item.text, signature: "" };
    case "part":
      return item.part;
    default: {
      const { call } = item;
      const type = BLOCK_TYPES[call.kind] ?? "tool_use";
      return {
        type,
        ...answer.echoOf(call),
        id: answer.idOf(call),
        name: answer.nameOf(call),
        input: objectOf(answer, call),
      };
    }
  }
}

function objectOf(answer: WholeAnswer, call: ToolCall): Item {
  const { value, wrapped } = argumentsObject(call);
  if (wrapped) answer.notice("arguments-wrapped", "Arguments that are no JSON object were wrapped in one.", call.key);
  return value;
}

/**
 * A response as the body of OpenAI Responses without `stream`.
 *
 * @param events All events of the response.
 * @param options See {@link EncodeOptions}; `hold` means nothing here.
 * @returns The body, or the error that the events end in with its status.
 * @example
 * const { status, body } = wholeOpenaiResponses(events, { from: "anthropic" });
 */
export function wholeOpenaiResponses(events: Iterable<StreamEvent>, options: EncodeOptions = {}): WholeResponse {
  return wholeOf(RESPONSES, events, options);
}

const RESPONSES: WholeForm = {
  traits: RESPONSES_TRAITS,
  error: chatError,
  body: (answer) => {
    const { id = `resp_${crypto.randomUUID().replaceAll("-", "")}`, created, model, ending } = answer;
    const state = new ResponseState({ id, created, model });
    for (const item of answer.choices.get(0) ?? []) state.add(responsesItem(answer, state, item));
    return state.end(ending.reason, answer.usage);
  },
};

function responsesItem(answer: WholeAnswer, state: ResponseState, item: WholeItem): Item {
  switch (item.type) {
    case "reasoning": {
      const own = item.parts[0] as Item | undefined;
      return own ?? { id: state.itemId("rs"), type: "reasoning", summary: [summaryOf(item.text)] };
    }
    case "text":
    case "refusal": {
      const own = item.parts[0] as Item | undefined;
      if (own !== undefined) return own;
      const id = item.item ?? state.itemId("msg");
      return {
        id,
        type: "message",
        role: "assistant",
        status: "completed",
        content: [contentOf(item.type, item.text)],
      };
    }
    case "part":
      return item.part as Item;
    default:
      return responsesCall(answer, state, item.call);
  }
}

function responsesCall(answer: WholeAnswer, state: ResponseState, call: ToolCall): Item {
  const echo = answer.echoOf(call);
  const custom = fieldOf(call.kind, echo) === "input";
  const whole = itemOf(echo);
  if (whole !== undefined) return whole;
  if (call.status !== "complete") faulty(answer, call);
  return {
    id: state.itemId(custom ? "ctc" : "fc"),
    type: custom ? "custom_tool_call" : "function_call",
    ...echo,
    status: call.status === "truncated" ? "incomplete" : "completed",
    call_id: answer.idOf(call),
    name: answer.nameOf(call),
    [custom ? "input" : "arguments"]: call.argumentsText,
  };
}

/**
 * A response as the body of Gemini's generateContent.
 *
 * @param events All events of the response.
 * @param options See {@link EncodeOptions}; `hold` means nothing here.
 * @returns The body, or the error that the events end in with its status.
 * @example
 * const { status, body } = wholeGemini(events, { from: "openai-chat" });
 */
export function wholeGemini(events: Iterable<StreamEvent>, options: EncodeOptions = {}): WholeResponse {
  return wholeOf(GEMINI, events, options);
}

const GEMINI: WholeForm = {
  traits: GEMINI_TRAITS,
  error: geminiError,
  body: (answer) => ({
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: (answer.choices.get(0) ?? []).flatMap((item) => geminiParts(answer, item)) },
        finishReason: geminiFinish(answer.ending),
      },
    ],
    usageMetadata: geminiUsage(answer.usage),
    modelVersion: answer.model,
    responseId: answer.id,
  }),
};

function geminiParts(answer: WholeAnswer, item: WholeItem): unknown[] {
  switch (item.type) {
    case "part":
      return [item.part];
    case "call": {
      const { call } = item;
      if (call.kind === "server") return [answer.echoOf(call)["part"]];
      const id = call.madeId === true ? {} : { id: answer.idOf(call) };
      return [
        { functionCall: { ...id, name: answer.nameOf(call), args: objectOf(answer, call) }, ...answer.echoOf(call) },
      ];
    }
    case "refusal":
      answer.notice("refusal-as-text", "The refusal was written as text.");
      return [{ text: item.text }];
    default: {
      const part = item.type === "reasoning" ? { text: item.text, thought: true } : { text: item.text };
      // Signed text is one part with its signature where it is whole.
      return item.parts.length === 1
        ? [{ ...(item.parts[0] as object), ...part }]
        : [part, ...item.parts.map(withoutText)];
    }
  }
}

function withoutText(part: unknown): unknown {
  return { ...(part as object), text: "" };
}

/**
 * A response as the body of Ollama's `/api/chat` without `stream`.
 *
 * @param events All events of the response.
 * @param options See {@link EncodeOptions}; `hold` means nothing here.
 * @returns The body, or the error that the events end in with its status.
 * @example
 * const { status, body } = wholeOllama(events, { from: "openai-chat" });
 */
export function wholeOllama(events: Iterable<StreamEvent>, options: EncodeOptions = {}): WholeResponse {
  return wholeOf(OLLAMA, events, options);
}

const OLLAMA: WholeForm = {
  traits: OLLAMA_TRAITS,
  error: ({ message }) => ({ error: message }),
  body: (answer) => {
    const items = answer.choices.get(0) ?? [];
    const { reason, raw } = answer.ending;
    if (reason === "content_filter")
      answer.notice("finish-changed", "This wire has no word for a filter; it says stop.");
    if (items.some(({ type }) => type === "refusal"))
      answer.notice("refusal-as-text", "The refusal was written as text.");
    const thinking = textOf(items, "reasoning");
    const calls = items.flatMap((item) => (item.type === "call" ? [item.call] : []));
    return {
      model: answer.model,
      created_at: new Date(answer.created * 1000).toISOString(),
      message: {
        role: "assistant",
        content: textOf(items, "text", "refusal"),
        ...(thinking === "" ? {} : { thinking }),
        ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, index) => ollamaCall(answer, call, index)) }),
      },
      done: true,
      done_reason: raw ?? (reason === "length" ? "length" : "stop"),
      ...ollamaUsage(answer.usage),
    };
  },
};

function ollamaCall(answer: WholeAnswer, call: ToolCall, index: number): Item {
  const id = call.madeId === true ? {} : { id: answer.idOf(call) };
  return { ...id, function: { index, name: answer.nameOf(call), arguments: objectOf(answer, call) } };
}
