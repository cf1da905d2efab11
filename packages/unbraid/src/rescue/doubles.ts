// Calls that came twice: by the server's own field, and recovered from its text. Owns the comparison; changes nothing.

import type { CallRecord } from "../assembly/call-record.ts";
import type { CallTable } from "../assembly/call-table.ts";
import { sameArguments } from "../assembly/same-arguments.ts";
import type { CallKey } from "../assembly/sink.ts";

/**
 * Which of the calls under `keys` another call of its choice equals, each of the others at most once: the same name and
 * arguments; of one that was cut, the beginning of them.
 */
export function doublesOf(table: CallTable, keys: readonly CallKey[]): CallRecord[] {
  const recovered = keys.map((key) => table.find(key)).filter((call) => call !== undefined);
  const matched = new Set(recovered);
  return recovered.filter((call) => {
    const other = call.choice.calls.find((one) => !matched.has(one) && isSame(call, one));
    if (other !== undefined) matched.add(other);
    return other !== undefined;
  });
}

function isSame(call: CallRecord, other: CallRecord): boolean {
  if (call.name !== other.name) return false;
  const text = textOf(call);
  const whole = textOf(other);
  return sameArguments(text, whole) || (call.cut && whole.startsWith(text));
}

function textOf(call: CallRecord): string {
  const text = call.args.held.trim();
  return text === "" && !call.cut ? "{}" : text;
}
