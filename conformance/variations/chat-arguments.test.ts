// What a server does to argument text: says it cumulatively, again, as something else, or with something around it.

import { describe } from "vitest";
import { BOTH, type Brief, entry, family, full, interleave, pieces, type Relative, snapshots } from "./relatives.ts";

const OSLO = '{"city":"Oslo"}';
const ROME = '{"city":"Rome"}';
const LIMA = '{"city":"Lima"}';
const NESTED = '{"filter":{"a":{"b":{}}},"l":[{},{"q":"{}"}]}';
const RICH = '{"path":"a","filter":{"a":[1,2,{}],"b":"{}"},"n":-1.5e3,"t":true,"z":null}';
const SPACED = '{ "city" : "Oslo" }';
const [W, R] = ["get_weather", "read_file"];
const none = undefined;
type Again = "nothing" | "id" | "name" | "both";
const AGAIN: readonly Again[] = ["nothing", "id", "name", "both"];

/** A call in fragments, whose header may come again with each. */
function call(
  index: unknown,
  id: string | undefined,
  name: string,
  fragments: readonly string[],
  again: Again,
  textInHeader: boolean,
): object[][] {
  const rest = (text: string): object =>
    entry(
      index,
      again === "id" || again === "both" ? id : none,
      again === "name" || again === "both" ? name : none,
      text,
    );
  const [first, ...others] = fragments;
  return (
    textInHeader
      ? [entry(index, id, name, first), ...others.map(rest)]
      : [entry(index, id, name, ""), ...fragments.map(rest)]
  ).map((each) => [each]);
}

function* withTools(relatives: Iterable<Relative>): Generator<Relative> {
  let count = 0;
  // Tools settle names early and nothing else: every third relative is read with them too.
  for (const one of relatives) for (const tools of count++ % 3 === 0 ? BOTH : [none]) yield { ...one, tools };
}

describe("cumulative servers", () => {
  function* cumulative(): Generator<Relative> {
    for (const text of [OSLO, RICH, NESTED, SPACED]) {
      for (const size of [1, 2, 3, 5, 8, 20]) {
        for (const again of AGAIN) {
          for (const textInHeader of [true, false]) {
            const what = `${text} growing by ${size}, then ${again}, ${textInHeader ? "text in the header" : "empty header"}`;
            const a = (index: unknown): object[][] => call(index, "a", W, snapshots(text, size), again, textInHeader);
            const b = (index: unknown, name = W): object[][] =>
              call(index, "b", name, snapshots(ROME, size), again, textInHeader);
            const both: readonly Brief[] = [
              ["a", W, text],
              ["b", W, ROME],
            ];
            yield { what, body: full(...a(0)), calls: [["a", W, text]] };
            yield {
              what: `${what}, the last one twice`,
              body: full(...a(0), [entry(0, again === "nothing" || again === "name" ? none : "a", none, text)]),
              calls: [["a", W, text]],
            };
            yield { what: `${what}, two calls`, body: full(...a(0), ...b(1)), calls: both };
            yield { what: `${what}, two calls in turns`, body: full(...interleave([a(0), b(1)]).flat()), calls: both };
            yield { what: `${what}, two calls at index 0`, body: full(...a(0), ...b(0)), calls: both };
            yield { what: `${what}, two calls without index`, body: full(...a(none), ...b(none)), calls: both };
            yield {
              what: `${what}, two tools without index`,
              body: full(...a(none), ...b(none, R)),
              calls: [both[0] ?? [null, "", ""], ["b", R, ROME]],
            };
          }
        }
      }
    }
  }
  family("restate what they said before", () => withTools(cumulative()));
});

describe("the same call again", () => {
  function* repeats(): Generator<Relative> {
    for (const text of [OSLO, NESTED]) {
      for (const [first, second] of [
        [99, 99],
        [99, 3],
        [3, 99],
        [3, 8],
        [8, 1],
      ] as const) {
        for (const again of ["nothing", "id", "both"] as const) {
          for (const [header1, header2] of [
            [true, true],
            [false, false],
            [true, false],
            [false, true],
          ] as const) {
            const what = `${text} in pieces of ${first}, again in pieces of ${second}, then ${again}, text in the headers: ${header1}, ${header2}`;
            const one = (index: unknown, id: string, name: string, args: string): object[][] =>
              call(index, id, name, pieces(args, first), again, header1);
            const more = (index: unknown, id: string, name: string, args: string): object[][] =>
              call(index, id, name, pieces(args, second), again, header2);
            const a: Brief = ["a", W, text];
            const b: Brief = ["b", R, ROME];
            const make = (how: string, chunks: object[][], ...calls: readonly Brief[]): Relative => ({
              what: `${how}: ${what}`,
              body: full(...chunks),
              calls,
            });
            yield make("at its index", [...one(0, "a", W, text), ...more(0, "a", W, text)], a);
            yield make("at another index", [...one(0, "a", W, text), ...more(1, "a", W, text)], a);
            yield make("without index", [...one(none, "a", W, text), ...more(none, "a", W, text)], a);
            yield make("three times", [...one(0, "a", W, text), ...more(0, "a", W, text), ...more(0, "a", W, text)], a);
            yield make(
              "three times, other indexes",
              [...one(0, "a", W, text), ...more(1, "a", W, text), ...more(2, "a", W, text)],
              a,
            );
            yield make(
              "the second of two",
              [...one(0, "a", W, text), ...one(1, "b", R, ROME), ...more(1, "b", R, ROME)],
              a,
              b,
            );
            yield make(
              "the first of two",
              [...one(0, "a", W, text), ...one(1, "b", R, ROME), ...more(0, "a", W, text)],
              a,
              b,
            );
            yield make(
              "both",
              [...one(0, "a", W, text), ...one(1, "b", R, ROME), ...more(0, "a", W, text), ...more(1, "b", R, ROME)],
              a,
              b,
            );
            yield make(
              "both, further on",
              [...one(0, "a", W, text), ...one(1, "b", R, ROME), ...more(2, "a", W, text), ...more(3, "b", R, ROME)],
              a,
              b,
            );
            yield make(
              "and then another",
              [...one(0, "a", W, text), ...more(0, "a", W, text), ...one(1, "b", R, ROME)],
              a,
              b,
            );
            yield make(
              "at another index, and then another",
              [...one(0, "a", W, text), ...more(1, "a", W, text), ...one(2, "b", R, ROME)],
              a,
              b,
            );
            yield make("cut short", [...one(0, "a", W, text), ...more(0, "a", W, text.slice(0, 9))], a);
            yield make(
              "cut short at another index",
              [...one(0, "a", W, text), ...more(1, "a", W, text.slice(0, 9))],
              a,
            );
            yield make("no repeat: other arguments", [...one(0, "a", W, text), ...more(0, "a", W, ROME)], a, [
              null,
              W,
              ROME,
            ]);
            yield make(
              "no repeat: other arguments at another index",
              [...one(0, "a", W, text), ...more(1, "a", W, ROME)],
              a,
              [null, W, ROME],
            );
            yield make(
              "no repeat: other arguments without index",
              [...one(none, "a", W, text), ...more(none, "a", W, ROME)],
              a,
              [null, W, ROME],
            );
            yield make("no repeat: another tool", [...one(0, "a", W, text), ...more(1, "a", R, ROME)], a, [
              null,
              R,
              ROME,
            ]);
            yield make(
              "no repeat: three of one id",
              [...one(0, "a", W, text), ...more(1, "a", W, ROME), ...more(2, "a", W, LIMA)],
              a,
              [null, W, ROME],
              [null, W, LIMA],
            );
            yield make(
              "other arguments, and then a repeat of those",
              [...one(0, "a", W, text), ...more(1, "a", W, ROME), ...more(1, "a", W, ROME)],
              a,
              [null, W, ROME],
            );
            yield make(
              "other arguments, and then a repeat of the first",
              [...one(0, "a", W, text), ...more(1, "a", W, ROME), ...more(0, "a", W, text)],
              a,
              [null, W, ROME],
            );
            yield make("no repeat: equal calls under two ids", [...one(0, "a", W, text), ...more(1, "b", W, text)], a, [
              "b",
              W,
              text,
            ]);
            yield make(
              "no repeat: equal calls under two ids at index 0",
              [...one(0, "a", W, text), ...more(0, "b", W, text)],
              a,
              ["b", W, text],
            );
            yield make(
              "no repeat: equal calls under two ids without index",
              [...one(none, "a", W, text), ...more(none, "b", W, text)],
              a,
              ["b", W, text],
            );
          }
        }
      }
    }
  }
  family("is dropped by its id, and nothing else is", () => withTools(repeats()));

  family("without ids nothing says that it is the same", function* () {
    for (const size of [3, 99]) {
      for (const again of ["nothing", "name"] as const) {
        for (const index of [0, 1]) {
          const chunks = [
            ...call(0, none, W, pieces(OSLO, size), again, false),
            ...call(index, none, W, pieces(OSLO, size), again, false),
          ];
          yield {
            what: `in pieces of ${size}, then ${again}, at index ${index}`,
            body: full(...chunks),
            calls: [
              [null, W, OSLO],
              [null, W, OSLO],
            ],
          };
        }
      }
    }
  });
});

describe("text behind the arguments, or before them", () => {
  function* around(): Generator<Relative> {
    for (const text of [OSLO, NESTED]) {
      for (const size of [1, 3, 8, 99]) {
        for (const more of [1, 3, 99]) {
          const header = [[entry(0, "a", W, "")]];
          const p = pieces(text, size).map((x) => [entry(0, none, none, x)]);
          const also = (tail: string): object[][] => pieces(tail, more).map((x) => [entry(0, none, none, x)]);
          const what = `${text} in pieces of ${size} and ${more}`;
          const right: readonly Brief[] = [["a", W, text]];
          const wrong = (tail: string): readonly Brief[] => [["a", W, text + tail, "malformed"]];
          yield { what: `the whole again: ${what}`, body: full(...header, ...p, ...also(text)), calls: right };
          yield {
            what: `the whole again, twice: ${what}`,
            body: full(...header, ...p, ...also(text), ...also(text)),
            calls: right,
          };
          yield {
            what: `the whole again under the id alone: ${what}`,
            body: full(...header, ...p, ...pieces(text, more).map((x) => [entry(none, "a", none, x)])),
            calls: right,
          };
          yield {
            what: `the whole again as a string: ${what}`,
            body: full(...header, ...p, ...also(JSON.stringify(text))),
            calls: right,
          };
          yield {
            what: `the whole again behind a second call: ${what}`,
            body: full(...header, ...p, [entry(1, "b", R, ROME)], ...also(text)),
            calls: [
              ["a", W, text],
              ["b", R, ROME],
            ],
          };
          yield { what: `another value: ${what}`, body: full(...header, ...p, ...also(ROME)), calls: wrong(ROME) };
          yield { what: `{} behind: ${what}`, body: full(...header, ...p, ...also("{}")), calls: right };
          for (const placeholder of ["{}", "null", "{ }"]) {
            yield {
              what: `${placeholder} before: ${what}`,
              body: full([entry(0, "a", W, placeholder)], ...p),
              calls: right,
            };
            yield {
              what: `${placeholder} before, in pieces: ${what}`,
              body: full(...header, ...pieces(placeholder, more).map((x) => [entry(0, none, none, x)]), ...p),
              calls: right,
            };
            yield {
              what: `${placeholder} before, the header with both: ${what}`,
              body: full([entry(0, "a", W, placeholder)], [entry(0, "a", W, text)]),
              calls: right,
            };
          }
          for (const tokens of ["<|im_end|>\n</tool_call>", "<｜tool▁call▁end｜>", "</function>", "<|im_e"]) {
            yield {
              what: `${tokens} behind: ${what}`,
              body: full(...header, ...p, ...also(tokens)),
              calls: right,
            };
          }
          yield {
            what: `prose behind: ${what}`,
            body: full(...header, ...p, ...also(" This reads it.")),
            calls: wrong(" This reads it."),
          };
          yield {
            what: `as a JSON string: ${what}`,
            body: full(...header, ...also(JSON.stringify(text))),
            calls: right,
          };
          yield {
            what: `as an object: ${what}`,
            body: full([entry(0, "a", W, JSON.parse(text))]),
            calls: [["a", W, JSON.stringify(JSON.parse(text))]],
          };
          yield {
            what: `as an object, twice: ${what}`,
            body: full([entry(0, "a", W, JSON.parse(text))], [entry(0, "a", W, JSON.parse(text))]),
            calls: [["a", W, JSON.stringify(JSON.parse(text))]],
          };
          yield { what: `{} as an object, then text: ${what}`, body: full([entry(0, "a", W, {})], ...p), calls: right };
        }
      }
    }
  }
  family("is told apart by the grammar", () => withTools(around()));

  family("nothing, or what says nothing, is {} when the response ended well", function* () {
    for (const fragments of [
      [""],
      [none],
      [null],
      ["null"],
      [" nu", "ll "],
      ["  \n"],
      ["{}"],
      ["{", "}"],
      ["{}", "{}"],
      ["", "{}"],
      ['"{}"'],
    ]) {
      const [first, ...rest] = fragments;
      const text = fragments.every((each) => typeof each === "string" && each.trim() === "")
        ? `${fragments.join("")}{}`
        : "{}";
      yield {
        what: JSON.stringify(fragments),
        body: full([entry(0, "a", "roll_die", first)], ...rest.map((x) => [entry(0, none, none, x)])),
        calls: [["a", "roll_die", text]],
      };
    }
  });

  family("what cannot become an object is malformed", function* () {
    for (const text of [
      '""',
      "None",
      "[]",
      "5",
      "false",
      '"{"',
      "{'a':1}",
      "[1,",
      "undefined",
      "<args>",
      "```json\n{}\n```",
    ]) {
      for (const size of [1, 99]) {
        yield {
          what: text,
          body: full([entry(0, "a", W, "")], ...pieces(text, size).map((x) => [entry(0, none, none, x)])),
          calls: [["a", W, text, "malformed"]],
        };
      }
    }
    for (const value of [[], [1], 5, false])
      yield {
        what: `as a value: ${JSON.stringify(value)}`,
        body: full([entry(0, "a", W, value)]),
        calls: [["a", W, JSON.stringify(value), "malformed"]],
      };
  });
});
