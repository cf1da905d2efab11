// Relatives of the composed cases: the same faults under other names, ids, indexes and cuts. Owns how a relative is read
// and judged, and the small makers of wire text that the families share. The answers stand with the families.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Collector, createReader, runnable, type DeclaredTool, type StreamEvent } from "unbraid";
import type { Tested } from "../compare.ts";

/** id (null: made), name, text, and a status with `/kind` and `@choice` where they are not those of most calls. */
export type Brief = readonly [id: string | null, name: string, text: string, status?: string];

/** One body and what it comes to. */
export interface Relative {
  readonly what: string;
  readonly body: string;
  readonly calls: readonly Brief[];
  /** `tool_calls` where there are calls and `stop` where there are none, unless said. */
  readonly finish?: string | null;
  readonly protocol?: Tested;
  readonly tools?: readonly DeclaredTool[] | undefined;
  /** How many entries `dropped` has. */
  readonly dropped?: number;
  readonly notices?: readonly string[];
}

/** The tools of the composed cases. */
const TOOLS: readonly DeclaredTool[] = JSON.parse(
  readFileSync(new URL("../cases/tools.json", import.meta.url), "utf8"),
) as DeclaredTool[];
/** Without tools, and with. */
export const BOTH: readonly (readonly DeclaredTool[] | undefined)[] = [undefined, TOOLS];

/** Makes one test of a family; its failure names the first relatives that are read wrong. */
export function family(name: string, relatives: () => Iterable<Relative>): void {
  test(name, () => {
    const wrong: string[] = [];
    let count = 0;
    for (const relative of relatives()) {
      count++;
      const what = judge(relative);
      if (what !== undefined) wrong.push(`${relative.what}\n  ${what}`);
    }
    expect(count).toBeGreaterThan(0);
    if (wrong.length > 0) expect.fail(`${wrong.length} of ${count} are read wrong:\n${wrong.slice(0, 4).join("\n")}`);
  });
}

function judge(relative: Relative): string | undefined {
  const { body, calls, protocol = "openai-chat", tools } = relative;
  const reader = createReader({ protocol, ...(tools === undefined ? {} : { tools }) });
  const collector = new Collector();
  const add = (events: readonly StreamEvent[]): void => events.forEach((event) => collector.add(event));
  add(reader.push(body));
  add(reader.end());
  const got = collector.result;
  const have = got.calls.map((call): Brief => {
    const marks = `${call.status}${call.kind === "function" ? "" : `/${call.kind}`}${call.choice === 0 ? "" : `@${call.choice}`}`;
    return [call.madeId === true ? null : call.id, call.name, call.argumentsText, marks];
  });
  const want = calls.map(([id, name, text, status = "complete"]): Brief => [id, name, text, status]);
  if (JSON.stringify(have) !== JSON.stringify(want))
    return `calls ${JSON.stringify(have).slice(0, 500)}\n  right ${JSON.stringify(want).slice(0, 500)}`;
  const finish = relative.finish === undefined ? (calls.length > 0 ? "tool_calls" : "stop") : relative.finish;
  if (got.finish !== finish) return `finish ${got.finish}, right ${finish}`;
  if (relative.dropped !== undefined && got.dropped.length !== relative.dropped)
    return `${got.dropped.length} dropped, right ${relative.dropped}`;
  const said = new Set<string>(got.notices.map((notice) => notice.code));
  const missing = (relative.notices ?? []).filter((code) => !said.has(code));
  if (missing.length > 0) return `no notice ${missing.join(", ")}; said ${[...said].join(", ")}`;
  const ids = got.calls.map((call) => `${call.choice} ${call.id}`);
  if (new Set(ids).size !== ids.length) return `ids are not unique: ${ids.join(", ")}`;
  if (finish !== "tool_calls" && runnable(got).length > 0) return "something may run";
  return undefined;
}

/* ---- wire text ---- */

/** An event stream of these values; strings stand as they are. */
export function sse(...values: readonly unknown[]): string {
  return values.map((value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`).join("");
}

/** A text in pieces of a size. */
export function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}

/** A text said again and again, each time `size` longer. */
export function snapshots(text: string, size: number): string[] {
  return pieces(text, size).map((_, i) => text.slice(0, Math.min((i + 1) * size, text.length)));
}

/** An entry of `tool_calls`; what is undefined is left away. */
export function entry(index: unknown, id?: unknown, name?: unknown, args?: unknown): object {
  return defined({ index, id, function: defined({ name, arguments: args }) });
}

/** A chunk with these entries, or with whatever else a choice may hold. */
export function chunk(
  entries?: unknown,
  rest: { choice?: unknown; finish?: unknown; content?: unknown; role?: string; top?: object } = {},
): object {
  const delta = defined({ role: rest.role, content: rest.content, tool_calls: entries });
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "m",
    choices: [{ index: rest.choice ?? 0, delta, finish_reason: rest.finish ?? null }],
    ...rest.top,
  };
}

/** A chat stream: lists are the entries of a chunk. */
export function chat(...chunks: readonly unknown[]): string {
  return sse(...chunks.map((each) => (Array.isArray(each) ? chunk(each) : each)));
}

/** The chunk that says how it ended. */
export function ended(word: unknown = "tool_calls"): object {
  return chunk(undefined, { finish: word });
}

/** A chat stream that ends well. */
export function full(...chunks: readonly unknown[]): string {
  return chat(...chunks, ended(), "[DONE]");
}

/** An object without the fields that are undefined. */
export function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Lists side by side: the first of each, then the second of each, …. */
export function interleave<T>(lists: readonly (readonly T[])[]): T[][] {
  const rounds = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: rounds }, (_, round) =>
    lists.flatMap((list) => (round < list.length ? [list[round] as T] : [])),
  );
}
