// The strings of a frame by what they are for: a vendor's word, an id, a name, arguments, text. Owns the telling apart, by
// keys alone, and the exchange of strings in a JSON text that otherwise stays byte for byte.

import { Outline } from "../model/outline.ts";

/** What a string is for. */
export type StringUse = "word" | "id" | "name" | "model" | "arguments" | "value" | "text";

/** A string of a frame. */
export interface FrameString {
  /** What it is for. */
  readonly use: StringUse;
  /** What it says. */
  readonly value: string;
  /** Where in the frame it stands, so that the pieces of one argument text can be told from those of another. */
  readonly stream: string;
}

/** Keys whose values are the vendor's own words. */
const WORDS =
  /^(?:type|object|role|status|event|event_type|finish_reason|finishReason|stop_reason|stopReason|done_reason|native_finish_reason|blockReason|service_tier|phase|kind|modality|index|format|encoding)$/;
const IDS =
  /(?:^|_)ids?$|[a-z]Id$|^(?:system_fingerprint|signature|thoughtSignature|thought_signature|encrypted_content|obfuscation|data|request_id|p)$/;
const NAMES = /^(?:name|toolName|tool_name|recipient_name)$/;
const MODELS = /^(?:model|modelVersion|model_version)$/;
/** Keys whose strings are pieces of a JSON text. */
const ARGUMENTS = /^(?:arguments|partial_json|partialJson|input|input_json|delta)$/;
/** Keys whose objects are arguments, not text of them. */
const OBJECTS = /^(?:args|arguments|input|parameters)$/;
/** A vendor's word: what else stands under such a key is none. */
const WORD = /^[\w.:-]{0,48}$/;

/**
 * A JSON text with its strings exchanged.
 *
 * @param text The text; each unit stands for a byte or a character.
 * @param change Gives what a string is to say.
 * @returns The text; as it was where it is no JSON.
 */
export function withStrings(text: string, change: (string: FrameString) => string): string {
  const outline = new Outline();
  outline.feed(text);
  const first = outline.node(0, text.length);
  // No JSON at all: prose, a gateway's page, `[DONE]`, whose one word says nothing.
  if (first === undefined || first.kind === "literal") return change({ use: "text", value: text, stream: "" });
  let made = "";
  let copied = 0;
  const put = (start: number, end: number, said: string): void => {
    made += text.slice(copied, start) + said;
    copied = end;
  };
  for (let at = 0; at < outline.length; at++) {
    const node = outline.node(at, text.length);
    if (node === undefined || node.end === Number.POSITIVE_INFINITY) continue;
    const { keys, place } = pathOf(outline, at, text);
    const inObject = keys.slice(0, -1).some((key) => OBJECTS.test(key));
    if (inObject && node.key !== undefined)
      put(node.key[0], node.key[1], exchanged(text.slice(...node.key), change, "value", place));
    if (node.kind === "string") {
      const raw = text.slice(node.start, node.end);
      put(node.start, node.end, exchanged(raw, change, inObject ? "value" : useOf(keys, raw), place));
    } else if (node.kind === "number" && inObject)
      put(node.start, node.end, text.slice(node.start, node.end).replace(/\d+/g, "1"));
  }
  const rest = text.slice(copied);
  // A text that was cut, or breaks: what stands behind that place is masked for what it looks like.
  if (first.end === Number.POSITIVE_INFINITY) return made + change({ use: "arguments", value: rest, stream: "rest" });
  return made + rest;
}

function exchanged(raw: string, change: (string: FrameString) => string, use: StringUse, stream: string): string {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return raw;
  }
  const said = change({ use, value: String(value), stream });
  return said === value ? raw : JSON.stringify(said);
}

function useOf(keys: readonly string[], raw: string): StringUse {
  const key = keys.at(-1) ?? "";
  if (WORDS.test(key) && WORD.test(raw.slice(1, -1))) return "word";
  if (MODELS.test(key)) return "model";
  if (IDS.test(key)) return "id";
  if (NAMES.test(key)) return "name";
  if (ARGUMENTS.test(key)) return "arguments";
  return "text";
}

/** The keys above a node, and its place with what numbers stand beside it. */
function pathOf(
  outline: Outline,
  at: number,
  text: string,
): { readonly keys: readonly string[]; readonly place: string } {
  const keys: string[] = [];
  const places: string[] = [];
  for (let node = outline.node(at, text.length); node !== undefined; node = outline.node(node.parent, text.length)) {
    const key = node.key === undefined ? undefined : text.slice(node.key[0] + 1, node.key[1] - 1);
    if (key !== undefined) keys.push(key);
    places.push(key ?? "");
    if (node.kind === "object") places.push(numberIn(text.slice(node.start, Math.min(node.end, node.start + 4000))));
  }
  return { keys: keys.toReversed(), place: places.join("<") };
}

/** The index of an object, as its text says it. */
function numberIn(text: string): string {
  return /"(?:index|output_index|contentBlockIndex)"\s*:\s*(\d+)/.exec(text)?.[1] ?? "";
}
