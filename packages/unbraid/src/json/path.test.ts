import { describe, expect, test } from "vitest";
import { normalizedStep, parsePath, type PathSegment } from "./path.ts";

const name = (text: string): PathSegment => ({ kind: "name", name: text });
const index = (at: number): PathSegment => ({ kind: "index", index: at });
const any: PathSegment = { kind: "any" };

describe("understood", () => {
  test.each<[string, PathSegment[]]>([
    ["$", []],
    ["$.a", [name("a")]],
    ["$.file_path.b2", [name("file_path"), name("b2")]],
    ["$.ключ.😀", [name("ключ"), name("😀")]],
    ["$['a b']", [name("a b")]],
    ['$["it\'s"]', [name("it's")]],
    ["$['it\\'s\\\\\\n\\u0041\\/']", [name("it's\\\nA/")]],
    ["$['']", [name("")]],
    ["$['__proto__']", [name("__proto__")]],
    ["$[0][12]", [index(0), index(12)]],
    ["$.*[*].a[3]", [any, any, name("a"), index(3)]],
  ])("%s", (path, segments) => {
    expect(parsePath(path)).toEqual(segments);
  });
});

describe("refused, with the place", () => {
  test.each([
    ["", "expected '$' at the start, at character 1"],
    ["a", "expected '$' at the start, at character 1"],
    ["$a", "expected '.' or '[', at character 2"],
    ["$.", "expected a name or '*', at character 3"],
    ["$..a", "descendants ('..') are not supported, at character 3"],
    ["$.1a", "expected a name or '*', at character 3"],
    ["$.a-b", "expected '.' or '[', at character 4"],
    ["$[", "expected a quoted name, an index from 0 or '*', at character 3"],
    ["$[-1]", "expected a quoted name, an index from 0 or '*', at character 3"],
    ["$[?@.a]", "expected a quoted name, an index from 0 or '*', at character 3"],
    ["$[01]", "expected an index without leading zeros, below 2^53, at character 3"],
    ["$[9007199254740992]", "expected an index without leading zeros, below 2^53, at character 3"],
    ["$[0:2]", "expected ']', at character 4"],
    ["$[0,1]", "expected ']', at character 4"],
    ["$['a'", "expected ']', at character 6"],
    ["$['a", "expected ' at the end of the name, at character 5"],
    ["$['\\x']", "expected an escape of RFC 9535, at character 4"],
    ["$['\\\"']", "expected an escape of RFC 9535, at character 4"],
    ["$['\\u12']", "expected four hexadecimal digits after '\\u', at character 4"],
    ["$.a ", "expected '.' or '[', at character 4"],
  ])("%s", (path, reason) => {
    expect(() => parsePath(path)).toThrow(TypeError);
    expect(() => parsePath(path)).toThrow(`path ${JSON.stringify(path)}: ${reason}`);
  });
});

test.each([
  [0, "[0]"],
  ["a", "['a']"],
  ["it's", "['it\\'s']"],
  ['"\\', `['"\\\\']`],
  ["\n\t\b\f\r\u0001\u001f", "['\\n\\t\\b\\f\\r\\u0001\\u001f']"],
  ["😀\u007f", "['😀\u007f']"],
])("the normalized step of %j is %s", (step, normalized) => {
  expect(normalizedStep(step)).toBe(normalized);
  expect(parsePath(`$${normalized}`)).toEqual([typeof step === "number" ? index(step) : name(step)]);
});
