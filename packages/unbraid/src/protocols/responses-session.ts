// Several responses on one socket: Responses over WebSocket, and what Realtime and Live make of it. Owns which lane a frame
// belongs to, and where in a lane one response ends and the next begins. What the frames say is read in
// openai-responses.ts.

import type { SessionSink } from "../assembly/sink.ts";
import type { FramingName } from "../framing/frame.ts";
import { fields, listOf, stringOf, type Fields } from "./fields.ts";
import type { FragmentFrame } from "../templates/fragment.ts";
import type { ProtocolReader } from "./protocol.ts";

/** Types with which a response may begin; what else comes behind an end belongs to nothing. */
const BEGINS = new Set(["response.created", "response.queued", "response.in_progress", "response.output_item.added"]);
const ENDS = new Set(["response.completed", "response.incomplete", "response.failed", "response.cancelled"]);

/**
 * Reads responses that come one after another, and side by side on lanes (`stream_id`). Events of arguments name no
 * response, so that the lane's current one is meant. Over HTTP there is one response, and it ends the body.
 */
export class ResponsesSession implements ProtocolReader {
  readonly #make: () => ProtocolReader;
  readonly #first: ProtocolReader;
  /** What reads the open response of each lane. */
  readonly #lanes: Map<string, { readonly reader: ProtocolReader; id: string }> = new Map();
  #session: boolean;

  /**
   * @param make Makes what reads one response.
   * @param session True where the wire is a socket in any case.
   */
  constructor(make: () => ProtocolReader, session = false) {
    this.#make = make;
    this.#session = session;
    this.#first = make();
    this.#lanes.set("", { reader: this.#first, id: "" });
  }

  /** True once the bytes have shown that it is a socket. */
  get session(): boolean {
    return this.#session;
  }

  read(value: unknown, sink: SessionSink, event?: string, framing?: FramingName): void {
    const frame = fields(value) ?? {};
    const type = stringOf(frame["type"]);
    this.#session ||= isSocket(frame, framing);
    if (!this.#session) return this.#first.read(value, sink, event, framing);
    if (type === "response.create") return answers(frame["input"] ?? fields(frame["response"])?.["input"], sink);
    if (/^response\.(?:steer|inject)\b/.test(type)) return aside(frame, sink);
    this.#lane(stringOf(frame["stream_id"]), frame, type, sink);
  }

  fragment(value: unknown): FragmentFrame | undefined {
    const fragment = this.#session ? undefined : this.#first.fragment?.(value);
    return fragment === undefined ? undefined : { ...fragment, holds: () => !this.#session && fragment.holds() };
  }

  #lane(name: string, frame: Fields, type: string, whole: SessionSink): void {
    const sink = whole.lane(name);
    let lane = this.#lanes.get(name);
    const id = stringOf(fields(frame["response"])?.["id"]);
    if (type === "response.created" && lane !== undefined && lane.id !== "" && id !== lane.id) {
      // The one before had no end: the request was given up, or an error ended it.
      sink.end("cancelled");
      lane = undefined;
    }
    if (lane === undefined) {
      if (!BEGINS.has(type) && !ENDS.has(type) && type !== "error") {
        return sink.notice(
          "data-after-finish",
          `A frame of type "${type.slice(0, 40)}" came behind its response's end.`,
        );
      }
      this.#lanes.set(name, (lane = { reader: this.#make(), id: "" }));
      sink.begin();
    }
    if (lane.id === "") lane.id = id;
    // A steered response is void: its successor takes what it said, and no result could be sent for it.
    const steered = fields(fields(frame["response"])?.["incomplete_details"])?.["reason"] === "steered";
    if (steered) sink.retract("cancelled");
    lane.reader.read(steered ? { ...frame, response: { ...fields(frame["response"]), output: [] } } : frame, sink);
    if (type === "error") sink.end();
    if (type === "error" || ENDS.has(type)) this.#lanes.delete(name);
  }
}

/** Whether a frame is one of a socket: only that has lanes and steering, and sends its messages as JSON without events. */
export function isSocket(frame: Fields, framing: FramingName | undefined): boolean {
  const type = stringOf(frame["type"]);
  if (frame["stream_id"] !== undefined || /^response\.(?:create$|steer\b|inject\b)/.test(type)) return true;
  return type !== "" && (framing === "json" || framing === "ndjson");
}

/** The client's own message, in a record of both sides: what it answers must not run again. */
function answers(input: unknown, sink: SessionSink): void {
  for (const item of listOf(input)) {
    if (stringOf(item["type"]).endsWith("_call_output")) sink.answered(item["call_id"]);
  }
}

/** What is said of steering concerns no call. A refusal is an error of the message that was refused, not of the response. */
function aside(frame: Fields, sink: SessionSink): void {
  const error = fields(frame["error"]);
  if (error !== undefined) sink.error(error["code"], error["message"], frame, true);
}
