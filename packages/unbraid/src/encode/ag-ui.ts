// AG-UI, version 1.0. Owns the writing of its events as server-sent events: @ag-ui/core 1.0. A call that is faulty or was
// taken back is ended and answered with what is wrong, for nothing checks its arguments.

import type { CallIdentity, CallKind, RetractReason, ToolCall, WireError } from "../events.ts";
import { isClientKind } from "../kinds.ts";
import type { BlockWriter, CallBlock, TextBlock } from "./blocks.ts";
import type { EncodeOptions, Encoder } from "./encoder.ts";
import { ANY_IDENTIFIER } from "./identifiers.ts";
import { SSE_HEADERS, SSE_KEEP_ALIVE, SSE_TYPE, sse } from "./sse.ts";
import { type Ending, WireEncoder, type WireTraits } from "./wire-encoder.ts";

/** What the AG-UI encoder may be told. */
export interface AgUiEncodeOptions extends EncodeOptions {
  /** The conversation; made when absent. */
  readonly threadId?: string;
  /** The run; made when absent. */
  readonly runId?: string;
}

const TRAITS: WireTraits = {
  wire: "ag-ui",
  contentType: SSE_TYPE,
  headers: SSE_HEADERS,
  order: { sequential: false, hold: false },
  kinds: new Set<CallKind>(["function", "custom", "builtin", "server", "mcp"]),
  ids: ANY_IDENTIFIER,
  names: ANY_IDENTIFIER,
};

class AgUiEncoder extends WireEncoder implements BlockWriter {
  readonly #run: { readonly threadId: string; readonly runId: string };
  #started = false;
  #messages = 0;
  readonly #ids: Map<TextBlock, string> = new Map();
  /** The client's calls that it is to answer. */
  readonly #pending: Set<string> = new Set();

  constructor({ threadId = crypto.randomUUID(), runId = crypto.randomUUID(), ...options }: AgUiEncodeOptions) {
    super(options, TRAITS);
    this.#run = { threadId, runId };
  }

  keepAlive(): string {
    return SSE_KEEP_ALIVE;
  }

  protected writer(): BlockWriter {
    return this;
  }

  openText(block: TextBlock): void {
    if (block.type === "refusal") this.notice("refusal-as-text", "The refusal was written as text.");
    const messageId = this.#messageId();
    this.#ids.set(block, messageId);
    if (block.type === "reasoning") {
      this.#send("REASONING_START", { messageId });
      this.#send("REASONING_MESSAGE_START", { messageId, role: "reasoning" });
    } else {
      this.#send("TEXT_MESSAGE_START", { messageId, role: "assistant" });
    }
  }

  text(block: TextBlock, delta: string): void {
    const type = block.type === "reasoning" ? "REASONING_MESSAGE_CONTENT" : "TEXT_MESSAGE_CONTENT";
    this.#send(type, { messageId: this.#ids.get(block), delta });
  }

  closeText(block: TextBlock): void {
    const messageId = this.#ids.get(block);
    this.#ids.delete(block);
    if (block.type !== "reasoning") return this.#send("TEXT_MESSAGE_END", { messageId });
    this.#send("REASONING_MESSAGE_END", { messageId });
    this.#send("REASONING_END", { messageId });
  }

  /** None is this wire's own. */
  part(): void {}

  openCall({ call }: CallBlock): void {
    this.#send("TOOL_CALL_START", { toolCallId: this.idOf(call), toolCallName: this.nameOf(call) });
  }

  append({ call }: CallBlock, delta: string): void {
    this.#send("TOOL_CALL_ARGS", { toolCallId: this.idOf(call), delta });
  }

  closeCall({ call }: CallBlock, closed: ToolCall): void {
    this.#send("TOOL_CALL_END", { toolCallId: this.idOf(call) });
    if (closed.status !== "complete") this.#answer(call, closed.problem?.message ?? "The call is not whole.");
    else if (isClientKind(closed.kind)) this.#pending.add(this.idOf(call));
  }

  replace(block: CallBlock, text: string): void {
    if (block.length > 0)
      this.notice("replaced-call", "The vendor replaced arguments that had been written already.", block.call.key);
    this.append(block, text);
  }

  retract({ call, closed }: CallBlock, reason: RetractReason): void {
    this.notice("retracted-call", `The call was taken back (${reason}) after it had been written.`, call.key);
    this.#pending.delete(this.idOf(call));
    if (closed === undefined) this.#send("TOOL_CALL_END", { toolCallId: this.idOf(call) });
    this.#answer(call, `The call was taken back: ${reason}.`);
  }

  protected complete({ reason }: Ending): void {
    if (reason !== "stop" && reason !== "tool_calls")
      this.notice(
        "finish-changed",
        `This wire has no word for a response that ended with "${reason}"; it says success.`,
      );
    const pending = [...this.#pending];
    const outcome = { type: "success", ...(pending.length === 0 ? {} : { pendingToolCallIds: pending }) };
    this.#send("RUN_FINISHED", { ...this.#run, outcome, ...this.#usage() });
  }

  protected fail({ code, message }: WireError): void {
    this.#send("RUN_ERROR", { message, ...(code === null ? {} : { code: String(code) }), ...this.#usage() });
  }

  #answer(call: CallIdentity, content: string): void {
    const toolCallId = this.idOf(call);
    this.#send("TOOL_CALL_RESULT", { messageId: this.#messageId(), toolCallId, role: "tool", content });
  }

  #messageId(): string {
    return `${this.responseId ?? this.#run.runId}-${this.#messages++}`;
  }

  #usage(): object {
    const { counts } = this.usage;
    if (counts === undefined) return {};
    const { input, output, cached, cacheWritten, reasoning } = counts;
    return {
      usage: [
        {
          ...(this.model === undefined ? {} : { model: this.model }),
          ...(input === undefined ? {} : { inputTokens: input }),
          ...(output === undefined ? {} : { outputTokens: output }),
          ...(cached === undefined ? {} : { cachedInputTokens: cached }),
          ...(cacheWritten === undefined ? {} : { cacheWriteInputTokens: cacheWritten }),
          ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
        },
      ],
    };
  }

  #send(type: string, fields: object): void {
    if (!this.#started) {
      this.#started = true;
      this.write(sse(JSON.stringify({ type: "RUN_STARTED", ...this.#run, protocolVersion: "1.0" })));
    }
    this.write(sse(JSON.stringify({ type, ...fields })));
  }
}

/**
 * Writes a response as the events of one AG-UI run.
 *
 * @param options See {@link AgUiEncodeOptions}.
 * @returns The encoder; one serves one response.
 * @example
 * const encoder = encodeAgUi({ threadId: "t1", runId: "r1" });
 * for await (const event of read(response)) write(encoder.push(event));
 * write(encoder.end());
 */
export function encodeAgUi(options: AgUiEncodeOptions = {}): Encoder {
  return new AgUiEncoder(options);
}
