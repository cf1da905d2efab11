// Which call a mention belongs to, where the wire's keys cannot be trusted (Chat Completions and its dialects). Owns the
// identity rules, each by its name; decides only, changes nothing. A sane key wins; guesses are made only when the wire
// leaves no other way, and carry `guessed`.

import { JsonScanner } from "../json/scanner.ts";
import type { CallRecord, ChoiceCalls } from "./call-record.ts";

/** A mention with its keys read: what is absent is undefined, and `text` is never undefined. */
export interface Mention {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
}

/** What a mention is. */
export type Verdict =
  | { readonly is: "continuation"; readonly rule: string; readonly call: CallRecord; readonly guessed?: true }
  | { readonly is: "new"; readonly rule: string }
  /** A header that came again: a repeat of `original` until its text proves that it is another call. */
  | { readonly is: "again"; readonly rule: string; readonly original: CallRecord }
  | { readonly is: "orphan"; readonly rule: string }
  | { readonly is: "padding"; readonly rule: string };

/** Whether a name is one of the declared tools; undefined where none were declared. */
export type Declared = ReadonlySet<string> | undefined;

/**
 * Decides what a mention is.
 *
 * @param calls The calls of the mention's choice.
 * @param mention The mention.
 * @param declared The names of the declared tools, where they are known.
 * @returns The verdict with the name of the rule that gave it.
 */
export function resolve(calls: ChoiceCalls, mention: Mention, declared: Declared): Verdict {
  const { id, name, index } = mention;
  const atIndex = index === undefined ? undefined : calls.byIndex.get(index);
  if (id !== undefined) {
    const known = calls.byId.get(id);
    return known === undefined ? unseenId(calls, mention, atIndex) : knownId(calls, mention, known, atIndex);
  }
  if (name !== undefined) {
    return atIndex === undefined ? nameAlone(calls, mention) : nameAtIndex(mention, atIndex, declared);
  }
  if (atIndex !== undefined) return continues("index", atIndex);
  if (mention.text === "") return { is: "padding", rule: "says-nothing" };
  return textAlone(calls, mention);
}

function continues(rule: string, call: CallRecord): Verdict {
  return { is: "continuation", rule, call };
}

function guess(rule: string, call: CallRecord): Verdict {
  return { is: "continuation", rule, call, guessed: true };
}

function opens(rule: string): Verdict {
  return { is: "new", rule };
}

function again(rule: string, call: CallRecord): Verdict {
  return { is: "again", rule, original: call.original ?? call };
}

/** The id was seen before in this choice. */
function knownId(calls: ChoiceCalls, mention: Mention, known: CallRecord, atIndex: CallRecord | undefined): Verdict {
  const { id = "", name, index, text } = mention;
  const elsewhere = atIndex !== undefined && atIndex !== known;
  // Once an id has named two calls it tells nothing, and the index does.
  if (elsewhere && calls.reusedIds.has(id) && sameName(atIndex, name) && !(atIndex.args.whole && name !== undefined)) {
    return continues("reused-id-goes-by-index", atIndex);
  }
  if (name === undefined) {
    if (elsewhere && !fits(known, text) && fits(atIndex, text)) return guess("id-cannot-take-it-index-can", atIndex);
    return continues("known-id", known);
  }
  const newIndex = index !== undefined && atIndex === undefined;
  if (known.rawName === "") return continues("name-comes-late", known);
  if (!sameName(known, name)) {
    if (!elsewhere && !newIndex && mayJoinName(known, name)) return continues("name-in-pieces", known);
    return opens("same-id-other-name");
  }
  if (elsewhere) return again("id-and-name-at-another-index", known);
  if (known.original !== undefined) return amidRepeat(known, known.original, text);
  if (known.args.isPlaceholder && !newIndex) return continues("value-after-placeholder", known);
  if (known.args.whole) return again("header-after-whole-value", known);
  if (text === "" || known.args.blank)
    return newIndex ? again("header-at-new-index", known) : continues("header-restated", known);
  if (newIndex && standsAlone(text)) return again("header-at-new-index", known);
  return fits(known, text) && !startsAnew(known, text)
    ? continues("header-on-every-fragment", known)
    : opens("same-id-value-starts-anew");
}

/** A header that has come again already, and comes once more: with the next piece of the repeat, or as another repeat. */
function amidRepeat(known: CallRecord, original: CallRecord, text: string): Verdict {
  const held = known.ahead;
  const goesOn = text === "" || held === "" || original.args.held.startsWith(text, held.length) || !standsAlone(text);
  const whole = held !== "" && held.trim() === original.args.held.trim();
  return goesOn && !whole ? continues("repeat-in-pieces", known) : again("header-after-whole-value", known);
}

/** The id is new in this choice. */
function unseenId(calls: ChoiceCalls, mention: Mention, atIndex: CallRecord | undefined): Verdict {
  const { name, index, text } = mention;
  if (atIndex === undefined) {
    if (index !== undefined && name === undefined) return opens("new-id-at-new-index");
    const { newest } = calls;
    if (index === undefined && name !== undefined && newest !== undefined && isHeadless(newest) && text.trim() === "") {
      return continues("header-comes-late", newest);
    }
    if (
      index === undefined &&
      name === undefined &&
      text === "" &&
      newest?.wireId === undefined &&
      newest?.args.blank === true
    ) {
      return continues("id-comes-late", newest);
    }
    const sole = calls.soleUnfinished();
    if (typeof sole !== "object" || text === "" || !sameName(sole, name) || !fits(sole, text)) return opens("new-id");
    // Without a name it can be no header; with one it is a header unless its text can only go on.
    if (name === undefined || (!sole.args.blank && (sole.said.has("id-changed") || onlyGoesOn(sole, mention)))) {
      return guess("new-id-amid-the-only-open-value", sole);
    }
    return opens("new-id");
  }
  if (atIndex.rawName === "" && (atIndex.wireId === undefined || name !== undefined)) {
    if (!atIndex.args.whole || text.trim() === "") return continues("header-comes-late", atIndex);
  }
  if (!sameName(atIndex, name)) return opens("new-id-and-name-at-used-index");
  if (atIndex.wireId === undefined && !atIndex.args.whole) return continues("id-comes-late", atIndex);
  if (name === undefined) {
    if (text.trim() === "" || fits(atIndex, text) || text.trim() === atIndex.args.held.trim()) {
      return continues("id-changes-amid-the-value", atIndex);
    }
    return opens("new-id-after-whole-value");
  }
  const amid = !atIndex.args.whole && text !== "" && fits(atIndex, text) && !startsAnew(atIndex, text);
  return amid ? continues("id-changes-amid-the-value", atIndex) : opens("new-id-at-used-index");
}

/** A name and a known index, no id. */
function nameAtIndex(mention: Mention, atIndex: CallRecord, declared: Declared): Verdict {
  const { name = "", text } = mention;
  if (atIndex.rawName === "") return continues("name-comes-late", atIndex);
  if (!sameName(atIndex, name)) {
    const bothDeclared = declared?.has(name) === true && declared.has(atIndex.rawName);
    if (!bothDeclared && mayJoinName(atIndex, name)) return continues("name-in-pieces", atIndex);
    return opens("other-name-at-used-index");
  }
  if (atIndex.original !== undefined) return amidRepeat(atIndex, atIndex.original, text);
  if (atIndex.args.whole) return again("name-after-whole-value", atIndex);
  if (text === "" || atIndex.args.blank || (fits(atIndex, text) && !startsAnew(atIndex, text)))
    return continues("name-restated", atIndex);
  return opens("name-and-value-start-anew");
}

/** A name, no id, and an index that is absent or new. */
function nameAlone(calls: ChoiceCalls, mention: Mention): Verdict {
  const { name, index, text } = mention;
  const { newest } = calls;
  if (index === undefined && newest !== undefined && newest.rawName === "" && (newest.args.blank || text === "")) {
    return continues("name-comes-late", newest);
  }
  const sole = calls.soleUnfinished();
  if (typeof sole !== "object" || !sameName(sole, name)) return opens("new-name");
  if (index === undefined && sole.args.blank) return continues("name-restated", sole);
  const goesOn = index === undefined ? !startsAnew(sole, text) : onlyGoesOn(sole, mention);
  const amid = !sole.args.blank && text !== "" && goesOn && fits(sole, text);
  return amid ? guess("name-amid-the-only-open-value", sole) : opens("new-name");
}

/** Text with no id and no name, at an index that is absent or new. */
function textAlone(calls: ChoiceCalls, mention: Mention): Verdict {
  const sole = calls.soleUnfinished();
  if (sole === "several") return { is: "orphan", rule: "several-open-values" };
  if (sole !== undefined) return guess("the-only-open-value", sole);
  const [only] = calls.calls;
  if (only === undefined) return opens("text-before-header");
  const single = calls.calls.length === 1;
  if (single && (mention.index === undefined || !standsAlone(mention.text))) return guess("the-only-call", only);
  if (single && only.args.held.startsWith(mention.text.trim())) return guess("the-only-call", only);
  if (mention.index !== undefined && standsAlone(mention.text)) return opens("text-before-header");
  return { is: "orphan", rule: "no-open-value" };
}

/** A call of which only text is known. */
function isHeadless(call: CallRecord): boolean {
  return call.rawName === "" && call.wireId === undefined && !call.over;
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

/**
 * Whether the text of a header can only continue the open value. A broken value takes anything and so proves nothing: a
 * header with an index of its own is another call then, as when a model writes `{'a':1}` in each of two parallel calls.
 */
function onlyGoesOn(sole: CallRecord, { index, text }: Mention): boolean {
  return !standsAlone(text) && !startsAnew(sole, text) && (index === undefined || !sole.args.broken);
}

/** Whether a header's text opens an object behind a broken one that looks closed: no text has `}{` outside its strings. */
function startsAnew(call: CallRecord, text: string): boolean {
  return text.startsWith("{") && call.args.broken && call.args.held.endsWith("}");
}

/** Whether the text, for itself, starts an object and is sound so far: `{"x":1}}` and `":1}` only go on. */
function standsAlone(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  return new JsonScanner().feed(text);
}
