// Every identity rule reached by the shortest sequence of mentions that needs it.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CallTable } from "./call-table.ts";
import { declaredTools } from "./declared-tools.ts";
import { resolve, type Mention, type Verdict } from "./identity.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { CallDelta } from "./sink.ts";
import { Speech } from "./speech.ts";

/** What a mention amounts to after others. `which`: the ordinal of the call that it is given to, or repeats. */
function verdictOn(
  before: readonly CallDelta[],
  mention: Partial<Mention>,
  tools?: readonly string[],
): { is: Verdict["is"]; rule?: string; which?: number } {
  const declared = declaredTools(tools?.map((name) => ({ name })));
  const table = new CallTable(new Speech(() => {}), DEFAULT_LIMITS, declared);
  for (const delta of before) table.mention(delta);
  const choice = table.choice(0);
  const order = [...choice.calls];
  const verdict = resolve(choice, { index: undefined, id: undefined, name: undefined, text: "", ...mention }, declared);
  return {
    is: verdict.is,
    ...("rule" in verdict ? { rule: verdict.rule } : {}),
    ...("call" in verdict ? { which: order.indexOf(verdict.call) } : {}),
  };
}

const f = (index?: number, id?: string, args = ""): CallDelta => ({ index, id, name: "f", args });
const whole = '{"a":1}';

interface Rule {
  /** The rule as the verdict names it, where a reader is told. */
  readonly rule?: string;
  /** What it is about, where it is not. */
  readonly what?: string;
  readonly is: Verdict["is"];
  readonly before: readonly CallDelta[];
  readonly mention: Partial<Mention>;
  readonly which?: number;
  readonly tools?: readonly string[];
}

const rules: readonly Rule[] = [
  // a sane key wins
  { what: "index", is: "continuation", before: [f(0, "a")], mention: { index: 0, text: "{" }, which: 0 },
  { what: "known-id", is: "continuation", before: [f(0, "a"), f(1, "b")], mention: { id: "a", text: "{" }, which: 0 },
  { rule: "new-id", is: "new", before: [f(0, "a")], mention: { id: "b", name: "f" } },
  { rule: "new-id", is: "new", before: [f(0, "a", '{"x":')], mention: { index: 1, id: "b", text: "1}" } },
  { rule: "new-name", is: "new", before: [f(0, "a", whole)], mention: { name: "g" } },

  // the header comes in pieces or late
  { rule: "text-before-header", is: "new", before: [], mention: { index: 0, text: '{"x"' } },
  {
    what: "header-comes-late",
    is: "continuation",
    before: [{ index: 0, args: '{"x"' }],
    mention: { index: 0, id: "a", name: "f" },
    which: 0,
  },
  {
    what: "name-comes-late",
    is: "continuation",
    before: [{ index: 0, id: "a" }],
    mention: { index: 0, id: "a", name: "f" },
    which: 0,
  },
  {
    what: "name-comes-late",
    is: "continuation",
    before: [{ index: 0, id: "a" }],
    mention: { index: 0, name: "f" },
    which: 0,
  },
  {
    what: "id-comes-late",
    is: "continuation",
    before: [f(0, undefined, '{"x"')],
    mention: { index: 0, id: "a", text: ":1}" },
    which: 0,
  },
  {
    what: "name-in-pieces",
    is: "continuation",
    before: [{ index: 0, id: "a", name: "get_" }],
    mention: { index: 0, id: "a", name: "weather" },
    which: 0,
  },
  {
    what: "name-in-pieces",
    is: "continuation",
    before: [{ index: 0, id: "a", name: "get_" }],
    mention: { index: 0, name: "weather" },
    which: 0,
  },

  // the header comes again, with every fragment or with the same call
  {
    what: "header-restated",
    is: "continuation",
    before: [f(0, "a")],
    mention: { index: 0, id: "a", name: "f", text: "{" },
    which: 0,
  },
  {
    what: "header-on-every-fragment",
    is: "continuation",
    before: [f(0, "a", '{"x"')],
    mention: { index: 0, id: "a", name: "f", text: ":1}" },
    which: 0,
  },
  {
    what: "name-restated",
    is: "continuation",
    before: [f(0, undefined, '{"x"')],
    mention: { index: 0, name: "f", text: ":1}" },
    which: 0,
  },
  { what: "name-restated", is: "continuation", before: [f()], mention: { name: "f", text: "{" }, which: 0 },
  {
    what: "value-after-placeholder",
    is: "continuation",
    before: [f(0, "a", "{}")],
    mention: { index: 0, id: "a", name: "f", text: whole },
    which: 0,
  },
  {
    what: "repeat-in-pieces",
    is: "continuation",
    before: [f(0, "a", whole), f(0, "a", whole.slice(0, 4))],
    mention: { index: 0, id: "a", name: "f", text: whole.slice(4) },
    which: 1,
  },
  {
    what: "header-after-whole-value",
    is: "again",
    before: [f(0, "a", whole)],
    mention: { index: 0, id: "a", name: "f", text: whole },
    which: 0,
  },
  {
    what: "name-after-whole-value",
    is: "again",
    before: [f(0, undefined, whole)],
    mention: { index: 0, name: "f", text: whole },
    which: 0,
  },
  {
    what: "header-at-new-index",
    is: "again",
    before: [f(0, "a", '{"x"')],
    mention: { index: 1, id: "a", name: "f", text: '{"x"' },
    which: 0,
  },
  {
    what: "id-and-name-at-another-index",
    is: "again",
    before: [f(0, "a", whole), f(1, "b", whole)],
    mention: { index: 1, id: "a", name: "f", text: whole },
    which: 0,
  },

  // one key names several calls
  {
    rule: "other-name-under-a-known-key",
    is: "new",
    before: [f(0, "a", whole)],
    mention: { index: 0, id: "a", name: "g", text: whole },
  },
  {
    rule: "value-starts-anew",
    is: "new",
    before: [f(0, "a", '{"x":1')],
    mention: { index: 0, id: "a", name: "f", text: '{"y":2}' },
  },
  {
    rule: "new-id-and-name-at-used-index",
    is: "new",
    before: [f(0, "a", whole)],
    mention: { index: 0, id: "b", name: "g" },
  },
  { rule: "new-id-at-used-index", is: "new", before: [f(0, "a", whole)], mention: { index: 0, id: "b", name: "f" } },
  {
    rule: "new-id-at-used-index",
    is: "new",
    before: [f(0, "a", whole)],
    mention: { index: 0, id: "b", text: '{"y":2}' },
  },
  {
    rule: "other-name-under-a-known-key",
    is: "new",
    before: [f(0, undefined, whole)],
    mention: { index: 0, name: "g" },
  },
  {
    rule: "value-starts-anew",
    is: "new",
    before: [f(0, undefined, '{"x":1')],
    mention: { index: 0, name: "f", text: '{"y":2}' },
  },
  {
    what: "reused-id-goes-by-index",
    is: "continuation",
    before: [f(0, "a", '{"x":1}'), f(1, "a", '{"y":'), f(2, "a", '{"z":')],
    mention: { index: 1, id: "a", text: "2}" },
    which: 1,
  },
  {
    rule: "id-cannot-take-it-index-can",
    is: "continuation",
    before: [f(0, "a", whole), f(1, "b", '{"y":')],
    mention: { index: 1, id: "a", text: "2}" },
    which: 1,
  },

  // the id changes
  {
    what: "id-changes-amid-the-value",
    is: "continuation",
    before: [f(0, "a", '{"x":')],
    mention: { index: 0, id: "b", text: "1}" },
    which: 0,
  },
  {
    what: "id-changes-amid-the-value",
    is: "continuation",
    before: [f(0, "a", '{"x":')],
    mention: { index: 0, id: "b", name: "f", text: "1}" },
    which: 0,
  },
  {
    rule: "the-only-open-value",
    is: "continuation",
    before: [f(undefined, "a", '{"x":')],
    mention: { id: "b", text: "1}" },
    which: 0,
  },

  // no key at all
  { what: "says-nothing", is: "padding", before: [f(0, "a")], mention: {} },
  {
    rule: "the-only-open-value",
    is: "continuation",
    before: [f(0, "a", whole), f(1, "b", '{"x":')],
    mention: { text: "1}" },
    which: 1,
  },
  {
    rule: "the-only-open-value",
    is: "continuation",
    before: [f(0, "a", '{"x":')],
    mention: { index: 7, text: "1}" },
    which: 0,
  },
  {
    rule: "the-only-open-value",
    is: "continuation",
    before: [f(undefined, undefined, '{"x":')],
    mention: { name: "f", text: "1}" },
    which: 0,
  },
  {
    rule: "the-only-call",
    is: "continuation",
    before: [f(0, "a", whole)],
    mention: { text: whole },
    which: 0,
  },
  {
    rule: "several-open-values",
    is: "orphan",
    before: [f(0, "a", '{"x":'), f(1, "b", '{"y":')],
    mention: { text: "1}" },
  },
  { rule: "no-open-value", is: "orphan", before: [f(0, "a", whole), f(1, "b", whole)], mention: { text: "1}" } },
];

describe("each rule", () => {
  test.each(rules)("$rule$what: $is", ({ before, mention, tools, is, rule, which }) => {
    expect(verdictOn(before, mention, tools)).toEqual({
      is,
      ...(rule === undefined ? {} : { rule }),
      ...(which === undefined ? {} : { which }),
    });
  });

  test("that a notice names is tested here by its name", () => {
    const source = readFileSync(new URL("./identity.ts", import.meta.url), "utf8");
    const named = [...source.matchAll(/(?:guess|opens)\(\s*"([a-z-]+)"|rule: "([a-z-]+)"/g)].map(
      (match) => match[1] ?? match[2] ?? "",
    );
    expect([...new Set(rules.flatMap(({ rule }) => rule ?? []))].toSorted()).toEqual([...new Set(named)].toSorted());
  });
});

describe("an absent key", () => {
  test.each(["", " ", "\t", "null", "None", "undefined", null, undefined, {}, [], true])(
    "%j is no id and no name",
    (blank) => {
      const table = new CallTable(new Speech(() => {}), DEFAULT_LIMITS, declaredTools(undefined));
      table.mention({ index: 0, id: "a", name: "f", args: "" });
      table.mention({ index: 0, id: blank, name: blank, args: whole });
      expect(table.choice(0).calls.map((call) => [call.wireId, call.name, call.args.held])).toEqual([
        ["a", "f", whole],
      ]);
    },
  );

  test.each([null, undefined, "", " ", "x", -1, 0.5, Number.NaN, {}, [], true, "-1", "1.0"])(
    "%j is no index, and never 0",
    (index) => {
      const table = new CallTable(new Speech(() => {}), DEFAULT_LIMITS, declaredTools(undefined));
      table.mention({ index: 0, id: "a", name: "f", args: '{"x":' });
      table.mention({ index, id: "b", name: "f", args: whole });
      expect(table.choice(0).calls.map((call) => [call.wireId, call.args.held])).toEqual([
        ["a", '{"x":'],
        ["b", whole],
      ]);
    },
  );

  test("digits in a string are an index", () => {
    expect(verdictOn([{ index: "3", id: "a", name: "f" }], { index: 3, text: "{" })).toMatchObject({
      is: "continuation",
      which: 0,
    });
  });
});

describe("the grammar keeps calls together and apart", () => {
  test("a fragment that begins with a brace may stand in the middle of a value, whatever name comes with it", () => {
    expect(verdictOn([f(undefined, undefined, '{"x":')], { name: "f", text: '{"y":1}}' })).toMatchObject({
      is: "continuation",
      which: 0,
    });
    expect(verdictOn([f(undefined, "a", '{"x":')], { id: "b", name: "f", text: '{"y":1}}' })).toMatchObject({
      is: "continuation",
      which: 0,
    });
  });

  // What a model that takes Python for JSON writes, from servers that send each call whole.
  test.each<[string, CallDelta, Partial<Mention>]>([
    ["an id and an index of its own", f(0, "a", "{'x':1}"), { index: 1, id: "b", name: "f" }],
    ["an index of its own", f(0, undefined, "{'x':1}"), { index: 1, name: "f" }],
    ["the first one's id, and another index", f(0, "a", "{'x':1}"), { index: 1, id: "a", name: "f" }],
    ["an id of its own, and no index", f(undefined, "a", "{'x':1}"), { id: "b", name: "f" }],
    ["an id of its own, and the index that is always 0", f(0, "a", "{'x':1}"), { index: 0, id: "b", name: "f" }],
    ["a name, and the index that is always 0", f(0, undefined, "{'x':1}"), { index: 0, name: "f" }],
    ["a name alone", f(undefined, undefined, "{'x':1}"), { name: "f" }],
  ])("a malformed call does not swallow the next one, which has %s", (_, first, header) => {
    expect(verdictOn([first], { ...header, text: "{'y':2}" }).is).toBe("new");
  });

  test.each(["['y']", "<y/>", "y"])("nor one at an index of its own that is no object at all: %s", (text) => {
    expect(verdictOn([f(0, "a", '{"x":tru}')], { index: 1, id: "b", name: "f", text }).is).toBe("new");
  });

  test.each<[string, CallDelta, Partial<Mention>]>([
    ["free text behind free text", { ...f(0, "a", "ls"), format: "text" }, { text: "pwd", format: "text" }],
    ["free text without an index", { ...f(undefined, "a", "ls"), format: "text" }, { index: undefined, text: "pwd" }],
    ["free text amid an object", f(0, "a", '{"x":'), { text: "1}", format: "text" }],
    ["white space amid an object", f(0, "a", '{"x":'), { text: " \n" }],
  ])("a header with keys of its own is another call: %s", (_, first, header) => {
    expect(verdictOn([first], { index: 1, id: "b", name: "f", ...header }).is).toBe("new");
  });

  test("free text under a new id at a used index is another call where its name comes too, else more of the same", () => {
    const first = { ...f(0, "a", "ls"), format: "text" } as const;
    const more = { index: 0, id: "b", text: "pwd", format: "text" } as const;
    expect(verdictOn([first], { ...more, name: "f" }).is).toBe("new");
    expect(verdictOn([first], more)).toMatchObject({ is: "continuation", which: 0 });
  });

  test("white space under a name alone, or an id alone, goes on", () => {
    const first = f(0, "a", '{"x":');
    for (const header of [{ name: "f" }, { id: "b", name: "f" }])
      expect(verdictOn([first], { ...header, text: " " })).toMatchObject({ is: "continuation", which: 0 });
  });

  test("a malformed value in pieces, each under a header, stays one", () => {
    expect(verdictOn([f(0, "a", "{'x'")], { index: 0, id: "b", name: "f", text: ":{1}" }).is).toBe("continuation");
    expect(verdictOn([f(0, "a", "{'x':")], { index: 0, id: "b", name: "f", text: "{}}" }).is).toBe("continuation");
  });

  test("a header that has said nothing yet is continued by its own name, though its id does not come again", () => {
    expect(verdictOn([f(undefined, "a")], { name: "f", text: "{" })).toMatchObject({ is: "continuation", which: 0 });
  });

  test("an id that was given to two headers at two indexes names two calls", () => {
    expect(verdictOn([{ index: 0, id: "a", name: "f" }], { index: 1, id: "a", name: "g" })).toMatchObject({
      is: "new",
    });
  });

  test("a name alone names the call that has none", () => {
    expect(verdictOn([{ id: "a" }], { name: "f" })).toMatchObject({ is: "continuation", which: 0 });
  });

  test("a header whose arguments had come whole before it is theirs", () => {
    expect(verdictOn([{ index: 0, args: whole }], { index: 0, id: "a", name: "f" })).toMatchObject({
      is: "continuation",
      which: 0,
    });
  });

  test("a first snapshot of one bracket is no value that another one follows", () => {
    expect(verdictOn([f(0, "a", "{")], { index: 0, id: "a", name: "f", text: '{"x"' })).toMatchObject({
      is: "continuation",
      which: 0,
    });
    expect(verdictOn([f(0, undefined, "{")], { index: 0, name: "f", text: '{"x"' })).toMatchObject({
      is: "continuation",
      which: 0,
    });
  });

  test("two declared names are two calls, and pieces of one are one", () => {
    const tools = ["roll_die", "get_weather"];
    expect(verdictOn([{ index: 0, name: "roll_die" }], { index: 0, name: "get_weather" }, tools)).toMatchObject({
      is: "new",
    });
    expect(verdictOn([{ index: 0, name: "get_" }], { index: 0, name: "weather" }, tools)).toMatchObject({
      is: "continuation",
    });
  });
});
