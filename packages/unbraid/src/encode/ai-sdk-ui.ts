// The UI message stream of the AI SDK. Owns the writing of its chunks, version 1 of the protocol: ai 7, src/ui-message-stream.
// It has words for a call that is faulty or was taken back, so that nothing has to be made unreadable.

import type { CallIdentity, CallKind, RetractReason, ToolCall, WireError } from "../events.ts";
import { isClientKind } from "../kinds.ts";
import type { BlockWriter, CallBlock, TextBlock } from "./blocks.ts";
import type { EncodeOptions, Encoder } from "./encoder.ts";
import { ANY_IDENTIFIER } from "./identifiers.ts";
import { SSE_HEADERS, SSE_KEEP_ALIVE, SSE_TYPE, sse } from "./sse.ts";
import { type Ending, WireEncoder, type WireTraits } from "./wire-encoder.ts";

/** What the encoder of UI message streams may be told. */
export interface AiSdkUiEncodeOptions extends EncodeOptions {
  /** True: calls are written as those of tools that the UI has no types for (`dynamic-tool` parts). */
  readonly dynamic?: boolean;
}

const TRAITS: WireTraits = {
  wire: "ai-sdk-ui",
  contentType: SSE_TYPE,
  headers: { ...SSE_HEADERS, "x-vercel-ai-ui-message-stream": "v1" },
  order: { sequential: false, hold: false },
  kinds: new Set<CallKind>(["function", "custom", "builtin", "server", "mcp", "mcp-approval"]),
  ids: ANY_IDENTIFIER,
  names: ANY_IDENTIFIER,
};

class UiEncoder extends WireEncoder implements BlockWriter {
  readonly #dynamic: { readonly dynamic?: true };
  #started = false;
  #texts = 0;
  readonly #ids: Map<TextBlock, string> = new Map();

  constructor({ dynamic = false, ...options }: AiSdkUiEncodeOptions) {
    super(options, TRAITS);
    this.#dynamic = dynamic ? { dynamic } : {};
  }

  keepAlive(): string {
    return SSE_KEEP_ALIVE;
  }

  protected writer(): BlockWriter {
    return this;
  }

  openText(block: TextBlock): void {
    if (block.type === "refusal") this.notice("refusal-as-text", "The refusal was written as text.");
    const id = String(this.#texts++);
    this.#ids.set(block, id);
    this.#send({ type: `${runOf(block)}-start`, id });
  }

  text(block: TextBlock, delta: string): void {
    this.#send({ type: `${runOf(block)}-delta`, id: this.#ids.get(block), delta });
  }

  closeText(block: TextBlock): void {
    this.#send({ type: `${runOf(block)}-end`, id: this.#ids.get(block) });
    this.#ids.delete(block);
  }

  /** None is this wire's own. */
  part(): void {}

  openCall({ call }: CallBlock): void {
    this.#send({ type: "tool-input-start", ...this.#tool(call) });
  }

  append({ call }: CallBlock, text: string): void {
    this.#send({ type: "tool-input-delta", toolCallId: this.idOf(call), inputTextDelta: text });
  }

  closeCall({ call }: CallBlock, closed: ToolCall): void {
    const tool = this.#tool(call);
    if (closed.status !== "complete") {
      const errorText = closed.problem?.message ?? "The call is not whole.";
      return this.#send({ type: "tool-input-error", ...tool, input: closed.argumentsText, errorText });
    }
    this.#send({ type: "tool-input-available", ...tool, input: closed.arguments ?? closed.argumentsText });
    if (closed.kind !== "mcp-approval") return;
    this.#send({ type: "tool-approval-request", approvalId: closed.id, toolCallId: tool.toolCallId });
  }

  /** `tool-input-available` has the last word. */
  replace(): void {}

  retract({ call }: CallBlock, reason: RetractReason): void {
    this.#send({
      type: "tool-input-error",
      ...this.#tool(call),
      input: null,
      errorText: `The call was taken back: ${reason}.`,
    });
  }

  protected complete({ reason }: Ending): void {
    this.#send({ type: "finish-step" });
    this.#send({ type: "finish", finishReason: reason.replace("_", "-") });
    this.write(sse("[DONE]"));
  }

  protected fail({ message }: WireError): void {
    this.#send({ type: "error", errorText: message });
    this.#send({ type: "finish-step" });
    this.#send({ type: "finish", finishReason: "error" });
    this.write(sse("[DONE]"));
  }

  #tool(call: CallIdentity): { readonly toolCallId: string; readonly toolName: string } {
    return {
      toolCallId: this.idOf(call),
      toolName: this.nameOf(call),
      ...(isClientKind(call.kind) ? {} : { providerExecuted: true }),
      ...this.#dynamic,
    };
  }

  #send(chunk: object): void {
    if (!this.#started) {
      this.#started = true;
      const message = this.responseId === undefined ? {} : { messageId: this.responseId };
      this.write(sse(JSON.stringify({ type: "start", ...message })) + sse('{"type":"start-step"}'));
    }
    this.write(sse(JSON.stringify(chunk)));
  }
}

function runOf({ type }: TextBlock): "text" | "reasoning" {
  return type === "reasoning" ? "reasoning" : "text";
}

/**
 * Writes a response as a UI message stream of the AI SDK, one step of one message.
 *
 * @param options See {@link AiSdkUiEncodeOptions}.
 * @returns The encoder; one serves one response.
 * @example
 * const encoder = encodeAiSdkUi({ dynamic: true });
 * for await (const event of read(response)) write(encoder.push(event));
 * write(encoder.end());
 */
export function encodeAiSdkUi(options: AiSdkUiEncodeOptions = {}): Encoder {
  return new UiEncoder(options);
}
