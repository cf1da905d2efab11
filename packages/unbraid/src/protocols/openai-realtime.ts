// OpenAI Realtime, its clones, and OpenAI Live: WebSocket sessions, one JSON message a frame. Owns the translation of their
// messages into those of Responses, whose items and arguments they share; what these mean is read there.

import { SessionAssembler } from "../assembly/session-assembler.ts";
import type { SessionSink } from "../assembly/sink.ts";
import { fields, stringOf, type Fields } from "./fields.ts";
import { readResumed } from "./openai-responses.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";
import { ResponsesSession } from "./responses-session.ts";

/** Spoken and written text under its several names: the beta's, and the one of speech. */
const TEXT = new Set(["text", "audio_transcript", "output_audio_transcript"]);

/** Responses of a session that are over and remembered, so that what comes late opens none anew. */
const REMEMBERED = 64;

class RealtimeReader implements ProtocolReader {
  readonly session = true;
  readonly #responses = new ResponsesSession(readResumed, true);
  /** The response on the unnamed lane. Those that are open beside it (out-of-band responses) have lanes of their own. */
  #main: string | undefined;
  readonly #beside: Set<string> = new Set();
  readonly #over: Set<string> = new Set();

  read(value: unknown, sink: SessionSink): void {
    const message = fields(value);
    if (message === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    const type = stringOf(message["type"]);
    if (type === "error") return error(message, sink);
    if (type === "response.event") return this.#delegated(message, sink);
    if (type.startsWith("response.")) return this.#response(type.slice("response.".length), message, sink);
    // A call stands in the conversation too, up to three times, and may be history that the client put there: only the
    // events of a response open a call (https://github.com/lidge-jun/opencodex/pull/4652 has the doubles).
    if (type.startsWith("conversation.item.")) return answer(fields(message["item"]) ?? {}, sink);
    if (type === "session.output_transcript.delta") return sink.text(message["delta"]);
    if (type === "") sink.notice("unknown-frame", "A message without a type was passed over.");
  }

  /** OpenAI Live lets a Responses backend call the tools, and wraps its events. */
  #delegated(message: Fields, sink: SessionSink): void {
    const event = fields(message["event"]);
    const { delegation_id: delegation } = message as { delegation_id?: unknown };
    if (event === undefined) return;
    this.#responses.read({ ...event, stream_id: delegation ?? undefined }, sink);
    const lane = sink.lane(delegation ?? undefined);
    if (!ENDS.test(stringOf(event["type"]))) lane.response(undefined, undefined, "live");
  }

  #response(name: string, message: Fields, sink: SessionSink): void {
    if (name === "create" || name === "cancel" || name === "item.create")
      return answer(fields(message["item"]) ?? {}, sink);
    const response = fields(message["response"]);
    const id = stringOf(message["response_id"]) || stringOf(response?.["id"]);
    if (this.#over.has(id)) return;
    const lane = this.#laneOf(id);
    const put = (type: string, more?: Fields): void =>
      this.#responses.read({ ...message, ...more, type: `response.${type}`, stream_id: lane }, sink);
    if (name === "function_call_arguments.done") {
      // It comes for responses that were interrupted, too, and for some servers it is all that comes
      // (https://github.com/huggingface/speech-to-speech/pull/416): the text, but no close.
      put("in_progress", { response: { id } });
      const { output_index: index, item_id: item, call_id: call, name: tool, arguments: args } = message;
      return sink.lane(lane).final({ index, item, id: call, name: tool, args }, true);
    }
    if (name === "done") {
      this.#done(id);
      return put(...terminal(response ?? {}));
    }
    const [kind = "", end] = splitLast(name);
    put(TEXT.has(kind) && (end === "delta" || end === "done") ? `output_text.${end}` : name, transcript(message));
  }

  #laneOf(id: string): string | undefined {
    if (!this.#beside.has(id)) this.#main ??= id;
    if (id === this.#main) return undefined;
    this.#beside.add(id);
    return id;
  }

  #done(id: string): void {
    if (this.#main === id) this.#main = undefined;
    this.#beside.delete(id);
    if (id !== "") this.#over.add(id);
    for (const old of this.#over) {
      if (this.#over.size <= REMEMBERED) break;
      this.#over.delete(old);
    }
  }
}

/** Events behind which a response is over. */
const ENDS = /^(?:error$|response\.(?:completed|incomplete|failed|cancelled)$)/;

function splitLast(name: string): string[] {
  const at = name.lastIndexOf(".");
  return [name.slice(0, Math.max(0, at)), name.slice(at + 1)];
}

/** The whole text of speech has a name of its own. */
function transcript(message: Fields): Fields | undefined {
  return message["transcript"] === undefined ? undefined : { text: message["transcript"] };
}

/** `response.done` is all of Responses' ends in one; its details say why. */
function terminal(response: Fields): [string, Fields] {
  const status = stringOf(response["status"]) || "completed";
  const details = fields(response["status_details"]) ?? {};
  return [
    status === "in_progress" ? "completed" : status,
    { response: { ...response, error: details["error"], incomplete_details: { reason: details["reason"] } } },
  ];
}

/** An item that answers a call, which the client put into the conversation. */
function answer(item: Fields, sink: SessionSink): void {
  if (stringOf(item["type"]).endsWith("_call_output")) sink.answered(item["call_id"]);
}

/** Most errors are of a message that the client sent, and the session goes on; a response that fails says so itself. */
function error(message: Fields, sink: SessionSink): void {
  const nested = fields(message["error"]) ?? message;
  sink.error(nested["code"] ?? nested["type"], nested["message"], message, true);
}

/** Events that only a session has. */
const SESSION = /^(?:session|conversation|input_audio_buffer|output_audio_buffer|rate_limits|transcription_session)\./;

/** OpenAI Realtime (xAI and Azure too) and OpenAI Live. */
export const openaiRealtime: Protocol = {
  name: "openai-realtime",
  framing: "ndjson",
  assembler: SessionAssembler,
  detect(value) {
    const type = stringOf(value["type"]);
    if (type === "response.event" || type === "response.done") return 1;
    // Mistral's conversations have names that begin so, too.
    if (type.startsWith("conversation.response.")) return 0;
    if (SESSION.test(type)) return 1;
    return value["event_id"] !== undefined && type.startsWith("response.") ? 1 : 0;
  },
  start: () => new RealtimeReader(),
};
