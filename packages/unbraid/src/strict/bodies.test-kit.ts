// Bodies for the tests of the strict readers, made of few words.

import type { Collected } from "../collect.ts";
import { bytesOf, collected } from "../protocols/reading.test-kit.ts";
import type { ReaderOptions } from "../reader.ts";
import type { Wire } from "../wire.ts";
import { read } from "./strict.test-kit.ts";

/** One frame. */
export const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** What a strict reader makes of a body. */
export function answer(wire: Wire, body: string, options: ReaderOptions = {}): Collected {
  return collected(read(wire, bytesOf(body), options));
}

/** Chunks of Chat Completions, each with these entries of `tool_calls`. */
export const chat = (...deltas: readonly unknown[]): string =>
  deltas.map((delta) => data({ choices: [{ index: 0, delta: { tool_calls: [delta] } }] })).join("");
/** The end of a response with calls. */
export const finished = `${data({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] })}data: [DONE]\n\n`;
/** An entry that opens a call. */
export const header = (index: number, id: string, name: unknown = "search", text = ""): unknown => ({
  index,
  id,
  type: "function",
  function: { name, arguments: text },
});
/** An entry that goes on with one. */
export const fragment = (index: number, text: string): unknown => ({ index, function: { arguments: text } });

/** An open block of Anthropic, its text, its end, and the message around. */
export const block = (index: number, id: string): string =>
  data({ type: "content_block_start", index, content_block: { type: "tool_use", id, name: "search", input: {} } });
export const json = (index: number, text: string): string =>
  data({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: text } });
export const stop = (index: number): string => data({ type: "content_block_stop", index });
export const message = (content: string): string =>
  data({ type: "message_start", message: { id: "msg_1", content: [] } }) +
  content +
  data({ type: "message_delta", delta: { stop_reason: "tool_use" } }) +
  data({ type: "message_stop" });

/** A call of Responses, and the events around. */
export const item = (id: string, text?: string): unknown => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "search",
  arguments: text,
});
export const responses = (...events: readonly (readonly [type: string, fields: object])[]): string =>
  events.map(([type, fields]) => data({ type: `response.${type}`, ...fields })).join("") +
  data({ type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } });
