// What the tests of the strict readers share: a body read both ways, and what each lets run.

import { wires } from "../any-wire.ts";
import { type Collected, runnable } from "../collect.ts";
import type { StreamEvent } from "../events.ts";
import { collected, inPieces } from "../protocols/reading.test-kit.ts";
import type { ReaderOptions } from "../reader.ts";
import type { Wire } from "../wire.ts";
import * as strict from "./index.ts";

const { Collector: _, collect: __, runnable: ___, ...all } = strict;

/** The strict wires, by name. */
export const STRICT: ReadonlyMap<string, Wire> = new Map(Object.values(all).map((wire) => [wire.name, wire]));

/** The events of a body, in pieces of `size` bytes. */
export function read(wire: Wire, bytes: Uint8Array, options: ReaderOptions = {}, size = 300): StreamEvent[] {
  const reader = wire.reader(options);
  const events: StreamEvent[] = [];
  for (const piece of inPieces(bytes, size)) events.push(...reader.push(piece));
  return [...events, ...reader.end()];
}

/** The calls that may run, as texts. Made ids differ with the frame that starts a call; undeclared names nobody runs. */
function allowed(answer: Collected, tools: ReaderOptions["tools"]): string[] {
  const ids = runnable(answer);
  return answer.calls
    .filter(({ id, name }) => ids.includes(id) && (tools?.some((tool) => tool.name === name) ?? true))
    .map(({ id, madeId, name, argumentsText }) => JSON.stringify([madeId === true ? "" : id, name, argumentsText]));
}

/** The calls that the strict reader lets run and the other one does not, and the error that ended its reading. */
export function excess(
  name: string,
  bytes: Uint8Array,
  options: ReaderOptions = {},
): { readonly excess: readonly string[]; readonly allowed: number; readonly error: string | undefined } {
  const wire = STRICT.get(name);
  const full = wires[name as keyof typeof wires];
  if (wire === undefined) throw new Error(`no strict wire ${name}`);
  const answer = collected(read(wire, bytes, options));
  const mine = allowed(answer, options.tools);
  const theirs = allowed(collected(read(full, bytes, options)), options.tools);
  const left = mine.filter((call) => {
    const at = theirs.indexOf(call);
    if (at >= 0) theirs.splice(at, 1);
    return at < 0;
  });
  return { excess: left, allowed: mine.length, error: answer.error === null ? undefined : String(answer.error.code) };
}
