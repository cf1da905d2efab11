// Cohere v2 chat. Owns the reading of its events and of its whole (non-streaming) body, in the spelling of the wire and of
// the SDK. Calls are keyed by the event's `index`; `tool_calls` is one object in the events, a list in the body.

import type { FinishReason } from "../events.ts";
import { KeyedAssembler } from "../assembly/keyed-assembler.ts";
import type { CallDelta, KeyedSink } from "../assembly/sink.ts";
import { reportBareError, reportError } from "./error-fields.ts";
import { either, fields, listOf, stringOf, type Fields } from "./fields.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";

const FINISH: Readonly<Record<string, FinishReason>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  TOOL_CALL: "tool_calls",
  MAX_TOKENS: "length",
  ERROR: "error",
  TIMEOUT: "error",
};

/** Events that say nothing about the answer itself. */
const SILENT = new Set(["content-end", "citation-start", "citation-end", "debug"]);

class CohereReader implements ProtocolReader {
  read(value: unknown, sink: KeyedSink, event?: string): void {
    const frame = fields(value);
    if (frame === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    const type = stringOf(frame["type"]) || stringOf(event);
    const delta = fields(frame["delta"]) ?? {};
    const message = fields(delta["message"]) ?? {};
    const { index } = frame as { index?: unknown };
    switch (type) {
      case "message-start":
        return sink.response(frame["id"]);
      case "content-start":
      case "content-delta":
        return content(fields(message["content"]) ?? {}, sink);
      case "tool-plan-delta":
        return sink.reasoning(either(message, "toolPlan"), 0, "tool_plan");
      case "tool-call-start":
        // The arguments are "" here, but may hold text.
        return sink.open(callOf(index, listOf(either(message, "toolCalls"))[0] ?? {}));
      case "tool-call-delta":
        return sink.append({ index }, fields(listOf(either(message, "toolCalls"))[0]?.["function"])?.["arguments"]);
      case "tool-call-end":
        return sink.close({ index });
      case "message-end":
        return end(delta, sink);
      default:
        if (SILENT.has(type)) return;
        if (fields(frame["message"]) !== undefined) return whole(frame, sink);
        if (reportError(frame, sink) || ((type === "" || type === "error") && reportBareError(frame, sink))) return;
        sink.notice("unknown-frame", `A frame of type "${type.slice(0, 40)}" was passed over.`);
    }
  }
}

function content(part: Fields, sink: KeyedSink): void {
  sink.text(part["text"]);
  sink.reasoning(part["thinking"]);
}

/** An absent or literal `null` text of arguments means none: https://github.com/vercel/ai/blob/000e988665c5cb4daf3513018619cd45303f5d67/packages/cohere/src/cohere-chat-language-model.ts */
function callOf(index: unknown, call: Fields): CallDelta {
  const named = fields(call["function"]) ?? {};
  return { index, id: call["id"], name: named["name"], args: named["arguments"] };
}

/** A call that MAX_TOKENS cut has no `tool-call-end`: https://github.com/ortus-boxlang/bx-ai/pull/281 shows the kind. */
function end(delta: Fields, sink: KeyedSink): void {
  usage(delta, sink);
  const { error } = delta as { error?: unknown };
  const word = either(delta, "finishReason");
  if (typeof error === "string" && error !== "") sink.error(word, error, delta);
  if (typeof word === "string") sink.finish(word, FINISH[word] ?? null);
  sink.end();
}

function whole(body: Fields, sink: KeyedSink): void {
  const message = fields(body["message"]) ?? {};
  sink.response(body["id"]);
  sink.reasoning(either(message, "toolPlan"), 0, "tool_plan");
  for (const part of listOf(message["content"])) content(part, sink);
  for (const [index, call] of listOf(either(message, "toolCalls")).entries()) sink.whole(callOf(index, call));
  end(body, sink);
}

function usage(from: Fields, sink: KeyedSink): void {
  const counts = fields(from["usage"]);
  if (counts === undefined) return;
  const tokens = fields(counts["tokens"]) ?? fields(either(counts, "billedUnits")) ?? {};
  sink.usage(counts, either(tokens, "inputTokens"), either(tokens, "outputTokens"));
}

/** Names that no other wire gives its events. */
const TYPE = /^(?:message|content|citation|tool-call)-(?:start|end)$|^(?:content|tool-plan|tool-call)-delta$/;

/** What reads the events of one answer. */
export function readCohere(): ProtocolReader {
  return new CohereReader();
}

/** Cohere chat, version 2. */
export const cohere: Protocol = {
  name: "cohere",
  framing: "sse",
  assembler: KeyedAssembler,
  detect(value, event) {
    if (TYPE.test(stringOf(value["type"]) || stringOf(event))) return 1;
    return fields(value["message"]) !== undefined && stringOf(value["finish_reason"]) in FINISH ? 0.9 : 0;
  },
  start: readCohere,
};
