// The small readers by themselves: literals of other notations, bare values by their schema, heads and their attributes.

import { describe, expect, test } from "vitest";
import { CUT, Input, NO, type Reading } from "./input.ts";
import { KEYWORDS, MEMBERS, type Notation, PYTHON, pythonToJson, readLiteral } from "./literal.ts";
import { ATTRIBUTES, KEY, match, NAME, nothingFound, SPACE, type Step } from "./pattern.ts";
import { ARRAY, BOOLEAN, jsonOf, NULL, NUMBER, OBJECT, STRING, ToolSchema } from "./schema.ts";

/** Runs a reader over a text that comes one character at a time. */
function run<T>(text: string, make: (input: Input) => Reading<T>): { readonly value: T; readonly rest: string } {
  const input = new Input();
  const reading = make(input);
  let step = reading.next();
  for (let at = 0; at < text.length && step.done !== true; at++) {
    input.feed(text.charAt(at));
    step = reading.next();
    if (step.done === true) return { value: step.value, rest: input.text.slice(input.at) + text.slice(at + 1) };
  }
  input.ended = true;
  while (step.done !== true) step = reading.next();
  return { value: step.value, rest: input.text.slice(input.at) };
}

describe("Python literals", () => {
  test.each([
    ["None", "null"],
    ["True", "true"],
    ["[]", "[]"],
    ["()", "[]"],
    ["(1,)", "[1]"],
    ["{}", "{}"],
    ["{1: 'a', 'b': [1, 2.50], \"c\": {'d': None}}", '{"1":"a","b":[1,2.50],"c":{"d":null}}'],
    ["'it\\'s'", '"it\'s"'],
    ['"a\\tb\\\\c\\/"', '"a\\tb\\\\c/"'],
    ["'''a\n'b' ''c'''", "\"a\\n'b' ''c\""],
    ['""', '""'],
    ['""""""', '""'],
    ["r'\\d+'", '"\\\\d+"'],
    ["b'x'", '"x"'],
    ["rb'x'", '"x"'],
    ["f'{x}'", '"{x}"'],
    ["'\\x41\\u0041\\U00000041\\101\\0'", '"AAAA\\u0000"'],
    ["'\\ud83d\\ude00'", '"😀"'],
    ["'\\xZZ \\q'", '"\\\\xZZ \\\\q"'],
    ["'a\\\nb'", '"ab"'],
    ["+5", "5"],
    ["-0x10", "-16"],
    ["0b11", "3"],
    ["1_000_000", "1000000"],
    [".5", "0.5"],
    ["5.", "5.0"],
    ["1e-3", "1e-3"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
  ])("%s", (python, json) => {
    expect(pythonToJson(python)).toBe(json);
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    let out = "";
    expect(run(`${python} `, (input) => readLiteral(input, PYTHON, (piece) => (out += piece))).value).toBe("whole");
    expect(out).toBe(json);
  });

  test.each([
    "",
    "x",
    "[1",
    "{1, 2}",
    "[1 2]",
    "'a",
    "{'a' 1}",
    "1 + 1",
    "[,]",
    "f(x)",
    "007",
    "1j",
    "'a' 'b'",
    "{[]: 1}",
  ])("%j is none", (python) => expect(pythonToJson(python)).toBeUndefined());

  test("depth costs no stack", () => {
    expect(pythonToJson("[".repeat(9000) + "]".repeat(9000))).toHaveLength(18000);
    expect(pythonToJson("[".repeat(20_000))).toBeUndefined();
  });
});

describe("what is behind an opening sign", () => {
  const GEMMA: Notation = { quotes: ['<|"|>'], python: false };
  const read = (text: string, notation: Notation): readonly string[] => {
    let out = "";
    const { value, rest } = run(text, (input) =>
      readLiteral(input, notation, (piece) => (out += piece), notation.python ? KEYWORDS : MEMBERS),
    );
    return [value, out, rest];
  };

  test.each([
    [") x", "whole", "{}", " x"],
    ["a=1, b = 'x')", "whole", '{"a":1,"b":"x"}', ""],
    ["größe=1)", "whole", '{"größe":1}', ""],
    ["a=1,)!", "whole", '{"a":1}', "!"],
    ["a=1", "cut", '{"a":', "1"],
    ["a='1", "cut", '{"a":"1', ""],
    ["'a'=1)", "wrong", "{", "'a'=1)"],
    ["a==1)", "wrong", '{"a":', "=1)"],
    ["5)", "wrong", "{", "5)"],
    ["a=b)", "wrong", '{"a":', "b)"],
    ["a=1 b=2)", "wrong", '{"a":1', "b=2)"],
  ])("keywords %j", (text, ...expected) => expect(read(text, PYTHON)).toEqual(expected));

  test.each([
    ["} x", "whole", "{}", " x"],
    ['a:<|"|>x "y", {z}<|"|>,b:1}', "whole", '{"a":"x \\"y\\", {z}","b":1}', ""],
    ['a:"x\\n", <|"|>b c<|"|>: [true, New York, null]}', "whole", '{"a":"x\\n","b c":[true,"New York",null]}', ""],
    ["a:{b:[{c:1}]}}!", "whole", '{"a":{"b":[{"c":1}]}}', "!"],
    ['a:<|"|>x<|"', "cut", '{"a":"x', '<|"'],
    ["a:1,", "cut", '{"a":1', ""],
    ["a:}", "wrong", '{"a":', "}"],
    ["a}", "wrong", "{", "}"],
  ])("members %j", (text, ...expected) => expect(read(text, GEMMA)).toEqual(expected));
});

describe("bare values", () => {
  test.each([
    ["5", STRING, '"5"'],
    ["5", 0, '"5"'],
    ["5", NUMBER, "5"],
    [" 5\n", NUMBER, "5"],
    ["05", NUMBER, '"05"'],
    ["five", NUMBER, '"five"'],
    ["None", NUMBER, "null"],
    ["None", STRING | NULL, "null"],
    ["null", STRING, '"null"'],
    ["none", STRING | NULL, '"none"'],
    ["5", STRING | NULL, '"5"'],
    ["5", STRING | NUMBER, "5"],
    ["true", STRING | NUMBER, '"true"'],
    ["TRUE", BOOLEAN, "true"],
    ["yes", BOOLEAN, '"yes"'],
    ['{"a": 1}', OBJECT, '{"a": 1}'],
    ['{"a": 1}', STRING, '"{\\"a\\": 1}"'],
    ['{"a": 1}', STRING | OBJECT, '{"a": 1}'],
    ["{'a': 1}", OBJECT, '{"a":1}'],
    ["[1, 2", ARRAY, '"[1, 2"'],
    ["(1, 2)", ARRAY, '"(1, 2)"'],
    ["[1, 2]", ARRAY | NULL, "[1, 2]"],
  ])("%j as %i", (text, types, json) => expect(jsonOf(text, types)).toBe(json));

  test("types of a schema", () => {
    const schema = new ToolSchema({
      $defs: { city: { type: "string" }, loop: { $ref: "#/$defs/loop" }, "a/b": { type: "null" } },
      properties: {
        a: { type: "string" },
        b: { type: ["integer", "null"] },
        c: { anyOf: [{ type: "number" }, { type: "null" }] },
        d: { $ref: "#/$defs/city" },
        e: { $ref: "#/$defs/loop" },
        f: { enum: ["x", 1, null] },
        g: { const: true },
        h: { properties: {} },
        i: { items: { type: "boolean" } },
        j: { type: "str", nullable: true },
        k: { prefixItems: [{ type: "string" }], items: { type: "number" } },
        l: { $ref: "#/$defs/a~1b" },
        m: { $ref: "https://example.org/other" },
        n: true,
      },
      additionalProperties: { type: "array" },
    });
    const types = (key: string): number => schema.types(schema.property(schema.root, key));
    expect("abcdefghijklmn".split("").map(types)).toEqual([
      ...[STRING, NUMBER | NULL, NUMBER | NULL, STRING, 0, STRING | NUMBER | NULL, BOOLEAN, OBJECT, ARRAY],
      ...[STRING | NULL, ARRAY, NULL, 0, 0],
    ]);
    expect(types("z")).toBe(ARRAY);
    expect(types("__proto__")).toBe(ARRAY);
    const list = schema.property(schema.root, "k");
    expect([schema.types(schema.element(list, 0)), schema.types(schema.element(list, 1))]).toEqual([STRING, NUMBER]);
    expect(new ToolSchema(undefined).property(undefined, "a")).toBeUndefined();
  });
});

describe("heads", () => {
  const HEAD: readonly Step[] = ["<x ", NAME, '"', ATTRIBUTES, SPACE, { maybe: ["/"] }, { one: [">", "]"] }];
  const read = (text: string, steps: readonly Step[] = HEAD): unknown => {
    const found = nothingFound();
    const { value, rest } = run(text, (input) => match(input, steps, found));
    return [value < 0 ? value : "fits", found.name, found.key, found.attributes, rest];
  };

  test.each([
    ['<x a">', ["fits", "a", "", {}, ""]],
    ['<x a.b-c_d" k="v" l="&amp;&quot;&lt;&gt;&x;" />y', ["fits", "a.b-c_d", "", { k: "v", l: '&"<>&x;' }, "y"]],
    ['<x a"]', ["fits", "a", "", {}, ""]],
    ['<x a"', [CUT, "a", "", {}, '<x a"']],
    ["<x ab", [CUT, "ab", "", {}, "<x ab"]],
    ["<x ", [CUT, "", "", {}, "<x "]],
    ["<", [CUT, "", "", {}, "<"]],
    ['<x "', [NO, "", "", {}, '<x "']],
    ['<x a" k=v>', [NO, "a", "", {}, '<x a" k=v>']],
    ['<x a" k="v', [CUT, "a", "", {}, '<x a" k="v']],
    ['<x a"!', [NO, "a", "", {}, '<x a"!']],
    ["<y", [NO, "", "", {}, "<y"]],
  ])("%j", (text, expected) => expect(read(text)).toEqual(expected));

  test("keys and names have a length", () => {
    expect(read("=k e y>", ["=", KEY, ">"])).toEqual(["fits", "", "k e y", {}, ""]);
    expect(read("=k\n>", ["=", KEY, ">"])).toEqual([NO, "", "", {}, "=k\n>"]);
    expect((read(`=${"k".repeat(300)}>`, ["=", KEY, ">"]) as unknown[])[0]).toBe(NO);
    expect((read(`=${"k".repeat(300)}>`, ["=", NAME, ">"]) as unknown[])[0]).toBe(NO);
    expect((read(`=${" ".repeat(100)}>`, ["=", SPACE, ">"]) as unknown[])[0]).toBe(NO);
    expect((read(`= k="${"v".repeat(300)}">`, ["=", ATTRIBUTES, ">"]) as unknown[])[0]).toBe(NO);
  });
});

test("a hold gives back what was consumed, however long", () => {
  const input = new Input();
  input.feed("ab");
  input.at = 1;
  input.hold();
  for (let i = 0; i < 100; i++) {
    input.feed("x".repeat(100));
    input.at = input.text.length;
  }
  expect(input.heldLength).toBe(10_001);
  input.rewind();
  expect([input.text.length - input.at, input.heldLength]).toEqual([10_001, 0]);
  input.at += 3;
  expect(input.release()).toBe("bxx");
  expect(input.held).toBe(false);
});
