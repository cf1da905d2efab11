import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { JsonValueBuilder } from "unbraid/json";
import { Outline, type OutlineNode } from "./outline.ts";

/** The value so far as the outline shows it, to be compared with what the library builds. */
function valueOf(outline: Outline, text: string): unknown {
  const nodes = Array.from(
    { length: outline.countAt(text.length) },
    (_, at) => outline.node(at, text.length) as OutlineNode,
  );
  const values: unknown[] = [];
  for (const node of nodes) {
    const value = one(node, text);
    values.push(value);
    const parent = values[node.parent];
    if (value === undefined || parent === undefined) continue;
    if (Array.isArray(parent)) parent.push(value);
    else if (node.key !== undefined)
      Object.defineProperty(parent, JSON.parse(text.slice(...node.key)) as string, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return values[0];
}

function one({ kind, start, end }: OutlineNode, text: string): unknown {
  const open = end === Number.POSITIVE_INFINITY;
  switch (kind) {
    case "object":
      return {};
    case "array":
      return [];
    case "string":
      return open ? undefined : JSON.parse(text.slice(start, end));
    default:
      return open ? undefined : JSON.parse(text.slice(start, end));
  }
}

/** What the library builds, without strings that have not ended: they stand in the tree as far as they have come. */
function closedOnly(text: string): unknown {
  const builder = new JsonValueBuilder();
  builder.feed(text);
  return builder.value;
}

describe("Outline", () => {
  test.prop([fc.jsonValue({ maxDepth: 5 }), fc.array(fc.nat(400), { maxLength: 6 })])(
    "has the value of any JSON text, however it is cut",
    (value, cuts) => {
      const text = JSON.stringify(value, undefined, cuts.length % 3);
      const outline = new Outline();
      let from = 0;
      for (const cut of cuts.toSorted((a, b) => a - b)) {
        outline.feed(text.slice(from, cut));
        from = Math.max(from, Math.min(cut, text.length));
      }
      outline.feed(`${text.slice(from)} `);
      expect(valueOf(outline, `${text} `)).toEqual(JSON.parse(JSON.stringify(value)));
    },
  );

  it("has at each moment what the library has, a string that grows aside", () => {
    const text = '{"a": [1, {"b": "x\\"y"}, true], "c\\u00e9": null, "d": -1.5e3, "e": {}}';
    const outline = new Outline();
    outline.feed(text);
    for (let length = 0; length <= text.length; length++) {
      const nodes = Array.from({ length: outline.countAt(length) }, (_, at) => outline.node(at, length) as OutlineNode);
      if (nodes.some(({ kind, end }) => kind === "string" && end === Number.POSITIVE_INFINITY)) continue;
      expect(valueOf(outline, text.slice(0, length)), text.slice(0, length)).toEqual(closedOnly(text.slice(0, length)));
    }
  });

  it("tells where a node stands", () => {
    const text = '{"a":[true,"x"]}';
    const outline = new Outline();
    outline.feed(text);
    expect(outline.node(3, text.length)).toEqual({
      kind: "string",
      start: 11,
      end: 14,
      parent: 1,
      depth: 2,
      key: undefined,
      index: 1,
    });
    expect(outline.node(1, 8)).toMatchObject({ kind: "array", end: Number.POSITIVE_INFINITY, key: [1, 4] });
    expect(outline.node(4, text.length)).toBeUndefined();
  });

  it.each([
    ["a second value", '{"a":1}{"b":2}', 2],
    ["what is no JSON", "<html>", 0],
    ["a raw line break in a string", '{"a":"x\ny","b":1}', 2],
    ["a bracket too many", "]]1", 0],
  ])("stops at %s", (_, text, count) => {
    const outline = new Outline();
    outline.feed(text);
    expect(outline.length).toBe(count);
  });

  it("costs what a fragment costs: many small fragments are no dearer than one", () => {
    const outline = new Outline();
    for (let at = 0; at < 200_000; at++) outline.feed(at === 0 ? "[" : "1,");
    expect(outline.length).toBe(200_000);
  });
});
