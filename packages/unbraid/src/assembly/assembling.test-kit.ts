// An assembler that is told things, and what it says. Owns the small harness that the tests of this room share.

import { expect } from "vitest";
import { Collector, type Collected } from "../collect.ts";
import type { StreamEvent } from "../events.ts";
import { brokenInvariants } from "../invariants.test-kit.ts";
import { SessionAssembler } from "./session-assembler.ts";
import type { DeclaredTool } from "./declared-tools.ts";
import { type Limits, withDefaults } from "./limits.ts";

export interface Assembled extends Collected {
  readonly events: readonly StreamEvent[];
  /** The codes of the notices, each once, in order. */
  readonly codes: readonly string[];
  /** `[id or null where it was made, name, text, status]` of each call. */
  readonly brief: readonly (readonly [string | null, string, string, string])[];
}

/**
 * Tells an assembler things and ends the body. Each thing told stands in a frame of its own.
 *
 * @param told What is said, in order.
 * @param options Limits and declared tools.
 */
export function assemble(
  told: readonly ((sink: SessionAssembler) => void)[],
  options: { limits?: Partial<Limits>; tools?: readonly DeclaredTool[] } = {},
): Assembled {
  const events: StreamEvent[] = [];
  const assembler = new SessionAssembler((event) => events.push(event), withDefaults(options.limits), options.tools);
  for (const [frame, say] of told.entries()) {
    assembler.at = { frame, start: frame * 10, end: frame * 10 + 10 };
    assembler.seed({ data: `frame ${frame}` });
    say(assembler);
  }
  assembler.endOfBody();
  expect(brokenInvariants(events, told.length * 10)).toEqual([]);
  const collector = new Collector();
  for (const event of events) collector.add(event);
  const answer = collector.result;
  return {
    ...answer,
    events,
    codes: [...new Set(answer.notices.map((notice) => notice.code))],
    brief: answer.calls.map((call) => [
      call.madeId === true ? null : call.id,
      call.name,
      call.argumentsText,
      call.status,
    ]),
  };
}

/** Says a mention of untrusted keys. */
export function delta(index: unknown, id?: unknown, name?: unknown, args?: unknown): (sink: SessionAssembler) => void {
  return (sink) => sink.delta({ index, id, name, args });
}

/** Says how the response ended. */
export function finish(
  raw: string,
  reason: Parameters<SessionAssembler["finish"]>[1],
  choice?: number,
): (sink: SessionAssembler) => void {
  return (sink) => sink.finish(raw, reason, choice);
}

/** Says that the wire is over. */
export const end = (sink: SessionAssembler): void => sink.end();
/** Says that the calls are to be run. */
export const toolCalls: (sink: SessionAssembler) => void = finish("tool_calls", "tool_calls");
