// How tests come to an answer: from the frames of a wire, read as a user would read them. Owns the framing and the results.

import { createReader } from "../any-wire.ts";
import type { ToolCall } from "../events.ts";
import type { ProtocolName } from "../protocols/protocol.ts";
import { AnswerCollector, pending, type Answer } from "./answer.ts";
import type { ContentPart } from "./content.ts";
import type { CallResult } from "./turn-form.ts";

/** Wires whose messages are lines of JSON; the others are SSE. */
const LINES: ReadonlySet<ProtocolName> = new Set(["ollama", "bedrock", "openai-realtime"]);

/** The answers that a wire's frames come to. */
export function answersOf(
  protocol: ProtocolName,
  frames: readonly object[],
  lines = LINES.has(protocol),
): readonly Answer[] {
  const collector = new AnswerCollector(protocol);
  const reader = createReader({ protocol });
  const body = frames
    .map((frame) => (lines ? `${JSON.stringify(frame)}\n` : `data: ${JSON.stringify(frame)}\n\n`))
    .join("");
  for (const event of [...reader.push(body), ...reader.end()]) collector.add(event);
  return collector.answers;
}

/** The last of them. */
export function answerOf(protocol: ProtocolName, ...frames: readonly object[]): Answer {
  const answer = answersOf(protocol, frames).at(-1);
  if (answer === undefined) throw new Error("the frames hold no answer");
  return answer;
}

/** A result for each pending call: its words, or `ok 0`, `ok 1`, … */
export function resultsFor(answer: Answer, ...contents: readonly (readonly ContentPart[])[]): readonly CallResult[] {
  return pending(answer).map((call, at) => ({ call, content: contents[at] ?? [{ type: "text", text: `ok ${at}` }] }));
}

/** A closed call, complete unless it is said otherwise. */
export function callOf(more: Partial<ToolCall> = {}): ToolCall {
  return {
    key: more.id ?? "k",
    id: "call_1",
    name: "lookup",
    kind: "function",
    choice: 0,
    index: 0,
    status: "complete",
    argumentsText: '{"q":1}',
    arguments: { q: 1 },
    ...more,
  };
}

/** An answer of some items. */
export function answerWith(protocol: ProtocolName, items: Answer["items"], more: Partial<Answer> = {}): Answer {
  return {
    protocol,
    response: {},
    items,
    answered: [],
    finish: "tool_calls",
    rawFinish: null,
    error: null,
    ...more,
  };
}

/** A PNG by its bytes. */
export const IMAGE: ContentPart = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" };
/** Two words. */
export const TEXT: ContentPart = { type: "text", text: "Look here." };
/** A PDF by its bytes. */
export const PDF: ContentPart = { type: "file", mediaType: "application/pdf", data: "JVBERi0=", name: "a.pdf" };
/** A sound, which few vendors take. */
export const SOUND: ContentPart = { type: "file", mediaType: "audio/ogg", url: "https://example.org/a.ogg" };
