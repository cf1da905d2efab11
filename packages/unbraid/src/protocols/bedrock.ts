// Amazon Bedrock: ConverseStream, in AWS's binary event stream or as one JSON object a line, and
// InvokeModelWithResponseStream, whose messages wrap the model vendor's own events. Owns the reading of both. Blocks are
// keyed by `contentBlockIndex`, which text and a call may share: only what is said of tools touches calls.

import type { FinishReason } from "../events.ts";
import { KeyedAssembler } from "../assembly/keyed-assembler.ts";
import type { CallDelta, KeyedSink } from "../assembly/sink.ts";
import { awsEventStream } from "../framing/aws-event-stream.ts";
import { readMessages } from "./anthropic.ts";
import { reportBareError, reportError } from "./error-fields.ts";
import { fields, listOf, stringOf, type Fields } from "./fields.ts";
import { readChat } from "./openai-chat.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";

/** Reasons of Converse. `malformed_…`: the model's call could not be read, there is no call and nothing to run. */
const STOP: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
  malformed_model_output: "error",
  malformed_tool_use: "error",
};

const EVENTS = new Set([
  "messageStart",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
  "metadata",
  "chunk",
]);

class BedrockReader implements ProtocolReader {
  /** What reads the events that `chunk` messages wrap, once the first has shown whose they are. */
  #inner: ProtocolReader | undefined;
  /** The open reasoning block, to be echoed whole, and its index. */
  #reasoning: { index: unknown; text: string; rest: Fields } | undefined;
  /** The open block of a server tool's result, to be echoed whole, and its index. */
  #result: { index: unknown; block: Fields; content: unknown[] } | undefined;
  /** The open text block that cites, to be echoed whole, and its index. */
  #cited: { index: unknown; text: string; citations: Fields[] } | undefined;
  /** The text block that is open; it has no start. */
  #text: unknown;
  #finished = false;

  read(value: unknown, sink: KeyedSink, event?: string): void {
    const frame = fields(value);
    if (frame === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    if (event !== undefined) return this.#event(event, frame, sink);
    // {"contentBlockStart":{…}}: the form of SDK objects, of dumps and of proxies. The padding `p` may stand beside.
    const [type, body] = Object.entries(frame).find(([name]) => name !== "p" && name !== "$unknown") ?? ["", undefined];
    const inside = fields(body);
    if (type === "output" || frame["stopReason"] !== undefined) return this.#whole(frame, sink);
    if (inside !== undefined && (EVENTS.has(type) || isException(type))) return this.#event(type, inside, sink);
    if (reportError(frame, sink) || reportBareError(frame, sink)) return;
    sink.notice("unknown-frame", `A frame "${type.slice(0, 40)}" was passed over.`);
  }

  #event(type: string, body: Fields, sink: KeyedSink): void {
    const { contentBlockIndex: index } = body as { contentBlockIndex?: unknown };
    switch (type) {
      case "messageStart":
        return;
      case "contentBlockStart":
        return this.#start(index, fields(body["start"]) ?? {}, sink);
      case "contentBlockDelta":
        return this.#delta(index, fields(body["delta"]) ?? {}, sink);
      case "contentBlockStop":
        this.#stopReasoning(index, sink);
        this.#stopPart(index, sink);
        if (this.#text === index) this.#text = undefined;
        return sink.close({ index });
      case "messageStop":
        this.#finished = true;
        return finish(body["stopReason"], sink);
      case "metadata":
        usage(body, sink);
        // It is the last message. Mock servers were seen to send it first, so that alone it ends nothing.
        if (this.#finished) sink.end();
        return;
      case "chunk":
        // A mock server was seen to leave the envelope away: the event itself is the body then.
        return this.#chunk(body["bytes"] === undefined ? body : unwrap(body["bytes"]), sink);
      default:
        if (type === "error" || isException(type)) {
          // The text of an exception is the vendor's: https://github.com/aaif-goose/goose/pull/9579 shows one amid a call.
          return sink.error(body["code"] ?? type, body["message"] ?? body["Message"] ?? body["originalMessage"], body);
        }
        sink.notice("unknown-frame", `An event of type "${type.slice(0, 40)}" was passed over.`);
    }
  }

  #start(index: unknown, start: Fields, sink: KeyedSink): void {
    const tool = fields(start["toolUse"]);
    if (tool === undefined) {
      // What a server tool gave comes as a block of its own; it is no call.
      const result = fields(start["toolResult"]);
      if (result !== undefined) this.#result = { index, block: result, content: [] };
      return;
    }
    // https://github.com/danny-avila/LibreChat/pull/10647 shows text and a call under one index.
    if (this.#text !== undefined && this.#text === index)
      sink.notice("index-reused", "A call was opened under the index of an open text.");
    sink.open(callOf(index, tool));
  }

  #delta(index: unknown, delta: Fields, sink: KeyedSink): void {
    const tool = fields(delta["toolUse"]);
    if (tool !== undefined) return sink.append({ index }, tool["input"]);
    if (delta["text"] !== undefined) {
      const open = this.#cited?.index === index ? this.#cited : undefined;
      const cited = (this.#cited = open ?? { index, text: "", citations: [] });
      cited.text += stringOf(delta["text"]);
      this.#text = index;
      return sink.text(delta["text"]);
    }
    const reasoning = fields(delta["reasoningContent"]);
    if (reasoning !== undefined) return this.#reason(index, reasoning, sink);
    const [result, cited] = [this.#result, this.#cited];
    if (result !== undefined && result.index === index) result.content.push(...listOf(delta["toolResult"]));
    if (cited !== undefined && cited.index === index) cited.citations.push(...listOf(delta["citation"]));
  }

  /** A block that is over: what a server tool gave, and text that cites, go back whole. */
  #stopPart(index: unknown, sink: KeyedSink): void {
    const [result, cited] = [this.#result, this.#cited];
    if (result !== undefined && result.index === index) {
      this.#result = undefined;
      sink.part({ toolResult: { ...result.block, content: result.content } });
    }
    if (cited === undefined || cited.index !== index) return;
    this.#cited = undefined;
    if (cited.citations.length > 0)
      sink.part({ citationsContent: { content: [{ text: cited.text }], citations: cited.citations } });
  }

  /** Reasoning has text, then a signature; both must go back together. */
  #reason(index: unknown, delta: Fields, sink: KeyedSink): void {
    const text = stringOf(delta["text"]);
    sink.reasoning(text);
    if (this.#reasoning?.index !== index) this.#stopReasoning(this.#reasoning?.index, sink);
    const open = (this.#reasoning ??= { index, text: "", rest: {} });
    open.text += text;
    const { text: _, ...rest } = delta;
    open.rest = { ...open.rest, ...rest };
  }

  #stopReasoning(index: unknown, sink: KeyedSink): void {
    const open = this.#reasoning;
    if (open === undefined || open.index !== index) return;
    this.#reasoning = undefined;
    const { redactedContent: redacted, ...rest } = open.rest as { redactedContent?: unknown };
    // Bytes in the SDK's objects, base64 on the wire; parts are plain data.
    const redactedContent = redacted instanceof Uint8Array ? btoa(String.fromCharCode(...redacted)) : redacted;
    sink.part({
      reasoningContent:
        redactedContent === undefined ? { reasoningText: { text: open.text, ...rest } } : { redactedContent },
    });
  }

  /** One event of the model's vendor: Anthropic's, a chat chunk of an OpenAI model, or Nova's, which are Converse's. */
  #chunk(event: Fields | undefined, sink: KeyedSink): void {
    if (event === undefined)
      return sink.notice("non-json-frame", "A chunk whose bytes are no JSON object was passed over.");
    const metrics = fields(event["amazon-bedrock-invocationMetrics"]);
    if (metrics !== undefined) sink.usage(metrics, metrics["inputTokenCount"], metrics["outputTokenCount"]);
    if (this.#inner === undefined) {
      if (typeof event["type"] === "string") {
        this.#inner = readMessages();
        sink.response(undefined, undefined, "invoke-anthropic");
      } else if (Array.isArray(event["choices"])) {
        this.#inner = readChat();
        sink.response(undefined, undefined, "invoke-openai");
      }
    }
    if (this.#inner === undefined) this.read(event, sink);
    else this.#inner.read(event, sink);
  }

  /** The body of Converse, which does not stream. */
  #whole(body: Fields, sink: KeyedSink): void {
    const message = fields(fields(body["output"])?.["message"]);
    for (const [index, block] of listOf(message?.["content"]).entries()) {
      const tool = fields(block["toolUse"]);
      if (tool !== undefined) sink.whole({ ...callOf(index, tool), args: tool["input"] });
      else if (block["text"] !== undefined) sink.text(block["text"]);
      else {
        sink.reasoning(fields(fields(block["reasoningContent"])?.["reasoningText"])?.["text"]);
        sink.part(block);
      }
    }
    usage(body, sink);
    finish(body["stopReason"], sink);
    sink.end();
  }
}

/** Names may end in leaked channel tokens (gpt-oss); those are cut in assembly. Ids have the shape of the model's vendor. */
function callOf(index: unknown, tool: Fields): CallDelta {
  const kind = tool["type"] === "server_tool_use" ? "server" : "function";
  return { index, id: tool["toolUseId"], name: tool["name"], kind };
}

function finish(word: unknown, sink: KeyedSink): void {
  if (typeof word !== "string") return;
  const reason = STOP[word] ?? null;
  if (reason === "error")
    sink.notice("provider-malformed-call", `The vendor could not read what the model wrote (${word}).`);
  sink.finish(word, reason);
}

function usage(from: Fields, sink: KeyedSink): void {
  const counts = fields(from["usage"]);
  if (counts !== undefined) sink.usage(counts, counts["inputTokens"], counts["outputTokens"]);
}

/** `internalServerException`, `throttlingException`, …: an open set. */
function isException(type: string): boolean {
  return /(?:Exception|Error)$/.test(type);
}

/** The JSON object in a chunk: base64 on the wire, bytes in the SDK's objects. */
function unwrap(bytes: unknown): Fields | undefined {
  try {
    const raw = typeof bytes === "string" ? Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0)) : bytes;
    if (!ArrayBuffer.isView(raw)) return undefined;
    return fields(JSON.parse(new TextDecoder().decode(raw)));
  } catch {
    return undefined;
  }
}

/** What reads the events of one answer. */
export function readConverse(): ProtocolReader {
  return new BedrockReader();
}

/** Amazon Bedrock: ConverseStream and InvokeModelWithResponseStream. */
export const bedrock: Protocol = {
  name: "bedrock",
  framing: "aws-event-stream",
  assembler: KeyedAssembler,
  extraFramings: [awsEventStream],
  detect(value, event) {
    if (event !== undefined) return EVENTS.has(event) || isException(event) ? 1 : 0;
    const names = Object.keys(value).filter((name) => name !== "p");
    const [name = ""] = names;
    if (names.length === 1 && fields(value[name]) !== undefined)
      return EVENTS.has(name) ? 1 : isException(name) ? 0.8 : 0;
    return fields(fields(value["output"])?.["message"]) !== undefined && value["stopReason"] !== undefined ? 1 : 0;
  },
  start: readConverse,
};
