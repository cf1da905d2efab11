// What most clients do with each wire: calls kept by the number that the wire gives them, argument strings added up, the
// last id and name that came; or every fragment added to the call that was announced last. Written the way the vendors'
// own examples are, so that the comparison is fair. Owns these readers; they are wrong on purpose where the wire is not as
// the examples think.

import type { ProtocolName } from "unbraid";

/** A call as a naive reader has it at the end. */
export interface NaiveCall {
  /** The vendor's id. */
  id: string | undefined;
  /** The tool's name. */
  name: string | undefined;
  /** The argument text. */
  text: string;
  /** The arguments are free text and will not be parsed. */
  readonly free: boolean;
}

/** Takes the JSON values of a body one by one. */
export interface NaiveReader {
  /** Takes the next value. */
  take(value: unknown): void;
  /** The calls so far. */
  readonly calls: readonly NaiveCall[];
}

/** A field of a value, or of a value in it; undefined where there is none. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[key];
  }
  return here;
}

function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const list = at(value, ...path);
  return Array.isArray(list) ? list : [];
}

function word(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Calls in the order in which they were announced; what has no announcement belongs to the last. */
class LastCall {
  readonly calls: NaiveCall[] = [];

  open(call: NaiveCall): void {
    this.calls.push(call);
  }

  add(text: unknown): void {
    const call = this.calls.at(-1);
    if (call !== undefined && text !== undefined && text !== null) call.text += text as string;
  }
}

/** Calls by what the wire calls their index, as an object of JavaScript would hold them: a missing index is a key too. */
class ByIndex {
  readonly #calls: Map<string, NaiveCall> = new Map();

  get calls(): readonly NaiveCall[] {
    return [...this.#calls.values()];
  }

  open(index: unknown, call: NaiveCall): void {
    this.#calls.set(String(index), call);
  }

  get(index: unknown): NaiveCall | undefined {
    return this.#calls.get(String(index));
  }

  /** What a `+=` does, whatever comes. */
  add(index: unknown, text: unknown): void {
    const call = this.get(index);
    if (call !== undefined && text !== undefined && text !== null) call.text += text as string;
  }
}

function chat(): NaiveReader {
  const byIndex = new ByIndex();
  return {
    get calls() {
      return byIndex.calls;
    },
    take(chunk) {
      for (const delta of listAt(chunk, "choices", 0, "delta", "tool_calls")) {
        const index = at(delta, "index");
        const part = at(delta, "function") ?? at(delta, "custom");
        if (byIndex.get(index) === undefined)
          byIndex.open(index, { id: undefined, name: undefined, text: "", free: at(delta, "custom") !== undefined });
        const call = byIndex.get(index);
        if (call !== undefined) {
          call.id = word(at(delta, "id")) ?? call.id;
          call.name = word(at(part, "name")) ?? call.name;
        }
        byIndex.add(index, at(part, "arguments") ?? at(part, "input"));
      }
    },
  };
}

function responses(): NaiveReader {
  const byIndex = new ByIndex();
  return {
    get calls() {
      return byIndex.calls;
    },
    take(event) {
      const type = at(event, "type");
      const item = at(event, "item");
      const index = at(event, "output_index");
      if (type === "response.output_item.added") {
        const free = at(item, "type") === "custom_tool_call";
        if (!free && at(item, "type") !== "function_call") return;
        byIndex.open(index, { id: word(at(item, "call_id")), name: word(at(item, "name")), text: "", free });
        byIndex.add(index, at(item, free ? "input" : "arguments"));
      }
      if (type === "response.function_call_arguments.delta" || type === "response.custom_tool_call_input.delta")
        byIndex.add(index, at(event, "delta"));
    },
  };
}

function anthropic(): NaiveReader {
  const byIndex = new ByIndex();
  return {
    get calls() {
      return byIndex.calls;
    },
    take(event) {
      const index = at(event, "index");
      const block = at(event, "content_block");
      if (at(event, "type") === "content_block_start" && at(block, "type") === "tool_use")
        byIndex.open(index, { id: word(at(block, "id")), name: word(at(block, "name")), text: "", free: false });
      if (at(event, "type") === "content_block_delta" && at(event, "delta", "type") === "input_json_delta")
        byIndex.add(index, at(event, "delta", "partial_json"));
    },
  };
}

function lastChat(): NaiveReader {
  const last = new LastCall();
  return {
    calls: last.calls,
    take(chunk) {
      for (const delta of listAt(chunk, "choices", 0, "delta", "tool_calls")) {
        const part = at(delta, "function") ?? at(delta, "custom");
        const id = word(at(delta, "id"));
        if (id !== undefined)
          last.open({ id, name: word(at(part, "name")), text: "", free: at(delta, "custom") !== undefined });
        last.add(at(part, "arguments") ?? at(part, "input"));
      }
    },
  };
}

function lastResponses(): NaiveReader {
  const last = new LastCall();
  return {
    calls: last.calls,
    take(event) {
      const type = at(event, "type");
      const item = at(event, "item");
      if (type === "response.output_item.added") {
        const free = at(item, "type") === "custom_tool_call";
        if (!free && at(item, "type") !== "function_call") return;
        last.open({ id: word(at(item, "call_id")), name: word(at(item, "name")), text: "", free });
        last.add(at(item, free ? "input" : "arguments"));
      }
      if (type === "response.function_call_arguments.delta" || type === "response.custom_tool_call_input.delta")
        last.add(at(event, "delta"));
    },
  };
}

function lastAnthropic(): NaiveReader {
  const last = new LastCall();
  return {
    calls: last.calls,
    take(event) {
      const block = at(event, "content_block");
      if (at(event, "type") === "content_block_start" && at(block, "type") === "tool_use")
        last.open({ id: word(at(block, "id")), name: word(at(block, "name")), text: "", free: false });
      if (at(event, "type") === "content_block_delta" && at(event, "delta", "type") === "input_json_delta")
        last.add(at(event, "delta", "partial_json"));
    },
  };
}

function gemini(): NaiveReader {
  const calls: NaiveCall[] = [];
  return {
    calls,
    take(chunk) {
      for (const part of listAt(chunk, "candidates", 0, "content", "parts")) {
        const call = at(part, "functionCall");
        if (call === undefined || call === null) continue;
        const text = JSON.stringify(at(call, "args") ?? {});
        calls.push({ id: word(at(call, "id")), name: word(at(call, "name")), text, free: false });
      }
    },
  };
}

/** How a wire is read naively, and in which words to say so. */
export interface NaiveWire {
  /** Makes a reader for one body. */
  readonly start: () => NaiveReader;
  /** By what it tells calls apart. */
  readonly key: string;
}

const LAST = "the call announced last";

/** The naive readers of each wire that has any: first the one by the wire's own key, then that of the last call. */
export const naiveWires: Readonly<Partial<Record<ProtocolName, readonly NaiveWire[]>>> = {
  "openai-chat": [
    { start: chat, key: "index" },
    { start: lastChat, key: LAST },
  ],
  "openai-responses": [
    { start: responses, key: "output_index" },
    { start: lastResponses, key: LAST },
  ],
  anthropic: [
    { start: anthropic, key: "content block index" },
    { start: lastAnthropic, key: LAST },
  ],
  gemini: [{ start: gemini, key: "part" }],
};
