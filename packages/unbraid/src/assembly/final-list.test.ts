// The response's own final list: it may add and confirm, it may not remove, and it gives no second id .

import { describe, expect, test } from "vitest";
import { assemble, delta, toolCalls } from "./assembling.test-kit.ts";
import type { SessionAssembler } from "./session-assembler.ts";
import type { CallDelta } from "./sink.ts";

const oslo = '{"city":"Oslo"}';
const rome = '{"city":"Rome"}';
const open =
  (index: number, id: string, name = "f", item?: string): ((sink: SessionAssembler) => void) =>
  (sink) =>
    sink.open({ index, id, name, ...(item === undefined ? {} : { item }) });
const append =
  (index: number, text: string): ((sink: SessionAssembler) => void) =>
  (sink) =>
    sink.append({ index }, text);
const close =
  (index: number): ((sink: SessionAssembler) => void) =>
  (sink) =>
    sink.close({ index });
const list =
  (...items: CallDelta[]): ((sink: SessionAssembler) => void) =>
  (sink) =>
    sink.list(items);
const closed = [open(0, "a"), append(0, oslo), close(0)];

describe("an item that restates a closed call", () => {
  test.each<[string, CallDelta]>([
    ["by its id", { id: "a", name: "f", args: oslo }],
    ["by its place", { index: 0, name: "f", args: oslo }],
    ["by its order, name and arguments", { name: "f", args: oslo }],
    ["in other spelling", { id: "a", name: "f", args: ' { "city" : "Oslo" } ' }],
    ["as an object", { id: "a", name: "f", args: { city: "Oslo" } }],
    ["without arguments", { id: "a", name: "f", args: "" }],
  ])("%s: nothing new, nothing to notice", (_, item) => {
    expect(assemble([...closed, list(item), toolCalls])).toMatchObject({
      brief: [["a", "f", oslo, "complete"]],
      codes: [],
      dropped: [],
    });
  });

  test("under another id: dropped, the first id stays", () => {
    expect(assemble([...closed, list({ index: 0, id: "z", name: "f", args: oslo }), toolCalls])).toMatchObject({
      brief: [["a", "f", oslo, "complete"]],
      dropped: [{ reason: "repeated-call", id: "z", argumentsText: oslo }],
      codes: ["repeated-call"],
    });
  });

  test("with other arguments: noticed, and what was closed stays", () => {
    expect(assemble([...closed, list({ index: 0, id: "a", name: "f", args: rome }), toolCalls])).toMatchObject({
      brief: [["a", "f", oslo, "complete"]],
      dropped: [{ reason: "final-disagrees", argumentsText: rome }],
    });
  });
});

describe("an item that restates an open call is its last word", () => {
  test("and closes it", () => {
    expect(assemble([open(0, "a"), append(0, oslo), list({ index: 0, id: "a", name: "f", args: oslo })])).toMatchObject(
      { brief: [["a", "f", oslo, "complete"]] },
    );
  });

  test("and completes its text", () => {
    expect(
      assemble([open(0, "a"), append(0, '{"city"'), list({ index: 0, id: "a", name: "f", args: oslo })]),
    ).toMatchObject({ brief: [["a", "f", oslo, "complete"]], codes: expect.arrayContaining(["suffix-recovered"]) });
  });

  test("and does not change its id", () => {
    expect(assemble([open(0, "a"), append(0, oslo), list({ index: 0, id: "z", name: "f", args: oslo })]).brief).toEqual(
      [["a", "f", oslo, "complete"]],
    );
  });
});

describe("an item that was not seen before", () => {
  test("is a call", () => {
    expect(assemble([list({ id: "a", name: "f", args: oslo }, { id: "b", name: "f", args: oslo })]).brief).toEqual([
      ["a", "f", oslo, "complete"],
      ["b", "f", oslo, "complete"],
    ]);
    expect(
      assemble([
        ...closed,
        list({ index: 0, id: "a", name: "f", args: oslo }, { index: 1, id: "b", name: "g", args: rome }),
      ]).brief,
    ).toEqual([
      ["a", "f", oslo, "complete"],
      ["b", "g", rome, "complete"],
    ]);
  });

  test("is one even where it equals another, for each item matches one call", () => {
    expect(
      assemble([...closed, list({ id: "a", name: "f", args: oslo }, { id: "b", name: "f", args: oslo })]).brief,
    ).toHaveLength(2);
    expect(
      assemble([delta(0, undefined, "f", oslo), list({ name: "f", args: oslo }, { name: "f", args: oslo })]).brief,
    ).toHaveLength(2);
  });

  test("takes no other call's place by its name alone", () => {
    expect(assemble([...closed, list({ name: "g", args: oslo })]).brief).toEqual([
      ["a", "f", oslo, "complete"],
      [null, "g", oslo, "complete"],
    ]);
  });
});

test("a list that is empty, or shorter, takes nothing away", () => {
  const two = [...closed, open(1, "b"), append(1, rome), close(1)];
  for (const items of [[], [{ index: 1, id: "b", name: "f", args: rome }]]) {
    expect(assemble([...two, list(...items), toolCalls]).brief).toEqual([
      ["a", "f", oslo, "complete"],
      ["b", "f", rome, "complete"],
    ]);
  }
});

test("a list in another order restates the same calls", () => {
  const two = [open(0, "a", "f", "i0"), append(0, oslo), close(0), open(1, "b", "g", "i1"), append(1, rome), close(1)];
  expect(
    assemble([
      ...two,
      list(
        { index: 0, item: "i1", id: "b", name: "g", args: rome },
        { index: 1, item: "i0", id: "a", name: "f", args: oslo },
      ),
      toolCalls,
    ]),
  ).toMatchObject({
    brief: [
      ["a", "f", oslo, "complete"],
      ["b", "g", rome, "complete"],
    ],
    codes: [],
  });
});

describe("items of one list", () => {
  test("under one id with other arguments are calls of their own", () => {
    expect(
      assemble([list({ id: "a", name: "f", args: oslo }, { id: "a", name: "g", args: rome }), toolCalls]),
    ).toMatchObject({
      brief: [
        ["a", "f", oslo, "complete"],
        [null, "g", rome, "complete"],
      ],
      codes: ["id-collision"],
    });
  });

  test("that repeat each other are one", () => {
    const item = { id: "a", name: "f", args: oslo };
    expect(assemble([list(item, item), toolCalls]).brief).toEqual([["a", "f", oslo, "complete"]]);
  });
});
