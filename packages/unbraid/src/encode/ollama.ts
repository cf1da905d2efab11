// Ollama's chat, streamed: one JSON object a line. Owns the writing of its lines. Calls are whole, and there is no word for
// their being the end of an answer.

import type { CallKind, RetractReason, ToolCall, WireError } from "../events.ts";
import type { BlockWriter, CallBlock, TextBlock } from "./blocks.ts";
import type { EncodeOptions, Encoder } from "./encoder.ts";
import { argumentsJson } from "./faults.ts";
import { IDENTIFIER_RULES } from "./identifiers.ts";
import { ollamaUsage } from "./ollama-words.ts";
import { type Ending, WireEncoder, type WireTraits } from "./wire-encoder.ts";

export const OLLAMA_TRAITS: WireTraits = {
  wire: "ollama",
  contentType: "application/x-ndjson",
  order: { sequential: false, hold: true },
  kinds: new Set<CallKind>(["function"]),
  ...IDENTIFIER_RULES["ollama"],
};

class OllamaEncoder extends WireEncoder implements BlockWriter {
  #calls = 0;

  /** Every line must be an object. */
  keepAlive(): string {
    return "";
  }

  protected writer(): BlockWriter {
    return this;
  }

  openText({ type }: TextBlock): void {
    if (type === "refusal") this.notice("refusal-as-text", "The refusal was written as text.");
  }

  text({ type }: TextBlock, text: string): void {
    this.#line(
      JSON.stringify(
        type === "reasoning"
          ? { role: "assistant", content: "", thinking: text }
          : { role: "assistant", content: text },
      ),
    );
  }

  closeText(): void {}

  /** The reader of this wire finds none. */
  part(): void {}

  openCall(): void {}

  append(): void {}

  closeCall(_block: CallBlock, call: ToolCall): void {
    const { text, wrapped } = argumentsJson(call);
    if (wrapped) this.notice("arguments-wrapped", "Arguments that are no JSON object were wrapped in one.", call.key);
    const id = call.madeId === true ? "" : `"id":${JSON.stringify(this.idOf(call))},`;
    const head = `"index":${this.#calls++},"name":${JSON.stringify(this.nameOf(call))}`;
    // The arguments stay the text that the model wrote; a line end in it is white space between two tokens.
    const args = text.replace(/[\r\n]+/g, " ");
    this.#line(`{"role":"assistant","content":"","tool_calls":[{${id}"function":{${head},"arguments":${args}}}]}`);
  }

  replace(): void {}

  retract({ call }: CallBlock, reason: RetractReason): void {
    this.notice("retracted-call", `The call was taken back (${reason}) after it had been written.`, call.key);
  }

  protected complete({ reason, raw }: Ending): void {
    if (reason === "content_filter") this.notice("finish-changed", "This wire has no word for a filter; it says stop.");
    const word = raw ?? (reason === "length" ? "length" : "stop");
    const end = { done: true, done_reason: word, ...ollamaUsage(this.usage) };
    this.write(`${this.#head()},"message":{"role":"assistant","content":""},${JSON.stringify(end).slice(1)}\n`);
  }

  protected fail({ message }: WireError): void {
    this.write(`${JSON.stringify({ error: message })}\n`);
  }

  #line(message: string): void {
    this.write(`${this.#head()},"message":${message},"done":false}\n`);
  }

  #head(): string {
    const made = new Date(this.options.created === undefined ? Date.now() : this.options.created * 1000);
    return JSON.stringify({ model: this.model ?? "", created_at: made.toISOString() }).slice(0, -1);
  }
}

/**
 * Writes a response as the lines of Ollama's `/api/chat`.
 *
 * @param options See {@link EncodeOptions}.
 * @returns The encoder; one serves one response.
 * @example
 * const encoder = encodeOllama({ from: "openai-chat", model: "qwen3" });
 * for await (const event of read(response)) write(encoder.push(event));
 * write(encoder.end());
 */
export function encodeOllama(options: EncodeOptions = {}): Encoder {
  return new OllamaEncoder(options, OLLAMA_TRAITS);
}
