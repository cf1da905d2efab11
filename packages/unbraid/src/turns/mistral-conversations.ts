// Turns in the form of Mistral's Conversations: entries. The vendor keeps the history, so that only results are appended as a
// rule; an answer is echoed into a conversation that is begun anew.

import type { ToolCall } from "../events.ts";
import { needsResult, type Answer } from "./answer.ts";
import { addressOf, textOf, wellFormed, type MediaPart } from "./content.ts";
import { mediaChunk, mistralContent, mistralId, mistralTools, thoughtChunks } from "./mistral.ts";
import { behindResults, flagged, inPlaceOf } from "./result-words.ts";
import { argumentsTextOf, COMMON_NAMES, nameOf } from "./echoed-call.ts";
import { inCallOrder } from "./paired-results.ts";
import { SpokenText } from "./spoken-text.ts";
import type { CallResult, RequestParts, TurnForm } from "./turn-form.ts";

type Entry = Readonly<Record<string, unknown>>;

function request({ system, messages, tools = [] }: RequestParts): Record<string, unknown> {
  return {
    ...(system === undefined ? {} : { instructions: system }),
    inputs: messages,
    ...(tools.length === 0 ? {} : { tools: mistralTools(tools) }),
  };
}

function assistant(answer: Answer): readonly unknown[] {
  const turn = new SpokenText<Entry>((text) => ({
    type: "message.output",
    role: "assistant",
    content: wellFormed(text),
  }));
  const thoughts = thoughtChunks(answer);
  if (thoughts.length > 0) turn.push({ type: "message.output", role: "assistant", content: thoughts });
  const answered = new Set(answer.answered);
  for (const item of answer.items) {
    if (item.type === "text") turn.say(item.text);
    else if (item.type === "call" && needsResult(item.call, answered)) turn.push(callEntry(item.call));
    else if (item.type === "call" && item.call.kind === "server" && item.call.status === "complete")
      turn.push(executed(item.call));
  }
  turn.flush();
  return turn.items;
}

function callEntry(call: ToolCall): Entry {
  return {
    type: "function.call",
    tool_call_id: mistralId(call),
    name: nameOf(call.name, COMMON_NAMES),
    arguments: argumentsTextOf(call),
  };
}

function executed(call: ToolCall): Entry {
  return { type: "tool.execution", id: call.id, name: call.name, arguments: argumentsTextOf(call), ...call.echo };
}

function results(given: readonly CallResult[], answer?: Answer): readonly unknown[] {
  const ordered = inCallOrder(given, answer);
  return [...ordered.map(resultEntry), ...mediaEntry(ordered)];
}

/** Words and nothing else; media follow in an entry of their own. */
function resultEntry({ call, content, isError }: CallResult): Entry {
  const result = flagged(textOf(content, inPlaceOf(addressedChunk)), isError);
  return { type: "function.result", tool_call_id: mistralId(call), result };
}

function mediaEntry(ordered: readonly CallResult[]): readonly Entry[] {
  const content = behindResults<unknown>(ordered, addressedChunk, (text) => ({ type: "text", text }));
  return content.length === 0 ? [] : [{ type: "message.input", role: "user", content }];
}

/** What has neither bytes nor an address can stand nowhere. */
function addressedChunk(part: MediaPart): unknown {
  return addressOf(part) === undefined ? undefined : mediaChunk(part);
}

/** Mistral's Conversations and agents. */
export const mistralConversationsTurns: TurnForm = {
  name: "mistral/conversations",
  protocol: "mistral",
  variant: "conversations",
  shape: { assistant: "items", results: "items" },
  tools: mistralTools,
  assistant,
  results,
  user: (content) => [{ type: "message.input", role: "user", content: mistralContent(content) }],
  request,
};
