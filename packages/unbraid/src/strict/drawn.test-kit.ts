// Streams drawn at random from a few words, keys and pieces of text, so that headers, fragments and last words meet in every
// order. Owns the drawing; what must hold of them is in strict.test-checks.ts.

import { data } from "./bodies.test-kit.ts";

/** Draws a number below `below`. */
export type Draw = (below: number) => number;

const PIECES = [
  "",
  "",
  " ",
  "{",
  "}",
  "{}",
  '{"q":1}',
  '{"q":',
  "1}",
  '{"q":"',
  "x",
  '"}',
  "null",
  "\n",
  "\u00A0",
  '"a"',
];

function pick<T>(draw: Draw, values: readonly T[]): T {
  return values[draw(values.length)] as T;
}

/** Argument text, seldom another value. */
function text(draw: Draw): unknown {
  return draw(15) === 0 ? pick<unknown>(draw, [null, undefined, {}, { q: 1 }, 0, []]) : pick(draw, PIECES);
}

/** Mostly the right key; else another one, or none. */
function key<T>(draw: Draw, right: T, wrong: readonly T[]): T | undefined {
  return draw(8) > 0 ? right : pick(draw, [...wrong, undefined]);
}

function chatEntry(draw: Draw, at: number, isHeader: boolean): unknown {
  const custom = draw(6) === 0;
  const call = {
    name: isHeader ? pick(draw, ["s", "s", "t"]) : undefined,
    [custom ? "input" : "arguments"]: text(draw),
  };
  return {
    index: key(draw, at, [0, 1]),
    id: isHeader ? key(draw, `id${at}`, ["id0"]) : undefined,
    type: custom ? "custom" : "function",
    [custom ? "custom" : "function"]: call,
  };
}

function chat(draw: Draw): string {
  let body = "";
  let calls = 0;
  for (let frames = 2 + draw(8); frames > 0; frames--) {
    const isHeader = calls === 0 || draw(3) === 0;
    const at = isHeader ? calls++ : draw(calls);
    const delta =
      draw(12) === 0
        ? { executed_tools: [{ index: 0, name: "web", arguments: text(draw) }] }
        : { tool_calls: [chatEntry(draw, at, isHeader)] };
    body += data({ choices: [{ index: 0, delta }] });
  }
  return body + data({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
}

function anthropic(draw: Draw): string {
  let body = data({ type: "message_start", message: { id: "m", content: [] } });
  let at = -1;
  for (let blocks = 1 + draw(3); blocks > 0; blocks--) {
    at++;
    const input = draw(4) === 0 ? text(draw) : {};
    const block = { type: "tool_use", id: key(draw, `id${at}`, ["id0"]), name: "s", input };
    body += data({ type: "content_block_start", index: key(draw, at, [0]), content_block: block });
    for (let pieces = draw(4); pieces > 0; pieces--) {
      const delta =
        draw(6) === 0 ? { type: "text_delta", text: "x" } : { type: "input_json_delta", partial_json: text(draw) };
      body += data({ type: "content_block_delta", index: key(draw, at, [0]), delta });
    }
    if (draw(6) > 0) body += data({ type: "content_block_stop", index: key(draw, at, [0]) });
  }
  return `${body}${data({ type: "message_delta", delta: { stop_reason: "tool_use" } })}${data({ type: "message_stop" })}`;
}

function responses(draw: Draw): string {
  let body = "";
  let number = 0;
  const say = (type: string, fields: object): void => {
    body += data({ type: `response.${type}`, sequence_number: draw(12) === 0 ? number : ++number, ...fields });
  };
  const output: unknown[] = [];
  for (let at = 0; at < 1 + draw(3); at++) {
    const item = { type: "function_call", id: `fc${at}`, call_id: key(draw, `id${at}`, ["id0"]), name: "s" };
    let held = "";
    say("output_item.added", { output_index: key(draw, at, [0]), item: { ...item, arguments: "" } });
    for (let pieces = draw(4); pieces > 0; pieces--) {
      const delta = text(draw);
      held += typeof delta === "string" ? delta : "";
      say("function_call_arguments.delta", { output_index: at, item_id: key(draw, item.id, ["fc0"]), delta });
    }
    const args = draw(6) === 0 ? text(draw) : held;
    const done = { ...item, arguments: args, status: draw(8) === 0 ? "incomplete" : "completed" };
    if (draw(3) > 0) say("function_call_arguments.done", { output_index: at, item_id: item.id, arguments: args });
    if (draw(5) > 0) say("output_item.done", { output_index: at, item: done });
    output.push(done);
  }
  say("completed", { response: { id: "r", status: "completed", output: draw(2) === 0 ? [] : output } });
  return body;
}

/** What draws a body, by the wire's name. */
export const DRAWN: ReadonlyMap<string, (draw: Draw) => string> = new Map([
  ["openai-chat", chat],
  ["anthropic", anthropic],
  ["openai-responses", responses],
]);
