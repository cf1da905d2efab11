// Gemini generateContent, as server-sent events or as one JSON array. Owns the writing of its chunks. A call is one part,
// whole: pieces of arguments exist at Vertex alone, and only for clients that asked for them.

import type { CallIdentity, CallKind, RetractReason, ToolCall, WireError } from "../events.ts";
import type { BlockWriter, CallBlock, TextBlock } from "./blocks.ts";
import type { EncodeOptions, Encoder } from "./encoder.ts";
import { IDENTIFIER_RULES } from "./identifiers.ts";
import { argumentsJson } from "./faults.ts";
import { geminiError, geminiFinish, geminiUsage } from "./gemini-words.ts";
import { SSE_HEADERS, SSE_KEEP_ALIVE, SSE_TYPE, sse } from "./sse.ts";
import { type Ending, WireEncoder, type WireTraits } from "./wire-encoder.ts";

/** What the Gemini encoder may be told. */
export interface GeminiEncodeOptions extends EncodeOptions {
  /** `sse` is what `alt=sse` asks for, `json-array` what the server sends without it. Default `sse`. */
  readonly framing?: "sse" | "json-array";
}

export const GEMINI_TRAITS: WireTraits = {
  wire: "gemini",
  contentType: SSE_TYPE,
  headers: SSE_HEADERS,
  order: {
    sequential: false,
    hold: true,
    // The signature of a text part whose text was written already.
    belongs: (part) => (typeof (part as { text?: unknown } | null)?.text === "string" ? "inside" : undefined),
  },
  kinds: new Set<CallKind>(["function"]),
  ...IDENTIFIER_RULES["gemini"],
  hasOwnForm: (kind, echo) => kind === "server" && echo["part"] !== undefined,
};

class GeminiEncoder extends WireEncoder implements BlockWriter {
  readonly #array: boolean;
  #chunks = 0;

  constructor({ framing = "sse", ...options }: GeminiEncodeOptions) {
    const array = framing === "json-array";
    super(
      options,
      array ? { ...GEMINI_TRAITS, contentType: "application/json; charset=utf-8", headers: {} } : GEMINI_TRAITS,
    );
    this.#array = array;
  }

  keepAlive(): string {
    // White space may stand between the values of an array, and in front of it.
    return this.#array ? "\n" : SSE_KEEP_ALIVE;
  }

  protected writer(): BlockWriter {
    return this;
  }

  openText({ type }: TextBlock): void {
    if (type === "refusal") this.notice("refusal-as-text", "The refusal was written as text.");
  }

  text({ type }: TextBlock, text: string): void {
    this.#part(JSON.stringify(type === "reasoning" ? { text, thought: true } : { text }));
  }

  closeText(): void {}

  part(part: unknown, run: TextBlock | undefined): void {
    if (typeof part !== "object" || part === null) return;
    this.#part(JSON.stringify(run === undefined ? part : { ...part, text: "" }));
  }

  openCall(): void {}

  append(): void {}

  closeCall(_block: CallBlock, call: ToolCall): void {
    if (call.kind === "server") return this.#part(JSON.stringify(call.echo?.["part"] ?? {}));
    const { text, wrapped } = argumentsJson(call);
    if (wrapped) this.notice("arguments-wrapped", "Arguments that are no JSON object were wrapped in one.", call.key);
    this.#part(`{"functionCall":${callJson(this.#identity(call), text)}${this.#signature(call)}}`);
  }

  replace(): void {}

  retract({ call }: CallBlock, reason: RetractReason): void {
    this.notice("retracted-call", `The call was taken back (${reason}) after it had been written.`, call.key);
  }

  protected complete(ending: Ending): void {
    const { usage } = this;
    this.#candidate({ finishReason: geminiFinish(ending) }, geminiUsage(usage));
    this.#close();
  }

  protected fail(error: WireError): void {
    this.#chunk(JSON.stringify(geminiError(error)));
    this.#close();
  }

  /** An id that we made is nothing to this wire: its models' own calls often have none. */
  #identity(call: CallIdentity): object {
    return { ...(call.madeId === true ? {} : { id: this.idOf(call) }), name: this.nameOf(call) };
  }

  #signature({ echo = {} }: ToolCall): string {
    if (!this.own || Object.keys(echo).length === 0) return "";
    return `,${JSON.stringify(echo).slice(1, -1)}`;
  }

  #part(part: string): void {
    this.#chunk(`{"candidates":[{"index":0,"content":{"role":"model","parts":[${part}]}}],${this.#tail()}}`);
  }

  #candidate(fields: object, usage: object | undefined): void {
    const candidate = JSON.stringify({ index: 0, content: { role: "model", parts: [] }, ...fields });
    const counts = usage === undefined ? "" : `"usageMetadata":${JSON.stringify(usage)},`;
    this.#chunk(`{"candidates":[${candidate}],${counts}${this.#tail()}}`);
  }

  #tail(): string {
    const known = {
      modelVersion: this.model ?? "",
      ...(this.responseId === undefined ? {} : { responseId: this.responseId }),
    };
    return JSON.stringify(known).slice(1, -1);
  }

  #chunk(json: string): void {
    if (!this.#array) return this.write(sse(json));
    this.write((this.#chunks++ === 0 ? "[" : ",\n") + json);
  }

  #close(): void {
    if (this.#array) this.write("]\n");
  }
}

/** A call whose arguments stay the text that the model wrote: numbers and the order of keys as they were. */
function callJson(identity: object, args: string): string {
  const head = JSON.stringify(identity).slice(0, -1);
  return `${head},"args":${args.replace(/[\r\n]+/g, " ")}}`;
}

/**
 * Writes a response as the chunks of Gemini's streamGenerateContent.
 *
 * @param options See {@link GeminiEncodeOptions}.
 * @returns The encoder; one serves one response.
 * @example
 * const encoder = encodeGemini({ from: "openai-chat", framing: "json-array" });
 * for await (const event of read(response)) write(encoder.push(event));
 * write(encoder.end());
 */
export function encodeGemini(options: GeminiEncodeOptions = {}): Encoder {
  return new GeminiEncoder(options);
}
