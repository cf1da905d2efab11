// Every rule for argument text alone: what is appended, what only restates or repeats, and what the text comes to.

import { describe, expect, test } from "vitest";
import { ArgumentText } from "./arguments.ts";

interface Outcome {
  /** The text at the end. */
  readonly text: string;
  readonly notices: readonly string[];
  /** What was kept out, by the notices. */
  readonly dropped: readonly string[];
  /** What was given out after each fragment, and at the end. */
  readonly shown: readonly string[];
  readonly args: ArgumentText;
}

/** Feeds fragments, settles, and checks that what was given out is the text. */
function read(
  fragments: readonly string[],
  options: { final?: string; plain?: boolean; ends?: (args: ArgumentText) => string } = {},
): Outcome {
  const args = new ArgumentText(options.plain ?? false, 10_000);
  let live = "";
  const shown: string[] = [];
  const take = (out: string): void => {
    live = args.takeReplaced() ? args.held : live + out;
    shown.push(out);
    expect(
      args.held.startsWith(live) || options.final !== undefined,
      `${JSON.stringify(live)} was given out of ${JSON.stringify(args.held)}`,
    ).toBe(true);
  };
  for (const fragment of fragments) take(args.add(fragment));
  if (options.final !== undefined) take(args.final(options.final));
  take((options.ends ?? ((each): string => each.settle(true)))(args));
  expect(live).toBe(args.held);
  const notices = args.takeNotices() ?? [];
  expect(args.takeNotices()).toBeUndefined();
  return {
    text: args.held,
    notices: notices.map((notice) => notice.code),
    dropped: notices.flatMap((notice) => (notice.dropped === undefined ? [] : [notice.dropped])),
    shown,
    args,
  };
}

/** A text in pieces of a size. */
function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, i * size + size));
}

/** A text said again and again, each time `size` longer. */
function snapshots(text: string, size: number): string[] {
  return pieces(text, size).map((_, i) => text.slice(0, (i + 1) * size));
}

const oslo = '{"city":"Oslo"}';
const nested = '{"f":{"a":{"a":{}}},"g":[{},{},{"x":"{"}],"n":-1.5e3}';
const sizes = [1, 2, 3, 5, 8, 100];

describe("append", () => {
  test.each([
    oslo,
    nested,
    '{ "a" : [ ] }\n',
    '\n{"a":"}{"}',
    '{"a":"<|im_end|>"}',
    '{"a":"\\"{}\\""}',
    '{"a":null}',
    '{"é":"\u{1f600}"}',
  ])("%j in pieces of any size", (text) => {
    for (const size of sizes) expect(read(pieces(text, size))).toMatchObject({ text, notices: [] });
  });

  test("gives each fragment on at once, as it came", () => {
    const fragments = ['{"a":', '"x', 'x", "b"', ":{}", "}"];
    expect(read(fragments).shown).toEqual([...fragments, ""]);
  });

  test("takes equal fragments one after another", () => {
    expect(read(['{"a":"', "ha", "ha", "ha", '"}'])).toMatchObject({ text: '{"a":"hahaha"}', notices: [] });
    expect(read(['{"a":[', "{}", ",", "{}", ",", "{}", "]}"])).toMatchObject({ text: '{"a":[{},{},{}]}', notices: [] });
    expect(read(['{"a":', '{"a":', '{"a":', "1}}}"])).toMatchObject({ text: '{"a":{"a":{"a":1}}}', notices: [] });
  });

  test("keeps white space, and nothing else behind the value", () => {
    expect(read([oslo, " ", "\n", "\t"])).toMatchObject({ text: `${oslo} \n\t`, notices: [] });
  });
});

describe("the fragment restates everything: cumulative servers", () => {
  test.each([oslo, nested])("%j said again and again, longer each time", (text) => {
    for (const size of [1, 2, 3, 5])
      expect(read(snapshots(text, size))).toMatchObject({
        text,
        notices: expect.arrayContaining(["cumulative-arguments"]),
      });
  });

  test("what is new is given out, once", () => {
    const { shown } = read(['{"ci', '{"city":"Os', oslo]);
    expect(shown).toEqual(['{"ci', 'ty":"Os', 'lo"}', ""]);
  });

  test("stays so: a snapshot that could also be appended is a snapshot", () => {
    expect(read(['{"q":"x', '{"q":"x","f":', '{"q":"x","f":{"q":"x"}}']).text).toBe('{"q":"x","f":{"q":"x"}}');
  });

  test("a snapshot that is older, or the same, adds nothing", () => {
    expect(read(['{"a":"b', '{"a":"bcd', '{"a":"bc', '{"a":"bcd', '{"a":"bcd"}', '{"a":"bcd"}'])).toMatchObject({
      text: '{"a":"bcd"}',
    });
  });

  test("the whole text once more at the end adds nothing", () => {
    expect(read([...pieces(oslo, 4), oslo])).toMatchObject({
      text: oslo,
      notices: ["repeated-arguments"],
      dropped: [oslo],
    });
  });

  test("one bracket said twice proves nothing", () => {
    expect(read(["{", "{"]).args.whole).toBe(false);
    expect(read(["{", '{"a":1}'])).toMatchObject({ text: '{"a":1}' });
    expect(read(["{", '{"a":1', ',"b":2}'])).toMatchObject({ text: '{"a":1,"b":2}' });
  });

  test("snapshots whose first steps could be appended are found out as soon as one cannot", () => {
    expect(read(['{"path":', '{"path":"a","fil', '{"path":"a","filter":1}'])).toMatchObject({
      text: '{"path":"a","filter":1}',
    });
    expect(read(['{"x":[', '{"x":[1,', '{"x":[1,2]}'])).toMatchObject({ text: '{"x":[1,2]}' });
  });

  test("and at the end, when the last one is whole and the plain reading is not", () => {
    expect(read(['{"city":', oslo])).toMatchObject({ text: oslo });
  });

  test("goes on to be read when the server is not cumulative after all", () => {
    const tail = Array.from({ length: 40 }, (_, i) => `w${i} `);
    expect(read(['{"a":"x', '{"a":"xy', ...tail, '"}']).text).toBe(`{"a":"xy${tail.join("")}"}`);
  });
});

describe("text behind the closed value", () => {
  test.each(sizes)("the value again, in pieces of %d: dropped", (size) => {
    for (const text of [oslo, nested]) {
      expect(read([text, ...pieces(text, size)])).toMatchObject({
        text,
        notices: expect.arrayContaining(["repeated-arguments"]),
      });
      expect(read([...pieces(text, 3), ...pieces(text, size), ...pieces(text, size)])).toMatchObject({ text });
    }
  });

  test("the start of the value again: kept, for nothing says that it is a repeat", () => {
    expect(read([oslo, '{"city":']).text).toBe(`${oslo}{"city":`);
  });

  test("another value: kept, both", () => {
    for (const size of sizes)
      expect(read([oslo, ...pieces('{"city":"Rome"}', size)])).toMatchObject({
        text: `${oslo}{"city":"Rome"}`,
        notices: [],
      });
  });

  test("a value that only begins like the first one: kept, both", () => {
    expect(read([oslo, '{"city":"Os', 'aka"}']).text).toBe(`${oslo}{"city":"Osaka"}`);
  });

  test("an empty object: dropped, in pieces too", () => {
    for (const tail of [["{}"], ["{", "}"], ["{ }"], [" {", "\n", "}"]]) {
      expect(read([oslo, ...tail]).text.trim()).toBe(oslo);
      expect(read([oslo, ...tail]).notices).toContain("placeholder-arguments");
    }
  });

  test("the value again as a JSON string: dropped", () => {
    for (const size of sizes)
      expect(read([oslo, ...pieces(JSON.stringify(oslo), size)])).toMatchObject({
        text: oslo,
        notices: ["repeated-arguments"],
      });
  });

  test.each([
    "<|im_end|>",
    "</tool_call>",
    "\n</tool_call>\n<|im_end|>",
    "<｜tool▁call▁end｜>",
    "<|tool_calls_section_end|>",
    "</s>",
    "<|im_e",
    "</tool_c",
    "<",
    "<|",
  ])("control tokens %j: dropped, whole, cut and in pieces", (tokens) => {
    for (const size of sizes) {
      const outcome = read([...pieces(oslo, size), ...pieces(tokens, size)]);
      expect(outcome.text.trim()).toBe(oslo);
      expect(outcome.notices).toEqual(["control-token-after-arguments"]);
    }
    expect(read([oslo + tokens]).text.trim()).toBe(oslo);
  });

  test.each([" This reads.", "}", "]", ",", "x", "<b>", "<|a|>x", "```", "null"])(
    "%j: kept, whole and in pieces",
    (tail) => {
      for (const size of sizes)
        expect(read([oslo, ...pieces(tail, size)])).toMatchObject({ text: oslo + tail, notices: [] });
    },
  );

  test("the value may end inside a fragment", () => {
    expect(read(['{"a":', '1}{"a":1}'])).toMatchObject({ text: '{"a":1}', notices: ["repeated-arguments"] });
    expect(read(['{"a":', "1}<|im_end|>"])).toMatchObject({ text: '{"a":1}' });
    expect(read(['{"a":', '1}{"b":2}'])).toMatchObject({ text: '{"a":1}{"b":2}' });
  });
});

describe("placeholders", () => {
  test.each(["{}", "{ }", "null", " null "])("%j is replaced by the arguments that come after it", (placeholder) => {
    for (const size of sizes) {
      const outcome = read([placeholder, ...pieces(oslo, size)]);
      expect(outcome).toMatchObject({ text: oslo, notices: ["placeholder-arguments"] });
      expect(outcome.shown.join("")).toBe(oslo);
    }
  });

  test("{} in pieces is one too", () => {
    expect(read(["{", "}", oslo])).toMatchObject({ text: oslo });
    expect(read(["{", "\n", "}", ...pieces(oslo, 4)])).toMatchObject({ text: oslo });
  });

  test("{} alone stays, and is given out only at the end", () => {
    expect(read(["{}"])).toMatchObject({ text: "{}", notices: [], shown: ["", "{}"] });
    expect(read(["{", "}"])).toMatchObject({ text: "{}", notices: [] });
  });

  test("{} twice is {}", () => {
    expect(read(["{}", "{}"])).toMatchObject({ text: "{}" });
    expect(read(["{}", "{}", oslo])).toMatchObject({ text: oslo });
  });

  test("{} in the middle of a value belongs to it", () => {
    expect(read(['{"a":', "{}", "}"])).toMatchObject({ text: '{"a":{}}', notices: [] });
  });

  test("{} that cannot stand where it comes adds nothing", () => {
    expect(read(['{"a":"b"', "{}", "}"])).toMatchObject({ text: '{"a":"b"}', notices: ["placeholder-arguments"] });
  });
});

describe("null", () => {
  test.each([["null"], ["nu", "ll"], [" null\n"]])("%j means no arguments", (...fragments) => {
    const outcome = read(fragments, { ends: (args) => args.settle() + args.setEmptyObject() });
    expect(outcome).toMatchObject({ text: "{}", notices: ["null-arguments"] });
  });

  test("a call without text gets {}", () => {
    expect(read([], { ends: (args) => args.settle() + args.setEmptyObject() })).toMatchObject({
      text: "{}",
      notices: [],
    });
    expect(read([" ", "\n"], { ends: (args) => args.settle() + args.setEmptyObject() })).toMatchObject({
      text: " \n{}",
      notices: [],
    });
  });

  test("a cut null stays what it is", () => {
    expect(read(["nul"])).toMatchObject({ text: "nul" });
    expect(read(["nul"]).args.isNull).toBe(false);
  });
});

describe("a JSON string that holds the object", () => {
  test.each([oslo, nested, "{}", ' {"a":1} '])("%j is unwrapped once", (text) => {
    for (const size of sizes)
      expect(read(pieces(JSON.stringify(text), size))).toMatchObject({ text, notices: ["double-encoded"] });
  });

  test("with white space around it, too", () => {
    expect(read([` ${JSON.stringify(oslo)}\n`])).toMatchObject({ text: oslo });
  });

  test("only once: what is inside may be a string of its own", () => {
    const twice = JSON.stringify(JSON.stringify(oslo));
    expect(read([twice])).toMatchObject({ text: twice, notices: [] });
  });

  test.each(['""', '"text"', '"[1]"', '"{"', '"null"', '"{}x"'])("%s holds no object and stays", (text) => {
    expect(read([text])).toMatchObject({ text, notices: [] });
  });

  test("a cut one stays, and is given out at the end", () => {
    const cut = JSON.stringify(oslo).slice(0, 9);
    expect(read(pieces(cut, 2))).toMatchObject({ text: cut, notices: [] });
  });
});

describe("text that is broken", () => {
  test("keeps everything that comes after the fault", () => {
    expect(read(['{"a": Oslo', ', "b": 1', "}"])).toMatchObject({ text: '{"a": Oslo, "b": 1}', notices: [] });
    expect(read(["'", "a", "'"])).toMatchObject({ text: "'a'", notices: [] });
  });

  test("is still restated by cumulative servers", () => {
    expect(read(snapshots('{"a": Oslo, "b": 1}', 4)).text).toBe('{"a": Oslo, "b": 1}');
  });

  test("said whole a second time is dropped", () => {
    const broken = '{"a": Oslo}';
    expect(read([broken, broken])).toMatchObject({ text: broken, notices: ["repeated-arguments"] });
  });

  test("glued values are told from one value that is broken", () => {
    expect(read(['{"a":1}{"b":2}']).args.scanner.fault?.code).toBe("trailing-text");
    expect(read(['{"a":1 "b":2}']).args.scanner.fault?.code).not.toBe("trailing-text");
  });
});

describe("the vendor's final text", () => {
  test("equal to what was streamed: nothing happens", () => {
    expect(read(pieces(oslo, 3), { final: oslo })).toMatchObject({ text: oslo, notices: [] });
    expect(read([], { final: "" })).toMatchObject({ text: "", notices: [] });
    expect(read(["{}"], { final: "{}" })).toMatchObject({ text: "{}", notices: [] });
  });

  test("the only text there is: given out", () => {
    expect(read([], { final: oslo })).toMatchObject({ text: oslo, notices: [] });
  });

  test("longer than what was streamed: the rest is given out", () => {
    expect(read(['{"city"'], { final: oslo })).toMatchObject({ text: oslo, notices: ["suffix-recovered"] });
    expect(read(['{"city"'], { final: oslo }).shown).toEqual(['{"city"', ':"Oslo"}', ""]);
  });

  test("other than what was streamed: it wins", () => {
    for (const streamed of [[oslo], ['{"ci', "x"], ["gAAAAB", "=="], [oslo, "x"]]) {
      expect(read(streamed, { final: '{"city":"Rome"}' })).toMatchObject({
        text: '{"city":"Rome"}',
        notices: expect.arrayContaining(["final-disagrees"]),
      });
    }
  });

  test.each(["", " ", "{}", "{ }"])("%j takes nothing away that was streamed", (final) => {
    expect(read(pieces(oslo, 4), { final })).toMatchObject({ text: oslo, notices: ["final-disagrees"] });
  });

  test("after a placeholder it is the text", () => {
    expect(read(["{}"], { final: oslo }).text).toBe(oslo);
    expect(read(["null"], { final: oslo }).text).toBe(oslo);
  });

  test("that only spaces it otherwise says nothing new", () => {
    expect(read([oslo], { final: ` ${oslo}\n` }).notices).toEqual([]);
  });

  test("shorter than what was streamed, and closed, wins", () => {
    expect(read([oslo, '{"city":"Oslo"'], { final: oslo })).toMatchObject({ text: oslo });
  });
});

describe("free text", () => {
  test("is never read, restated or repeated", () => {
    const fragments = ["{}", "{}", '{"a":1}', '{"a":1}', "null", "<|im_end|>", '"x"'];
    expect(read(fragments, { plain: true })).toMatchObject({
      text: fragments.join(""),
      notices: [],
      shown: [...fragments, ""],
    });
  });

  test("the vendor's final text wins, an empty one does not", () => {
    expect(read(["select"], { plain: true, final: "select 1" }).text).toBe("select 1");
    expect(read(["select"], { plain: true, final: "update" })).toMatchObject({
      text: "update",
      notices: ["final-disagrees"],
    });
    expect(read(["select"], { plain: true, final: "" }).text).toBe("select");
  });
});

describe("what is asked of it", () => {
  test("continues() says whether text could be appended, and changes nothing", () => {
    const args = new ArgumentText(false, 10_000);
    args.add('{"a":');
    expect(args.continues("1}")).toBe(true);
    expect(args.continues("}")).toBe(false);
    expect(args.continues("1}{")).toBe(false);
    expect(args.held).toBe('{"a":');
    args.add("1}");
    expect(args.continues(" ")).toBe(true);
    expect(args.continues("{")).toBe(false);
  });

  test("size counts what is kept, behind the value too", () => {
    const args = new ArgumentText(false, 10_000);
    args.add(oslo);
    args.add('{"city":"Ro');
    expect(args.size).toBe(oslo.length + '{"city":"Ro'.length);
  });

  test("nesting deeper than the limit is a fault, and the text is kept", () => {
    const args = new ArgumentText(false, 3);
    args.add('{"a":{"b":{"c":{"d":1}}}}');
    expect(args.scanner.fault?.code).toBe("too-deep");
    expect(args.held).toBe('{"a":{"b":{"c":{"d":1}}}}');
  });
});
