// OpenAI Chat Completions, and every server that calls itself compatible. Owns the reading of its chunks and of its whole
// (non-streaming) body. Which call a fragment belongs to is decided in assembly, for the keys of this wire lie.

import type { FinishReason } from "../events.ts";
import type { CallDelta, Sink } from "../assembly/sink.ts";
import { reportBareError, reportError } from "./error-fields.ts";
import type { FragmentFrame } from "../templates/fragment.ts";
import type { Hole } from "../templates/holes.ts";
import { fields, listOf, pick, quiet, stringOf, type Fields } from "./fields.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";

/** What finish words mean: OpenAI's own and the synonyms of servers. Words that are not here leave it to the calls. */
const FINISH: Readonly<Partial<Record<FinishReason, readonly string[]>>> = {
  // eos: Together; eos_token: TGI
  stop: ["stop", "eos", "eos_token", "stop_sequence", "end_turn"],
  // tool_call: mlx_lm.server
  tool_calls: ["tool_calls", "function_call", "tool_call", "tool_use", "tool"],
  length: [
    "length",
    "max_tokens",
    "model_length",
    "time_limit", // watsonx
    "max_length",
    "max_output_tokens",
    "length_limit",
    "token_limit",
    "context_length_exceeded",
    "model_context_window_exceeded",
  ],
  content_filter: ["content_filter", "blocked", "safety", "recitation", "refusal"],
  // insufficient_system_resource: DeepSeek; abort: SGLang
  error: ["error", "insufficient_system_resource", "abort", "failed", "failure", "timeout"],
  cancelled: ["cancelled", "canceled"],
};

/** What a finish word means; null where it is none that we know. */
function finishOf(word: string): FinishReason | null {
  const plain = word.trim().toLowerCase().replaceAll("-", "_");
  const found = Object.entries(FINISH).find(([, words]) => words.includes(plain));
  return found === undefined ? null : (found[0] as FinishReason);
}

class ChatReader implements ProtocolReader {
  /** The id of the response that the last chunk named. */
  protected id: string | undefined;
  /** Choices that have sent deltas: a `message` beside those is no news. */
  protected readonly streamed: Set<unknown> = new Set();
  /** Server-run tools that were reported. */
  readonly #executed: Set<string> = new Set();

  read(value: unknown, sink: Sink, event?: string): void {
    const chunk = fields(value);
    if (chunk === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    const failed = reportError(chunk, sink);
    const choices = listOf(chunk["choices"]);
    if (
      !failed &&
      chunk["choices"] === undefined &&
      (event === "error" || chunk["usage"] === undefined) &&
      chunk["object"] === undefined
    ) {
      if (!reportBareError(chunk, sink)) sink.notice("unknown-frame", "A frame without choices was passed over.");
      return;
    }
    this.#identify(chunk, choices, sink);
    for (const choice of choices) this.#choice(choice, sink);
    const usage = fields(chunk["usage"]) ?? fields(fields(chunk["x_groq"])?.["usage"]);
    if (usage !== undefined) sink.usage(usage, usage["prompt_tokens"], usage["completion_tokens"]);
  }

  /**
   * Takes the response's id. A gateway that fails over begins anew under another id with a bare role chunk, while a call
   * is open; an id that only changes (foundry-local, litellm: one for every chunk) is no restart.
   */
  #identify(chunk: Fields, choices: readonly Fields[], sink: Sink): void {
    const id = stringOf(chunk["id"]);
    if (id !== "" && this.id !== undefined && id !== this.id && choices.some(isBareRole) && sink.midCall) {
      sink.retract("superseded-by-restart");
      this.streamed.clear();
    }
    sink.response(id, chunk["model"]);
    if (id !== "") this.id = id;
  }

  #choice(choice: Fields, sink: Sink): void {
    const { index } = choice as { index?: unknown };
    const delta = fields(choice["delta"]);
    const message = fields(choice["message"]);
    if (delta !== undefined) {
      // Perplexity-like servers send the message so far beside every delta.
      this.streamed.add(index);
      readText(delta, index, sink);
      for (const call of callsOf(delta, index)) sink.delta(call);
      this.#serverCalls(delta, index, sink);
    }
    if (message !== undefined && (delta === undefined || Object.keys(delta).length === 0)) {
      // A whole message: the body of a non-streaming answer, or one that a server sends at the end of a stream.
      if (!this.streamed.has(index)) readText(message, index, sink);
      sink.list(callsOf(message, index));
      this.#serverCalls(message, index, sink);
    }
    const word = choice["finish_reason"];
    if (typeof word === "string") sink.finish(word, finishOf(word), index);
  }

  /** Groq runs some tools itself and reports them whole, and again with their output. */
  #serverCalls(from: Fields, choice: unknown, sink: Sink): void {
    for (const tool of listOf(from["executed_tools"])) {
      const name = tool["name"] ?? tool["type"];
      const key = `${String(choice)}:${String(tool["index"])}:${String(name)}`;
      if (name === undefined || this.#executed.has(key)) continue;
      this.#executed.add(key);
      sink.whole({ choice, name, args: tool["arguments"], kind: "server", echo: { executed_tool: tool } });
    }
  }
}

/** A chunk's choice that only says the role: `{"role":"assistant","content":""}`. */
function isBareRole(choice: Fields): boolean {
  const delta = fields(choice["delta"]);
  return delta?.["role"] !== undefined && quiet(delta, "role");
}

/** The spellings of reasoning: DeepSeek and Qwen; OpenRouter, Groq and vLLM; others. It goes back under the same one. */
const REASONING = ["reasoning_content", "reasoning", "thinking"];

function readText(from: Fields, choice: unknown, sink: Sink): void {
  const field = REASONING.find((name) => stringOf(from[name]) !== "");
  if (field !== undefined) sink.reasoning(from[field], choice, field);
  // OpenRouter keeps signatures here; they must be echoed.
  if (Array.isArray(from["reasoning_details"]) && from["reasoning_details"].length > 0) {
    sink.part({ reasoning_details: from["reasoning_details"] }, choice);
  }
  // Gemini's compatible endpoint signs an answer without calls here.
  if (fields(from["extra_content"]) !== undefined) sink.part({ extra_content: from["extra_content"] }, choice);
  readContent(from["content"], choice, sink);
  sink.text(from["refusal"], choice, true);
}

/** Content is a string, or a list of parts (Mistral): text and thinking. */
function readContent(content: unknown, choice: unknown, sink: Sink): void {
  if (typeof content === "string") return sink.text(content, choice);
  for (const part of listOf(content)) {
    if (part["type"] === "thinking") {
      for (const thought of listOf(part["thinking"])) sink.reasoning(thought["text"], choice);
      sink.reasoning(part["thinking"], choice);
      // Mistral's signature is of all the thinking that has come.
      if (stringOf(part["signature"]) !== "") sink.part(part, choice);
    } else {
      sink.text(part["text"], choice);
    }
  }
}

/** The calls of a delta or a message. TGI sends an object where the list belongs. */
function callsOf(from: Fields, choice: unknown): readonly CallDelta[] {
  const calls = listOf(from["tool_calls"]).map((entry) => toolCall(entry, choice));
  const legacy = fields(from["function_call"]);
  if (legacy !== undefined) calls.push({ choice, index: 0, name: legacy["name"], args: legacy["arguments"] });
  return calls;
}

/** One entry of `tool_calls`. A missing or blank type means function. */
function toolCall(entry: Fields, choice: unknown): CallDelta {
  const custom = fields(entry["custom"]);
  const call = custom ?? fields(entry["function"]) ?? {};
  const echo = pick(entry, "extra_content", "provider_metadata");
  const isCustom = custom !== undefined || entry["type"] === "custom";
  return {
    choice,
    index: entry["index"],
    id: entry["id"],
    name: call["name"] ?? entry["name"],
    args: isCustom ? call["input"] : (call["arguments"] ?? entry["arguments"]),
    ...(isCustom ? { kind: "custom" as const, format: "text" as const } : {}),
    // Gemini's compatible endpoint keeps the thought signature in extra_content.
    ...(echo === undefined ? {} : { echo }),
  };
}

const HOLES: readonly Hole[] = [
  { path: ["choices", 0, "delta", "tool_calls", 0, "function", "arguments"], use: "text" },
  { path: ["choices", 0, "delta", "tool_calls", 0, "index"], use: "index" },
  { path: ["created"], use: "skip" },
  { path: ["obfuscation"], use: "skip" },
];
/** Fields of a chunk that say nothing of their own, beside `choices`. */
const QUIET = ["id", "object", "created", "model", "service_tier", "system_fingerprint", "obfuscation", "provider"];

/**
 * The choice of a chunk with one fragment of one call and nothing else: `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"…"}}]}}]}`
 */
function choiceOfFragment(value: unknown): number | undefined {
  const chunk = fields(value) ?? {};
  const choice = only(chunk["choices"]);
  const delta = fields(choice["delta"]) ?? {};
  const entry = only(delta["tool_calls"]);
  const call = fields(entry["function"]) ?? {};
  const { index } = choice;
  const plain =
    typeof index === "number" &&
    typeof entry["index"] === "number" &&
    typeof call["arguments"] === "string" &&
    entry["type"] !== "custom" &&
    quiet(chunk, "choices", ...QUIET) &&
    quiet(choice, "index", "delta") &&
    quiet(delta, "tool_calls", "role") &&
    quiet(entry, "index", "function", "type") &&
    quiet(call, "arguments");
  return plain ? index : undefined;
}

/** The one object in a list of one; an empty object where it is no such list. */
function only(value: unknown): Fields {
  return (Array.isArray(value) && value.length === 1 ? fields(value[0]) : undefined) ?? {};
}

/** Describes its fragments too, so that the fast path need not parse them. */
class DescribingReader extends ChatReader {
  fragment(value: unknown): FragmentFrame | undefined {
    const { id: given, model } = (fields(value) ?? {}) as { id?: unknown; model?: unknown };
    const id = stringOf(given);
    const choice = choiceOfFragment(value);
    if (choice === undefined) return undefined;
    return {
      holes: HOLES,
      holds: () => this.streamed.has(choice),
      say: ({ text, index }, sink) => {
        if (id !== "") this.id = id;
        sink.response(id, model);
        sink.delta({ choice, index, args: text });
      },
    };
  }
}

/** What reads the chunks of one answer, for wires that carry them in another envelope. */
export function readChat(): ProtocolReader {
  return new ChatReader();
}

/** Chat Completions of OpenAI and of all that call themselves compatible. */
export const openaiChat: Protocol = {
  name: "openai-chat",
  framing: "sse",
  detect(value) {
    if (stringOf(value["object"]).startsWith("chat.completion")) return 1;
    if (Array.isArray(value["choices"])) return 0.9;
    return value["error"] === undefined ? 0 : 0.2;
  },
  start: () => new DescribingReader(),
};
