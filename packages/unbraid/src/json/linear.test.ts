// Cost is that of the new text: shown by counting, so that a slow machine cannot fail it.

import { describe, expect, test } from "vitest";
import { JsonScanner } from "./scanner.ts";
import { JsonValueBuilder } from "./value.ts";

const LONG = JSON.stringify({
  path: "a.md",
  content: 'line "one"\n'.repeat(20_000),
  tags: Array.from({ length: 5000 }, (_, at) => ({ at })),
});

describe("the scanner examines every character once", () => {
  test.each([1, 4, 16, 1000, LONG.length])("in fragments of %i", (size) => {
    const scanner = new JsonScanner();
    for (let at = 0; at < LONG.length; at += size) scanner.feed(LONG.slice(at, at + size));
    expect(scanner.state).toBe("closed");
    expect(scanner.scanned).toBe(LONG.length);
  });

  test("and once more for every undo", () => {
    const scanner = new JsonScanner();
    for (let at = 0; at < LONG.length; at += 8) {
      scanner.feed(LONG.slice(at, at + 8));
      scanner.undo();
      scanner.feed(LONG.slice(at, at + 8));
    }
    expect(scanner.scanned).toBe(2 * LONG.length);
  });

  test("and none behind a fault", () => {
    const scanner = new JsonScanner();
    scanner.feed("[}]]");
    for (let at = 0; at < 100; at++) scanner.feed(LONG);
    expect(scanner.scanned).toBe(2);
    expect(scanner.length).toBe(4 + 100 * LONG.length);
  });
});

test("a follower is told every character once, and never more than came", () => {
  const builder = new JsonValueBuilder();
  let told = 0;
  let calls = 0;
  builder.follow("$.content", (text) => {
    told += text.length;
    calls++;
  });
  let feeds = 0;
  for (let at = 0; at < LONG.length; at += 8, feeds++) {
    const before = told;
    builder.feed(LONG.slice(at, at + 8));
    expect(told - before).toBeLessThanOrEqual(8 + 1);
  }
  expect(told).toBe('line "one"\n'.length * 20_000);
  expect(calls).toBeLessThanOrEqual(feeds);
});

test("the value so far is the same objects, grown: nothing is built twice", () => {
  const builder = new JsonValueBuilder();
  builder.feed('{"list":[{"a":1}');
  const first = builder.value as { list: unknown[] };
  const element = first.list[0];
  for (let at = 0; at < 1000; at++) builder.feed(`,{"a":${at}}`);
  expect(builder.value).toBe(first);
  expect(first.list).toHaveLength(1001);
  expect(first.list[0]).toBe(element);
});
