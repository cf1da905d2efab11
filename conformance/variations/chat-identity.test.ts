// Which call a fragment belongs to, whatever a server does to indexes, ids and names.

import { describe } from "vitest";
import {
  BOTH,
  type Brief,
  chat,
  chunk,
  ended,
  entry,
  family,
  full,
  interleave,
  pieces,
  type Relative,
} from "./relatives.ts";

const FLAT = ['{"city":"Oslo"}', '{"city":"Rome"}', '{"city":"Lima"}', '{"city":"Quito"}', '{"city":"Cairo"}'];
/** Fragments of these look like the beginning of other values, or like empty ones. */
const TRICKY = [
  '{"f":{"a":{"a":{}}},"g":[{},{},{"x":"{"}]}',
  '{"f":{"a":{"a":{}}},"g":[{},{}]}',
  '{"s":"{\\"a\\":1}","o":{}}',
  '{"path":"a\\nb","q":[[[[]]]]}',
  '{"a":{"a":{"a":{"a":1}}}}',
];
const NAMES = ["get_weather", "read_file", "search", "run_shell", "glob"];
const [W, R] = ["get_weather", "read_file"];
const none = undefined;

const INDEXES: readonly (readonly [string, (call: number) => unknown])[] = [
  ["sane", (i) => i],
  ["from 1", (i) => i + 1],
  ["constant 0", () => 0],
  ["absent", () => none],
  ["null", () => null],
  ["negative", () => -1],
  ["digits", (i) => String(i)],
  ["fractions", (i) => i + 0.5],
  ["falling", (i) => 10 - i],
  ["sparse", (i) => i * 7],
];
/** What stands in the place of id and name on the fragments after the header. */
const CONTINUED: readonly (readonly [string, { id?: unknown; name?: unknown; again?: "id" | "name" | "both" }])[] = [
  ["nothing", {}],
  ["the id", { again: "id" }],
  ["the name", { again: "name" }],
  ["both", { again: "both" }],
  ['""', { id: "", name: "" }],
  ["blanks", { id: " ", name: "\t" }],
  ["null", { id: null, name: null }],
  ['"null"', { id: "null", name: "null" }],
  ['"None"', { id: "None", name: "None" }],
  ['"undefined"', { id: "undefined" }],
];

interface Shape {
  readonly index: unknown;
  readonly id: string | undefined;
  readonly name: string;
  readonly text: string;
  readonly size: number;
  readonly continued: { id?: unknown; name?: unknown; again?: "id" | "name" | "both" };
  /** The header brings the first piece of text. */
  readonly textInHeader: boolean;
}

/** One call as the entries of its chunks. */
function callOf({ index, id, name, text, size, continued, textInHeader }: Shape): object[] {
  const all = pieces(text, size);
  const [first = ""] = all;
  const { again } = continued;
  const rest = (piece: string): object =>
    entry(
      index,
      again === "id" || again === "both" ? id : continued.id,
      again === "name" || again === "both" ? name : continued.name,
      piece,
    );
  return [entry(index, id, name, textInHeader ? first : ""), ...(textInHeader ? all.slice(1) : all).map(rest)];
}

function* sequences(texts: readonly string[], sizes: readonly number[]): Generator<Relative> {
  for (const count of [2, 3, 5]) {
    for (const size of sizes) {
      for (const sameName of [true, false]) {
        for (const [indexing, index] of INDEXES) {
          for (const ids of [true, false]) {
            for (const [how, continued] of CONTINUED) {
              for (const textInHeader of [true, false]) {
                const shapes = Array.from({ length: count }, (_, i): Shape => ({
                  index: index(i),
                  id: ids ? `id${i}` : none,
                  name: sameName ? W : (NAMES[i] ?? W),
                  text: texts[i] ?? "{}",
                  size,
                  continued,
                  textInHeader,
                }));
                const calls = shapes.map(({ id, name, text }): Brief => [id ?? null, name, text]);
                const body = full(...shapes.flatMap(callOf).map((each) => [each]));
                const what = `${count} calls, ${size} characters, ${sameName ? "one name" : "several names"}, index ${indexing}, ${ids ? "ids" : "no ids"}, then ${how}, ${textInHeader ? "text in the header" : "empty header"}`;
                for (const tools of count === 2 ? BOTH : [none]) yield { what, body, calls, tools };
              }
            }
          }
        }
      }
    }
  }
}

function* interleaved(texts: readonly string[], sizes: readonly number[]): Generator<Relative> {
  for (const count of [2, 3, 5]) {
    for (const size of sizes) {
      for (const sameName of [true, false]) {
        for (const [indexing, index] of INDEXES.filter(([name]) =>
          ["sane", "from 1", "digits", "falling", "sparse"].includes(name),
        )) {
          for (const ids of [true, false]) {
            for (const [how, continued] of CONTINUED) {
              for (const together of [true, false]) {
                const shapes = Array.from({ length: count }, (_, i): Shape => ({
                  index: index(i),
                  id: ids ? `id${i}` : none,
                  name: sameName ? W : (NAMES[i] ?? W),
                  text: texts[i] ?? "{}",
                  size,
                  continued,
                  textInHeader: false,
                }));
                const rounds = interleave(shapes.map(callOf));
                yield {
                  what: `${count} calls in turns, ${size} characters, ${sameName ? "one name" : "several names"}, index ${indexing}, ${ids ? "ids" : "no ids"}, then ${how}`,
                  body: full(...(together ? rounds : rounds.flat().map((each) => [each]))),
                  calls: shapes.map(({ id, name, text }): Brief => [id ?? null, name, text]),
                };
              }
            }
          }
        }
        for (const index of [0, none]) {
          const shapes = Array.from({ length: count }, (_, i): Shape => ({
            index,
            id: `id${i}`,
            name: sameName ? W : (NAMES[i] ?? W),
            text: texts[i] ?? "{}",
            size,
            continued: { again: "id" },
            textInHeader: false,
          }));
          yield {
            what: `${count} calls in turns by their ids alone, index ${String(index)}`,
            body: full(
              ...interleave(shapes.map(callOf))
                .flat()
                .map((each) => [each]),
            ),
            calls: shapes.map(({ id, name, text }): Brief => [id ?? null, name, text]),
          };
        }
      }
    }
  }
}

describe("calls one after another", () => {
  family("whatever the index, the ids and what is repeated", () => sequences(FLAT, [3, 100]));
  family("with arguments whose fragments look like other values", () => sequences(TRICKY, [1, 6]));
});

describe("calls in turns", () => {
  family("whatever the index, the ids and what is repeated", () => interleaved(FLAT, [3, 7]));
  family("with arguments whose fragments look like other values", () => interleaved(TRICKY, [1, 9]));
});

/** Families of two calls, over texts, cuts and tools. */
function over(
  make: (
    text: string,
    fragments: string[],
    other: string[],
    add: (what: string, body: string, calls: readonly Brief[]) => void,
  ) => void,
): () => Generator<Relative> {
  return function* () {
    for (const text of [FLAT[0] ?? "", '{"f":{"a":{}},"g":[{},{}]}']) {
      for (const size of [1, 3, 4, 8, 99]) {
        const made: Relative[] = [];
        make(text, pieces(text, size), pieces(FLAT[1] ?? "", size), (what, body, calls) =>
          made.push({ what: `${what}, ${text} in pieces of ${size}`, body, calls }),
        );
        for (const one of made) for (const tools of BOTH) yield { ...one, tools };
      }
    }
  };
}

const one = (text: string): readonly Brief[] => [["a", W, text]];
const two = (text: string): readonly Brief[] => [
  ["a", W, text],
  ["b", R, FLAT[1] ?? ""],
];

describe("an index that drifts", () => {
  family(
    "while one value is open",
    over((text, p, q, add) => {
      add(
        "fragments at the next index",
        full([entry(0, "a", W, "")], ...p.map((x) => [entry(1, none, none, x)])),
        one(text),
      );
      add(
        "each fragment at another index",
        full([entry(0, "a", W, "")], ...p.map((x, i) => [entry(i + 1, none, none, x)])),
        one(text),
      );
      add("fragments at index 0", full([entry(1, "a", W, "")], ...p.map((x) => [entry(0, none, none, x)])), one(text));
      add(
        "fragments without index",
        full(
          [entry(0, "a", W, "")],
          ...p.map((x) => [entry(none, none, none, x)]),
          [entry(1, "b", R, "")],
          ...q.map((x) => [entry(none, none, none, x)]),
        ),
        two(text),
      );
      add(
        "header without index",
        full(
          [entry(none, "a", W, "")],
          ...p.map((x) => [entry(0, none, none, x)]),
          [entry(none, "b", R, "")],
          ...q.map((x) => [entry(1, none, none, x)]),
        ),
        two(text),
      );
      add(
        "two calls, each one further on",
        full(
          [entry(0, "a", W, "")],
          ...p.map((x) => [entry(1, none, none, x)]),
          [entry(2, "b", R, "")],
          ...q.map((x) => [entry(3, none, none, x)]),
        ),
        two(text),
      );
      add(
        "two calls, the second at the first one's drifted index",
        full(
          [entry(0, "a", W, p[0])],
          ...p.slice(1).map((x) => [entry(1, none, none, x)]),
          [entry(1, "b", R, q[0])],
          ...q.slice(1).map((x) => [entry(2, none, none, x)]),
        ),
        two(text),
      );
      add(
        "with the id on each fragment",
        full(
          [entry(0, "a", W, "")],
          ...p.map((x, i) => [entry(i, "a", none, x)]),
          [entry(0, "b", R, "")],
          ...q.map((x, i) => [entry(i, "b", none, x)]),
        ),
        two(text),
      );
    }),
  );
});

describe("an id that changes, comes late or is shared", () => {
  family(
    "changes",
    over((text, p, q, add) => {
      add(
        "with each chunk",
        full(
          [entry(0, "a", W, "")],
          ...p.map((x, i) => [entry(0, `x${i}`, none, x)]),
          [entry(1, "b", R, "")],
          ...q.map((x, i) => [entry(1, `y${i}`, none, x)]),
        ),
        two(text),
      );
      add(
        "with each chunk, the name too",
        full(...p.map((x, i) => [entry(0, i === 0 ? "a" : `x${i}`, W, x)])),
        one(text),
      );
      add(
        "with each chunk, no index",
        full([entry(none, "a", W, "")], ...p.map((x, i) => [entry(none, `x${i}`, none, x)])),
        one(text),
      );
      add(
        "with each chunk, the name too, no index",
        full(...p.map((x, i) => [entry(none, i === 0 ? "a" : `x${i}`, W, x)])),
        one(text),
      );
    }),
  );
  family(
    "comes late",
    over((text, p, _, add) => {
      add(
        "with the last fragment",
        full([entry(0, none, W, "")], ...p.map((x, i) => [entry(0, i === p.length - 1 ? "a" : none, none, x)])),
        one(text),
      );
      add(
        "after the value",
        full([entry(0, none, W, "")], ...p.map((x) => [entry(0, none, none, x)]), [entry(0, "a", none, "")]),
        one(text),
      );
    }),
  );
  family(
    "names all parallel calls",
    over((text, p, q, add) => {
      const calls: readonly Brief[] = [
        ["x", W, text],
        [null, R, FLAT[1] ?? ""],
      ];
      const alike: readonly Brief[] = [
        ["x", W, text],
        [null, W, FLAT[1] ?? ""],
      ];
      for (const [name, right] of [[R, calls] as const, [W, alike] as const]) {
        add(
          `${name}: one after another, fragments by index`,
          full(
            [entry(0, "x", W, "")],
            ...p.map((x) => [entry(0, none, none, x)]),
            [entry(1, "x", name, "")],
            ...q.map((x) => [entry(1, none, none, x)]),
          ),
          right,
        );
        add(
          `${name}: one after another, the id on each fragment`,
          full(
            [entry(0, "x", W, "")],
            ...p.map((x) => [entry(0, "x", none, x)]),
            [entry(1, "x", name, "")],
            ...q.map((x) => [entry(1, "x", none, x)]),
          ),
          right,
        );
        add(
          `${name}: in turns, by index`,
          full(
            [entry(0, "x", W, "")],
            [entry(1, "x", name, "")],
            ...interleave([p.map((x) => entry(0, none, none, x)), q.map((x) => entry(1, none, none, x))]),
          ),
          right,
        );
        add(
          `${name}: headers in one chunk, whole`,
          full([entry(0, "x", W, text), entry(1, "x", name, FLAT[1])]),
          right,
        );
      }
      add("three times", full([entry(0, "x", W, text)], [entry(1, "x", R, FLAT[1])], [entry(2, "x", W, FLAT[2])]), [
        ...calls,
        [null, W, FLAT[2] ?? ""],
      ]);
    }),
  );
});

describe("a header that is not the first thing", () => {
  family(
    "arguments before it",
    over((text, p, _, add) => {
      add("by index", full(...p.map((x) => [entry(0, none, none, x)]), [entry(0, "a", W, "")]), one(text));
      add("without index", full(...p.map((x) => [entry(none, none, none, x)]), [entry(none, "a", W, "")]), one(text));
      add(
        "an id, then arguments, then the name",
        full([entry(0, "a")], ...p.map((x) => [entry(0, none, none, x)]), [entry(0, none, W)]),
        one(text),
      );
    }),
  );
  family(
    "id, name and arguments by themselves",
    over((text, p, _, add) => {
      for (const index of [0, none]) {
        const args = p.map((x) => [entry(index, none, none, x)]);
        add(
          `id, name, arguments, index ${String(index)}`,
          full([entry(index, "a")], [entry(index, none, W)], ...args),
          one(text),
        );
        add(
          `name, id, arguments, index ${String(index)}`,
          full([entry(index, none, W)], [entry(index, "a")], ...args),
          one(text),
        );
      }
      add(
        "an empty entry first",
        full([entry(0, "", "", "")], [entry(0, "a", W, "")], ...p.map((x) => [entry(0, none, none, x)])),
        one(text),
      );
      add(
        "the id with a blank name first",
        full([entry(0, "a", "", "")], [entry(0, "a", W, "")], ...p.map((x) => [entry(0, none, none, x)])),
        one(text),
      );
    }),
  );
});

describe("names", () => {
  family(
    "in pieces, grown, restated",
    over((text, p, q, add) => {
      const args = p.map((x) => [entry(0, none, none, x)]);
      add("two pieces", full([entry(0, "a", "get_", "")], [entry(0, none, "weather", "")], ...args), one(text));
      add(
        "two pieces with the id",
        full([entry(0, "a", "get_", "")], [entry(0, "a", "weather", "")], ...args),
        one(text),
      );
      add(
        "one character each",
        full(...W.split("").map((x, i) => [entry(0, i === 0 ? "a" : none, x)]), ...args),
        one(text),
      );
      add(
        "the last piece with the first text",
        full([entry(0, "a", "get_", "")], [entry(0, none, "weather", p[0])], ...args.slice(1)),
        one(text),
      );
      add(
        "grown",
        full([entry(0, "a", "get", "")], [entry(0, none, "get_wea", "")], [entry(0, none, W, "")], ...args),
        one(text),
      );
      add(
        "grown, with the id",
        full([entry(0, "a", "get", "")], [entry(0, "a", "get_wea", "")], [entry(0, "a", W, "")], ...args),
        one(text),
      );
      add(
        "two calls",
        full(
          [entry(0, "a", "get_", "")],
          [entry(0, none, "weather", "")],
          ...args,
          [entry(1, "b", "read_", "")],
          [entry(1, none, "file", "")],
          ...q.map((x) => [entry(1, none, none, x)]),
        ),
        two(text),
      );
      add("a control token behind it", full([entry(0, "a", `${W}<|channel|>commentary`, "")], ...args), one(text));
      add("white space around it", full([entry(0, "a", ` ${W}\n`, "")], ...args), one(text));
    }),
  );
  family("Kimi's spellings of a declared name", function* () {
    for (const spelled of [`functions.${W}:0`, `functions_${W}_0`, `default_api.${W}`, `${W}:0`]) {
      for (const again of [none, spelled, W]) {
        for (const relative of [
          full(
            [entry(0, "a", spelled, "")],
            ...pieces(FLAT[0] ?? "", 4).map((x) => [entry(0, again === none ? none : "a", again, x)]),
          ),
        ]) {
          yield {
            what: `${spelled}, then ${String(again)}`,
            body: relative,
            calls: one(FLAT[0] ?? ""),
            tools: BOTH[1],
          };
        }
      }
    }
  });
});

describe("whole calls", () => {
  family(
    "one a chunk, or all in one",
    over((text, _p, _q, add) => {
      const ids: readonly Brief[] = [
        ["a", W, text],
        ["b", W, text],
        ["c", R, FLAT[1] ?? ""],
      ];
      const made = ids.map(([, name, args]): Brief => [null, name, args]);
      for (const [indexing, index] of INDEXES) {
        const calls = (named: boolean): object[] =>
          ids.map(([id, name, args], i) => entry(index(i), named ? id : none, name, args));
        add(`one a chunk, index ${indexing}`, full(...calls(true).map((x) => [x])), ids);
        add(`one a chunk, index ${indexing}, no ids`, full(...calls(false).map((x) => [x])), made);
        add(`all in one, index ${indexing}`, full(calls(true)), ids);
        add(`all in one, index ${indexing}, no ids`, full(calls(false)), made);
        add(
          `all in the chunk that ends it, index ${indexing}`,
          chat(chunk(calls(true), { finish: "tool_calls" }), "[DONE]"),
          ids,
        );
      }
    }),
  );
  family("without arguments", function* () {
    for (const [indexing, index] of INDEXES) {
      for (const args of ["{}", "", none, null]) {
        const calls: readonly Brief[] = ["a", "b", "c"].map((id) => [id, "roll_die", "{}"]);
        const entries = calls.map(([id], i) => entry(index(i), id, "roll_die", args));
        yield {
          what: `${String(args)}, index ${indexing}, one a chunk`,
          body: full(...entries.map((x) => [x])),
          calls,
        };
        yield { what: `${String(args)}, index ${indexing}, in one`, body: full(entries), calls };
      }
    }
    for (const index of [(i: number): unknown => i, (): unknown => 0, (): unknown => none]) {
      yield {
        what: "{}, no ids",
        body: full(...[0, 1, 2].map((i) => [entry(index(i), none, "roll_die", "{}")])),
        calls: [0, 1, 2].map(() => [null, "roll_die", "{}"]),
      };
    }
  });
  family("without arguments, before one that has them", function* () {
    for (const [indexing, index] of INDEXES) {
      for (const size of [4, 99]) {
        for (const args of ["{}", ""]) {
          const text = FLAT[0] ?? "";
          const fragments = pieces(text, size);
          const keyed = index(1) !== none && index(1) !== null && index(1) !== -1 && index(1) !== 1.5;
          yield {
            what: `${args}, index ${indexing}, ${size}`,
            body: full(
              [entry(index(0), "a", "roll_die", args)],
              [entry(index(1), "b", W, "")],
              ...fragments.map((x) => [entry(index(1), keyed ? none : "b", none, x)]),
            ),
            calls: [
              ["a", "roll_die", "{}"],
              ["b", W, text],
            ],
            tools: BOTH[1],
          };
        }
      }
    }
  });
});

describe("choices", () => {
  family("keep their calls apart, whatever they share", function* () {
    for (const text of TRICKY.slice(0, 2)) {
      for (const size of [3, 99]) {
        const of = (choice: number, args: string): object[] => [
          chunk([entry(0, "a", W, "")], { choice }),
          ...pieces(args, size).map((x) => chunk([entry(0, none, none, x)], { choice })),
        ];
        yield {
          what: `${text} in pieces of ${size}`,
          body: chat(
            ...interleave([of(0, text), of(1, FLAT[0] ?? "")]).flat(),
            chunk(none, { choice: 0, finish: "tool_calls" }),
            chunk(none, { choice: 1, finish: "tool_calls" }),
            "[DONE]",
          ),
          calls: [
            ["a", W, text],
            ["a", W, FLAT[0] ?? "", "complete@1"],
          ],
        };
      }
    }
    yield {
      what: "an index in digits, or null",
      body: chat(
        chunk([entry(0, "a", W, "{}")], { choice: "0" }),
        chunk([entry(1, "b", W, "{}")], { choice: null }),
        ended(),
        "[DONE]",
      ),
      calls: [
        ["a", W, "{}"],
        ["b", W, "{}"],
      ],
    };
  });
});
