// Calls of wires whose keys can be trusted: headers, fragments, last words and closes under a key. Owns what each of these
// words of a protocol does to the calls; untrusted mentions go to call-table.ts directly.

import type { CallTable } from "./call-table.ts";
import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import type { CallDelta, CallKey } from "./sink.ts";
import type { Mention } from "./identity.ts";
import { noticeDropped } from "./rule-notices.ts";
import { closeWith, compareFinal, lastWord, originalOf } from "./whole-calls.ts";
import { present, wholeIndex } from "../wire-values.ts";

/** A header frame. */
export function open(table: CallTable, delta: CallDelta): void {
  const choice = table.choice(delta.choice);
  const mention = table.read(delta);
  const keyed = mention.index !== undefined || present(delta.item) !== undefined;
  const held = keyed ? choice.find({ index: delta.index, item: delta.item }) : choice.byId.get(mention.id);
  let call: CallRecord | undefined;
  if (held !== undefined && !held.over && isSameHeader(held, mention)) {
    call = held;
    if (held.rawName === "" && mention.name !== undefined) table.speech.notice("late-header", held);
    table.learn(held, mention, delta);
    if (mention.name !== undefined) table.name(held, mention.name);
    if (held.args.blank) text(table, held, mention.text);
  } else {
    if (held?.unfinished === true) {
      choice.indexReused = true;
      table.speech.notice("index-reused", held);
    }
    call = table.create(choice, mention, delta, originalOf(choice, mention));
    if (call !== undefined && delta.initial !== undefined) call.initial = table.asText(delta.initial);
  }
  if (call === undefined) return;
  call.keyed = true;
  table.starts.start(call);
}

/** A fragment. */
export function append(table: CallTable, key: CallKey, args: unknown, headerMayFollow = false): void {
  const fragment = table.asText(args);
  if (fragment === "") return;
  const choice = table.choice(key.choice);
  const known = choice.find(key);
  const call = known ?? (headerMayFollow ? undefined : onlyOpen(table, choice, key, fragment));
  if (call === undefined) table.create(choice, { ...table.read(key), text: fragment }, key);
  else {
    table.direct = known;
    text(table, call, fragment);
  }
}

/** Appends a fragment. Arguments in the header count only where none comes. */
function text(table: CallTable, call: CallRecord, fragment: string): void {
  if (call.initial !== undefined && fragment.trim() !== "") {
    noticeDropped(table.speech, "placeholder-arguments", call, call.initial);
    call.initial = undefined;
  }
  table.text(call, fragment);
}

/** The one call whose value has not ended, for a fragment under a key that no header had. */
function onlyOpen(table: CallTable, choice: ChoiceCalls, key: CallKey, fragment: string): CallRecord | undefined {
  const sole = choice.soleUnfinished();
  if (typeof sole !== "object" || !sole.started || !sole.args.continues(fragment)) return undefined;
  const index = wholeIndex(key.index);
  if (index !== undefined) choice.byIndex.set(index, sole);
  table.speech.notice("index-drift", sole);
  return sole;
}

/** The vendor's final text. `unsure`: it is no signal that the call is whole. */
export function final(table: CallTable, delta: CallDelta, unsure = false): void {
  const choice = table.choice(delta.choice);
  const header = { ...delta, args: undefined };
  const call = choice.find(delta) ?? table.create(choice, table.read(header), header);
  if (call?.over === true) compareFinal(table, call, delta);
  else if (call !== undefined) lastWord(table, call, delta, !unsure);
}

/** The vendor's close signal. */
export function close(table: CallTable, delta: CallDelta, cut?: boolean): void {
  const call = table.find(delta);
  if (call !== undefined) closeWith(table, call, delta, cut);
}

/** Whether a header frame under a known key is that call's own: said again, or after its fragments. */
function isSameHeader(held: CallRecord, { id, name }: Mention): boolean {
  if (held.rawName !== "" && name !== undefined && held.rawName !== name) return false;
  return id === undefined ? held.rawName === "" : held.wireId === undefined || held.wireId === id;
}
