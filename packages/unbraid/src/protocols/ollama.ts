// Ollama's own chat and generate endpoints: one JSON object a line. Owns their reading. Calls come whole, several in one
// line or spread over lines; the last line says `done`.

import type { FinishReason } from "../events.ts";
import type { Sink } from "../assembly/sink.ts";
import { fields, listOf, stringOf, type Fields } from "./fields.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";

/** There is no word for calls: `stop` is said of them too, and only their presence tells. */
const DONE: Readonly<Record<string, FinishReason | null>> = {
  stop: null,
  length: "length",
  load: "stop",
  unload: "stop",
};

class OllamaReader implements ProtocolReader {
  read(value: unknown, sink: Sink): void {
    const line = fields(value);
    if (line === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    if (failed(line, sink)) return;
    sink.response(undefined, line["model"]);
    const message = fields(line["message"]) ?? {};
    sink.reasoning(message["thinking"] ?? line["thinking"]);
    sink.text(message["content"] ?? line["response"]);
    for (const call of listOf(message["tool_calls"])) {
      // `index` is not looked at: it is 0 for every call of some models (https://github.com/ollama/ollama/issues/15457),
      // and a call that is whole needs none. Only newer servers give ids.
      const named = fields(call["function"]) ?? {};
      sink.whole({ id: call["id"], name: named["name"], args: named["arguments"] ?? {} });
    }
    if (line["done"] === true) done(line, sink);
    else if (line["message"] === undefined && line["response"] === undefined && line["done"] === undefined)
      sink.notice("unknown-frame", "A line without a message was passed over.");
  }
}

function done(line: Fields, sink: Sink): void {
  if (line["eval_count"] !== undefined || line["prompt_eval_count"] !== undefined)
    sink.usage(counts(line), line["prompt_eval_count"], line["eval_count"]);
  const word = stringOf(line["done_reason"]);
  sink.finish(word, DONE[word] ?? null);
  // Old servers say only `done`.
  sink.end(word === "" ? null : undefined);
}

function counts(line: Fields): Fields {
  return Object.fromEntries(Object.entries(line).filter(([name]) => /_(?:count|duration)$/.test(name)));
}

/**
 * An error amid the stream is a line of its own: `{"error":"…"}`, or with the words as the key, as gpt-oss models were
 * given it: `{"error parsing tool call":"invalid character …"}` (https://github.com/ollama/ollama/issues/11781).
 */
function failed(line: Fields, sink: Sink): boolean {
  const { error } = line as { error?: unknown };
  if (typeof error === "string" && error !== "") {
    sink.error(line["status_code"] ?? line["status"], error, line);
    return true;
  }
  const nested = fields(error);
  if (nested !== undefined) {
    sink.error(nested["code"] ?? nested["type"], nested["message"], line);
    return true;
  }
  if (line["message"] !== undefined || line["response"] !== undefined || line["done"] !== undefined) return false;
  const [key, text] = Object.entries(line).find(([name]) => /error|fail/i.test(name)) ?? [];
  if (key === undefined) return false;
  sink.error(null, typeof text === "string" ? `${key}: ${text}` : key, line);
  return true;
}

/** What reads the lines of one answer. */
export function readOllama(): ProtocolReader {
  return new OllamaReader();
}

/** Ollama's native API. */
export const ollama: Protocol = {
  name: "ollama",
  framing: "ndjson",
  detect(value) {
    const told = typeof value["done"] === "boolean" && typeof value["model"] === "string";
    if (told && (fields(value["message"]) !== undefined || typeof value["response"] === "string")) return 1;
    return told ? 0.8 : 0;
  },
  start: readOllama,
};
