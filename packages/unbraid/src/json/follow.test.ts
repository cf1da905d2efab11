// What followers hear, written out; at large in json.property.test.ts.

import { describe, expect, test } from "vitest";
import { exactNumber } from "./exact-number.ts";
import type { JsonFollowInfo } from "./follow.ts";
import { JsonValueBuilder } from "./value.ts";

type Call = [text: string, ...rest: unknown[]];

/** Calls as `[text, path]` for a piece, `[text, path, value]` for the whole, and "restart" at the end where it says so. */
function listen(builder: JsonValueBuilder, path: string): Call[] {
  const calls: Call[] = [];
  builder.follow(path, (text, info: JsonFollowInfo) => {
    calls.push([
      text,
      info.path,
      ...(info.done ? [structuredClone(info.value)] : []),
      ...(info.restart ? ["restart"] : []),
    ]);
  });
  return calls;
}

function hear(path: string, ...fragments: string[]): Call[] {
  const builder = new JsonValueBuilder();
  const calls = listen(builder, path);
  for (const fragment of fragments) builder.feed(fragment);
  builder.end();
  return calls;
}

describe("a string", () => {
  const content = "$['content']";

  test("is told in pieces as it grows, then once as done", () => {
    expect(hear("$.content", '{"path":"a","content":"# Ti', "tle\\", 'nText"', "}")).toEqual([
      ["# Ti", content],
      ["tle", content],
      ["\nText", content, "# Title\nText"],
    ]);
  });

  test("is told at once when it comes at once", () => {
    expect(hear("$.content", '{"content":"all"}')).toEqual([["all", content, "all"]]);
    expect(hear("$.content", '{"content":""}')).toEqual([["", content, ""]]);
  });

  test("is told as done with an empty text when only the quote was missing", () => {
    expect(hear("$.content", '{"content":"', "a", '"')).toEqual([
      ["a", content],
      ["", content, "a"],
    ]);
  });

  test("is never cut inside a pair of surrogates", () => {
    expect(hear("$.content", '{"content":"a\\ud83d', "\\ude", "00b\ud83d", '\ude00"')).toEqual([
      ["a", content],
      ["😀b", content],
      ["😀", content, "a😀b😀"],
    ]);
    expect(hear("$.content", '{"content":"a\\ud83d', '"')).toEqual([
      ["a", content],
      ["\ud83d", content, "a\ud83d"],
    ]);
  });

  test("that is cut short is never done", () => {
    expect(hear("$.content", '{"content":"abc\\')).toEqual([["abc", content]]);
    expect(hear("$.content", '{"content":"abc\u0000"}')).toEqual([["abc", content]]);
  });

  test("can be the whole text", () => {
    expect(hear("$", '"a', 'b"')).toEqual([
      ["a", "$"],
      ["b", "$", "ab"],
    ]);
  });
});

describe("another value", () => {
  test("is told once, when it is whole", () => {
    expect(hear("$.a", '{"a":1', "2", ',"b":3}')).toEqual([["", "$['a']", 12]]);
    expect(hear("$.a", '{"a":tr', "ue")).toEqual([["", "$['a']", true]]);
    expect(hear("$.a", '{"a":nul')).toEqual([]);
    expect(hear("$.a", '{"a":[1,{"b":"c"}', "]")).toEqual([["", "$['a']", [1, { b: "c" }]]]);
    expect(hear("$", "1", "2")).toEqual([["", "$", 12]]);
    expect(hear("$", '{"a":1}')).toEqual([["", "$", { a: 1 }]]);
  });

  test("is told before what comes behind it has come", () => {
    const builder = new JsonValueBuilder();
    const calls = listen(builder, "$.path");
    builder.feed('{"path":"a.md"');
    expect(calls).toEqual([["a.md", "$['path']", "a.md"]]);
  });
});

describe("paths", () => {
  test.each<[string, string, string[]]>([
    ["$[*]", '["a","b"]', ["$[0]", "$[1]"]],
    ["$[1]", '["a","b"]', ["$[1]"]],
    ["$.*", '{"x":"a","y":1}', ["$['x']", "$['y']"]],
    ["$.*", "[1]", ["$[0]"]],
    [
      "$.edits[*].text",
      '{"edits":[{"text":"a"},{"no":1},{"text":"b"}]}',
      ["$['edits'][0]['text']", "$['edits'][2]['text']"],
    ],
    ["$.*.*", '{"a":{"b":1},"c":[2],"d":3}', ["$['a']['b']", "$['c'][0]"]],
    ["$['it\\'s']", '{"it\'s":1}', ["$['it\\'s']"]],
    ["$['\\u0061']", '{"\\u0061":1}', ["$['a']"]],
    ["$['__proto__'].a", '{"__proto__":{"a":1}}', ["$['__proto__']['a']"]],
    ["$.constructor", '{"a":1}', []],
    ["$['0']", "[1]", []],
    ["$[0]", '{"0":1}', []],
    ["$.length", "[1]", []],
    ["$.a.b", '{"a":"b","b":"a"}', []],
    ["$.b", '{"a":{"b":1}}', []],
  ])("%s in %s", (path, text, paths) => {
    for (const fragments of [[text], text.split("")]) {
      const done = hear(path, ...fragments).filter((call) => call.length > 2);
      expect(done.map((call) => call[1])).toEqual(paths);
    }
    const late = new JsonValueBuilder();
    late.feed(text);
    expect(listen(late, path).map((call) => call[1])).toEqual(paths);
  });

  test("that are not understood are the programmer's mistake", () => {
    expect(() => new JsonValueBuilder().follow("$..a", () => undefined)).toThrow(TypeError);
  });

  test("inside and around each other are told inner first", () => {
    const builder = new JsonValueBuilder();
    const order: string[] = [];
    for (const path of ["$", "$.a", "$.a[*]"]) builder.follow(path, (_, info) => order.push(info.path));
    builder.feed('{"a":[1,2]}');
    expect(order).toEqual(["$['a'][0]", "$['a'][1]", "$['a']", "$"]);
  });
});

describe("equal keys", () => {
  test("start the path anew", () => {
    expect(hear("$.a", '{"a":"one","a":"t', 'wo","a":3}')).toEqual([
      ["one", "$['a']", "one"],
      ["t", "$['a']", "restart"],
      ["wo", "$['a']", "two"],
      ["", "$['a']", 3, "restart"],
    ]);
  });

  test("around a path do too", () => {
    expect(hear("$.a.b", '{"a":{"b":1},"a":{"b":"x","c":2}}')).toEqual([
      ["", "$['a']['b']", 1],
      ["x", "$['a']['b']", "x", "restart"],
    ]);
  });

  test("elsewhere do not", () => {
    expect(hear("$.a", '{"b":1,"b":2,"a":{"c":1,"c":2}}')).toEqual([["", "$['a']", { c: 2 }]]);
  });

  test("as names that every object inherits are no repetition", () => {
    expect(hear("$.toString", '{"toString":1}')).toEqual([["", "$['toString']", 1]]);
    expect(hear("$['__proto__']", '{"__proto__":1,"__proto__":2}')).toEqual([
      ["", "$['__proto__']", 1],
      ["", "$['__proto__']", 2, "restart"],
    ]);
  });
});

describe("a late follower", () => {
  test("gets what is there first, then what is new", () => {
    const builder = new JsonValueBuilder();
    builder.feed('{"path":"a.md","list":[1,{"text":"whole"},{"text":"ha');
    const path = listen(builder, "$.path");
    const texts = listen(builder, "$.list[*].text");
    const list = listen(builder, "$.list");
    const root = listen(builder, "$");
    expect(path).toEqual([["a.md", "$['path']", "a.md"]]);
    expect(texts).toEqual([
      ["whole", "$['list'][1]['text']", "whole"],
      ["ha", "$['list'][2]['text']"],
    ]);
    builder.feed('lf"}],"path":"b"}');
    expect(texts.slice(2)).toEqual([["lf", "$['list'][2]['text']", "half"]]);
    expect(path.slice(1)).toEqual([["b", "$['path']", "b", "restart"]]);
    const whole = { path: "b", list: [1, { text: "whole" }, { text: "half" }] };
    expect(list).toEqual([["", "$['list']", whole.list]]);
    expect(root).toEqual([["", "$", whole]]);
  });

  test("of a number, literal or empty string in progress", () => {
    const builder = new JsonValueBuilder();
    builder.feed('{"a":[0,1');
    const number = listen(builder, "$.a[1]");
    builder.feed("2,fal");
    const literal = listen(builder, "$.a[*]");
    builder.feed('se,"');
    const string = listen(builder, "$.a[3]");
    builder.feed("x");
    expect(number).toEqual([["", "$['a'][1]", 12]]);
    expect(literal).toEqual([
      ["", "$['a'][0]", 0],
      ["", "$['a'][1]", 12],
      ["", "$['a'][2]", false],
      ["x", "$['a'][3]"],
    ]);
    expect(string).toEqual([["x", "$['a'][3]"]]);
  });

  test("of a key that is repeated by a number hears both", () => {
    const builder = new JsonValueBuilder();
    builder.feed('{"a":"old","a":1');
    const calls = listen(builder, "$.a");
    builder.feed("2}");
    expect(calls).toEqual([
      ["old", "$['a']", "old"],
      ["", "$['a']", 12, "restart"],
    ]);
  });

  test("of a top-level number or string", () => {
    const builder = new JsonValueBuilder();
    builder.feed("1");
    const calls = listen(builder, "$");
    builder.feed("2");
    builder.end();
    expect(calls).toEqual([["", "$", 12]]);
    expect(listen(builder, "$")).toEqual([["", "$", 12]]);
    expect(listen(builder, "$.a")).toEqual([]);
  });

  test("can come from inside a listener", () => {
    const builder = new JsonValueBuilder();
    const inner: Call[][] = [];
    let first = true;
    builder.follow("$.a", () => {
      if (first) inner.push(listen(builder, "$.a"), listen(builder, "$.b"));
      first = false;
    });
    builder.feed('{"b":1,"a":"x');
    builder.feed('y"}');
    expect(inner).toEqual([
      [
        ["x", "$['a']"],
        ["y", "$['a']", "xy"],
      ],
      [["", "$['b']", 1]],
    ]);
  });

  test("never takes an object made by the number option for one of the text", () => {
    const builder = new JsonValueBuilder({ number: exactNumber });
    const early = listen(builder, "$.n.source");
    builder.feed('{"n":1e999}');
    expect([early, listen(builder, "$.n.source"), listen(builder, "$.*.*")]).toEqual([[], [], []]);
    expect(listen(builder, "$.n")).toEqual([["", "$['n']", { source: "1e999" }]]);
  });
});

describe("the end of following", () => {
  test("is when the returned function is called", () => {
    const builder = new JsonValueBuilder();
    const texts: string[] = [];
    const stop = builder.follow("$[*]", (text) => texts.push(text));
    builder.feed('["a","b');
    stop();
    stop();
    builder.feed('c","d"]');
    expect(texts).toEqual(["a", "b"]);
  });

  test("is for the rest of the text when a listener throws", () => {
    const builder = new JsonValueBuilder();
    builder.follow("$.a", () => {
      throw new Error("mine");
    });
    expect(() => builder.feed('{"a":1,"b":2}')).toThrow("mine");
    expect(builder.feed(',"c":3')).toBe(false);
    expect(builder.value).toEqual({ a: 1 });
  });

  test("and a listener cannot feed", () => {
    const builder = new JsonValueBuilder();
    const answers: boolean[] = [];
    builder.follow("$[0]", () => answers.push(builder.feed("!")));
    expect(builder.feed("[1,2]")).toBe(true);
    expect([answers, builder.value]).toEqual([[false], [1, 2]]);
  });
});

test("reset keeps followers, who hear that the path starts anew", () => {
  const builder = new JsonValueBuilder();
  const calls = listen(builder, "$.a");
  builder.reset();
  builder.feed('{"a":"ha');
  builder.reset();
  builder.feed('{"a":1}');
  expect(calls).toEqual([
    ["ha", "$['a']"],
    ["", "$['a']", 1, "restart"],
  ]);
});
