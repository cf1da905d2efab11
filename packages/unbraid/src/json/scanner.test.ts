// What the scanner says of texts, written out; the comparison with `JSON.parse` at large is in json.property.test.ts.

import { describe, expect, test } from "vitest";
import { JsonScanner } from "./scanner.ts";

function scan(...fragments: string[]): JsonScanner {
  const scanner = new JsonScanner();
  for (const fragment of fragments) scanner.feed(fragment);
  return scanner;
}

describe("state", () => {
  test.each([
    ["", "empty", false, undefined],
    [" \t\r\n", "empty", false, undefined],
    ["{", "open", false, "object"],
    ['{"a"', "open", false, "object"],
    [" [1", "open", false, "array"],
    ["[1]", "closed", true, "array"],
    ["{} \n", "closed", true, "object"],
    ['"a', "open", false, "string"],
    ['"a"', "closed", true, "string"],
    ["-", "open", false, "number"],
    ["12", "open", true, "number"],
    ["0", "open", true, "number"],
    ["1.", "open", false, "number"],
    ["1.5", "open", true, "number"],
    ["1e", "open", false, "number"],
    ["1e-7", "open", true, "number"],
    ["12 ", "closed", true, "number"],
    ["tru", "open", false, "literal"],
    ["true", "closed", true, "literal"],
    ["null", "closed", true, "literal"],
    ["false", "closed", true, "literal"],
    ["x", "broken", false, undefined],
    ["{x", "broken", false, "object"],
    ["{}{", "broken", false, "object"],
    ["\ufeff{}", "broken", false, undefined],
    ["\u00a0{}", "broken", false, undefined],
  ] as const)("of %j is %s", (text, state, canEnd, kind) => {
    for (const scanner of [scan(text), scan(...text.split(""))]) {
      expect(scanner.state).toBe(state);
      expect(scanner.canEnd).toBe(canEnd);
      expect(scanner.kind).toBe(kind);
      expect(scanner.length).toBe(text.length);
    }
  });

  test("feed says whether the text can still become JSON", () => {
    const scanner = new JsonScanner();
    expect(scanner.feed('{"a":')).toBe(true);
    expect(scanner.feed("")).toBe(true);
    expect(scanner.feed("1}")).toBe(true);
    expect(scanner.feed("1")).toBe(false);
    expect(scanner.feed("1")).toBe(false);
    expect(scanner.length).toBe(9);
  });

  test.each([
    ["", true],
    ["[", true],
    ["[1,", true],
    ['{"a":', true],
    ["{", false],
    ['{"a"', false],
    ["[1", false],
    ['"', false],
    ["{}", false],
    ["x", false],
  ])("a value may start behind %j: %s", (text, expects) => {
    expect(scan(text).expectsValue).toBe(expects);
  });

  test("depth counts open containers", () => {
    expect(scan('{"a":[[').depth).toBe(3);
    expect(scan('{"a":[[]').depth).toBe(2);
    expect(scan("{}").depth).toBe(0);
  });

  test("reset starts anew", () => {
    const scanner = scan("[[}");
    scanner.reset();
    expect([scanner.state, scanner.length, scanner.depth, scanner.kind, scanner.fault, scanner.scanned]).toEqual([
      "empty",
      0,
      0,
      undefined,
      undefined,
      0,
    ]);
    expect(() => scanner.undo()).toThrow("no feed to take back");
    expect(scanner.feed('"a"')).toBe(true);
  });
});

describe("faults", () => {
  test.each([
    ["x", "unexpected-character", 0, "expected a JSON value, found 'x'"],
    [
      "{'a':1}",
      "unexpected-character",
      1,
      `expected a key in double quotes or '}', found "'" (strings stand in double quotes)`,
    ],
    ['{"a":1,}', "unexpected-character", 7, "expected a key in double quotes after ',', found '}'"],
    ["{,", "unexpected-character", 1, "expected a key in double quotes or '}', found ','"],
    ["[1,]", "unexpected-character", 3, "expected a value, found ']'"],
    ["[,", "unexpected-character", 1, "expected a value or ']', found ','"],
    ['{"a" 1', "unexpected-character", 5, "expected ':' after a key, found '1'"],
    ['{"a":"b"c', "unexpected-character", 8, "expected ',' or '}' after a value in an object, found 'c'"],
    ["[1 2", "unexpected-character", 3, "expected ',' or ']' after a value in an array, found '2'"],
    ["[1}", "unexpected-character", 2, "expected ',' or ']' after a value in an array, found '}'"],
    ['{"a":1]', "unexpected-character", 6, "expected ',' or '}' after a value in an object, found ']'"],
    ["[NaN", "unexpected-character", 1, "expected a value or ']', found 'N' (the literals are true, false and null)"],
    ['{"a":True', "unexpected-character", 5, "expected a value, found 'T' (the literals are true, false and null)"],
    ['["a\nb', "control-character", 3, "expected \\n in a string, found U+000A"],
    ['{"\u0001', "control-character", 2, "expected \\u0001 in a string, found U+0001"],
    ['"\\x', "invalid-escape", 2, `expected one of " \\ / b f n r t u after a backslash in a string, found 'x'`],
    ['{"\\', undefined, 0, ""],
    ['"\\u12G', "invalid-escape", 5, "expected four hexadecimal digits after '\\u' in a string, found 'G'"],
    ['{"\\u"', "invalid-escape", 4, "expected four hexadecimal digits after '\\u' in a string, found '\"'"],
    ["01", "invalid-number", 1, "expected no digit after a leading 0, found '1'"],
    ["-x", "invalid-number", 1, "expected a digit in a number, found 'x'"],
    ["[1.]", "invalid-number", 3, "expected a digit in a number, found ']'"],
    ["1e ", "invalid-number", 2, "expected a digit in a number, found a space"],
    ["1e+\t", "invalid-number", 3, "expected a digit in a number, found U+0009"],
    ["tru}", "invalid-literal", 3, "expected the rest of true, false or null, found '}'"],
    ["[fax", "invalid-literal", 3, "expected the rest of true, false or null, found 'x'"],
    ["nulL", "invalid-literal", 3, "expected the rest of true, false or null, found 'L'"],
    ["{}{}", "trailing-text", 2, "expected nothing more behind the value, found '{'"],
    ["12x", "trailing-text", 2, "expected nothing more behind the value, found 'x'"],
    ["truefalse", "trailing-text", 4, "expected nothing more behind the value, found 'f'"],
    ["[é", "unexpected-character", 1, "expected a value or ']', found 'é' (U+00E9)"],
    ["[1\u00a0", "unexpected-character", 2, "expected ',' or ']' after a value in an array, found '\u00a0' (U+00A0)"],
    ["[\u007f", "unexpected-character", 1, "expected a value or ']', found U+007F"],
    ["[😀", "unexpected-character", 1, "expected a value or ']', found a character above U+FFFF"],
  ])("of %j", (text, code, offset, message) => {
    for (const scanner of [scan(text), scan(...text.split(""))]) {
      const { fault } = scanner;
      expect(fault?.code).toBe(code);
      if (fault === undefined) continue;
      expect([fault.offset, fault.message]).toEqual([offset, message]);
      expect(scanner.end()).toBe(fault);
    }
  });

  test("a fault says its line and column, both from 1", () => {
    const { fault } = scan('{\n  "a": 1,', '\r\n\t"b": tru,\n}');
    expect(fault).toMatchObject({ offset: 22, line: 3, column: 10 });
    expect(scan("\n\n", "x").fault).toMatchObject({ offset: 2, line: 3, column: 1 });
  });

  test("only the first fault counts", () => {
    const scanner = scan("[x", "]]", "\n{");
    expect(scanner.fault).toMatchObject({ offset: 1, line: 1, column: 2 });
    expect(scanner.length).toBe(6);
  });

  test.each([
    ["", "expected a JSON value, found the end of the text"],
    ["{", "expected a key in double quotes or '}', found the end of the text; open levels: 1"],
    ['["a', "expected the closing quote of a string, found the end of the text; open levels: 1"],
    ['{"a', "expected the closing quote of a key, found the end of the text; open levels: 1"],
    ["[1", "expected ',' or ']' after a value in an array, found the end of the text; open levels: 1"],
    ["-", "expected a digit in a number, found the end of the text"],
    ['{"a":[{"b":[fal', "expected the rest of true, false or null, found the end of the text; open levels: 4"],
  ])("the end of %j is a fault", (text, message) => {
    const scanner = scan(text);
    expect(scanner.end()).toEqual({
      code: "unexpected-end",
      message,
      offset: text.length,
      line: 1,
      column: text.length + 1,
    });
    expect(scanner.fault).toBeUndefined();
    expect(scanner.state).not.toBe("broken");
  });

  test.each(["{}", "12", " null "])("the end of %j is none", (text) => {
    expect(scan(text).end()).toBeUndefined();
  });
});

describe("depth", () => {
  test("10,000 levels are read, one more is a fault", () => {
    const deep = '{"a":['.repeat(5000);
    const scanner = scan(deep);
    expect(scanner.depth).toBe(10_000);
    expect(scanner.feed("[")).toBe(false);
    expect(scanner.fault).toMatchObject({
      code: "too-deep",
      message: "expected at most 10000 levels of nesting, found '[' that opens one more",
      offset: deep.length,
    });
    scanner.undo();
    expect(scanner.feed("]}".repeat(5000))).toBe(true);
    expect(scanner.state).toBe("closed");
  });

  test("the limit can be set", () => {
    const scanner = new JsonScanner({ maxDepth: 2 });
    expect(scanner.feed("[[],[1],{")).toBe(true);
    expect(scanner.feed('"a":{')).toBe(false);
    expect(scanner.fault?.code).toBe("too-deep");
    expect(new JsonScanner({ maxDepth: 0 }).feed("1")).toBe(true);
    expect(new JsonScanner({ maxDepth: 0 }).feed("[")).toBe(false);
  });
});

describe("undo", () => {
  test("takes back a fault", () => {
    const scanner = scan('{"a":1');
    scanner.feed("x");
    scanner.undo();
    expect(scanner.state).toBe("open");
    expect(scanner.fault).toBeUndefined();
    expect(scanner.feed("}")).toBe(true);
  });

  test("takes back levels that were closed and others opened over them", () => {
    const scanner = scan('[[{"a":[');
    scanner.feed(']}],{"b":{"c":{"d":{');
    scanner.undo();
    expect(scanner.depth).toBe(4);
    expect(scanner.feed("]}]]")).toBe(true);
    expect(scanner.state).toBe("closed");
  });

  test("takes back the kind, the lines and the length", () => {
    const scanner = scan(" \n");
    scanner.feed("\n\n{");
    scanner.undo();
    expect([scanner.kind, scanner.length, scanner.state]).toEqual([undefined, 2, "empty"]);
    scanner.feed("[x");
    expect(scanner.fault).toMatchObject({ line: 2, column: 2 });
  });

  test("keeps a fault that was there before", () => {
    const scanner = scan("x", "y");
    scanner.undo();
    expect(scanner.state).toBe("broken");
    expect([scanner.fault?.offset, scanner.length]).toEqual([0, 1]);
  });

  test("goes one level only", () => {
    const scanner = scan("[", "1");
    scanner.undo();
    expect(() => scanner.undo()).toThrow("no feed to take back");
    expect(scanner.state).toBe("open");
    expect(() => new JsonScanner().undo()).toThrow("no feed to take back");
  });
});
