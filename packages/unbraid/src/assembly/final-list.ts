// The response's own final list of calls against the calls that were read. Owns the rule that a place in that list
// is an identity: it may add and confirm, it may not remove, and its id does not replace one already given.

import type { CallTable } from "./call-table.ts";
import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import { sameArguments } from "./same-arguments.ts";
import type { CallDelta } from "./sink.ts";
import type { Speech } from "./speech.ts";
import { droppedFrom } from "./speech.ts";
import { present, wholeIndex } from "../wire-values.ts";

/** What is done with an item of the list. */
export interface Reconciliation {
  /** The item restates a call that is still open: its text is the last word. */
  confirm(choice: ChoiceCalls, call: CallRecord, item: CallDelta): void;
  /** The item is a call that was not seen before. */
  add(item: CallDelta): void;
}

/** Matches every item with a call, once. */
export function reconcile(calls: CallTable, speech: Speech, items: readonly CallDelta[], act: Reconciliation): void {
  const matched = new Set<CallRecord>();
  /** The calls of each choice as they stood before the list, by their ordinal. */
  const before = new Map<ChoiceCalls, readonly CallRecord[]>();
  items.forEach((item, ordinal) => {
    if (calls.passed !== undefined) return;
    const choice = calls.choice(item.choice);
    let known = before.get(choice);
    if (known === undefined) before.set(choice, (known = choice.calls.filter((call) => call.original === undefined)));
    const call = match(calls, choice, item, known[ordinal], (one) => !matched.has(one) && known.includes(one));
    if (call === undefined) return act.add(item);
    matched.add(call);
    const id = present(item.id);
    const text = calls.asText(item.args);
    if (id !== undefined && call.wireId !== undefined && id !== call.wireId) {
      const dropped = { ...droppedFrom(call, "repeated-call", text), id };
      speech.notice(
        "repeated-call",
        "The response's final list names the call by another id; the first one stays.",
        call,
        dropped,
      );
    }
    if (call.over) compareFinal(speech, call, text);
    else act.confirm(choice, call, item);
  });
}

/** By id, by item id, by place with the same name, by ordinal with the same name and arguments that agree so far. */
function match(
  calls: CallTable,
  choice: ChoiceCalls,
  item: CallDelta,
  byOrdinal: CallRecord | undefined,
  stood: (call: CallRecord) => boolean,
): CallRecord | undefined {
  // Two items of one list are two calls, whatever their ids: a call that the list itself has added is none to confirm.
  const free = (call: CallRecord | undefined): call is CallRecord =>
    call !== undefined && call.original === undefined && stood(call);
  const id = present(item.id);
  const itemId = present(item.item);
  const index = wholeIndex(item.index);
  const name = present(item.name);
  const byId = id === undefined ? undefined : choice.byId.get(id);
  if (free(byId)) return byId;
  const byItem = itemId === undefined ? undefined : choice.byItem.get(itemId);
  if (free(byItem)) return byItem;
  const byIndex = index === undefined ? undefined : choice.byIndex.get(index);
  if (free(byIndex) && (byIndex.rawName === "" || name === undefined || byIndex.rawName === name)) return byIndex;
  if (!free(byOrdinal) || byOrdinal.rawName !== name) return undefined;
  const text = calls.asText(item.args);
  const agrees = text.startsWith(byOrdinal.args.held) || sameArguments(text, byOrdinal.args.held);
  return agrees ? byOrdinal : undefined;
}

/** A last word on a call that is over already changes nothing; where it disagrees, that is said. */
export function compareFinal(speech: Speech, call: CallRecord, text: string): void {
  if (text.trim() === "" || sameArguments(text, call.args.held) || (call.args.plain && text === call.args.held)) return;
  speech.notice(
    "final-disagrees",
    "The response's last word on the call came after its close and differs; it was dropped.",
    call,
    droppedFrom(call, "final-disagrees", text),
  );
}
