// Gemini Live: a WebSocket session, one JSON message a frame. Owns where its turns begin and end, its whole calls and their
// cancellation. What stands in a turn's parts is read in gemini.ts.

import type { FinishReason } from "../events.ts";
import type { SessionSink } from "../assembly/sink.ts";
import { reportBareError, reportError } from "./error-fields.ts";
import { either, fields, listOf, stringOf, type Fields } from "./fields.ts";
import type { ProtocolReader } from "./protocol.ts";

/** Why a turn was completed, where the wire says so. Words that are not here are filters. */
const REASON: Readonly<Record<string, FinishReason | null>> = {
  TURN_COMPLETE_REASON_UNSPECIFIED: null,
  NEED_MORE_INPUT: "stop",
  MALFORMED_FUNCTION_CALL: "error",
};

/** Messages that say nothing of an answer, the client's own among them. */
const SILENT = [
  "setupComplete",
  "goAway",
  "sessionResumptionUpdate",
  "voiceActivity",
  "voiceActivityDetectionSignal",
  "setup",
  "clientContent",
  "realtimeInput",
];

/** See the file's head. */
export class LiveReader implements ProtocolReader {
  readonly session = true;
  readonly #content: ProtocolReader;
  /** Something has come of the turn that is open. */
  #begun = false;

  /** @param content Reads candidates as generateContent writes them. */
  constructor(content: ProtocolReader) {
    this.#content = content;
  }

  read(value: unknown, sink: SessionSink): void {
    const message = fields(value);
    if (message === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    const server = fields(either(message, "serverContent"));
    const calls = fields(either(message, "toolCall"));
    const cancelled = fields(either(message, "toolCallCancellation"));
    const answers = fields(either(message, "toolResponse"));
    const usage = fields(either(message, "usageMetadata"));
    if (server !== undefined) this.#server(server, sink);
    if (calls !== undefined) this.#calls(listOf(either(calls, "functionCalls")), sink);
    if (usage !== undefined) tokens(usage, sink);
    if (cancelled !== undefined) cancel(cancelled["ids"], sink);
    if (answers !== undefined)
      for (const answer of listOf(either(answers, "functionResponses"))) sink.answered(answer["id"]);
    // The end comes last: usage stands beside it in the same message.
    if (server !== undefined) this.#end(server, sink);
    if ([server, calls, cancelled, answers, usage].some((known) => known !== undefined)) return;
    if (SILENT.some((name) => either(message, name) !== undefined)) return;
    if (reportError(message, sink) || reportBareError(message, sink)) return;
    sink.notice("unknown-frame", "A message of no known kind was passed over.");
  }

  #server(content: Fields, sink: SessionSink): void {
    const turn = fields(either(content, "modelTurn"));
    const parts = listOf(turn?.["parts"]);
    // What is spoken comes as sound, and beside it as text where the client asked for that.
    const spoken = stringOf(fields(either(content, "outputTranscription"))?.["text"]);
    if (parts.length === 0 && spoken === "") return;
    this.#begin(sink);
    const said = parts.filter((part) => either(part, "inlineData") === undefined);
    if (said.length > 0) this.#content.read({ candidates: [{ content: { parts: said } }] }, sink);
    sink.text(spoken);
  }

  /**
   * A message with calls has them whole, and the model waits for the results: for these calls the turn is over. What
   * follows is another response, that with the results or, where tools do not block, the rest of what is said.
   */
  #calls(calls: readonly Fields[], sink: SessionSink): void {
    if (calls.length === 0) return;
    this.#begin(sink);
    for (const call of calls) sink.whole({ id: call["id"], name: call["name"], args: call["args"] ?? {} });
    this.#begun = false;
    sink.end("tool_calls");
  }

  #begin(sink: SessionSink): void {
    this.#begun = true;
    sink.begin();
    sink.response(undefined, undefined, "live");
  }

  /** `interrupted`, then `turnComplete`: the second is no turn of its own (https://github.com/AidenAI-IO/aiden-firmware/pull/644). */
  #end(content: Fields, sink: SessionSink): void {
    const reason = stringOf(either(content, "turnCompleteReason"));
    const interrupted = content["interrupted"] === true;
    if (!interrupted && either(content, "turnComplete") !== true) return;
    if (!this.#begun && (reason === "" || REASON[reason] === null)) return;
    this.#begin(sink);
    this.#begun = false;
    if (reason === "MALFORMED_FUNCTION_CALL")
      sink.notice("provider-malformed-call", "The vendor refused the call that the model had written.");
    sink.finish(reason, reason in REASON ? (REASON[reason] ?? null) : "content_filter");
    sink.end(interrupted ? "cancelled" : null);
  }
}

/** The user spoke while the tools ran: the calls must not run, and what they did be undone if it can. */
function cancel(ids: unknown, sink: SessionSink): void {
  if (!Array.isArray(ids)) return;
  for (const id of ids as readonly unknown[]) sink.retract("cancelled", { id });
}

function tokens(usage: Fields, sink: SessionSink): void {
  const output = either(usage, "responseTokenCount") ?? either(usage, "candidatesTokenCount");
  sink.usage(usage, either(usage, "promptTokenCount"), output);
}

/** Messages of a session's server and, in a record of both sides, its client, that nothing else looks like. */
const TOLD = [
  "serverContent",
  "toolCallCancellation",
  "setupComplete",
  "sessionResumptionUpdate",
  "toolResponse",
  "setup",
  "clientContent",
  "realtimeInput",
];

/** Whether a frame is a message of a Live session. */
export function isLive(frame: Fields): boolean {
  if (TOLD.some((name) => fields(either(frame, name)) !== undefined)) return true;
  return either(fields(either(frame, "toolCall")) ?? {}, "functionCalls") !== undefined;
}
