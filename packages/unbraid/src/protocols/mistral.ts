// Mistral: chat, which is Chat Completions with its own habits, and Conversations (agents), whose events have names. Owns
// the reading of Conversations and of the SDK's spelling; chat is read in openai-chat.ts.

import { KeyedAssembler } from "../assembly/keyed-assembler.ts";
import type { CallKey, KeyedSink } from "../assembly/sink.ts";
import { present } from "../wire-values.ts";
import { fields, listOf, pick, stringOf, type Fields } from "./fields.ts";
import { readChat } from "./openai-chat.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";
import { snakeKeys } from "./snake-keys.ts";

class MistralReader implements ProtocolReader {
  readonly #chat = readChat();

  read(value: unknown, sink: KeyedSink, event?: string): void {
    const frame = fields(value);
    if (frame === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    // The SDK hands out {event, data} or {data}, with camelCase inside.
    const data = fields(frame["data"]);
    if (data !== undefined && frame["choices"] === undefined)
      return this.read(snakeKeys(data, KEEP), sink, stringOf(frame["event"]));
    const type = stringOf(frame["type"]) || stringOf(event);
    if (frame["object"] === "conversation.response") return whole(frame, sink);
    if (!EVENT.test(type)) return this.#chat.read(frame, sink, event);
    conversation(type, frame, sink);
  }
}

/** Fields whose value is the user's: no key inside is ours to spell. */
const KEEP: ReadonlySet<string> = new Set(["arguments", "info", "metadata"]);

const EVENT = /^(?:conversation\.response|message\.output|function\.call|tool\.execution|agent\.handoff)\./;

function conversation(type: string, frame: Fields, sink: KeyedSink): void {
  switch (type) {
    case "conversation.response.started":
      return sink.response(frame["conversation_id"], undefined, "conversations");
    case "conversation.response.done":
      usage(frame, sink);
      return sink.end(null);
    case "conversation.response.error":
      return sink.error(frame["code"], frame["message"], frame);
    case "message.output.delta":
      sink.response(undefined, frame["model"], "conversations");
      return content(frame["content"], sink);
    case "function.call.delta":
      return functionCall(frame, sink);
    case "tool.execution.started":
      return sink.open({ item: frame["id"], name: frame["name"], kind: "server", args: frame["arguments"] });
    case "tool.execution.delta":
      return sink.append({ item: frame["id"] }, frame["arguments"]);
    case "tool.execution.done":
      return sink.close({ item: frame["id"], ...echoOf(frame, "info") });
    default:
      if (!type.startsWith("agent.handoff."))
        sink.notice("unknown-frame", `An event "${type.slice(0, 40)}" was passed over.`);
  }
}

/** Every event says all of the identity, and a piece of the arguments; no event closes the call. */
function functionCall(frame: Fields, sink: KeyedSink): void {
  const id = present(frame["tool_call_id"]);
  // `output_index` is 0 in the SDK's objects where the wire had none: it counts only without an id.
  const key: CallKey = id === undefined ? { index: frame["output_index"], item: frame["id"] } : { item: id, id };
  // Not `open`, which promises that a close follows.
  if (!sink.knows(key)) sink.delta({ ...key, name: frame["name"], ...echoOf(frame, "confirmation_status") });
  sink.append(key, frame["arguments"]);
}

function echoOf(frame: Fields, field: string): { readonly echo?: Fields } {
  const echo = pick(frame, field);
  return echo === undefined ? {} : { echo };
}

/** The body of a conversation that does not stream. */
function whole(body: Fields, sink: KeyedSink): void {
  sink.response(body["conversation_id"], undefined, "conversations");
  for (const entry of listOf(body["outputs"])) {
    const args = entry["arguments"];
    if (entry["type"] === "function.call") sink.whole({ id: entry["tool_call_id"], name: entry["name"], args });
    else if (entry["type"] === "tool.execution")
      sink.whole({ id: entry["id"], name: entry["name"], kind: "server", args });
    else content(entry["content"], sink);
  }
  usage(body, sink);
  sink.end(null);
}

/** A string, a chunk, or a list of chunks. */
function content(value: unknown, sink: KeyedSink): void {
  if (typeof value === "string") return sink.text(value);
  for (const chunk of listOf(value)) {
    if (chunk["type"] !== "thinking") {
      sink.text(chunk["text"]);
      continue;
    }
    for (const thought of listOf(chunk["thinking"])) sink.reasoning(thought["text"]);
    // The signature is of all the thinking that has come.
    if (stringOf(chunk["signature"]) !== "") sink.part(chunk);
  }
}

function usage(from: Fields, sink: KeyedSink): void {
  const counts = fields(from["usage"]);
  if (counts !== undefined) sink.usage(counts, counts["prompt_tokens"], counts["completion_tokens"]);
}

/** What reads the chunks of one answer. */
export function readMistral(): ProtocolReader {
  return new MistralReader();
}

/** Mistral chat and Conversations. Of chat alone the bytes do not say that it is Mistral's. */
export const mistral: Protocol = {
  name: "mistral",
  framing: "sse",
  assembler: KeyedAssembler,
  detect(value, event) {
    if (EVENT.test(stringOf(value["type"]) || stringOf(event)) || value["object"] === "conversation.response") return 1;
    // Google's response class has a getter of this name, which prints warnings.
    const data = Object.hasOwn(value, "data") ? fields(value["data"]) : undefined;
    if (data === undefined) return 0;
    if (EVENT.test(stringOf(data["type"]))) return 1;
    return Array.isArray(data["choices"]) ? 0.9 : 0;
  },
  start: readMistral,
};
