// The response's own final list of calls against the calls that were read. Owns the rule that a place in that list
// is an identity: it may add and confirm, it may not remove, and its id does not replace one already given.

import type { CallTable } from "./call-table.ts";
import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import type { Mention } from "./identity.ts";
import { noticeDropped } from "./rule-notices.ts";
import { sameArguments } from "./same-arguments.ts";
import type { CallDelta } from "./sink.ts";
import { closeWith, whole } from "./whole-calls.ts";
import { present } from "../wire-values.ts";

/** Matches every item of the list with a call, once: its text is the last word. What matches none is a call of its own. */
export function list(table: CallTable, items: readonly CallDelta[]): void {
  if (items.length === 0 && table.hasClientCalls()) table.speech.notice("snapshot-empty");
  const choice = table.choice(items[0]?.choice);
  /** The calls that stood before the list, by their ordinal; those that an item has matched are taken out. */
  const free: (CallRecord | undefined)[] = choice.calls.filter((call) => call.original === undefined);
  for (const [ordinal, item] of items.entries()) {
    if (table.passed !== undefined) return;
    const mention = table.read(item);
    const call = match(choice, mention, present(item.item), free, ordinal);
    if (call === undefined) {
      whole(table, item);
    } else {
      free[free.indexOf(call)] = undefined;
      const { id = call.wireId, text } = mention;
      if (call.wireId !== undefined && id !== call.wireId) noticeDropped(table.speech, "repeated-call", call, text, id);
      closeWith(table, call, { ...item, id: call.wireId ?? id });
    }
  }
}

/**
 * By id, by item id, by place with the same name, by ordinal with the same name and arguments that agree so far. Two items
 * of one list are two calls, whatever their ids: a call that the list itself has added is none to confirm.
 */
function match(
  choice: ChoiceCalls,
  { id, index, name, text }: Mention,
  item: string | undefined,
  free: readonly (CallRecord | undefined)[],
  ordinal: number,
): CallRecord | undefined {
  const isFree = (call: CallRecord | undefined): call is CallRecord =>
    call !== undefined && call.original === undefined && free.includes(call);
  const byId = choice.byId.get(id);
  if (isFree(byId)) return byId;
  const byItem = choice.byItem.get(item);
  if (isFree(byItem)) return byItem;
  const byIndex = choice.byIndex.get(index);
  if (isFree(byIndex) && (byIndex.rawName === "" || name === undefined || byIndex.rawName === name)) return byIndex;
  const byOrdinal = free[ordinal];
  if (byOrdinal === undefined || byOrdinal.rawName !== name) return undefined;
  const { held } = byOrdinal.args;
  return text.startsWith(held) || sameArguments(text, held) ? byOrdinal : undefined;
}
