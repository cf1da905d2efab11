// OpenAI Responses, over SSE. Owns the reading of its events and of its whole (non-streaming) body. Items are keyed by
// `output_index` first: item ids are re-encrypted between events by some servers, and optional on calls.

import type { CallKind, FinishReason } from "../events.ts";
import { SessionAssembler } from "../assembly/session-assembler.ts";
import type { CallDelta, CallKey, KeyedSink } from "../assembly/sink.ts";
import { reportBareError, reportError } from "./error-fields.ts";
import type { FragmentFrame } from "../templates/fragment.ts";
import type { Hole, HoleValues } from "../templates/holes.ts";
import { fields, firstString, listOf, pick, quiet, stringOf, type Fields } from "./fields.ts";
import { ReplayGuard } from "./replay-guard.ts";
import type { Protocol, ProtocolReader } from "./protocol.ts";
import { ResponsesSession } from "./responses-session.ts";

/** Where an item type runs, and which of its fields is the input. `text`: that field is free text. */
interface ItemType {
  readonly kind: CallKind;
  readonly input: string;
  readonly text?: true;
}

/** Every item type that calls a tool. A type that ends in `_call` and is not here runs at the server. */
const ITEMS: Readonly<Record<string, ItemType>> = {
  function_call: { kind: "function", input: "arguments" },
  custom_tool_call: { kind: "custom", input: "input", text: true },
  tool_search_call: { kind: "server", input: "arguments" },
  local_shell_call: { kind: "builtin", input: "action" },
  shell_call: { kind: "builtin", input: "action" },
  apply_patch_call: { kind: "builtin", input: "operation" },
  computer_call: { kind: "builtin", input: "action" },
  mcp_call: { kind: "mcp", input: "arguments" },
  mcp_approval_request: { kind: "mcp-approval", input: "arguments" },
  code_interpreter_call: { kind: "server", input: "code", text: true },
  web_search_call: { kind: "server", input: "action" },
  file_search_call: { kind: "server", input: "queries" },
  image_generation_call: { kind: "server", input: "prompt", text: true },
  multi_agent_call: { kind: "server", input: "arguments" },
  program: { kind: "server", input: "code", text: true },
};

/** Fields of a call of a function or a custom tool that must go back with it. Any other item goes back whole. */
const ECHO = ["id", "type", "namespace", "caller", "status", "async"];

/** Fields of other call items that a harness looks at. */
const SHOWN = ["id", "type", "server_label", "approval_request_id", "pending_safety_checks"];

/** `completed` is said with and without calls: only these tell which it was. */
const STATUS: Readonly<Record<string, FinishReason>> = {
  incomplete: "length",
  failed: "error",
  cancelled: "cancelled",
};

const REPLAYED = "An event with a sequence number that had been seen came again; it was dropped.";

/** Events that only add a fragment. */
const APPENDS = new Set([
  "response.function_call_arguments.delta",
  "response.custom_tool_call_input.delta",
  "response.mcp_call_arguments.delta",
  "response.code_interpreter_call_code.delta",
]);
const HOLES: readonly Hole[] = [
  { path: ["delta"], use: "text" },
  { path: ["output_index"], use: "index" },
  { path: ["item_id"], use: "item" },
  { path: ["sequence_number"], use: "sequence" },
  { path: ["obfuscation"], use: "skip" },
];
const FRAGMENT_FIELDS = ["type", ...HOLES.map(({ path }) => String(path[0]))];

class ResponsesReader implements ProtocolReader {
  /** Places whose text has come in deltas. */
  readonly #texts: Set<string> = new Set();
  /** Places whose part has been said. */
  readonly #parts: Set<string> = new Set();

  read(value: unknown, sink: KeyedSink, event?: string): void {
    const frame = fields(value);
    if (frame === undefined) return sink.notice("unknown-frame", "A frame that is no object was passed over.");
    const type = stringOf(frame["type"]) || stringOf(event);
    if (type === "" || type === "error") return this.#untyped(frame, type, sink);
    if (frame["error"] !== undefined && frame["error"] !== null) reportError(frame, sink);
    const name = type.startsWith("response.") ? type.slice("response.".length) : type;
    this.#event(name, frame, sink);
  }

  /** Errors come flat or nested, and gateways send them without any type (https://github.com/zed-industries/zed/issues/44022 shows the kind). */
  #untyped(frame: Fields, type: string, sink: KeyedSink): void {
    if (reportError(frame, sink)) return;
    if (frame["object"] === "response") return this.#response(frame, stringOf(frame["status"]), sink);
    if (type === "error" || !Array.isArray(frame["output"])) {
      if (!reportBareError(frame, sink)) sink.notice("unknown-frame", "A frame without a type was passed over.");
    }
  }

  #event(name: string, frame: Fields, sink: KeyedSink): void {
    switch (name) {
      case "output_item.added":
        return added(fields(frame["item"]) ?? {}, keyOf(frame), sink);
      case "output_item.done":
        return this.#done(fields(frame["item"]) ?? {}, keyOf(frame), sink);
      case "function_call_arguments.delta":
      case "custom_tool_call_input.delta":
      case "mcp_call_arguments.delta":
      case "code_interpreter_call_code.delta":
        return sink.append(keyOf(frame), frame["delta"], true);
      case "function_call_arguments.done":
      case "mcp_call_arguments.done":
        return sink.final({ ...keyOf(frame), name: frame["name"], args: frame["arguments"] });
      case "custom_tool_call_input.done":
        return sink.final({ ...keyOf(frame), kind: "custom", format: "text", args: frame["input"] });
      case "code_interpreter_call_code.done":
        return sink.final({ ...keyOf(frame), kind: "server", format: "text", args: frame["code"] });
      case "output_text.delta":
        this.#see(frame);
        return sink.text(frame["delta"], 0, false, frame["item_id"]);
      case "refusal.delta":
        this.#see(frame);
        return sink.text(frame["delta"], 0, true, frame["item_id"]);
      case "refusal.done":
        return this.#wholeText(frame, frame["refusal"], sink, true);
      case "output_text.done":
        return this.#wholeText(frame, frame["text"], sink);
      case "reasoning_summary_text.delta":
      case "reasoning_text.delta":
        this.#see({ output_index: frame["output_index"], item_id: frame["item_id"] });
        return sink.reasoning(frame["delta"], 0, undefined, frame["item_id"]);
      default:
        return this.#lifecycle(name, frame, sink);
    }
  }

  #lifecycle(name: string, frame: Fields, sink: KeyedSink): void {
    const response = fields(frame["response"]);
    if (response === undefined) return;
    switch (name) {
      case "completed":
      case "incomplete":
      case "failed":
      case "cancelled":
        return this.#response(response, stringOf(response["status"]) || name, sink);
      default:
        sink.response(response["id"], response["model"]);
    }
  }

  /** An item's own last word. Items that are no calls are kept as parts: reasoning must go back as it came. */
  #done(item: Fields, key: CallKey, sink: KeyedSink): void {
    const call = callOf(item, key);
    if (call !== undefined) {
      if (!sink.knows(call)) sink.open({ ...call, args: undefined });
      return sink.close(call, item["status"] === "incomplete");
    }
    this.#words(item, key, sink);
  }

  /** An item that is no call: a part to be echoed, and a message's text where no delta of it came. */
  #words(item: Fields, key: CallKey, sink: KeyedSink): void {
    if (item["type"] === "message") {
      for (const [at, part] of listOf(item["content"]).entries()) {
        const place = { output_index: key.index, item_id: key.item, content_index: at };
        if (placesOf(place).some((each) => this.#texts.has(each))) continue;
        this.#see(place);
        sink.text(part["text"] ?? part["refusal"], 0, part["type"] === "refusal", item["id"]);
      }
    }
    const places = placesOf({ output_index: key.index, item_id: key.item });
    if (item["type"] === undefined || places.some((each) => this.#parts.has(each))) return;
    for (const each of places) this.#parts.add(each);
    if (item["type"] === "reasoning" && !places.some((each) => this.#texts.has(each))) sayReasoning(item, sink);
    sink.part(item);
  }

  /** Text that came whole, where no delta of it was seen. */
  #wholeText(frame: Fields, text: unknown, sink: KeyedSink, refusal = false): void {
    if (placesOf(frame).some((each) => this.#texts.has(each))) return;
    this.#see(frame);
    sink.text(text, 0, refusal, frame["item_id"]);
  }

  /** Text of this place has been said. */
  #see(frame: Fields): void {
    for (const place of placesOf(frame)) this.#texts.add(place);
  }

  /** The final snapshot. It may add calls and confirm them; an empty `output` removes none. */
  #response(response: Fields, status: string, sink: KeyedSink): void {
    sink.response(response["id"], response["model"]);
    const usage = fields(response["usage"]);
    if (usage !== undefined) sink.usage(usage, usage["input_tokens"], usage["output_tokens"]);
    const output = listOf(response["output"]);
    const failed = fields(response["error"]);
    if (failed !== undefined) sink.error(failed["code"] ?? failed["type"], failed["message"], failed);
    for (const [index, item] of output.entries()) {
      if (callOf(item, {}) === undefined) this.#words(item, { index, item: item["id"] }, sink);
    }
    if (status !== "failed" && Array.isArray(response["output"])) {
      const calls = output.map((item, index) => {
        const call = callOf(item, { index, item: item["id"] });
        return call !== undefined && item["status"] === "incomplete" ? { ...call, cut: true } : call;
      });
      sink.list(calls.filter((call) => call !== undefined));
    }
    sink.finish(status, finishOf(status, response));
    sink.end();
  }
}

/** A call's text is said again under the name of its field; the item's own name stands before it. */
const RESTATED = /"(?:arguments|input|code)": ?"/;
const ITEM_ID = /"(?:item_)?id": ?"([^"\\]{1,200})"/g;

function restated(beginning: string): { readonly at: number; readonly item: string } | undefined {
  const field = RESTATED.exec(beginning);
  if (field === null) return undefined;
  const item = [...beginning.slice(0, field.index).matchAll(ITEM_ID)].at(-1)?.[1];
  return item === undefined ? undefined : { at: field.index + field[0].length, item };
}

/** The words of a reasoning item of which no delta came. */
function sayReasoning(item: Fields, sink: KeyedSink): void {
  for (const part of [...listOf(item["summary"]), ...listOf(item["content"])])
    sink.reasoning(part["text"], 0, undefined, item["id"]);
}

function finishOf(status: string, response: Fields): FinishReason | null {
  const why = fields(response["incomplete_details"])?.["reason"];
  // The client steered the model away: the response after this one takes its place.
  if (why === "steered") return "cancelled";
  return why === "content_filter" ? "content_filter" : (STATUS[status] ?? null);
}

/** What tells an event from others of its type, whatever the item ids do: some servers change them in every event. */
function contentOf(frame: Fields): string {
  const { delta } = frame as { delta?: unknown };
  if (typeof delta === "string") return delta;
  const item = fields(frame["item"]) ?? fields(frame["response"]) ?? frame;
  return (
    firstString(frame["arguments"], frame["input"], frame["text"], item["call_id"], item["name"], item["status"]) ?? ""
  );
}

/** The number of the item that an event is about; -1 where it has none. */
function placeNumber(frame: Fields): number {
  const { output_index: index } = frame as { output_index?: unknown };
  return typeof index === "number" ? index : -1;
}

function keyOf(frame: Fields): CallKey {
  const item = fields(frame["item"]);
  return { index: frame["output_index"], item: frame["item_id"] ?? item?.["id"] };
}

/** What a place is known by. A final list may leave items out: there only the id of an item tells where it stood. */
function placesOf(frame: Fields): string[] {
  const {
    output_index: index,
    item_id: item,
    content_index: part,
  } = frame as Readonly<Record<string, string | number | undefined>>;
  return [index, item].filter((each) => each !== undefined && each !== "").map((each) => `${each}:${part ?? 0}`);
}

function added(item: Fields, key: CallKey, sink: KeyedSink): void {
  const call = callOf(item, key);
  if (call !== undefined) sink.open(typeof call.args === "string" ? call : { ...call, args: undefined });
}

/** An item that calls a tool, or undefined. */
function callOf(item: Fields, key: CallKey): CallDelta | undefined {
  const type = stringOf(item["type"]);
  const known = Object.hasOwn(ITEMS, type) ? ITEMS[type] : undefined;
  if (known === undefined && !type.endsWith("_call")) return undefined;
  const { kind, input, text } = known ?? { kind: "server", input: "arguments" };
  const own = type === "function_call" || type === "custom_tool_call";
  const echo = own ? pick(item, ...ECHO) : { ...pick(item, ...SHOWN), item };
  // computer_call comes with one `action` or a batch of `actions`; file_search_call with a list of queries.
  const given = item[input] ?? item[`${input}s`];
  return {
    index: key.index,
    item: item["id"] ?? key.item,
    id: firstString(item["call_id"], item["id"], key.item),
    name: item["name"] ?? (kind === "function" || kind === "custom" ? undefined : type.replace(/_call$/, "")),
    kind: kindOf(kind, item),
    format: text === true ? "text" : "json",
    args: Array.isArray(given) ? { [input]: given } : given,
    ...(echo === undefined ? {} : { echo }),
  };
}

/** Tool search and shell run at the client or at the server, as the item says. */
function kindOf(kind: CallKind, item: Fields): CallKind {
  if (item["type"] === "tool_search_call" && item["execution"] === "client") return "builtin";
  if (item["type"] === "shell_call" && stringOf(fields(item["environment"])?.["type"]).startsWith("container"))
    return "server";
  // xAI names tools that it runs itself as custom calls; their ids begin so.
  if (kind === "custom" && stringOf(item["call_id"]).startsWith("xs_call")) return "server";
  return kind;
}

/** Drops what a stream sends again where it was taken up anew; describes its fragments, so that the fast path need not parse them. */
class ResumedReader extends ResponsesReader {
  readonly #guard = new ReplayGuard();

  override read(value: unknown, sink: KeyedSink, event?: string): void {
    const frame = fields(value) ?? {};
    const type = stringOf(frame["type"]) || stringOf(event);
    const numbered = type !== "" && type !== "error";
    if (numbered && this.#guard.isReplay(frame["sequence_number"], type, contentOf(frame), placeNumber(frame)))
      sink.notice("replayed-event", REPLAYED);
    else super.read(value, sink, event);
  }

  fragment(value: unknown): FragmentFrame | undefined {
    const frame = fields(value) ?? {};
    const type = stringOf(frame["type"]);
    const plain = APPENDS.has(type) && typeof frame["delta"] === "string" && quiet(frame, ...FRAGMENT_FIELDS);
    if (!plain) return undefined;
    const isReplay = ({ text, index, sequence }: HoleValues): boolean =>
      this.#guard.isReplay(sequence, type, text, index);
    return {
      holes: HOLES,
      holds: () => true,
      isReplay,
      restated,
      say(values: HoleValues, sink: KeyedSink) {
        if (isReplay(values)) sink.notice("replayed-event", REPLAYED);
        else sink.append({ index: values.index, item: values.item }, values.text, true);
      },
    };
  }
}

/** What reads the events of one response, and drops what comes again. */
export function readResumed(): ProtocolReader {
  return new ResumedReader();
}

/** What reads the events of one response. */
export function readResponse(): ProtocolReader {
  return new ResponsesReader();
}

/** OpenAI Responses and its clones, over HTTP and WebSocket. */
export const openaiResponses: Protocol = {
  name: "openai-responses",
  framing: "sse",
  assembler: SessionAssembler,
  detect(value, event) {
    const type = stringOf(value["type"]) || stringOf(event);
    // Realtime's events bear the same names, and ids of their own; Live's wrap those of a response.
    if (value["event_id"] !== undefined || type === "response.event") return 0;
    if (type.startsWith("response.") || value["object"] === "response") return 1;
    // Only where the frame itself says so: other wires name an SSE event that, too.
    return value["type"] === "error" ? 0.3 : 0;
  },
  start: () => new ResponsesSession(readResumed),
};
