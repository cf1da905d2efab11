// What an encoder is: events in, the text of one vendor's wire out. Owns the contract, its options and the notices; the
// wires are one file each beside it.

import type { StreamEvent } from "../events.ts";
import type { ProtocolName } from "../protocols/protocol.ts";

/** The closed set of things that a wire cannot say as the events say them. One code for one thing. */
export type EncodeNoticeCode =
  /** An id that the wire does not allow was written in other characters; `originalIdentifier` gives it back. */
  | "id-mapped"
  /** A name that the wire does not allow was written in other characters; `originalIdentifier` gives it back. */
  | "name-mapped"
  /** The call has no name; it was given one, so that it can be answered. */
  | "name-made"
  /** Id, name or kind changed behind the start, and the start had been written. */
  | "identity-changed"
  /** The call is of a kind that the wire does not have; it was written as an ordinary one. */
  | "kind-changed"
  /** The call runs at the vendor, and the wire has no form for it. */
  | "call-left-out"
  /** Arguments that are no JSON object were wrapped in one, as the wire carries objects. */
  | "arguments-wrapped"
  /** Arguments that are not whole or no JSON were written as they are: the client finds them so. */
  | "arguments-faulty"
  /** What had been written of a call was contradicted, and cannot be taken back. */
  | "replaced-call"
  /** A call was taken back after it, or part of it, had been written. */
  | "retracted-call"
  /** A candidate answer but the first was left out. */
  | "choice-left-out"
  /** Events of another response that is open on the same socket were left out. */
  | "response-left-out"
  /** A part of another vendor's answer was left out. */
  | "part-left-out"
  /** A refusal was written as text. */
  | "refusal-as-text"
  /** The finish word says something else than the events do, so that no client runs what is not whole. */
  | "finish-changed"
  /** An error that did not end the response was left out. */
  | "error-left-out"
  /** Events came after the finish. */
  | "late-event"
  /** There were more notices than are kept. */
  | "limit";

/** Something that the wire cannot say as the events say it, and what was done about it. */
export interface EncodeNotice {
  /** Which one of the closed set it is. */
  readonly code: EncodeNoticeCode;
  /** Plain words. */
  readonly message: string;
  /** The key of the call it concerns. */
  readonly call?: string;
}

/** What an encoder may be told. */
export interface EncodeOptions {
  /**
   * The wire that the events were read from. Where it is the wire that is written, the vendor's own words are kept:
   * signed and encrypted parts, fields beside a call, finish words, token counts. Absent: nothing is taken to be its own.
   */
  readonly from?: ProtocolName;
  /** The response's id; that of the events when absent, else one is made. */
  readonly id?: string;
  /** The model's name; that of the events when absent. */
  readonly model?: string;
  /** When the response was made, in seconds since 1970; now when absent. */
  readonly created?: number;
  /**
   * True: a call is written only at its close, whole, and with the arguments of the close event. So a caller may judge it
   * first: leave it out with `call.retract`, or close it with corrected arguments.
   */
  readonly hold?: boolean;
  /**
   * Tools that the client declared as free text (OpenAI custom tools) and that the vendor was told of as functions of one
   * string `input`: their calls are written as custom calls again, whole. Only the OpenAI wires have such calls.
   */
  readonly customTools?: readonly string[];
}

/**
 * Writes one response as it comes. What is written of an event waits for no later one, unless the wire cannot have it
 * earlier: Anthropic has one block open at a time, Gemini and Ollama write calls whole.
 *
 * @example
 * const encoder = encodeAnthropic({ from: "openai-chat" });
 * for await (const event of read(response)) write(encoder.push(event));
 * write(encoder.end());
 */
export interface Encoder {
  /** The wire that is written. */
  readonly wire: EncodedWire;
  /** The media type of the body. */
  readonly contentType: string;
  /** All headers that the body should be sent with, the media type among them; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the wire could not say, in order; at most 1000. */
  readonly notices: readonly EncodeNotice[];
  /** True once the end of the response has been written. */
  readonly over: boolean;
  /**
   * Takes the next event.
   *
   * @returns The text to write, in whole messages; often empty.
   */
  push(event: StreamEvent): string;
  /**
   * No more events come. Where no finish event has come, the client is told that the response was cut off.
   *
   * @returns The text to write.
   */
  end(): string;
  /** What may be written between two pieces so that nobody takes the connection for dead; empty where the wire has no such thing. */
  keepAlive(): string;
}

/** The wires that can be written. */
export type EncodedWire =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "ollama"
  | "ai-sdk-ui"
  | "ag-ui";

/** A response that is not streamed. */
export interface WholeResponse {
  /** The HTTP status that goes with it: 200, or that of the error. */
  readonly status: number;
  /** The media type of the body. */
  readonly contentType: string;
  /** The body, plain JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What the wire could not say, in order; at most 1000. */
  readonly notices: readonly EncodeNotice[];
}

const MAX_NOTICES = 1000;

/** The notices of one encoder: once a code and call, and never without bound. */
export class EncodeNotices {
  readonly list: EncodeNotice[] = [];
  readonly #said: Set<string> = new Set();

  /** Says one. */
  say(code: EncodeNoticeCode, message: string, call?: string): void {
    if (this.list.length >= MAX_NOTICES || this.#said.has(`${code} ${call ?? ""}`)) return;
    this.#said.add(`${code} ${call ?? ""}`);
    if (this.list.length === MAX_NOTICES - 1)
      this.list.push({ code: "limit", message: "Further notices are not kept." });
    else this.list.push({ code, message, ...(call === undefined ? {} : { call }) });
  }
}
