// OpenAI Responses for clients that take it at its word. Owns what such a client understands of an event, and how events are
// written anew: every item added and done under a dense index, the final list as the items were; items that are no calls
// keep every field.

import type { FinishReason } from "unbraid";
import {
  type Anew,
  type Claims,
  type Dialect,
  isWord,
  type Obj,
  objectOf,
  objectsOf,
  type Seen,
  without,
  type Written,
} from "./dialect.ts";
import { itemOf, type KnownCall, Pen, placeOf, type ResponsesState, withCall } from "./responses-pen.ts";
import type { CallName, Ending, Said } from "./said.ts";

const CALL_ITEMS = new Set(["function_call", "custom_tool_call"]);
const ENDINGS = new Set(["response.completed", "response.incomplete", "response.failed", "response.cancelled"]);

/** See the file's head. */
export const responses: Dialect<ResponsesState> = {
  protocol: "openai-responses",
  idsOptional: false,
  parses: false,
  wholes: false,
  restates: true,
  closes: true,
  start: () => ({
    started: false,
    sequence: -1,
    next: 0,
    calls: [],
    others: new Map(),
    items: new Map(),
    texts: new Set(),
    over: false,
    response: undefined,
    ending: undefined,
  }),
  claims,
  ending: ({ over }) => over,
  sound: (ending, state) =>
    state.over && state.ending === undefined && ending.reason !== null ? { frames: [], state } : undefined,
  anew,
  conclude,
  failure: ({ code, message }, { sequence }) => {
    const value = {
      type: "error",
      sequence_number: sequence + 1,
      code: code ?? "upstream_error",
      message,
      param: null,
    };
    return [{ event: "error", value }];
  },
};

// ── as a strict client reads ────────────────────────────────────────────────────────────────────────────────────────────

type Taken = Claims<ResponsesState> | undefined;

function claims({ value }: Seen, before: ResponsesState): Taken {
  const type = value?.["type"];
  if (value === undefined || typeof type !== "string") return undefined;
  const sequence = value["sequence_number"] ?? before.sequence + 1;
  if (typeof sequence !== "number" || sequence <= before.sequence) return undefined;
  const state = { ...before, sequence };
  if (type === "error") return { said: [{ kind: "error", error: { code: null, message: "" } }], state };
  if (ENDINGS.has(type)) return endClaims(value, type, state);
  const { output_index: index, delta } = value;
  switch (type) {
    case "response.created":
    case "response.in_progress":
    case "response.queued":
      return { said: [], state: { ...state, started: true, response: objectOf(value["response"]) } };
    case "response.output_item.added":
      return addedClaims(objectOf(value["item"]), index, state);
    case "response.output_item.done":
      return doneClaims(objectOf(value["item"]), index, state);
    case "response.function_call_arguments.delta":
    case "response.custom_tool_call_input.delta":
      return fragmentClaims(value, state);
    case "response.function_call_arguments.done":
      return finalClaims(value, value["arguments"], state);
    case "response.custom_tool_call_input.done":
      return finalClaims(value, value["input"], state);
    case "response.output_text.delta":
      return words("text", delta, value, state);
    case "response.refusal.delta":
      return words("refusal", delta, value, state);
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return typeof delta === "string"
        ? { said: [{ kind: "text", lane: "reasoning", choice: 0, text: delta }], state }
        : undefined;
    case "response.output_text.done":
      return state.texts.has(placeOf(value)) ? { said: [], state } : words("text", value["text"], value, state);
    case "response.refusal.done":
      return state.texts.has(placeOf(value)) ? { said: [], state } : words("refusal", value["refusal"], value, state);
    default:
      return { said: [], state };
  }
}

function words(lane: "text" | "refusal", text: unknown, value: Obj, state: ResponsesState): Taken {
  if (typeof text !== "string") return undefined;
  const place = placeOf(value);
  const texts = state.texts.has(place) ? state.texts : new Set(state.texts).add(place);
  return { said: [{ kind: "text", lane, choice: 0, text }], state: { ...state, texts } };
}

function addedClaims(item: Obj | undefined, index: unknown, state: ResponsesState): Taken {
  if (item === undefined || index !== state.next || !state.started) return undefined;
  const next = { ...state, next: state.next + 1 };
  if (!isClients(item)) return { said: [], state: { ...next, others: new Map(state.others).set(index, index) } };
  const { call_id: id, name, id: itemId, type } = item;
  const text = item[type === "custom_tool_call" ? "input" : "arguments"] ?? "";
  // The item's own id is optional for the vendor, and not for clients.
  if (!isWord(id) || !isWord(name) || !isWord(itemId) || text !== "") return undefined;
  const kind = type === "custom_tool_call" ? "custom" : "function";
  const call: CallName = { key: String(state.calls.length), id, name, kind, choice: 0 };
  const known = {
    name: call,
    id,
    item: itemId,
    index,
    text: "",
    argumentsDone: false,
    done: false,
  };
  return { said: [{ kind: "open", call }], state: { ...next, calls: [...state.calls, known] } };
}

/** xAI names what it runs itself as custom calls; their ids begin so. */
function isClients(item: Obj): boolean {
  const { type, call_id: id } = item;
  return CALL_ITEMS.has(String(type)) && !(type === "custom_tool_call" && String(id).startsWith("xs_call"));
}

function callAt(index: unknown, state: ResponsesState): KnownCall | undefined {
  return state.calls.find((call) => call.index === index && !call.done);
}

function fragmentClaims(value: Obj, state: ResponsesState): Taken {
  const { output_index: index, item_id: item, delta } = value;
  const call = callAt(index, state);
  if (call === undefined) return state.others.has(index) ? { said: [], state } : undefined;
  if (typeof delta !== "string" || item !== call.item || call.argumentsDone) return undefined;
  return {
    said: [{ kind: "add", key: call.name.key, text: delta }],
    state: withCall({ ...call, text: call.text + delta }, state),
  };
}

function finalClaims(value: Obj, text: unknown, state: ResponsesState): Taken {
  const call = callAt(value["output_index"], state);
  if (call === undefined) return state.others.has(value["output_index"]) ? { said: [], state } : undefined;
  if (typeof text !== "string" || call.argumentsDone || value["item_id"] !== call.item) return undefined;
  return grown(call, text, { argumentsDone: true }, state);
}

/** The whole text of a call. */
function grown(call: KnownCall, text: string, change: Partial<KnownCall>, state: ResponsesState): Taken {
  if (call.text === text) return { said: [], state: withCall({ ...call, ...change }, state) };
  // Where no piece came at all, or others did, clients take what the event says: to the vendor it is final.
  const kind = call.text === "" ? "add" : "restate";
  return {
    said: [{ kind, key: call.name.key, text }],
    state: withCall({ ...call, ...change, text }, state),
  };
}

function doneClaims(item: Obj | undefined, index: unknown, state: ResponsesState): Taken {
  if (item === undefined) return undefined;
  const call = callAt(index, state);
  if (call === undefined) {
    if (isClients(item) || !state.others.has(index)) return undefined;
    const items = new Map(state.items).set(Number(index), item);
    const said: Said[] = [];
    return { said, state: messageTexts(item, index, said, { ...state, items }) };
  }
  if (!isSame(item, call) || item["status"] === "incomplete") return undefined;
  const text = textOf(item);
  if (text === undefined) return undefined;
  const after = grown(call, text, { done: true }, state);
  if (after === undefined) return undefined;
  const items = new Map(state.items).set(call.index, item);
  return {
    said: [...after.said, { kind: "close", key: call.name.key, whole: undefined }],
    state: { ...after.state, items },
  };
}

function textOf(item: Obj): string | undefined {
  const text = item[item["type"] === "custom_tool_call" ? "input" : "arguments"];
  return typeof text === "string" ? text : undefined;
}

function isSame(item: Obj, call: KnownCall): boolean {
  return item["call_id"] === call.id && item["name"] === call.name.name && (item["id"] ?? "") === call.item;
}

/** Text of a message that came in no pieces. */
function messageTexts(item: Obj, index: unknown, said: Said[], state: ResponsesState): ResponsesState {
  if (item["type"] !== "message") return state;
  let next = state;
  for (const [at, part] of objectsOf(item["content"]).entries()) {
    const place = placeOf({ output_index: index, content_index: at });
    if (next.texts.has(place)) continue;
    next = { ...next, texts: new Set(next.texts).add(place) };
    const refusal = part["type"] === "refusal";
    const text = part["text"] ?? part["refusal"];
    if (typeof text === "string") said.push({ kind: "text", lane: refusal ? "refusal" : "text", choice: 0, text });
  }
  return next;
}

function endClaims(value: Obj, type: string, state: ResponsesState): Taken {
  const response = objectOf(value["response"]);
  if (response === undefined || state.over || !state.started) return undefined;
  const said: Said[] = [];
  if (objectOf(response["error"]) !== undefined) said.push({ kind: "error", error: { code: null, message: "" } });
  const next: ResponsesState = { ...state, over: true, response };
  if (type === "response.failed" || type === "response.cancelled") return { said, state: next };
  const output = response["output"];
  // A client that reads only the last event must find there what the others told.
  if (!Array.isArray(output) || output.length !== state.next) return undefined;
  let after = next;
  for (const [index, item] of objectsOf(output).entries()) {
    const call = state.calls.find((each) => each.index === index);
    if (call === undefined) {
      if (isClients(item)) return undefined;
      after = messageTexts(item, index, said, after);
    } else if (!call.done || !isSame(item, call) || textOf(item) !== call.text) {
      return undefined;
    }
  }
  return { said, state: after };
}

// ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const TYPE_OF: Readonly<Record<FinishReason, string | undefined>> = {
  stop: "response.completed",
  tool_calls: "response.completed",
  length: "response.incomplete",
  content_filter: "response.incomplete",
  error: undefined,
  cancelled: undefined,
};

function conclude(ending: Ending, state: ResponsesState): Written<ResponsesState> {
  const told = state.ending?.["type"];
  const type = ending.reason === null ? undefined : (TYPE_OF[ending.reason] ?? told);
  const pen = new Pen(state);
  if (typeof type !== "string") {
    const message =
      ending.reason === null
        ? "The upstream's answer ended before it was whole."
        : `The upstream ended its answer with ${JSON.stringify(ending.raw ?? ending.reason)}.`;
    return { frames: responses.failure({ code: "upstream_incomplete", message }, state), state };
  }
  const own = objectOf(state.ending?.["response"]) ?? {};
  pen.begin(own);
  const status = type.slice("response.".length);
  const incomplete =
    status === "incomplete"
      ? { incomplete_details: { reason: ending.reason === "length" ? "max_output_tokens" : "content_filter" } }
      : {};
  const output = finalOutput(objectsOf(own["output"]), pen.state);
  const response = { ...pen.response(), ...incomplete, ...own, status, output };
  pen.write(type, { ...without(state.ending ?? {}, "response"), response });
  return { frames: pen.frames, state: { ...pen.state, over: true, ending: undefined } };
}

/** The items as the client knows them; those that are no calls as the final list had them, where it did. */
function finalOutput(list: readonly Obj[], state: ResponsesState): Obj[] {
  const others = list.filter((item) => !isClients(item));
  const output: Obj[] = [];
  for (let index = 0; index < state.next; index++) {
    const call = state.calls.find((each) => each.index === index);
    if (call !== undefined) output.push(state.items.get(index) ?? itemOf(call, "incomplete"));
    else {
      const item = state.items.get(index);
      const at = others.findIndex((each) => item === undefined || each["id"] === item["id"]);
      const [found] = at < 0 ? [] : others.splice(at, 1);
      const known = found ?? item;
      if (known !== undefined) output.push(known);
    }
  }
  return output;
}

// ── written anew ────────────────────────────────────────────────────────────────────────────────────────────────────────

function anew({ value, event, said, textStands }: Anew, state: ResponsesState): Written<ResponsesState> {
  const pen = new Pen(state);
  const failed = said.find((each) => each.kind === "error");
  if (value !== undefined && failed === undefined) rest(value, event, textStands, pen);
  for (const each of said) pen.say(each);
  if (failed === undefined) return { frames: pen.frames, state: pen.state };
  const type = value?.["type"];
  // The server's own word for it passes.
  if (value !== undefined && typeof type === "string" && isFailure(type, value)) {
    pen.begin(objectOf(value["response"]) ?? {});
    pen.write(type, value);
    return { frames: pen.frames, state: pen.state };
  }
  return { frames: [...pen.frames, ...responses.failure(failed.error, pen.state)], state: pen.state };
}

function isFailure(type: string, { response }: Obj): boolean {
  if (type === "error" || type === "response.failed" || type === "response.cancelled") return true;
  return ENDINGS.has(type) && objectOf(objectOf(response)?.["error"]) !== undefined;
}

/** What an event says beside calls, texts and the end. */
function rest(value: Obj, event: string | undefined, textStands: boolean, pen: Pen): void {
  const type = typeof value["type"] === "string" ? value["type"] : (event ?? "");
  const item = objectOf(value["item"]);
  if (ENDINGS.has(type)) return pen.keepEnding({ ...value, type });
  switch (type) {
    case "":
    case "error":
    case "response.function_call_arguments.delta":
    case "response.function_call_arguments.done":
    case "response.custom_tool_call_input.delta":
    case "response.custom_tool_call_input.done":
      return;
    case "response.created":
      return pen.begin(objectOf(value["response"]) ?? {}, value);
    case "response.in_progress":
    case "response.queued":
      pen.begin(objectOf(value["response"]) ?? {});
      return pen.write(type, value);
    case "response.output_item.added":
    case "response.output_item.done":
      if (item === undefined || isClients(item)) return;
      return pen.item(type, value, item);
    case "response.output_text.delta":
    case "response.refusal.delta":
      if (textStands) pen.other(type, value);
      return;
    default:
      return pen.other(type, value);
  }
}
