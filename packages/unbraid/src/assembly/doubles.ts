// Calls that came twice: by the server's own field, and recovered from its text. Owns the comparison; changes nothing.

import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import type { CallTable } from "./call-table.ts";
import { sameArguments } from "./same-arguments.ts";
import type { CallKey } from "./sink.ts";

/** A call and the choice that holds it. */
export interface Placed {
  readonly choice: ChoiceCalls;
  readonly call: CallRecord;
}

/**
 * Which of the calls under `keys` another call of its choice equals, each of the others at most once: the same name and
 * arguments; of one that was cut, the beginning of them.
 */
export function doublesOf(calls: CallTable, keys: readonly CallKey[]): Placed[] {
  const recovered: Placed[] = keys.flatMap((key) => {
    const choice = calls.choice(key.choice);
    const call = calls.find(choice, key);
    return call === undefined ? [] : [{ choice, call }];
  });
  const matched = new Set(recovered.map(({ call }) => call));
  return recovered.filter(({ choice, call }) => {
    const other = choice.calls.find((one) => !matched.has(one) && isSame(call, one));
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
