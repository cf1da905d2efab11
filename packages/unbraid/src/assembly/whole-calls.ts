// Calls that the wire closes itself: frames that carry a whole call, and the vendor's last word on one. Owns when such a
// call is over.

import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import type { CallTable } from "./call-table.ts";
import type { Mention } from "./identity.ts";
import { noticeDropped } from "./rule-notices.ts";
import { sameArguments } from "./same-arguments.ts";
import type { CallDelta } from "./sink.ts";
import { present } from "../wire-values.ts";

/** A frame that carries a whole call. */
export function whole(table: CallTable, delta: CallDelta): void {
  const choice = table.choice(delta.choice);
  const mention = table.read(delta);
  const original = originalOf(choice, mention);
  if (original !== undefined && !original.over && original.args.isPlaceholder) {
    const call = choice.find(delta);
    if (call !== undefined) closeWith(table, call, delta);
    return;
  }
  const call = table.create(choice, mention, { ...delta, format: delta.format ?? "json" }, original);
  if (call === undefined) return;
  table.starts.start(call);
  call.signalled = true;
  call.cut ||= delta.cut === true;
  // An empty object may be a placeholder (Gemini proxies: https://github.com/smallmain/vscode-unify-chat-provider/issues/48).
  if (!call.args.isPlaceholder) closeIfDecided(table, call);
}

/** The vendor's last word on a call and its close. Of a call that is over it changes nothing; where it disagrees, that is said. */
export function closeWith(
  table: CallTable,
  call: CallRecord,
  delta: CallDelta,
  cut: boolean = delta.cut === true,
): void {
  if (call.over) return compareFinal(table, call, delta);
  call.cut ||= cut;
  lastWord(table, call, delta);
  closeIfDecided(table, call);
}

/** The vendor's own signal for the call, with what it says of the call for the last time. */
export function lastWord(table: CallTable, call: CallRecord, delta: CallDelta, signal = true): void {
  table.learn(call, table.read({ ...delta, args: undefined }), delta, true);
  const name = present(delta.name);
  if (name !== undefined && call.rawName === "") {
    table.name(call, name);
    table.speech.notice("late-header", call);
  }
  if (delta.args !== undefined && delta.args !== null) table.finalText(call, delta.args);
  if (signal) table.useInitial(call);
  call.signalled ||= signal;
}

/** A last word on a call that is over. */
export function compareFinal(table: CallTable, call: CallRecord, delta: CallDelta): void {
  const text = table.asText(delta.args);
  const { held } = call.args;
  if (text.trim() !== "" && text !== held && !sameArguments(text, held))
    noticeDropped(table.speech, "final-disagrees", call, text);
}

/** Closes a signalled call; one without arguments waits for the end, for only that says what no text means. */
function closeIfDecided(table: CallTable, call: CallRecord): void {
  const { args } = call;
  const undecided = args.empty && call.original === undefined && call.rawName !== "";
  if (!undecided) table.close(call, { ended: false, well: false });
}

/** The call that a header with a known id and the same name repeats, until its text proves otherwise. */
export function originalOf(choice: ChoiceCalls, { id, name }: Mention): CallRecord | undefined {
  const known = choice.byId.get(id);
  return known?.rawName === name ? (known?.original ?? known) : undefined;
}
