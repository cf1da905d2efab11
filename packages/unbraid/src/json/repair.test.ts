// Every malformed text here is one that a model or server wrote, or of the same kind. What has one reading is corrected,
// all else is left alone.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mutated, native, pick, randomFrom, sameValue, validText } from "./json.test-support.ts";
import { repairArguments } from "./repair.ts";
import type { RepairCode } from "./rewrite.ts";

function expectRepair(text: string, repaired: string, codes: RepairCode[], parameters: string[] = []): void {
  expect(repairArguments(text, { parameters })).toEqual({ text: repaired, value: JSON.parse(repaired), codes });
}

describe("control characters in strings are escaped", () => {
  test.each([
    ['{"path":"a.py","content":"def f():\n\treturn 1\n"}', '{"path":"a.py","content":"def f():\\n\\treturn 1\\n"}'],
    ['{"a":"\r\n\b\f\u0000\u001f"}', '{"a":"\\r\\n\\b\\f\\u0000\\u001f"}'],
    ['{"a\tb":["\n"]}', '{"a\\tb":["\\n"]}'],
    ['{"a":"\\\\\n"}', '{"a":"\\\\\\n"}'],
    ['{\n "a": "x\ny\\n"\n}', '{\n "a": "x\\ny\\n"\n}'],
  ])("%j", (text, repaired) => expectRepair(text, repaired, ["control-character"]));
});

describe("literals of Python and JavaScript", () => {
  test.each([
    ["{'city': 'Lima', 'detailed': True, 'unit': None}", '{"city": "Lima", "detailed": true, "unit": null}'],
    ['{"a": True, "b": [False, None]}', '{"a": true, "b": [false, null]}'],
    ["{'a': \"it's\", 'b': 'say \"hi\"'}", '{"a": "it\'s", "b": "say \\"hi\\""}'],
    ["{'a': 'it\\'s', 'b': 'a\\\\b\\nc\\\"'}", '{"a": "it\'s", "b": "a\\\\b\\nc\\""}'],
    ["{'a': '\\x41\\u00e9\\v'}", '{"a": "\\u0041\\u00e9\\u000b"}'],
    ["{'a': {'b': [{'c': True}]}}", '{"a": {"b": [{"c": true}]}}'],
    ["{'point': (1, 2), 'one': (1,), 'none': ()}", '{"point": [1, 2], "one": [1], "none": []}'],
    ["{'deep': ((1, 'a'), [(True,)])}", '{"deep": [[1, "a"], [[true]]]}'],
    ["{u'city': u\"Lima\"}", '{"city": "Lima"}'],
    ["{'a': true, 'b': null}", '{"a": true, "b": null}'],
    ["{'code': 'if x == \"True\": return None'}", '{"code": "if x == \\"True\\": return None"}'],
    ["{'': ''}", '{"": ""}'],
  ])("%s", (text, repaired) => expectRepair(text, repaired, ["python-literal"]));

  test.each([
    "{'a': 'it's'}",
    "{'a': b'x'}",
    "{'a': f'x'}",
    "{'a': r'x'}",
    "{'a': (1)}",
    "{'a': (1]}",
    "{'a': [1)}",
    "{'a': {1, 2}}",
    "{'a': 'x' 'y'}",
    "{'a': '''x'''}",
    "{'a': '\\d'}",
    "{'a': '\\N{DASH}'}",
    "{'a': '\\x4'}",
    "{'a': '\\/'}",
    "{'a': 'x\\\ny'}",
    "{'path': 'C:\\Users\\new'}",
    "{1: 'a'}",
    "{True: 1}",
    "{'a': truE}",
    "{'a': TRUE}",
    "{'a': None1}",
    "{'a': 1_000}",
    "{'a': nan}",
    "{'a': datetime(2024, 1, 1)}",
    "{'a': <object>}",
    "{'a': 1",
    "('a', 'b')",
    "('a',)",
  ])("not %j", (text) => expect(repairArguments(text)).toBeUndefined());
});

describe("a trailing comma goes", () => {
  test.each([
    ['{"a":1,}', '{"a":1}'],
    ['{"a":[1,2,],}', '{"a":[1,2]}'],
    ['{"a": 1 ,\n}', '{"a": 1 \n}'],
    ['{"a":"x,","b":{"c":"]",},}', '{"a":"x,","b":{"c":"]"}}'],
  ])("%j", (text, repaired) => expectRepair(text, repaired, ["trailing-comma"]));

  test.each([
    "{,}",
    '{"a":[,]}',
    '{"a":1,,}',
    '{"a":[1,,2]}',
    '{"a":,}',
    '{"query": ,}',
    '{"a",}',
    '{,"a":1}',
    '{"a":1},',
    '{"a":1,',
  ])("not %j", (text) => expect(repairArguments(text)).toBeUndefined());
});

describe("layout that is escaped or foreign becomes a space", () => {
  test("of a literal backslash and n", () => {
    expectRepair('{"path": "q.py", "limit": \\n 20\\n}', '{"path": "q.py", "limit":   20 }', ["escape-outside-string"]);
    expectRepair('\\n{\\r\\n\\t"a": true\\n}\\n', '{   "a": true }', ["escape-outside-string"]);
  });

  test("of white space that JSON does not know", () => {
    expectRepair('\ufeff{"a":\u00a01}\u200b', '{"a": 1}', ["foreign-space"]);
    expectRepair('{"a\u00a0":\u30001\v}', '{"a\u00a0": 1 }', ["foreign-space"]);
  });

  test.each(['{"a": \\x 1}', '{"a": \\\\n 1}', '{"a": 1\\n0}', '{"a": \\f1}', '{"a": tr\\nue}', '{"a":1}\u0000'])(
    "not %j",
    (text) => expect(repairArguments(text)).toBeUndefined(),
  );
});

describe("quotes that were escaped once too often", () => {
  test.each([
    ['{\\"city\\": \\"Oslo\\", \\"n\\": 1}', '{"city": "Oslo", "n": 1}'],
    ['{\\"a\\": \\"x\\ny\\u00e9\\"}', '{"a": "x\\ny\\u00e9"}'],
  ])("%s", (text, repaired) => expectRepair(text, repaired, ["escaped-quotes"]));

  test.each([
    '{\\"path\\": \\"C:\\\\new\\"}',
    '{\\"a\\": "b"}',
    '{"a": \\"b\\"}',
    '{\\"a": 1}',
    '{\\"a\\": \\"say \\\\\\"hi\\\\\\"\\"}',
    "{\\\"a\\\": 'b'}",
  ])("not %s", (text) => expect(repairArguments(text)).toBeUndefined());
});

describe("an object alone in an array is taken out", () => {
  test.each<[string, string, RepairCode[]]>([
    ['[{"command":"ls"}]', '{"command":"ls"}', ["object-in-array"]],
    [' [ {"a": [1]} ] ', '{"a": [1]}', ["object-in-array"]],
    ["[{'a': 1},]", '{"a": 1}', ["python-literal", "trailing-comma", "object-in-array"]],
  ])("%j", (text, repaired, codes) => expectRepair(text, repaired, codes));

  test.each(['["a","b"]', "[]", '[{"a":1},{"a":2}]', '[[{"a":1}]]', "[1]", "[null]", '[{"a":1}', '[{"a":1},'])(
    "not %j",
    (text) => expect(repairArguments(text)).toBeUndefined(),
  );
});

describe("a missing opening is added", () => {
  test("before a declared parameter", () => {
    expectRepair('command": "uptime"}', '{"command": "uptime"}', ["missing-opening"], ["command"]);
    expectRepair('"command": "uptime"}', '{"command": "uptime"}', ["missing-opening"], ["timeout", "command"]);
    expectRepair(
      "command': 'up', 'n': None}",
      '{"command": "up", "n": null}',
      ["missing-opening", "python-literal"],
      ["command"],
    );
    expectRepair(
      '\n command" : "a\nb"}',
      '{"command" : "a\\nb"}',
      ["missing-opening", "control-character"],
      ["command"],
    );
  });

  test.each<[string, string[]]>([
    ['command": "uptime"}', []],
    ['command": "uptime"}', ["cmd"]],
    ['mand": "uptime"}', ["command"]],
    ['path": "a"}', ["path", "file_path"]],
    ['command": "uptime"', ["command"]],
    ['command: "uptime"}', ["command"]],
    ['command" "uptime"}', ["command"]],
    ['command"', ["command"]],
    ['"command"', ["command"]],
    ['"command', ["command"]],
    ["command", ["command"]],
    ['command": {"a": 1}}}', ["command"]],
    [": 1}", [""]],
  ])("not in %j with parameters %j", (text, parameters) =>
    expect(repairArguments(text, { parameters })).toBeUndefined(),
  );

  test("before a whole quoted key, even when another parameter ends in it", () => {
    expectRepair('"path": "a"}', '{"path": "a"}', ["missing-opening"], ["file_path", "path"]);
  });
});

describe("what stands around the object goes", () => {
  test.each<[string, string, RepairCode[]]>([
    ['```json\n{"path": "a.txt"}\n```', '{"path": "a.txt"}', ["markdown-fence"]],
    ['```\n{"a": "```"}\n```\n', '{"a": "```"}', ["markdown-fence"]],
    ['```{"a": 1}```', '{"a": 1}', ["markdown-fence"]],
    ['````JSON\r\n{"a": 1}\r\n````', '{"a": 1}', ["markdown-fence"]],
    ['```json\n{"a": 1}', '{"a": 1}', ["markdown-fence"]],
    ['{"a": 1}\n```', '{"a": 1}', ["markdown-fence"]],
    ["```python\n{'a': True}\n```", '{"a": true}', ["markdown-fence", "python-literal"]],
    ['```json\\n{"a": 1}\\n```', '{"a": 1}', ["markdown-fence", "escape-outside-string"]],
    ['{"path": "a.txt"} This reads the file.', '{"path": "a.txt"}', ["surrounding-prose"]],
    ['{"path": "a.txt"}\n\nÜbrigens: that\'s it', '{"path": "a.txt"}', ["surrounding-prose"]],
    ['Here it is:\n```json\n{"a": 1}\n```\nDone.', '{"a": 1}', ["surrounding-prose", "markdown-fence"]],
  ])("%j", (text, repaired, codes) => expectRepair(text, repaired, codes));

  test.each([
    '{"city":"Oslo"}{"city":"Rome"}',
    '{"city":"A"}{"query":"b"}{"path":"c"}',
    '{"a":1} {"a":1}',
    '{"a":1}}',
    '{"a":1}]',
    '{"a":1} "b": 2}',
    '{"a":1} and then {"b":2}',
    '{"a":1}text',
    '{"a":1} 2',
    'Here it is: {"a":1}',
    'path: {"a":1}',
    '```json\n{"a": 1}\n```\n```json\n{"b": 2}\n```',
    "```json\n```",
    "```",
  ])("not %j", (text) => expect(repairArguments(text)).toBeUndefined());
});

describe("no reading, or more than one", () => {
  test.each([
    ["an invalid escape", '{"path":"C:\\Users\\new"}'],
    ["an invalid escape", '{"path":"C:\\Dev\\main.rs"}'],
    ["an invalid escape", '{"re":"\\d+"}'],
    ["an invalid escape", '{"a":"it\\\'s"}'],
    ["an invalid escape", '{"a":"\\x41"}'],
    ["an invalid escape", '{"a":"\\u12"}'],
    ["a backslash before a raw line feed", '{"cmd":"a \\\nb"}'],
    ["a quote inside", '{"path":"a.py","content":"env.get("KEY", "x")"}'],
    ["a quote inside", '{"content": "<p>{" \\"}</p>"}'],
    ["a quote missing", '{"command":"git diff HEAD",description":"Check"}'],
    ["a quote missing", '{"a":"x,"b":"y"}'],
    ["a quote missing", '{"a":"x}'],
    ["a quote missing, and a line feed", '{"a":"x,\n"b":"y"}'],
    ["no value", '{"vehicleType":"leopard","checkpointNumber":?}'],
    ["no value", '{"a":}'],
    ["no value", '{"a":undefined}'],
    ["no value", '{"a":...}'],
    ["no JSON number", '{"query":"x","limit":NaN}'],
    ["no JSON number", '{"a":-Infinity}'],
    ["no JSON number", '{"a":+1}'],
    ["no JSON number", '{"a":.5}'],
    ["no JSON number", '{"a":5.}'],
    ["no JSON number", '{"a":007}'],
    ["no JSON number", '{"a":0x1F}'],
    ["garbled", '{\n":822customer_identity",\nName Doe'],
    ["a comment", '{"a":1 // one\n}'],
    ["a comment", '{"a":1 /* one */}'],
    ["a key without quotes", "{path: 'a'}"],
    ["a comma missing", '{"a":1 "b":2}'],
    ["a colon missing", '{"a" 1}'],
    ["cut short", '{"a":'],
    ["cut short", '{"a":"b\n'],
    ["cut short", "{"],
    ["empty", ""],
    ["blank", " \n"],
    ["no object", "42"],
    ["no object", '"text"'],
    ["no object", "null"],
    ["words", "I cannot do that."],
  ])("%s: %j", (_, text) => expect(repairArguments(text, { parameters: ["path", "a"] })).toBeUndefined());
});

test("several faults together", () => {
  expectRepair("```json\n[{'cmd': 'a\nb', \"n\": None,\\n}]\n``` Done.", '{"cmd": "a\\nb", "n": null }', [
    "markdown-fence",
    "python-literal",
    "control-character",
    "trailing-comma",
    "escape-outside-string",
    "surrounding-prose",
    "object-in-array",
  ]);
});

describe("in general", () => {
  const objects = fc.integer().map((seed) => `{"k":${validText(randomFrom(seed))}}`);

  test("a JSON object needs no repair", () => {
    fc.assert(fc.property(objects, (text) => repairArguments(text) === undefined));
  });

  test("a repair is a JSON object, and needs none itself", () => {
    fc.assert(
      fc.property(objects, fc.integer(), (text, seed) => {
        const repair = repairArguments(mutated(randomFrom(seed), text), { parameters: ["k"] });
        return (
          repair === undefined ||
          (repair.codes.length > 0 &&
            sameValue(native(repair.text)?.value, repair.value) &&
            !Array.isArray(repair.value) &&
            repairArguments(repair.text) === undefined)
        );
      }),
      { numRuns: 5000 },
    );
  });

  test("whatever is written as Python comes back as it was", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer(), (value, seed) => {
        const text = python(value, randomFrom(seed));
        // What needs no Python, such as an empty object, is JSON already.
        return sameValue((repairArguments(text) ?? native(text))?.value, native(JSON.stringify(value))?.value);
      }),
      { numRuns: 500 },
    );
  });

  test("a quote dropped or no longer escaped is never guessed", () => {
    const bits = ['"', "'", ", ", ": ", "{", "}", "\\", "\n", "a", '", "b": "'];
    const texts = fc.array(fc.constantFrom(...bits), { minLength: 1, maxLength: 6 }).map((all) => all.join(""));
    fc.assert(
      fc.property(texts, texts, fc.integer(), (a, b, seed) => {
        const text = JSON.stringify({ a, b });
        const quotes = [...text.matchAll(/\\?"/g)];
        const quote = pick(randomFrom(seed), quotes);
        const broken = text.slice(0, quote.index) + text.slice(quote.index + 1);
        return (
          native(broken) !== undefined ||
          repairArguments(broken, { parameters: ["a", "b"] }) === undefined ||
          quote.index === 1
        );
      }),
      { numRuns: 3000 },
    );
  });

  test("10,000 levels are read, and no more", () => {
    const nested = (levels: number): string => `{"a":${"[".repeat(levels - 1)}1,${"]".repeat(levels - 1)}}`;
    expect(repairArguments(nested(10_000))?.codes).toEqual(["trailing-comma"]);
    expect(repairArguments(nested(10_001))).toBeUndefined();
  });

  test("takes time that grows with the text", () => {
    for (const unit of ["[", "(", "{'", '{"a":', ",", "1,", " ", "\\n", "'", '"', "`", "a ", "{'a':(1,"]) {
      const repair = repairArguments(`[${unit.repeat(200_000)}`, { parameters: ["a"] });
      expect(repair).toBeUndefined();
    }
  });
});

/** A value as Python prints it, with tuples for some lists. */
function python(value: unknown, random: () => number): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string")
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) {
    const items = value.map((item) => python(item, random)).join(", ");
    if (random() < 0.5) return `[${items}]`;
    return value.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, child]) => `${python(key, random)}: ${python(child, random)}`)
    .join(", ")}}`;
}
