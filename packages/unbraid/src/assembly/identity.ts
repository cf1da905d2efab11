// Which call a mention belongs to, where the wire's keys cannot be trusted (Chat Completions and its dialects). Owns the
// identity rules, each by its name; decides only, changes nothing. A sane key wins; guesses are made only when the wire
// leaves no other way, and carry `guessed`.

import { JsonScanner } from "../json/scanner.ts";
import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import type { CallDelta } from "./sink.ts";

/** A mention with its keys read: what is absent is undefined, and `text` is never undefined. */
export interface Mention {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  readonly format?: CallDelta["format"] | undefined;
}

/** What a mention is. `rule` names the rule where the wire left more than one reading. */
export type Verdict =
  /** More of this call; by a guess where there is a rule. */
  | { readonly is: "continuation"; readonly call: CallRecord; readonly rule?: string }
  | { readonly is: "new"; readonly rule: string }
  /** A header that came again: a repeat of this call until its text proves that it is another. */
  | { readonly is: "again"; readonly call: CallRecord }
  | { readonly is: "orphan"; readonly rule: string }
  | { readonly is: "padding" };

/** The names of the declared tools; undefined where none were declared. */
export type Declared = Pick<ReadonlySet<string>, "has" | "keys"> | undefined;

/**
 * Decides what a mention is.
 *
 * @param calls The calls of the mention's choice.
 * @param mention The mention.
 * @param declared The names of the declared tools, where they are known.
 */
export function resolve(calls: ChoiceCalls, mention: Mention, declared: Declared): Verdict {
  const { id, name, index } = mention;
  const atIndex = calls.byIndex.get(index);
  const known = calls.byId.get(id);
  if (known !== undefined) return knownId(calls, mention, known, atIndex);
  if (id !== undefined) return atIndex === undefined ? newId(calls, mention) : newIdAtIndex(mention, atIndex);
  if (atIndex !== undefined)
    return name === undefined ? continues(atIndex) : knownHeader(mention, atIndex, atIndex, declared);
  if (name !== undefined) return nameAlone(calls, mention);
  return mention.text === "" ? { is: "padding" } : textAlone(calls, mention);
}

function continues(call: CallRecord): Verdict {
  return { is: "continuation", call };
}

function guess(rule: string, call: CallRecord): Verdict {
  return { is: "continuation", call, rule };
}

function opens(rule: string): Verdict {
  return { is: "new", rule };
}

function again(call: CallRecord): Verdict {
  return { is: "again", call: call.original ?? call };
}

/** The id was seen before in this choice. */
function knownId(calls: ChoiceCalls, mention: Mention, known: CallRecord, atIndex: CallRecord | undefined): Verdict {
  const { id = "", name, text } = mention;
  if (atIndex !== undefined && atIndex !== known) {
    // Once an id has named two calls it tells nothing, and the index does.
    if (calls.reusedIds.has(id) && sameName(atIndex, name) && !(atIndex.args.whole && name !== undefined))
      return continues(atIndex);
    if (name === undefined && !fits(known, text) && fits(atIndex, text))
      return guess("id-cannot-take-it-index-can", atIndex);
  }
  return name === undefined ? continues(known) : knownHeader(mention, known, atIndex, undefined);
}

/**
 * A name for a call that is known by its id, or by its index where the mention has no id.
 *
 * @param declared Given where names may keep apart what the key does not.
 */
function knownHeader(
  { id, name = "", index, text }: Mention,
  known: CallRecord,
  atIndex: CallRecord | undefined,
  declared: Declared,
): Verdict {
  const { args, rawName, original, over } = known;
  const elsewhere = atIndex !== undefined && atIndex !== known;
  const newIndex = index !== undefined && atIndex === undefined;
  if (rawName === "") return continues(known);
  if (!sameName(known, name)) {
    const bothDeclared = declared?.has(name) === true && declared.has(rawName);
    const joins = !over && !elsewhere && !newIndex && !bothDeclared && mayJoinName(known, name);
    return joins ? continues(known) : opens("other-name-under-a-known-key");
  }
  if (elsewhere) return again(known);
  if (original !== undefined) return amidRepeat(known, original, text);
  if (!over && args.isPlaceholder && !newIndex && id !== undefined) return continues(known);
  // Behind the call's end only what cannot be a header is a late fragment of it.
  if (args.whole || (over && (text === "" || standsAlone(text)))) return again(known);
  const saysNothing = text === "" || args.blank;
  if (newIndex && (saysNothing || standsAlone(text))) return again(known);
  return saysNothing || goesOn(known, text) ? continues(known) : opens("value-starts-anew");
}

/** A header that has come again already, and comes once more: with the next piece of the repeat, or as another repeat. */
function amidRepeat(known: CallRecord, original: CallRecord, text: string): Verdict {
  const { ahead } = known;
  const { held } = original.args;
  const more = text === "" || ahead === "" || held.startsWith(text, ahead.length) || !standsAlone(text);
  return more && (ahead === "" || ahead.trim() !== held.trim()) ? continues(known) : again(known);
}

/** The id is new in this choice, and there is no index, or a new one. */
function newId(calls: ChoiceCalls, mention: Mention): Verdict {
  const { name, index, text } = mention;
  const { newest } = calls;
  if (index === undefined && newest !== undefined && newest.wireId === undefined) {
    // The header, or the id of one, comes late.
    const late = name === undefined ? text === "" && newest.args.blank : newest.rawName === "" && text.trim() === "";
    if (late && (name === undefined || !newest.over)) return continues(newest);
  }
  const sole = calls.soleUnfinished();
  const amid =
    typeof sole === "object" &&
    (index === undefined || name !== undefined) &&
    isAmid(sole, mention, sole.said.has("id-changed"));
  return amid ? guess("the-only-open-value", sole) : opens("new-id");
}

/** The id is new in this choice, and the index is not. */
function newIdAtIndex({ name, text }: Mention, atIndex: CallRecord): Verdict {
  const { args, rawName, wireId } = atIndex;
  const blank = text.trim() === "";
  if (rawName === "" && (wireId === undefined || name !== undefined) && (!args.whole || blank))
    return continues(atIndex);
  if (!sameName(atIndex, name)) return opens("new-id-and-name-at-used-index");
  if (wireId === undefined && !args.whole) return continues(atIndex);
  // The id changes amid the value. Of free text nothing shows that: a header with a name is another call.
  const amid =
    name === undefined
      ? blank || fits(atIndex, text) || text.trim() === args.held.trim()
      : !args.plain && !args.whole && text !== "" && goesOn(atIndex, text);
  return amid ? continues(atIndex) : opens("new-id-at-used-index");
}

/** A name, no id, and an index that is absent or new. */
function nameAlone(calls: ChoiceCalls, mention: Mention): Verdict {
  const { index, text, name } = mention;
  const { newest } = calls;
  if (index === undefined && newest !== undefined && newest.rawName === "" && (newest.args.blank || text === ""))
    return continues(newest);
  const sole = calls.soleUnfinished();
  if (typeof sole !== "object") return opens("new-name");
  if (index === undefined && sole.args.blank && sameName(sole, name)) return continues(sole);
  const amid = isAmid(sole, mention, index === undefined && !startsAnew(sole, text));
  return amid ? guess("the-only-open-value", sole) : opens("new-name");
}

/** Text with no id and no name, at an index that is absent or new. */
function textAlone(calls: ChoiceCalls, { index, text }: Mention): Verdict {
  const sole = calls.soleUnfinished();
  if (sole === "several") return { is: "orphan", rule: "several-open-values" };
  if (sole !== undefined) return guess("the-only-open-value", sole);
  const [only, other] = calls.calls;
  const whole = index !== undefined && standsAlone(text);
  if (only === undefined) return opens("text-before-header");
  if (other === undefined && (!whole || only.args.held.startsWith(text.trim()))) return guess("the-only-call", only);
  return whole ? opens("text-before-header") : { is: "orphan", rule: "no-open-value" };
}

/**
 * Whether text under a new key, or under none, belongs to the only open value: without a name it can be no header; with one
 * it is a header unless its text can only go on, or `surely` does.
 */
function isAmid(sole: CallRecord, mention: Mention, surely: boolean): boolean {
  const { name, text } = mention;
  if (text === "" || !sameName(sole, name) || !fits(sole, text)) return false;
  return name === undefined || (!sole.args.blank && (surely || onlyGoesOn(sole, mention)));
}

/** Whether the name says nothing against the call: absent, equal as it stands or as it was read, or the call has none yet. */
function sameName(call: CallRecord, name: string | undefined): boolean {
  return name === undefined || call.rawName === "" || call.rawName === name || call.name === name;
}

/** Names may come in pieces or grow until argument text begins; a longer spelling of the name may come even later. */
function mayJoinName(call: CallRecord, name: string): boolean {
  return (!call.started && call.args.blank && call.args.held === "") || name.startsWith(call.rawName);
}

/** Whether the text can be taken: it continues the value, or restates what is held. */
function fits(call: CallRecord, text: string): boolean {
  return call.args.continues(text) || call.args.restatedBy(text);
}

/** Whether the text of a header continues the value. */
function goesOn(call: CallRecord, text: string): boolean {
  return fits(call, text) && !startsAnew(call, text);
}

/**
 * Whether the text of a header can only continue the open value. Where anything can, that proves nothing, and a header is
 * another call: where either is free text, as when two calls of a custom tool come whole; with an index of its own, behind a
 * broken value, as when a model writes `{'a':1}` in each of two parallel calls, and with an id, too, where it is white space.
 */
function onlyGoesOn(sole: CallRecord, { id, index, text, format }: Mention): boolean {
  const { plain, broken } = sole.args;
  if (plain || format === "text" || (index !== undefined && (broken || (id !== undefined && text.trim() === ""))))
    return false;
  return !standsAlone(text) && !startsAnew(sole, text);
}

/** Whether a header's text opens an object behind a broken one that looks closed: no text has `}{` outside its strings. */
function startsAnew(call: CallRecord, text: string): boolean {
  return text.startsWith("{") && call.args.broken && call.args.held.endsWith("}");
}

/** Whether the text, for itself, starts an object and is sound so far: `{"x":1}}` and `":1}` only go on. */
function standsAlone(text: string): boolean {
  return text.trimStart().startsWith("{") && new JsonScanner().feed(text);
}
