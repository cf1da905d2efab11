// Headers that come again under an id and name that a call has: repeats, until their text proves them to be calls of their
// own. Owns that for what streams; what lists restate is final-list.ts.

import type { CallRecord } from "./call-record.ts";
import { noticeDropped } from "./rule-notices.ts";
import type { Speech } from "./speech.ts";

/**
 * Takes text of a header that came again: compared with the first call's, silent while equal.
 *
 * @returns The call's whole text, once that has proved it to be a call of its own; undefined while it has not.
 */
export function repeatText(
  speech: Speech,
  call: CallRecord,
  original: CallRecord,
  fragment: string,
): string | undefined {
  const { choice, wireId } = call;
  const held = original.args.held;
  const rest = Math.max(held.length - call.ahead.length, 0);
  const overrun = fragment.slice(rest);
  // Without an id on the wire an equal call is another call: nothing says that it is the same.
  const identified = wireId !== undefined || original.wireId !== undefined;
  const equal = identified && held.startsWith(fragment.slice(0, rest), call.ahead.length) && overrun.trim() === "";
  if (equal && !(overrun !== "" && original.unfinished)) {
    call.ahead += fragment;
    if (!original.unfinished && call.ahead.trim() === held.trim()) sayRepeat(speech, call, original);
    return undefined;
  }
  const text = call.ahead + fragment;
  const other = choice.calls.find((each) => each !== original && isRepeat(each, call, text));
  if (other !== undefined) {
    call.original = other;
    call.ahead = text;
    if (text.trim() === other.args.held.trim()) sayRepeat(speech, call, other);
    return undefined;
  }
  call.ahead = "";
  call.original = undefined;
  if (wireId !== undefined && wireId === original.wireId) {
    call.collidesWith = original;
    choice.reusedIds.add(wireId);
  }
  choice.touch(call);
  return text;
}

/** Drops a header that came again and proved to be nothing else. */
export function dropRepeat(speech: Speech, call: CallRecord, original: CallRecord): void {
  call.over = true;
  call.choice.remove(call);
  if (call.wireId === undefined && call.ahead === "") return speech.notice("name-restated", original);
  if (!call.said.has("repeated-call")) sayRepeat(speech, call, original);
}

/** Says a repeat, at the latest when it is dropped. */
function sayRepeat(speech: Speech, call: CallRecord, original: CallRecord): void {
  call.said.add("repeated-call");
  call.id = original.id;
  noticeDropped(speech, "repeated-call", original, call.ahead);
}

/** Whether a call of the same id and name holds a text that `text` is the beginning of. */
function isRepeat(each: CallRecord, call: CallRecord, text: string): boolean {
  return (
    each.original === undefined &&
    each.wireId === call.wireId &&
    each.wireId !== undefined &&
    each.rawName === call.rawName &&
    each.args.held.startsWith(text.trimEnd())
  );
}
