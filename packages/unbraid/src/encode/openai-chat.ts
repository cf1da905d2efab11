// OpenAI Chat Completions, streamed. Owns the writing of its chunks. Calls may interleave; nothing that was written can be
// taken back, and there is no word for the end of a call but the finish of its choice.

import type { CallIdentity, CallKind, RetractReason, ToolCall, WireError } from "../events.ts";
import type { BlockWriter, CallBlock, TextBlock } from "./blocks.ts";
import type { EncodeOptions, Encoder } from "./encoder.ts";
import { unwhole, voided } from "./faults.ts";
import { IDENTIFIER_RULES } from "./identifiers.ts";
import { SSE_HEADERS, SSE_KEEP_ALIVE, SSE_TYPE, sse } from "./sse.ts";
import { chatError, chatUsage } from "./openai-chat-words.ts";
import { type Ending, WireEncoder, type WireTraits } from "./wire-encoder.ts";

/** What the Chat encoder may be told. */
export interface OpenaiChatEncodeOptions extends EncodeOptions {
  /**
   * The field that holds reasoning: OpenAI itself has none, servers spell it both ways. Where the events were read from
   * this wire it is the one they were found in. Default `reasoning_content`.
   */
  readonly reasoningField?: "reasoning_content" | "reasoning";
  /**
   * False: token counts are left out. They come in a chunk without choices, which a client that did not ask for them with
   * `stream_options.include_usage` need not understand. Default true.
   */
  readonly includeUsage?: boolean;
}

export const CHAT_TRAITS: WireTraits = {
  wire: "openai-chat",
  contentType: SSE_TYPE,
  headers: SSE_HEADERS,
  choices: true,
  order: { sequential: false, hold: false, belongs: () => "inside" },
  kinds: new Set<CallKind>(["function", "custom"]),
  ...IDENTIFIER_RULES["openai-chat"],
  hasOwnForm: (kind, echo) => kind === "server" && echo["executed_tool"] !== undefined,
};

/** Why a response that calls tools says that it was cut. */
export const CUT_TEXT = 'A call of free text is not whole: the finish reason is "length", so that no client runs it.';

class ChatEncoder extends WireEncoder {
  readonly #options: OpenaiChatEncodeOptions;
  readonly #writers: Map<number, ChoiceWriter> = new Map();
  #head: string | undefined;

  constructor(options: OpenaiChatEncodeOptions) {
    super(options, CHAT_TRAITS);
    this.#options = options;
  }

  keepAlive(): string {
    return SSE_KEEP_ALIVE;
  }

  protected writer(choice: number): BlockWriter {
    const writer = new ChoiceWriter({
      reasoningField: this.#options.reasoningField ?? "reasoning_content",
      delta: (delta) => this.#chunk(`{"index":${choice},"delta":${JSON.stringify(delta)},"finish_reason":null}`),
      identity: (call) => ({ id: this.idOf(call), name: this.nameOf(call) }),
      notice: (code, message, key) => this.notice(code, message, key),
    });
    this.#writers.set(choice, writer);
    return writer;
  }

  protected complete({ reason }: Ending): void {
    const choices = this.choices.length === 0 ? [0] : this.choices;
    const cutText = reason === "tool_calls" && this.truncatedText;
    if (cutText) this.notice("finish-changed", CUT_TEXT);
    for (const choice of choices) {
      // A choice that said nothing yet still begins with its role.
      if (!this.#writers.has(choice)) this.writer(choice);
      const role = this.#writers.get(choice)?.role() ?? {};
      const settled = this.settled(reason, [choice]);
      const word = cutText && settled === "tool_calls" ? "length" : settled;
      this.#chunk(`{"index":${choice},"delta":${JSON.stringify(role)},"finish_reason":${JSON.stringify(word)}}`);
    }
    const usage = this.#options.includeUsage === false ? undefined : chatUsage(this.usage);
    if (usage !== undefined) this.#send(`"choices":[],"usage":${JSON.stringify(usage)}`);
    this.write(sse("[DONE]"));
  }

  protected fail(error: WireError): void {
    // Behind an error nothing follows, not even [DONE]: a client that ignored it would take the answer for whole.
    this.write(sse(JSON.stringify(chatError(error))));
  }

  #chunk(choice: string): void {
    this.#send(`"choices":[${choice}]`);
  }

  #send(rest: string): void {
    this.#head ??= this.#chunkHead();
    this.write(sse(`${this.#head}${rest}}`));
  }

  #chunkHead(): string {
    const head = {
      id: this.responseId ?? `chatcmpl-${crypto.randomUUID()}`,
      object: "chat.completion.chunk",
      created: this.options.created ?? Math.floor(Date.now() / 1000),
      model: this.model ?? "",
    };
    return `${JSON.stringify(head).slice(0, -1)},`;
  }
}

/** What a choice needs of its encoder. */
interface ChoiceContext {
  readonly reasoningField: string;
  delta(delta: object): void;
  identity(call: CallIdentity): { readonly id: string; readonly name: string };
  notice(
    code: "replaced-call" | "retracted-call" | "identity-changed" | "arguments-faulty",
    message: string,
    key: string,
  ): void;
}

/** Writes the deltas of one choice. */
class ChoiceWriter implements BlockWriter {
  readonly #context: ChoiceContext;
  readonly #indexes: Map<string, number> = new Map();
  #spoken = false;

  constructor(context: ChoiceContext) {
    this.#context = context;
  }

  /** The role, the first time; nothing after that. */
  role(): { readonly role?: "assistant" } {
    if (this.#spoken) return {};
    this.#spoken = true;
    return { role: "assistant" };
  }

  openText(): void {}

  text({ type, field: spelled }: TextBlock, text: string): void {
    const field =
      type === "reasoning" ? (spelled ?? this.#context.reasoningField) : type === "refusal" ? "refusal" : "content";
    this.#context.delta({ ...this.role(), [field]: text });
  }

  closeText(): void {}

  openCall({ call, echo }: CallBlock): void {
    // A server's own call stands whole in `executed_tools`, at its close.
    if (call.kind === "server") return;
    const { id, name } = this.#context.identity(call);
    const index = this.#indexes.size;
    this.#indexes.set(call.key, index);
    const tool =
      call.kind === "custom"
        ? { index, id, type: "custom", custom: { name, input: "" } }
        : { index, id, type: "function", function: { name, arguments: "" }, ...echo };
    const role = this.role();
    this.#context.delta({ ...role, ...(role.role === undefined ? {} : { content: null }), tool_calls: [tool] });
  }

  append({ call }: CallBlock, text: string): void {
    const index = this.#indexes.get(call.key);
    if (index === undefined) return;
    const piece = call.kind === "custom" ? { custom: { input: text } } : { function: { arguments: text } };
    this.#context.delta({ tool_calls: [{ index, ...piece }] });
  }

  closeCall(block: CallBlock, closed: ToolCall): void {
    const { call } = block;
    if (call.kind === "server") {
      const executed = closed.echo?.["executed_tool"];
      if (executed !== undefined) this.#context.delta({ ...this.role(), executed_tools: [executed] });
      return;
    }
    if (closed.id !== call.id || closed.name !== call.name || closed.kind !== call.kind)
      this.#context.notice(
        "identity-changed",
        "The call's id, name or kind changed after its start was written.",
        call.key,
      );
    const mark = unwhole(closed);
    if (mark !== "") this.append(block, mark);
    if (closed.status !== "complete")
      this.#context.notice(
        "arguments-faulty",
        `The call is ${closed.status}; its arguments were written as they are.`,
        call.key,
      );
    this.#lateEcho(block, closed);
  }

  /** Signatures that came behind the start: clients merge the fields of an entry. */
  #lateEcho({ call, echo }: CallBlock, closed: ToolCall): void {
    const index = this.#indexes.get(call.key);
    if (echo === undefined || index === undefined) return;
    const late = Object.entries(closed.echo ?? {}).filter(([name, value]) => echo[name] !== value);
    if (late.length > 0) this.#context.delta({ tool_calls: [{ index, ...Object.fromEntries(late) }] });
  }

  /** Behind what was written it is no JSON any more: the client answers with an error instead of running the wrong thing. */
  replace(block: CallBlock, text: string): void {
    if (block.length > 0)
      this.#context.notice(
        "replaced-call",
        "The vendor replaced arguments that had been written already.",
        block.call.key,
      );
    this.append(block, text);
  }

  retract(block: CallBlock, reason: RetractReason): void {
    this.#context.notice(
      "retracted-call",
      `The call was taken back (${reason}) after it had been written.`,
      block.call.key,
    );
    this.append(block, voided(reason));
  }

  part(part: unknown): void {
    if (typeof part === "object" && part !== null) this.#context.delta({ ...this.role(), ...part });
  }
}

/**
 * Writes a response as the chunks of OpenAI Chat Completions.
 *
 * @param options See {@link OpenaiChatEncodeOptions}.
 * @returns The encoder; one serves one response.
 * @example
 * const encoder = encodeOpenaiChat({ from: "anthropic", model: "my-model" });
 * for await (const event of read(response)) write(encoder.push(event));
 * write(encoder.end());
 */
export function encodeOpenaiChat(options: OpenaiChatEncodeOptions = {}): Encoder {
  return new ChatEncoder(options);
}
