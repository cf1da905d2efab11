// When two lists of events say the same, the second having gone through a wire: the one definition that all round trips are
// tested by. Owns what each wire is known to lose; everything that is not here must come back.
//
// Never compared: positions, keys, notices, `call.answered`, how a text is cut into events, and calls that were taken back.
// Ids and names are compared as `originalIdentifier` gives them. A call is `complete` or it is not: what was cut off is told
// from what is no JSON by the wires that can, and what a wire cannot take back is made such that nobody runs it.

import type { CallKind, FinishReason, StreamEvent, ToolCall, WireError } from "../events.ts";
import { isClientKind } from "../kinds.ts";
import { firstString } from "../protocols/fields.ts";
import type { ProtocolName } from "../protocols/protocol.ts";
import type { EncodedWire } from "./encoder.ts";
import { INVALID_ARGUMENTS } from "../turns/echoed-call.ts";
import { ANTHROPIC_TRAITS } from "./anthropic.ts";
import { GEMINI_TRAITS } from "./gemini.ts";
import { fitIdentifier, originalIdentifier } from "./identifiers.ts";
import { OLLAMA_TRAITS } from "./ollama.ts";
import { CHAT_TRAITS } from "./openai-chat.ts";
import { RESPONSES_TRAITS } from "./openai-responses.ts";
import type { WireTraits } from "./wire-encoder.ts";

/** The wires that can be written and read. */
export type RoundWire = Exclude<EncodedWire, "ai-sdk-ui" | "ag-ui">;

/** A call as it is compared. */
interface SaidCall {
  /** As it closed. */
  readonly id: string;
  /** As it started. */
  readonly firstId: string;
  /** The wire had no id for it. */
  readonly made: boolean;
  /** The id in its item, as Responses gives it back. */
  readonly itemId: string;
  readonly name: string;
  readonly kind: CallKind;
  readonly complete: boolean;
  readonly text: string;
}

type SaidItem =
  | { readonly type: "text" | "refusal" | "reasoning"; text: string }
  | { readonly type: "part"; readonly part: unknown }
  | { readonly type: "call"; readonly call: SaidCall };

/** What a list of events comes to. */
export interface Said {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly choices: ReadonlyMap<number, readonly SaidItem[]>;
  readonly finish: FinishReason | null;
  readonly error: { readonly code: string | null; readonly message: string } | null;
}

/** Marks of what was written to keep a client from running a call. */
const MARKS = /"<"<(?:taken back: [a-z-]+|not whole)>$/;

/** What events say. `way`: they were read from that wire. */
export function saidOf(events: readonly StreamEvent[], way: Way, read: boolean): Said {
  const closed = new Map<string, ToolCall>();
  let id: string | undefined;
  let model: string | undefined;
  let finish: FinishReason | null = null;
  let error: WireError | null = null;
  // What is learnt of the response behind its first words comes too late for the head of a stream.
  let spoken = false;
  for (const event of events) {
    if (event.type === "call.close") closed.set(event.call.key, event.call);
    if (event.type === "call.retract") closed.delete(event.call.key);
    if (event.type === "response" && !spoken) {
      id ??= event.id;
      model ??= event.model;
    }
    if (event.type === "text" || event.type === "reasoning" || event.type === "call.start") spoken = true;
    if (event.type === "finish") finish = event.reason;
    if (event.type === "error") error ??= event.error;
  }
  return {
    id,
    model,
    choices: choicesOf(events, closed, identifiers(way, read)),
    finish,
    error: error === null ? null : { code: error.code === null ? null : String(error.code), message: error.message },
  };
}

/** How ids and names are compared. What is too long for a wire is a digest there. */
interface Identifiers {
  id(word: string): string;
  name(word: string): string;
}

function identifiers({ wire }: Way, read: boolean): Identifiers {
  if (read) return { id: originalIdentifier, name: originalIdentifier };
  const { ids, names } = TRAITS[wire];
  return {
    id: (word) => originalIdentifier(fitIdentifier(word, ids)),
    name: (word) => originalIdentifier(fitIdentifier(originalIdentifier(word), names)),
  };
}

const TRAITS: Readonly<Record<RoundWire, WireTraits>> = {
  "openai-chat": CHAT_TRAITS,
  "openai-responses": RESPONSES_TRAITS,
  anthropic: ANTHROPIC_TRAITS,
  gemini: GEMINI_TRAITS,
  ollama: OLLAMA_TRAITS,
};

function choicesOf(
  events: readonly StreamEvent[],
  closed: ReadonlyMap<string, ToolCall>,
  words: Identifiers,
): Map<number, SaidItem[]> {
  const choices = new Map<number, SaidItem[]>();
  const put = (choice: number, item: SaidItem): void => {
    const items = choices.get(choice) ?? [];
    choices.set(choice, items);
    const last = items.at(-1);
    if (last !== undefined && "text" in last && "text" in item && last.type === item.type) last.text += item.text;
    else items.push(item);
  };
  for (const event of events) {
    switch (event.type) {
      case "text":
        put(event.choice, { type: event.refusal === true ? "refusal" : "text", text: event.text });
        break;
      case "reasoning":
        put(event.choice, { type: "reasoning", text: event.text });
        break;
      case "part":
        put(event.choice, { type: "part", part: event.part });
        break;
      case "call.start": {
        const call = closed.get(event.call.key);
        if (call !== undefined) put(call.choice, { type: "call", call: saidCall(call, event.call.id, words) });
        break;
      }
      default:
    }
  }
  return choices;
}

function itemIdOf({ echo, id }: ToolCall): string {
  const item = echo?.["item"] as { call_id?: unknown; id?: unknown } | undefined;
  return firstString(item?.call_id, item?.id) ?? id;
}

function saidCall(call: ToolCall, firstId: string, words: Identifiers): SaidCall {
  const { kind, argumentsText, status } = call;
  return {
    id: words.id(call.id),
    firstId: words.id(firstId),
    made: call.madeId === true,
    itemId: itemIdOf(call),
    name: call.name === "" ? "" : words.name(call.name),
    kind,
    complete: status === "complete" && !MARKS.test(argumentsText),
    text: argumentsText.replace(MARKS, ""),
  };
}

/** What a wire is known to lose or change. */
interface Losses {
  readonly kinds: ReadonlySet<CallKind>;
  /** It carries several candidate answers. */
  readonly choices?: true;
  /** Arguments are values, not text. */
  readonly values?: true;
  /** Text is not told from calls in its order: calls are written at their close. */
  readonly held?: true;
  /** It has no word for a refusal. */
  readonly noRefusal?: true;
  /** Nothing tells the end of a call but that of the response. */
  readonly noClose?: true;
  readonly noErrorCode?: true;
  readonly noId?: true;
}

const FUNCTION: ReadonlySet<CallKind> = new Set<CallKind>(["function"]);
const DECLARED: ReadonlySet<CallKind> = new Set<CallKind>(["function", "custom"]);

const LOSSES: Readonly<Record<RoundWire, Losses>> = {
  "openai-chat": { kinds: DECLARED, choices: true, noClose: true },
  "openai-responses": { kinds: DECLARED },
  anthropic: { kinds: FUNCTION, noRefusal: true },
  gemini: { kinds: FUNCTION, values: true, held: true, noRefusal: true, noErrorCode: true },
  ollama: { kinds: FUNCTION, values: true, held: true, noRefusal: true, noErrorCode: true, noId: true },
};

/** Kinds that a wire has where the events were read from it. */
const OWN_KINDS: Readonly<Record<RoundWire, readonly CallKind[]>> = {
  "openai-chat": ["server"],
  "openai-responses": ["server", "mcp", "mcp-approval", "builtin"],
  anthropic: ["server", "mcp"],
  gemini: ["server"],
  ollama: [],
};

/** Which way the events go. */
export interface Way {
  readonly wire: RoundWire;
  readonly from?: ProtocolName;
  /** Calls are written whole, at their close. */
  readonly hold?: boolean;
  /** The body is not streamed: some wires have a place for each kind of thing then, and no order among them. */
  readonly whole?: boolean;
}

/** What is left of events on a wire, in a form in which both sides can be compared. `read`: these came back from it. */
export function comparable(said: Said, way: Way, read: boolean): unknown {
  const losses = LOSSES[way.wire];
  const own = way.from === way.wire;
  const failed = said.finish === null || said.finish === "error" || said.finish === "cancelled";
  const choices = [...said.choices]
    .filter(([choice]) => losses.choices === true || choice === 0)
    .map(([choice, items]) => [choice, items.flatMap((item) => itemOn(item, way, said, read))] as const)
    .filter(([, items]) => items.length > 0)
    .toSorted(([a], [b]) => a - b)
    .map(([choice, items]) => [choice, ordered(placed(items, way), isHeld(items, way))] as const);
  const all = choices.flatMap(([, { items }]) => items);
  const { error } = said;
  return {
    id: losses.noId === true || said.id === undefined ? undefined : said.id,
    model: said.model ?? "",
    choices,
    finish: failed ? "error" : finishOn(said.finish ?? "stop", all, way, read, said),
    error:
      failed && error !== null
        ? { code: losses.noErrorCode === true && !own ? null : error.code, message: error.message }
        : null,
  };
}

const PLACES = ["reasoning", "part", "text", "refusal", "call"];

function placed(items: readonly SaidItem[], { whole, wire }: Way): readonly SaidItem[] {
  if (whole !== true || (wire !== "openai-chat" && wire !== "ollama")) return items;
  return PLACES.flatMap((type) => {
    const there = items.filter((item) => item.type === type);
    return type === "part" ? joinedParts(there) : there;
  });
}

/** OpenRouter's details of reasoning: lists that go on from part to part. */
function joinedParts(items: readonly SaidItem[]): SaidItem[] {
  const lists = items.map((item) => (item.type === "part" ? (item.part as { reasoning_details?: unknown[] }) : {}));
  const details = lists.flatMap(({ reasoning_details: list = [] }) => list);
  return details.length === 0 ? [] : [{ type: "part", part: { reasoning_details: details } }];
}

/** Items that only their vendor has are written at their close too. */
function isHeld(items: readonly SaidItem[], way: Way): boolean {
  const own = way.from === way.wire ? OWN_KINDS[way.wire] : [];
  return (
    LOSSES[way.wire].held === true ||
    way.hold === true ||
    items.some((item) => item.type === "call" && own.includes(item.call.kind))
  );
}

/** Where calls come at their close, only the order among texts and that among calls can be told. */
function ordered(items: readonly SaidItem[], held: boolean): { readonly items: readonly SaidItem[] } {
  const merged: SaidItem[] = [];
  const sorted = held
    ? [...items.filter(({ type }) => type !== "call"), ...items.filter(({ type }) => type === "call").toSorted(byJson)]
    : items;
  for (const item of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && "text" in last && "text" in item && last.type === item.type)
      merged[merged.length - 1] = { ...last, text: last.text + item.text };
    else merged.push(item);
  }
  return { items: merged };
}

function byJson(a: SaidItem, b: SaidItem): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function itemOn(item: SaidItem, way: Way, said: Said, read: boolean): SaidItem[] {
  const { wire } = way;
  const losses = LOSSES[wire];
  switch (item.type) {
    case "call":
      return callOn(item.call, way, said, read).map((call) => ({ type: "call", call }));
    case "part":
      return way.from === wire ? partOn(item.part, wire).map((part) => ({ type: "part", part })) : [];
    case "refusal":
      return [losses.noRefusal === true ? { ...item, type: "text" } : item];
    default:
      return [item];
  }
}

/** Gemini's signed text is written as its text and, behind it, its signature. */
function partOn(part: unknown, wire: RoundWire): unknown[] {
  const { text, type, signature } = part as { text?: unknown; type?: unknown; signature?: unknown };
  if (wire === "gemini") return [typeof text === "string" ? { ...(part as object), text: "" } : part];
  // A block of thinking is ended like any other, and without a signature that says nothing more than its text.
  return wire === "anthropic" && type === "thinking" && (signature === undefined || signature === "") ? [] : [part];
}

function callOn(call: SaidCall, way: Way, said: Said, read: boolean): SaidCall[] {
  const losses = LOSSES[way.wire];
  const held = losses.values === true || way.hold === true;
  const own = way.from === way.wire && OWN_KINDS[way.wire].includes(call.kind);
  // Where calls often have no ids, one that was made is not written; a stream has the id of the start.
  const id = call.made && (own || losses.values === true) ? "made" : held || own ? call.id : call.firstId;
  const plain = { id, firstId: id, made: false, itemId: "" };
  const wraps = losses.values === true || (way.hold === true && way.wire === "anthropic");
  const ownId = way.wire === "openai-responses" ? { id: call.itemId, firstId: call.itemId } : {};
  if (own) return [{ ...call, ...plain, ...ownId, text: valueText(call.text, way.whole === true && wraps) }];
  if (!losses.kinds.has(call.kind) && !isClientKind(call.kind)) return [];
  const kind = losses.kinds.has(call.kind) ? call.kind : "function";
  // A nameless call gets a name, and with it it may be whole.
  const nameless = call.name === "" || call.name === "unnamed_tool";
  const base = { ...plain, name: nameless ? "unnamed_tool" : call.name, kind };
  if (read) return [{ ...base, complete: nameless || call.complete, text: valueText(call.text, wraps) }];
  if (!wraps) {
    const text = call.kind === "custom" && kind === "function" ? customText(call) : call.text;
    const complete = nameless || (call.complete && !isCutOn(kind, losses, said, way));
    // Of free text that comes whole nothing shows that it was cut off, but the finish.
    return [
      { ...base, complete: complete || (kind === "custom" && way.whole === true && losses.noClose === true), text },
    ];
  }
  const whole = call.kind === "custom" ? call.complete : call.complete && isObject(call.text);
  const value = !whole ? { [INVALID_ARGUMENTS]: call.text } : call.kind === "custom" ? { input: call.text } : undefined;
  return [{ ...base, complete: true, text: valueText(value === undefined ? call.text : JSON.stringify(value), true) }];
}

/** Where only a good end closes calls: none is whole in a response that failed, and no free text in one that was cut. */
function isCutOn(kind: CallKind, losses: Losses, { finish }: Said, { whole }: Way): boolean {
  if (losses.noClose !== true || whole === true || finish === "stop" || finish === "tool_calls") return false;
  return kind === "custom" || finish === null || finish === "error" || finish === "cancelled";
}

function customText(call: SaidCall): string {
  if (call.complete) return JSON.stringify({ input: call.text });
  return call.text === "" ? "" : JSON.stringify({ input: call.text }).slice(0, -2);
}

function isObject(text: string): boolean {
  const value = valueOf(text);
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The text as a writer of JSON would have it: spaces, spellings of numbers and keys that come twice do not count. */
function valueText(text: string, values: boolean): string {
  const value = values ? valueOf(text) : undefined;
  return value === undefined ? text : JSON.stringify(value);
}

function refuses(said: Said): boolean {
  return said.choices.get(0)?.some(({ type }) => type === "refusal") === true;
}

function finishOn(
  reason: FinishReason,
  items: readonly SaidItem[],
  { wire, hold }: Way,
  read: boolean,
  said: Said,
): FinishReason {
  const calls = items.filter((item) => item.type === "call" && isClientKind(item.call.kind));
  const settled = reason === "stop" || reason === "tool_calls" ? (calls.length > 0 ? "tool_calls" : "stop") : reason;
  if (read) return settled;
  const truncated = (said.choices.get(0) ?? []).some(
    (item) => item.type === "call" && isClientKind(item.call.kind) && !item.call.complete,
  );
  const cutText = calls.some((item) => item.type === "call" && item.call.kind === "custom") && truncatedText(said);
  if (wire === "openai-chat" && settled === "tool_calls" && cutText) return "length";
  if (wire === "anthropic" && settled === "tool_calls" && truncated && hold !== true) return "length";
  if (wire === "anthropic" && settled === "stop" && refuses(said)) return "content_filter";
  if (wire === "ollama" && settled === "content_filter") return calls.length > 0 ? "tool_calls" : "stop";
  return settled;
}

function truncatedText(said: Said): boolean {
  return [...said.choices.values()]
    .flat()
    .some((item) => item.type === "call" && item.call.kind === "custom" && !item.call.complete);
}
