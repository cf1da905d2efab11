// Generated responses through every wire and back: any interleaving of calls and texts, any ids and names, arguments that are
// whole, cut off or no JSON, any end. property.test.ts tries hundreds, property.long.test.ts many more.

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { SessionAssembler } from "../assembly/session-assembler.ts";
import { withDefaults } from "../assembly/limits.ts";
import type { CallKind, FinishReason, StreamEvent } from "../events.ts";
import { brokenInvariants } from "../invariants.test-kit.ts";
import { random } from "../protocols/reading.test-kit.ts";
import type { ProtocolName } from "../protocols/protocol.ts";
import { bodyOf, expectBack, expectWholeBack, WAYS } from "./round-trip.test-kit.ts";

type Step = (sink: SessionAssembler) => void;

const word = fc.oneof(
  fc.constantFrom(
    "call_1",
    "toolu_01",
    "functions.get_weather:0",
    "a b",
    "é東",
    "ub_1",
    "ub_a_2eb",
    "x".repeat(70),
    "0",
  ),
  fc.string({ minLength: 1, maxLength: 12 }),
);
const name = fc.oneof(
  fc.constantFrom("get_weather", "write_file", "my.tool", "a b", "7up", "ub_a_2eb"),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const object = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
const whole = fc.tuple(object, fc.constantFrom(0, 0, 2)).map(([value, indent]) => JSON.stringify(value, null, indent));
const args = fc.oneof(
  { weight: 5, arbitrary: whole },
  { weight: 1, arbitrary: fc.tuple(whole, fc.nat(30)).map(([text, length]) => text.slice(0, length)) },
  { weight: 1, arbitrary: fc.constantFrom('{"a":}', "{a:1}", '{"a":"\n"}', "[1]", '"x"', "}", '{"a":"\\u12"}', "sql") },
);

interface Call {
  readonly id: string | undefined;
  readonly name: string;
  readonly kind: CallKind;
  readonly text: string;
  readonly closes: boolean;
}

const call: fc.Arbitrary<Call> = fc.record({
  id: fc.option(word, { nil: undefined }),
  name,
  kind: fc.constantFrom<CallKind>("function", "function", "function", "function", "custom", "server"),
  text: args,
  closes: fc.boolean(),
});

const ending = fc.constantFrom<readonly [string, FinishReason | null] | "cut" | "error">(
  ["stop", "stop"],
  ["tool_calls", "tool_calls"],
  ["tool_calls", "tool_calls"],
  ["length", "length"],
  ["content_filter", "content_filter"],
  "cut",
  "error",
);

/** Text of the model that no reader takes for something else. */
const prose = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.constantFrom("é東😀", "line\nline\r\n", "data: x\n\n", " "),
);

interface Plan {
  readonly calls: readonly Call[];
  readonly texts: readonly (readonly ["text" | "refusal" | "reasoning", string])[];
  readonly ending: readonly [string, FinishReason | null] | "cut" | "error";
  readonly seed: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  calls: fc.array(call, { maxLength: 5 }),
  texts: fc.array(fc.tuple(fc.constantFrom("text", "text", "reasoning", "refusal"), prose), { maxLength: 5 }),
  ending,
  seed: fc.nat(),
});

/** The steps of one call, in order. */
function stepsOf(one: Call, index: number, next: () => number): Step[] {
  const { id, kind, closes, text } = one;
  const format = kind === "custom" ? ("text" as const) : ("json" as const);
  const steps: Step[] = [(sink) => sink.open({ index, id, name: one.name, kind, format })];
  for (let at = 0; at < text.length;) {
    const piece = text.slice(at, at + 1 + Math.floor(next() * 12));
    at += piece.length;
    steps.push((sink) => sink.append({ index }, piece));
  }
  if (closes) steps.push((sink) => sink.close({ index }));
  return steps;
}

/** Several lists of steps as one, each in its order. */
function interleaved(lists: readonly Step[][], next: () => number): Step[] {
  const steps: Step[] = [];
  const waiting = lists.filter((list) => list.length > 0).map((list) => [...list]);
  while (waiting.length > 0) {
    const at = Math.floor(next() * waiting.length);
    const list = waiting[at] as Step[];
    // Long runs as well as strict turns.
    for (let run = next() < 0.5 ? 1 : 1 + Math.floor(next() * 6); run > 0 && list.length > 0; run--)
      steps.push(list.shift() as Step);
    if (list.length === 0) waiting.splice(at, 1);
  }
  return steps;
}

function spoken([kind, text]: Plan["texts"][number]): Step {
  return (sink) => (kind === "reasoning" ? sink.reasoning(text) : sink.text(text, 0, kind === "refusal"));
}

/** The events of a plan. */
function eventsOf({ calls, texts, ending: end, seed }: Plan): StreamEvent[] {
  const next = random(seed);
  const lists = [...calls.map((one, index) => stepsOf(one, index, next)), texts.map(spoken)];
  const events: StreamEvent[] = [];
  const assembler = new SessionAssembler((event) => events.push(event), withDefaults(undefined), undefined);
  const steps: Step[] = [(sink) => sink.response("resp_1", "model-1"), ...interleaved(lists, next)];
  if (end === "error") steps.push((sink) => sink.error("overloaded_error", "Too much.", { type: "overloaded_error" }));
  else if (end !== "cut")
    steps.push(
      (sink) => sink.finish(end[0], end[1]),
      (sink) => sink.end(),
    );
  for (const [frame, step] of steps.entries()) {
    assembler.at = { frame, start: frame * 10, end: frame * 10 + 10 };
    assembler.seed({ data: `frame ${frame}` });
    step(assembler);
  }
  assembler.endOfBody();
  expect(brokenInvariants(events, steps.length * 10)).toEqual([]);
  return events;
}

const FROM: readonly ProtocolName[] = ["cohere", "bedrock"];

/** Declares the properties. */
export function checkProperties(runs: number): void {
  describe.each(WAYS)("generated responses come back from %s", (_, wire, make) => {
    property.prop([plan, fc.constantFrom(...FROM), fc.boolean()], { numRuns: runs })("and held", (one, from, hold) => {
      expectBack(eventsOf(one), make, { wire, from, hold }, one.seed);
    });

    property.prop([plan], { numRuns: Math.ceil(runs / 4) })("as whole bodies", (one) => {
      expectWholeBack(eventsOf(one), { wire });
    });

    property.prop([plan], { numRuns: Math.ceil(runs / 4) })("however they are cut off", (one) => {
      const events = eventsOf(one);
      for (let length = 0; length < events.length; length++) {
        const encoder = make({ id: "r", created: 0 });
        const body = bodyOf(encoder, events.slice(0, length));
        expect(encoder.over).toBe(true);
        // What was written is no end: the client is told.
        expect(body).toMatch(/interrupted|cut off|Too much/);
        expect(encoder.end()).toBe("");
      }
    });
  });
}
