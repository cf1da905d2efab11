// Which events of a reconnecting stream have been seen before, by their sequence numbers.

import { describe, expect, test } from "vitest";
import { openaiResponses } from "./openai-responses.ts";
import { answerOf } from "./reading.test-kit.ts";
import { ReplayGuard } from "./replay-guard.ts";

const judge = (events: readonly (readonly [unknown, string])[]): boolean[] => {
  const guard = new ReplayGuard();
  return events.map(([sequence, type]) => guard.isReplay(sequence, type, "same"));
};

describe("isReplay", () => {
  test("numbers that grow are news", () => {
    expect(
      judge([
        [0, "a"],
        [1, "b"],
        [2, "b"],
        [7, "b"],
        [8, "c"],
      ]),
    ).toEqual([false, false, false, false, false]);
  });

  test("a number that has been seen, with its type, is a replay; what comes after it is news again", () => {
    expect(
      judge([
        [0, "a"],
        [1, "b"],
        [2, "b"],
        [1, "b"],
        [2, "b"],
        [3, "c"],
      ]),
    ).toEqual([false, false, false, true, true, false]);
  });

  test("every event is remembered, and none that was skipped", () => {
    const guard = new ReplayGuard();
    for (let at = 0; at < 5000; at++) if (at !== 700) expect(guard.isReplay(at, "a", `fragment ${at}`)).toBe(false);
    for (const at of [0, 63, 64, 699, 701, 4999]) expect(guard.isReplay(at, "a", `fragment ${at}`)).toBe(true);
    expect(guard.isReplay(700, "a", "fragment 700")).toBe(false);
    expect(guard.isReplay(4999, "a", "fragment 4999"), "the numbers are no good").toBe(false);
  });

  test.each([
    ["its beginning", (text: string) => `?${text.slice(1)}`],
    ["its end", (text: string) => `${text.slice(0, -1)}?`],
    ["its length", (text: string) => `${text.slice(0, 1000)}${text.slice(1001)}`],
  ])("a long text is known again, and told from another by %s", (_, changed) => {
    const long = "word ".repeat(1000);
    const seen = (text: string): boolean => {
      const guard = new ReplayGuard();
      for (const at of [0, 1, 2]) guard.isReplay(at, "a", long);
      return guard.isReplay(1, "a", text);
    };
    expect(seen(long)).toBe(true);
    expect(seen(changed(long))).toBe(false);
  });

  test("a number that comes again with another type proves that the numbers are no good", () => {
    expect(
      judge([
        [0, "a"],
        [0, "b"],
        [0, "b"],
        [0, "a"],
      ]),
    ).toEqual([false, false, false, false]);
  });

  test.each([undefined, null, "1", 0.5, Number.NaN, {}])("%j is no number to go by", (sequence) => {
    expect(
      judge([
        [sequence, "a"],
        [sequence, "a"],
      ]),
    ).toEqual([false, false]);
  });
});

describe("a stream whose numbers are no good loses nothing", () => {
  const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
  const body = (numberOf: (ordinal: number, type: string) => number | undefined): string => {
    const call = (index: number, text: string): object[] => [
      {
        type: "response.output_item.added",
        output_index: index,
        item: { type: "function_call", id: `fc${index}`, call_id: `c${index}`, name: "f", arguments: "" },
      },
      ...text
        .split(/(?<=,)/)
        .map((delta) => ({ type: "response.function_call_arguments.delta", output_index: index, delta })),
    ];
    const events = [
      { type: "response.created", response: { id: "r" } },
      ...call(0, '{"a":1,"b":2,"c":3}'),
      ...call(1, '{"d":1,"e":2,"f":3}'),
      { type: "response.completed", response: { id: "r", status: "completed" } },
    ];
    return events
      .map((event, ordinal) => data({ ...event, sequence_number: numberOf(ordinal, (event as { type: string }).type) }))
      .join("");
  };
  const right = [
    ["c0", '{"a":1,"b":2,"c":3}', "complete"],
    ["c1", '{"d":1,"e":2,"f":3}', "complete"],
  ];

  test.each<[string, (ordinal: number, type: string) => number | undefined]>([
    ["all zero", () => 0],
    ["zero on the deltas, absent elsewhere", (_, type) => (type.endsWith("delta") ? 0 : undefined)],
    ["one for all deltas, growing elsewhere", (ordinal, type) => (type.endsWith("delta") ? 3 : ordinal)],
    ["anew for each item", (ordinal) => (ordinal <= 4 ? ordinal : ordinal - 4)],
    ["shrinking", (ordinal) => 100 - ordinal],
    ["absent", () => undefined],
  ])("%s", (_, numberOf) => {
    const { calls } = answerOf(openaiResponses, body(numberOf));
    expect(calls.map((call) => [call.id, call.argumentsText, call.status])).toEqual(right);
  });
});
