// What the tests of this room share: declared tools, a reader of one text that folds its events, and cuts.

import type { DeclaredTool } from "../assembly/declared-tools.ts";
import type { NoticeEvent, StreamEvent, ToolCall } from "../events.ts";
import { openaiChat } from "../protocols/openai-chat.ts";
import { TolerantReader } from "../tolerant-reader.ts";
import { rescue } from "./index.ts";

const string = { type: "string" };

export const TOOLS: readonly DeclaredTool[] = [
  {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: {
        city: string,
        days: { type: "integer" },
        unit: { type: ["string", "null"] },
        detailed: { type: "boolean" },
      },
    },
  },
  { name: "write_file", parameters: { type: "object", properties: { path: string, content: string } } },
  {
    name: "search",
    parameters: {
      type: "object",
      properties: {
        query: string,
        limit: { type: "number" },
        filter: {
          type: "object",
          properties: {
            tags: { type: "array", items: string },
            deep: { type: "object", properties: { n: { type: "number" } } },
          },
        },
      },
    },
  },
  { name: "list_items", parameters: { type: "object", properties: {} } },
];

/** Events in which neighbours of one kind are joined: equal for every way of cutting the text. */
type Timeline = readonly (readonly [type: string, ...of: string[]])[];

export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly retracted: number;
  readonly notices: readonly NoticeEvent[];
  readonly timeline: Timeline;
  readonly finish: string | null;
}

export interface Asking {
  readonly tools?: readonly DeclaredTool[];
  readonly field?: "content" | "reasoning_content";
  readonly finish?: string;
  /** Chunks before and behind the text. */
  readonly before?: readonly object[];
  readonly after?: readonly object[];
}

/** One chunk of Chat Completions. */
export function chunk(delta: object, finish: string | null = null): object {
  return { id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** Reads pieces of text that a server sent. */
export function answer(pieces: readonly string[], asking: Asking = {}): Answer {
  const reader = new TolerantReader(openaiChat, { tools: asking.tools ?? TOOLS, rescue });
  const field = asking.field ?? "content";
  const events: StreamEvent[] = [];
  for (const one of asking.before ?? []) events.push(...reader.push(one));
  for (const piece of pieces) events.push(...reader.push(chunk({ [field]: piece })));
  for (const one of asking.after ?? []) events.push(...reader.push(one));
  events.push(...reader.push(chunk({}, asking.finish ?? "stop")), ...reader.push("data: [DONE]\n\n"), ...reader.end());
  return fold(events);
}

/** Folds events. */
export function fold(events: readonly StreamEvent[]): Answer {
  const timeline: [string, ...string[]][] = [];
  const calls = new Map<string, ToolCall>();
  const notices: NoticeEvent[] = [];
  let retracted = 0;
  let finish: string | null = null;
  const add = (type: string, key: string, text: string): void => {
    const last = timeline.at(-1);
    if (last !== undefined && last[0] === type && last[1] === key) last[2] += text;
    else timeline.push([type, key, text]);
  };
  for (const event of events) {
    if (event.type === "text" || event.type === "reasoning") add(event.type, "", event.text);
    else if (event.type === "call.append") add("append", event.call.key, event.text);
    else if (event.type === "call.start") timeline.push(["start", event.call.key, event.call.name]);
    else if (event.type === "call.close") {
      calls.set(event.call.key, event.call);
      timeline.push(["close", event.call.key, event.call.status, event.call.argumentsText]);
    } else if (event.type === "call.retract") {
      calls.delete(event.call.key);
      retracted++;
      timeline.push(["retract", event.call.key]);
    } else if (event.type === "notice") notices.push(event);
    else if (event.type === "finish") finish = event.reason;
  }
  const joined = (type: string): string =>
    timeline
      .filter(([is]) => is === type)
      .map((entry) => entry[2])
      .join("");
  return {
    text: joined("text"),
    reasoning: joined("reasoning"),
    calls: [...calls.values()],
    retracted,
    notices,
    timeline,
    finish,
  };
}

/** Reads a text whole. */
export function ask(text: string, asking: Asking = {}): Answer {
  return answer([text], asking);
}

/** A text in pieces of a length. */
export function piecesOf(text: string, length: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length));
  return pieces;
}
