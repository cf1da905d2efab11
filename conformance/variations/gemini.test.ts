// The same faults on Gemini, as an event stream and as a JSON array.

import { describe } from "vitest";
import { BOTH, type Brief, defined, family, type Relative, sse } from "./relatives.ts";

const OSLO = '{"city":"Oslo"}';
const ROME = '{"city":"Rome"}';
const [W, R] = ["get_weather", "read_file"];
const none = undefined;

interface Ending {
  readonly fin?: string;
  readonly index?: number;
}
const chunk = (parts: readonly object[] | undefined, { fin, index }: Ending = {}): object => ({
  responseId: "g1",
  modelVersion: "m",
  candidates: [defined({ index, content: parts === none ? none : { role: "model", parts }, finishReason: fin })],
});
const call = (name: unknown, args?: unknown, rest: object = {}): object => ({
  functionCall: defined({
    name,
    args: typeof args === "string" && args.startsWith("{") ? JSON.parse(args) : args,
    ...rest,
  }),
});
const opens = (name: string, rest: object = {}): object => ({ functionCall: { name, willContinue: true, ...rest } });
const partial = (parts: readonly object[], willContinue?: boolean, rest: object = {}): object => ({
  functionCall: defined({ ...rest, partialArgs: parts, willContinue }),
});
const text = (jsonPath: string, stringValue: string, willContinue?: boolean): object =>
  defined({ jsonPath, stringValue, willContinue });
const ends = { functionCall: {} };
const stop = chunk([{ text: "" }], { fin: "STOP" });

function both(
  relatives: readonly (readonly [string, readonly object[], readonly Brief[], Partial<Relative>?])[],
): () => Generator<Relative> {
  return function* () {
    for (const [what, chunks, calls, rest] of relatives) {
      for (const tools of BOTH) {
        const common = { calls, tools, protocol: "gemini" as const, ...rest };
        yield { ...common, what, body: sse(...chunks) };
        yield {
          ...common,
          what: `${what}, array`,
          body: `[${chunks.map((each) => JSON.stringify(each)).join(",\r\n")}]`,
        };
      }
    }
  };
}

const one: readonly Brief[] = [[null, W, OSLO]];

describe("whole calls", () => {
  family(
    "each part is a call, unless its id says otherwise",
    both([
      ["in the chunk that ends", [chunk([call(W, OSLO)], { fin: "STOP" })], one],
      ["equal ones in one chunk", [chunk([call(W, OSLO), call(W, OSLO)], { fin: "STOP" })], [...one, ...one]],
      ["equal ones in two chunks", [chunk([call(W, OSLO)]), chunk([call(W, OSLO)]), stop], [...one, ...one]],
      [
        "one id twice, the same",
        [chunk([call(W, OSLO, { id: "x" })]), chunk([call(W, OSLO, { id: "x" })]), stop],
        [["x", W, OSLO]],
      ],
      [
        "one id twice, keys in another order",
        [chunk([call(W, { a: 1, b: 2 }, { id: "x" })]), chunk([call(W, { b: 2, a: 1 }, { id: "x" })]), stop],
        [["x", W, '{"a":1,"b":2}']],
      ],
      [
        "one id, other arguments",
        [chunk([call(W, OSLO, { id: "x" })]), chunk([call(W, ROME, { id: "x" })]), stop],
        [
          ["x", W, OSLO],
          [null, W, ROME],
        ],
      ],
      [
        "one id, another tool",
        [chunk([call(W, OSLO, { id: "x" })]), chunk([call(R, ROME, { id: "x" })]), stop],
        [
          ["x", W, OSLO],
          [null, R, ROME],
        ],
      ],
      [
        "one id, {} first",
        [chunk([call(W, {}, { id: "x" })]), chunk([call(W, OSLO, { id: "x" })]), stop],
        [["x", W, OSLO]],
      ],
      [
        "blank ids",
        [chunk([call(W, OSLO, { id: "" })]), chunk([call(W, ROME, { id: "" })]), stop],
        [...one, [null, W, ROME]],
      ],
      ["no arguments", [chunk([call("roll_die")], { fin: "STOP" })], [[null, "roll_die", "{}"]]],
      ["null as arguments", [chunk([call("roll_die", null)], { fin: "STOP" })], [[null, "roll_die", "{}"]]],
      ["arguments as text", [chunk([{ functionCall: { name: W, args: OSLO } }], { fin: "STOP" })], one],
      [
        "arguments in a part of their own",
        [chunk([call(W, {})]), chunk([{ functionCall: { args: JSON.parse(OSLO) } }]), stop],
        one,
      ],
      [
        "arguments in a part of their own, by id",
        [chunk([call(W, {}, { id: "x" })]), chunk([{ functionCall: { id: "x", args: JSON.parse(OSLO) } }]), stop],
        [["x", W, OSLO]],
      ],
      [
        "snake_case",
        [
          {
            candidates: [
              { content: { parts: [{ function_call: { name: W, args: JSON.parse(OSLO) } }] }, finish_reason: "STOP" },
            ],
          },
        ],
        one,
      ],
      ["wrapped", [{ response: chunk([call(W, OSLO)], { fin: "STOP" }) }], one],
      [
        "of two candidates",
        [chunk([call(W, OSLO)], { index: 0, fin: "STOP" }), chunk([call(W, OSLO)], { index: 1, fin: "STOP" })],
        [...one, [null, W, OSLO, "complete@1"]],
      ],
    ]),
  );
});

describe("partial arguments", () => {
  const city = (value: string, more?: boolean): object => text("$.city", value, more);
  family(
    "by path",
    both([
      [
        "the empty part ends it",
        [
          chunk([opens(W)]),
          chunk([partial([city("Os", true)], true)]),
          chunk([partial([city("lo")], true)]),
          chunk([ends]),
          stop,
        ],
        one,
      ],
      [
        "its last part ends it",
        [chunk([opens(W)]), chunk([partial([city("Os", true)], true)]), chunk([partial([city("lo")])]), stop],
        one,
      ],
      ["STOP ends it", [chunk([opens(W)]), chunk([partial([city("Oslo", true)], true)]), stop], one],
      [
        "the next call ends it",
        [chunk([opens(W)]), chunk([partial([city("Oslo", true)], true)]), chunk([call(R, ROME)]), stop],
        [...one, [null, R, ROME]],
      ],
      [
        "the body ends first",
        [chunk([opens(W)]), chunk([partial([city("Oslo", true)], true)])],
        [[null, W, '{"city":"Oslo', "truncated"]],
        { finish: null },
      ],
      [
        "the limit ends it",
        [chunk([opens(W)]), chunk([partial([city("Oslo", true)], true)]), chunk(none, { fin: "MAX_TOKENS" })],
        [[null, W, '{"city":"Oslo', "truncated"]],
        { finish: "length" },
      ],
      [
        "in the part that opens",
        [chunk([partial([city("Os", true)], true, { name: W })]), chunk([partial([city("lo")])]), stop],
        one,
      ],
      ["all in the part that opens", [chunk([partial([city("Oslo")], none, { name: W })]), stop], one],
      [
        "heartbeats",
        [
          chunk([opens(W)]),
          chunk([{ functionCall: { willContinue: true } }]),
          chunk([partial([city("Oslo")], true)]),
          chunk([ends]),
          stop,
        ],
        one,
      ],
      [
        "ids on each part",
        [
          chunk([opens(W, { id: "x" })]),
          chunk([partial([city("Os", true)], true, { id: "x" })]),
          chunk([partial([city("lo")], none, { id: "x" })]),
          stop,
        ],
        [["x", W, OSLO]],
      ],
      [
        "ids and names on each part",
        [
          chunk([opens(W, { id: "x" })]),
          chunk([partial([city("Os", true)], true, { id: "x", name: W })]),
          chunk([partial([city("lo")], none, { id: "x", name: W })]),
          stop,
        ],
        [["x", W, OSLO]],
      ],
      [
        "two calls of one tool",
        [
          chunk([opens(W)]),
          chunk([partial([city("Oslo")])]),
          chunk([opens(W)]),
          chunk([partial([city("Rome")])]),
          stop,
        ],
        [...one, [null, W, ROME]],
      ],
      [
        "two candidates in turns",
        [
          chunk([opens(W)], { index: 0 }),
          chunk([opens(R)], { index: 1 }),
          chunk([partial([city("Oslo")], true)], { index: 0 }),
          chunk([partial([city("Rome")], true)], { index: 1 }),
          chunk([ends], { index: 0 }),
          chunk([ends], { index: 1 }),
          chunk(none, { index: 0, fin: "STOP" }),
          chunk(none, { index: 1, fin: "STOP" }),
        ],
        [...one, [null, R, ROME, "complete@1"]],
      ],
      [
        "whole arguments at the end",
        [chunk([opens(W)]), chunk([{ functionCall: { args: JSON.parse(OSLO) } }]), stop],
        one,
      ],
      ["no arguments", [chunk([opens("roll_die")]), chunk([ends]), stop], [[null, "roll_die", "{}"]]],
      [
        "strings in turns",
        [
          chunk([opens(W)]),
          chunk([partial([text("$.a", "1", true), text("$.b", "2", true), text("$.a", "3"), text("$.b", "4")], true)]),
          chunk([ends]),
          stop,
        ],
        [[null, W, '{"a":"13","b":"24"}']],
      ],
      [
        "a path that goes back",
        [
          chunk([opens(W)]),
          chunk([
            partial(
              [
                { jsonPath: "$.a.x", numberValue: 1 },
                { jsonPath: "$.b", numberValue: 2 },
                { jsonPath: "$.a.y", numberValue: 3 },
              ],
              true,
            ),
          ]),
          chunk([ends]),
          stop,
        ],
        [[null, W, '{"a":{"x":1,"y":3},"b":2}']],
      ],
      ["of no call", [chunk([partial([city("Oslo")])]), stop], [], { finish: "stop", notices: ["orphan-fragment"] }],
    ]),
  );
});

describe("how it ends", () => {
  const whole = chunk([call(W, OSLO)]);
  family(
    "well, badly, or not",
    both([
      ["STOP first", [chunk(none, { fin: "STOP" }), whole], one],
      ["STOP twice", [chunk([call(W, OSLO)], { fin: "STOP" }), chunk([], { fin: "STOP" })], one],
      ["not", [whole], one, { finish: null }],
      ["MAX_TOKENS", [chunk([call(W, OSLO)], { fin: "MAX_TOKENS" })], one, { finish: "length" }],
      ["SAFETY", [chunk([call(W, OSLO)], { fin: "SAFETY" })], one, { finish: "content_filter" }],
      [
        "MALFORMED_FUNCTION_CALL",
        [chunk(none, { fin: "MALFORMED_FUNCTION_CALL" })],
        [],
        { finish: "error", notices: ["provider-malformed-call"] },
      ],
      [
        "MALFORMED_FUNCTION_CALL after a call",
        [whole, chunk(none, { fin: "MALFORMED_FUNCTION_CALL" })],
        one,
        { finish: "error" },
      ],
      ["UNEXPECTED_TOOL_CALL", [chunk(none, { fin: "UNEXPECTED_TOOL_CALL" })], [], { finish: "error" }],
      ["an error", [whole, { error: { code: 503, message: "x", status: "UNAVAILABLE" } }], one, { finish: "error" }],
      [
        "an error amid partial arguments",
        [chunk([opens(W)]), { error: { code: 503, message: "x", status: "UNAVAILABLE" } }],
        [[null, W, "", "truncated"]],
        { finish: "error" },
      ],
      ["an error alone", [{ error: { code: 503, message: "x", status: "UNAVAILABLE" } }], [], { finish: "error" }],
      ["a blocked prompt", [{ promptFeedback: { blockReason: "SAFETY" } }], [], { finish: "content_filter" }],
      ["a word in small letters", [chunk([call(W, OSLO)], { fin: "stop" })], one],
    ]),
  );
});
