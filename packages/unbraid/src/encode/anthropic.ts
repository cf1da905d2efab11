// Anthropic Messages, streamed. Owns the writing of its events. One block is open at a time: what begins while another is
// open waits for its end.

import type { CallIdentity, CallKind, RetractReason, ToolCall, WireError } from "../events.ts";
import { anthropicError, anthropicUsage, stopReason } from "./anthropic-words.ts";
import type { BlockWriter, CallBlock, TextBlock } from "./blocks.ts";
import type { EncodeOptions, Encoder } from "./encoder.ts";
import { IDENTIFIER_RULES } from "./identifiers.ts";
import { argumentsJson, unwhole, voided } from "./faults.ts";
import { namedSse, SSE_HEADERS, SSE_TYPE } from "./sse.ts";
import { type Ending, WireEncoder, type WireTraits } from "./wire-encoder.ts";

export const ANTHROPIC_TRAITS: WireTraits = {
  wire: "anthropic",
  contentType: SSE_TYPE,
  headers: SSE_HEADERS,
  order: {
    sequential: true,
    hold: false,
    // A block comes whole when it is over: with its signature, with what a text cites.
    belongs: (part, run) => (typeOf(part) === (run === "reasoning" ? "thinking" : "text") ? "end" : undefined),
  },
  kinds: new Set<CallKind>(["function"]),
  ...IDENTIFIER_RULES["anthropic"],
  hasOwnForm: (kind) => BLOCK_TYPES[kind] !== undefined,
};

/** The block that a call stands in. */
export const BLOCK_TYPES: Partial<Readonly<Record<CallKind, string>>> = {
  server: "server_tool_use",
  mcp: "mcp_tool_use",
};

const CUSTOM_HEAD = '{"input":"';

class AnthropicEncoder extends WireEncoder implements BlockWriter {
  #started = false;
  #index = -1;
  #refused = false;

  keepAlive(): string {
    return namedSse("ping", '{"type":"ping"}');
  }

  protected writer(): BlockWriter {
    return this;
  }

  openText({ type }: TextBlock): void {
    if (type === "refusal") {
      this.#refused = true;
      this.notice("refusal-as-text", "The refusal was written as text.");
    }
    this.#open(type === "reasoning" ? { type: "thinking", thinking: "", signature: "" } : { type: "text", text: "" });
  }

  text({ type }: TextBlock, text: string): void {
    if (type === "reasoning") this.#delta({ type: "thinking_delta", thinking: text });
    else this.#delta({ type: "text_delta", text });
  }

  closeText(): void {
    this.#close();
  }

  part(part: unknown, run: TextBlock | undefined): void {
    const block = part as Readonly<Record<string, unknown>>;
    if (run !== undefined) {
      const { signature, citations } = block as { signature?: unknown; citations?: unknown };
      if (Array.isArray(citations))
        for (const citation of citations as unknown[]) this.#delta({ type: "citations_delta", citation });
      if (typeof signature === "string" && signature !== "") this.#delta({ type: "signature_delta", signature });
      return;
    }
    this.#open(block);
    this.#close();
  }

  openCall({ call, echo }: CallBlock): void {
    const type = BLOCK_TYPES[call.kind] ?? "tool_use";
    this.#open({ type, id: this.idOf(call), name: this.nameOf(call), input: {}, ...echo });
  }

  append(block: CallBlock, text: string): void {
    // What was held is written at the close, in a form that is an object.
    if (block.held) return;
    if (block.call.kind !== "custom") return this.#json(text);
    // Free text becomes the one string of an object.
    const before = block.length === text.length ? CUSTOM_HEAD : "";
    this.#json(before + JSON.stringify(text).slice(1, -1));
  }

  closeCall(block: CallBlock, closed: ToolCall): void {
    const { call } = block;
    if (block.held) {
      const { text, wrapped } = argumentsJson(closed);
      if (wrapped) this.notice("arguments-wrapped", "Arguments that are no JSON object were wrapped in one.", call.key);
      this.#json(text);
    } else if (closed.status === "complete") {
      if (call.kind === "custom") this.#json(block.length === 0 ? `${CUSTOM_HEAD}"}` : '"}');
    } else {
      const mark = unwhole(closed);
      if (mark !== "") this.#json(mark);
      this.notice(
        "arguments-faulty",
        `The call is ${closed.status}; its arguments were written as they are.`,
        call.key,
      );
    }
    this.#identityKept(call, closed);
    this.#close();
  }

  replace(block: CallBlock, text: string): void {
    if (block.length > 0)
      this.notice("replaced-call", "The vendor replaced arguments that had been written already.", block.call.key);
    this.#json(text);
  }

  retract(block: CallBlock, reason: RetractReason): void {
    // Here the block of that name, which follows, takes back what stands before it.
    const fallback = this.own && reason === "fallback";
    if (!fallback)
      this.notice("retracted-call", `The call was taken back (${reason}) after it had been written.`, block.call.key);
    if (block.closed !== undefined) return;
    if (!fallback) this.#json(voided(reason));
    this.#close();
  }

  protected complete(ending: Ending): void {
    this.#start();
    const reason = stopReason(this.#ending(ending));
    const delta = { stop_reason: reason, stop_sequence: null };
    this.#send({ type: "message_delta", delta, usage: anthropicUsage(this.usage) });
    this.#send({ type: "message_stop" });
  }

  protected fail(error: WireError): void {
    this.#send(anthropicError(error));
  }

  /**
   * The SDK completes arguments that break off and hands them out as if they were whole; at `max_tokens` no client runs
   * them.
   */
  #ending(ending: Ending): Ending {
    if (ending.reason === "tool_calls" && this.truncated && this.options.hold !== true) {
      this.notice("finish-changed", 'A call is not whole: the stop reason is "max_tokens", so that no client runs it.');
      return { reason: "length", raw: null };
    }
    return this.#refused && ending.reason === "stop" ? { reason: "content_filter", raw: null } : ending;
  }

  #identityKept(call: CallIdentity, closed: ToolCall): void {
    if (closed.id !== call.id || closed.name !== call.name || closed.kind !== call.kind)
      this.notice("identity-changed", "The call's id, name or kind changed after its start was written.", call.key);
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const message = {
      id: this.responseId ?? `msg_${crypto.randomUUID().replaceAll("-", "")}`,
      type: "message",
      role: "assistant",
      model: this.model ?? "",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: anthropicUsage(this.usage),
    };
    this.#send({ type: "message_start", message });
  }

  #open(block: object): void {
    this.#start();
    this.#index++;
    this.#send({ type: "content_block_start", index: this.#index, content_block: block });
  }

  #json(text: string): void {
    this.#delta({ type: "input_json_delta", partial_json: text });
  }

  #delta(delta: object): void {
    this.#send({ type: "content_block_delta", index: this.#index, delta });
  }

  #close(): void {
    this.#send({ type: "content_block_stop", index: this.#index });
  }

  #send(event: Readonly<Record<string, unknown>>): void {
    this.write(namedSse(String(event["type"]), JSON.stringify(event)));
  }
}

function typeOf(part: unknown): unknown {
  return typeof part === "object" && part !== null ? (part as { type?: unknown }).type : undefined;
}

/**
 * Writes a response as the events of Anthropic Messages.
 *
 * @param options See {@link EncodeOptions}.
 * @returns The encoder; one serves one response.
 * @example
 * const encoder = encodeAnthropic({ from: "openai-chat", model: "my-model" });
 * for await (const event of read(response)) write(encoder.push(event));
 * write(encoder.end());
 */
export function encodeAnthropic(options: EncodeOptions = {}): Encoder {
  return new AnthropicEncoder(options, ANTHROPIC_TRAITS);
}
