// A server's stream as another vendor's. Owns the way from the bytes of the one over events to the text of the other; what
// either wire is, the library knows.

import { type AnyReaderOptions, createReader, type StreamEvent, type ToolCall } from "unbraid";
import {
  encodeAnthropic,
  encodeGemini,
  encodeOpenaiChat,
  encodeOpenaiResponses,
  type Encoder,
  type EncodeOptions,
  wholeAnthropic,
  wholeGemini,
  wholeOpenaiChat,
  wholeOpenaiResponses,
  type WholeResponse,
} from "unbraid/encode";
import type { RequestWire } from "unbraid/translate";
import { inOneChoice } from "../mend/one-choice.ts";
import { ParsedCalls } from "./parsed-calls.ts";
import type { Flow } from "./relay.ts";

/** How an answer is translated. */
export interface TranslatingOptions {
  readonly client: RequestWire;
  readonly server: RequestWire;
  /** A Gemini client without `alt=sse` wants an array. */
  readonly array: boolean;
  /** A chat client asked for token counts. */
  readonly includeUsage: boolean;
  readonly encode: EncodeOptions;
  readonly repair: boolean;
  /** One answer was asked for: several choices are one. */
  readonly oneChoice: boolean;
  readonly reader: Omit<AnyReaderOptions, "protocol">;
  readonly onEvents: (events: readonly StreamEvent[]) => void;
}

/** Translates one stream. */
export class Translating implements Flow {
  readonly #reader: ReturnType<typeof createReader>;
  readonly #encoder: Encoder;
  readonly #options: TranslatingOptions;
  readonly #parsed: ParsedCalls | undefined;

  constructor(options: TranslatingOptions) {
    this.#options = options;
    this.#reader = createReader({ ...options.reader, protocol: options.server });
    this.#encoder = encoderOf(options);
    this.#parsed = parsedCalls(options);
  }

  /** The header fields of the answer. */
  get headers(): Readonly<Record<string, string>> {
    return { "content-type": this.#encoder.contentType, ...this.#encoder.headers };
  }

  /** What the client's wire could not say. */
  get notices(): Encoder["notices"] {
    return this.#encoder.notices;
  }

  get over(): boolean {
    return this.#encoder.over;
  }

  get finishing(): boolean {
    return this.#reader.finishing;
  }

  get waiting(): boolean {
    return !this.#encoder.over;
  }

  get wordless(): false {
    return false;
  }

  push(chunk: Uint8Array): readonly Uint8Array[] {
    return this.#written(this.#reader.push(chunk));
  }

  end(): readonly Uint8Array[] {
    return [...this.#written(this.#reader.end()), ...bytesOf(this.#encoder.end())];
  }

  fail(error: unknown, code?: string): readonly Uint8Array[] {
    return [...this.#written(this.#reader.fail(error, code)), ...bytesOf(this.#encoder.end())];
  }

  cancel(): void {
    this.#options.onEvents(this.#reader.cancel());
  }

  #written(events: readonly StreamEvent[]): readonly Uint8Array[] {
    if (events.length > 0) this.#options.onEvents(events);
    let text = "";
    for (const event of events) {
      const own = wanted(event, this.#options);
      for (const each of this.#parsed?.take(own) ?? [own]) text += this.#encoder.push(each);
    }
    return bytesOf(text);
  }
}

/** Translates a whole answer. */
export function translateWhole(body: Uint8Array, options: TranslatingOptions): WholeResponse {
  const reader = createReader({ ...options.reader, protocol: options.server });
  const read = [...reader.push(body), ...reader.end()];
  options.onEvents(read);
  const events = read.map((event) => wanted(event, options));
  const { client, encode } = options;
  switch (client) {
    case "openai-chat":
      return wholeOpenaiChat(events, encode);
    case "openai-responses":
      return wholeOpenaiResponses(events, encode);
    case "anthropic":
      return wholeAnthropic(events, encode);
    default:
      return wholeGemini(events, encode);
  }
}

/** For clients that fail as a whole at arguments that are no JSON. */
function parsedCalls({ client, encode, reader }: TranslatingOptions): ParsedCalls | undefined {
  return client === "anthropic" ? new ParsedCalls(reader.tools, encode.hold === true) : undefined;
}

function encoderOf({ client, array, includeUsage, encode }: TranslatingOptions): Encoder {
  switch (client) {
    case "openai-chat":
      return encodeOpenaiChat({ ...encode, includeUsage });
    case "openai-responses":
      return encodeOpenaiResponses(encode);
    case "anthropic":
      return encodeAnthropic(encode);
    default:
      return encodeGemini({ ...encode, framing: array ? "json-array" : "sse" });
  }
}

/** The event as the client wants it. */
function wanted(event: StreamEvent, { repair, oneChoice }: TranslatingOptions): StreamEvent {
  const own = oneChoice ? inOneChoice(event) : event;
  return repair ? repaired(own) : own;
}

/** A malformed call closes as its one reading. */
function repaired(event: StreamEvent): StreamEvent {
  if (event.type !== "call.close" || event.call.status !== "malformed") return event;
  const { problem: _, repair, ...rest } = event.call;
  if (repair === undefined) return event;
  const { argumentsText, arguments: value } = repair;
  const call: ToolCall = { ...rest, status: "complete", argumentsText, arguments: value };
  return { ...event, call };
}

function bytesOf(text: string): readonly Uint8Array[] {
  return text === "" ? [] : [Buffer.from(text)];
}
