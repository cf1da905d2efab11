// Anthropic Messages. Owns the reading of its events and of its whole (non-streaming) body. Blocks are keyed by `index`;
// delta types decide what a delta is, not the type of the block that is open.

import type { CallKind, FinishReason } from "../events.ts";
import { KeyedAssembler } from "../assembly/keyed-assembler.ts";
import type { CallDelta, KeyedSink } from "../assembly/sink.ts";
import { reportBareError, reportError } from "./error-fields.ts";
import type { FragmentFrame } from "../templates/fragment.ts";
import type { Hole } from "../templates/holes.ts";
import { fields, listOf, pick, quiet, stringOf, type Fields } from "./fields.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";

/** Blocks that hold a call, and who runs it. */
const CALLS: Readonly<Record<string, CallKind>> = {
  tool_use: "function",
  server_tool_use: "server",
  mcp_tool_use: "mcp",
};

const STOP: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  compaction: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

const HOLES: readonly Hole[] = [
  { path: ["delta", "partial_json"], use: "text" },
  { path: ["index"], use: "index" },
];

class AnthropicReader implements ProtocolReader {
  /** A message that began with content: whether that counts, the next frame tells. */
  protected held: Fields | undefined;
  #message: string | undefined;
  /** The open block that must be echoed whole, and its index. */
  #part: { index: unknown; block: Record<string, unknown>; text: string; citations: Fields[] } | undefined;

  read(value: unknown, sink: KeyedSink, event?: string): void {
    const frame = fields(value);
    if (frame === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    const type = stringOf(frame["type"]) || stringOf(event);
    if (this.held !== undefined && type !== "ping") this.#prefilled(this.held, !type.startsWith("content_block"), sink);
    switch (type) {
      case "message_start":
        return this.#start(fields(frame["message"]) ?? {}, sink);
      case "content_block_start":
        return this.#open(frame["index"], fields(frame["content_block"]) ?? {}, sink);
      case "content_block_delta":
        return this.#delta(frame["index"], fields(frame["delta"]) ?? {}, sink);
      case "content_block_stop":
        return this.#stop(frame["index"], sink);
      case "message_delta":
        usage(frame["usage"], sink);
        return finish(fields(frame["delta"])?.["stop_reason"], sink);
      case "message_stop":
        return sink.end();
      case "message":
        return this.#whole(frame, sink);
      case "ping":
        return;
      default:
        if (reportError(frame, sink) || (type === "error" && reportBareError(frame, sink))) return;
        if (type === "" && reportBareError(frame, sink)) return;
        sink.notice("unknown-frame", `A frame of type "${type.slice(0, 40)}" was passed over.`);
    }
  }

  /**
   * The same message twice is one message. Another one while the first is open means that a proxy spliced in a second
   * try: what the first one called is void, and its indexes must not meet the second one's.
   */
  #start(message: Fields, sink: KeyedSink): void {
    const id = stringOf(message["id"]);
    const started = this.#message !== undefined && this.#message !== "";
    if (started && (id === "" || id === this.#message)) return;
    if (started) sink.retract("superseded-by-restart");
    this.#message = id;
    sink.response(id, message["model"]);
    usage(message["usage"], sink);
    // A deferred programmatic turn holds its calls and its stop reason in message_start, and no blocks follow.
    if (listOf(message["content"]).length > 0) this.held = message;
    else finish(message["stop_reason"], sink);
  }

  end(sink: KeyedSink): void {
    if (this.held !== undefined) this.#prefilled(this.held, true, sink);
  }

  /** The SDK's helper streams write every block into the message of the first event: where blocks follow, those count. */
  #prefilled(message: Fields, counts: boolean, sink: KeyedSink): void {
    this.held = undefined;
    if (!counts) return;
    this.#content(message, sink);
    finish(message["stop_reason"], sink);
  }

  #content(message: Fields, sink: KeyedSink): void {
    for (const [index, block] of listOf(message["content"]).entries()) {
      const call = callOf(index, block);
      if (call !== undefined) sink.whole({ ...call, args: block["input"] });
      else if (block["type"] !== "text") this.#echo(index, block, sink);
      else {
        sink.text(block["text"], 0, false, index);
        if (isEchoed(block)) sink.part(block);
      }
    }
  }

  #echo(index: number, block: Fields, sink: KeyedSink): void {
    if (block["type"] === "thinking") sink.reasoning(block["thinking"], 0, undefined, index);
    if (block["type"] === "fallback") sink.retract("fallback");
    sink.part(block);
  }

  #open(index: unknown, block: Fields, sink: KeyedSink): void {
    if (this.#message === undefined) {
      this.#message = "";
      sink.notice("missing-start", "A block came without message_start before it.");
    }
    const call = callOf(index, block);
    if (call !== undefined) {
      // `input` is {} where deltas follow. When it is not empty it is the whole input (deferred calls, some compatible servers).
      const { input } = block as { input?: unknown };
      sink.open(hasContent(input) ? { ...call, initial: input } : call);
      return;
    }
    if (block["type"] === "fallback") sink.retract("fallback");
    this.#part = {
      index,
      block: { ...block },
      text: stringOf(block["text"]),
      citations: [...listOf(block["citations"])],
    };
    sink.text(block["type"] === "text" ? block["text"] : undefined, 0, false, index);
    sink.reasoning(block["type"] === "thinking" ? block["thinking"] : undefined, 0, undefined, index);
  }

  #delta(index: unknown, delta: Fields, sink: KeyedSink): void {
    const { type } = delta as { type?: unknown };
    if (type === "input_json_delta" || delta["partial_json"] !== undefined)
      return sink.append({ index }, delta["partial_json"]);
    if (type === "text_delta") {
      // litellm 1.74 streams arguments as text on a tool_use block.
      if (sink.knows({ index })) return sink.append({ index }, delta["text"]);
      if (this.#part !== undefined && this.#part.index === index) this.#part.text += stringOf(delta["text"]);
      return sink.text(delta["text"], 0, false, index);
    }
    if (type === "thinking_delta") sink.reasoning(delta["thinking"], 0, undefined, index);
    this.#grow(index, delta);
  }

  /** Keeps what an echoed block needs: thinking and its signature, a compaction's content. */
  #grow(index: unknown, delta: Fields): void {
    if (this.#part === undefined || this.#part.index !== index) return;
    const { block, citations } = this.#part;
    if (delta["type"] === "citations_delta") {
      citations.push(...listOf(delta["citation"]));
      block["citations"] = citations;
      return;
    }
    for (const [name, value] of Object.entries(delta)) {
      if (name === "type" || name === "estimated_tokens") continue;
      const held = block[name];
      Object.defineProperty(block, name, {
        value: typeof held === "string" && typeof value === "string" ? held + value : value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }

  #stop(index: unknown, sink: KeyedSink): void {
    const part = this.#part;
    if (part !== undefined && part.index === index) {
      this.#part = undefined;
      if (part.block["type"] === "text") part.block["text"] = part.text;
      if (isEchoed(part.block)) sink.part(part.block);
      return;
    }
    sink.close({ index });
  }

  #whole(message: Fields, sink: KeyedSink): void {
    this.#message = stringOf(message["id"]);
    sink.response(message["id"], message["model"]);
    this.#content(message, sink);
    usage(message["usage"], sink);
    finish(message["stop_reason"], sink);
    sink.end();
  }
}

/** Text needs no part of its own, unless it cites: what it cites must go back with it. */
function isEchoed(block: Fields): boolean {
  return block["type"] !== "text" || listOf(block["citations"]).length > 0;
}

function hasContent(input: unknown): boolean {
  const object = fields(input);
  return object === undefined ? typeof input === "string" && input !== "" : Object.keys(object).length > 0;
}

function callOf(index: unknown, block: Fields): CallDelta | undefined {
  const type = stringOf(block["type"]);
  const kind = Object.hasOwn(CALLS, type) ? CALLS[type] : undefined;
  if (kind === undefined) return undefined;
  const echo = pick(block, "caller", "toolset_name", "server_name");
  return { index, id: block["id"], name: block["name"], kind, ...(echo === undefined ? {} : { echo }) };
}

function usage(raw: unknown, sink: KeyedSink): void {
  const counts = fields(raw);
  if (counts !== undefined) sink.usage(counts, counts["input_tokens"], counts["output_tokens"]);
}

function finish(word: unknown, sink: KeyedSink): void {
  if (typeof word === "string") sink.finish(word, STOP[word] ?? null);
}

const TYPES = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
]);

/** Describes its fragments too, so that the fast path need not parse them. */
class DescribingReader extends AnthropicReader {
  fragment(value: unknown): FragmentFrame | undefined {
    const frame = fields(value) ?? {};
    const delta = fields(frame["delta"]) ?? {};
    const plain =
      frame["type"] === "content_block_delta" &&
      delta["type"] === "input_json_delta" &&
      typeof frame["index"] === "number" &&
      typeof delta["partial_json"] === "string" &&
      quiet(frame, "type", "index", "delta") &&
      quiet(delta, "type", "partial_json");
    if (!plain) return undefined;
    return {
      holes: HOLES,
      holds: () => this.held === undefined,
      say: ({ text, index }, sink: KeyedSink) => sink.append({ index }, text),
    };
  }
}

/** What reads the events of one message, for wires that carry them in another envelope. */
export function readMessages(): ProtocolReader {
  return new AnthropicReader();
}

/** Anthropic Messages and its compatible endpoints. */
export const anthropic: Protocol = {
  name: "anthropic",
  framing: "sse",
  assembler: KeyedAssembler,
  detect(value, event) {
    const type = stringOf(value["type"]) || stringOf(event);
    if (TYPES.has(type) || (type === "message" && Array.isArray(value["content"]))) return 1;
    if (type === "ping") return 0.6;
    // The OpenAI-like wires name an SSE event "error" too; only here does the frame itself say so, with the error inside.
    return value["type"] === "error" && fields(value["error"]) !== undefined ? 0.4 : 0;
  },
  start: () => new DescribingReader(),
};
