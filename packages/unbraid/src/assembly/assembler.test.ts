// What a protocol with sound keys says, and what comes of it: open, append, final, close, whole, retract. And the rest of
// the response. Untrusted keys are tested in identity.test.ts, closing in close.test.ts.

import { describe, expect, test } from "vitest";
import { assemble, delta, end, toolCalls } from "./assembling.test-kit.ts";
import type { SessionAssembler } from "./session-assembler.ts";
import type { CallDelta, CallKey } from "./sink.ts";

type Told = (sink: SessionAssembler) => void;
const oslo = '{"city":"Oslo"}';
const rome = '{"city":"Rome"}';
const open =
  (rest: CallDelta): Told =>
  (sink) =>
    sink.open(rest);
const append =
  (key: CallKey, text: unknown): Told =>
  (sink) =>
    sink.append(key, text);
const close =
  (rest: CallDelta): Told =>
  (sink) =>
    sink.close(rest);
const final =
  (rest: CallDelta): Told =>
  (sink) =>
    sink.final(rest);
const whole =
  (rest: CallDelta): Told =>
  (sink) =>
    sink.whole(rest);

describe("open, append, close", () => {
  test("by index, by item, by id, and without a key for the call opened last", () => {
    for (const key of [{ index: 0 }, { item: "i" }, { id: "a" }, {}]) {
      expect(
        assemble([open({ index: 0, item: "i", id: "a", name: "f" }), append(key, oslo), close(key)]),
      ).toMatchObject({ brief: [["a", "f", oslo, "complete"]], codes: ["unterminated-stream"] });
    }
  });

  test("two calls that are open side by side keep apart", () => {
    expect(
      assemble([
        open({ index: 0, id: "a", name: "f" }),
        open({ index: 1, id: "b", name: "g" }),
        append({ index: 1 }, rome.slice(0, 5)),
        append({ index: 0 }, oslo),
        append({ index: 1 }, rome.slice(5)),
        close({ index: 1 }),
        close({ index: 0 }),
        end,
      ]).brief,
    ).toEqual([
      ["a", "f", oslo, "complete"],
      ["b", "g", rome, "complete"],
    ]);
  });

  test("fragments before the header are kept, and given out with the start", () => {
    expect(
      assemble([
        append({ index: 0 }, '{"city"'),
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, ':"Oslo"}'),
        close({ index: 0 }),
      ]),
    ).toMatchObject({
      brief: [["a", "f", oslo, "complete"]],
      codes: expect.arrayContaining(["late-header"]),
    });
  });

  test("a header that comes twice opens one call", () => {
    expect(
      assemble([
        open({ index: 0, id: "a", name: "f" }),
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, oslo),
        close({ index: 0 }),
      ]).brief,
    ).toEqual([["a", "f", oslo, "complete"]]);
  });

  test("an index that names another call while the first is open: both are read, by their items", () => {
    const answer = assemble([
      open({ index: 0, item: "i", id: "a", name: "f" }),
      open({ index: 0, item: "j", id: "b", name: "g" }),
      append({ index: 0, item: "i" }, oslo),
      append({ index: 0, item: "j" }, rome),
      close({ index: 0, item: "i" }),
      close({ index: 0, item: "j" }),
    ]);
    expect(answer.brief).toEqual([
      ["a", "f", oslo, "complete"],
      ["b", "g", rome, "complete"],
    ]);
    expect(answer.codes).toContain("index-reused");
  });

  test("an index that names another call once the first is over is no irregularity of the calls", () => {
    expect(
      assemble([
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, oslo),
        close({ index: 0 }),
        open({ index: 0, id: "b", name: "f" }),
        append({ index: 0 }, rome),
        close({ index: 0 }),
      ]).brief,
    ).toEqual([
      ["a", "f", oslo, "complete"],
      ["b", "f", rome, "complete"],
    ]);
  });

  test("a whole call that comes again under its id and name is dropped, under another id it is another call", () => {
    const call = (index: number, id: string): Told[] => [
      open({ index, id, name: "f" }),
      append({ index }, oslo),
      close({ index }),
    ];
    expect(assemble([...call(0, "a"), ...call(1, "a"), end])).toMatchObject({
      brief: [["a", "f", oslo, "complete"]],
      dropped: [{ reason: "repeated-call", id: "a" }],
    });
    expect(assemble([...call(0, "a"), ...call(1, "b"), end]).brief).toHaveLength(2);
  });

  test("the same id with other arguments is a second call, with an id of its own", () => {
    const answer = assemble([
      open({ index: 0, id: "a", name: "f" }),
      append({ index: 0 }, oslo),
      close({ index: 0 }),
      open({ index: 1, id: "a", name: "f" }),
      append({ index: 1 }, rome),
      close({ index: 1 }),
      end,
    ]);
    expect(answer.brief).toEqual([
      ["a", "f", oslo, "complete"],
      [null, "f", rome, "complete"],
    ]);
    expect(answer.codes).toContain("id-collision");
  });

  test("the same id with another name is a second call, though the first is open", () => {
    expect(
      assemble([
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, oslo),
        open({ index: 1, id: "a", name: "g" }),
        append({ index: 1 }, rome),
        close({ index: 0 }),
        close({ index: 1 }),
        end,
      ]).brief,
    ).toEqual([
      ["a", "f", oslo, "complete"],
      [null, "g", rome, "complete"],
    ]);
  });

  test("numbers that only JSON.parse makes equal keep two calls apart", () => {
    const call = (index: number, text: string): Told[] => [
      open({ index, id: "a", name: "f" }),
      append({ index }, text),
      close({ index }),
    ];
    expect(
      assemble([...call(0, '{"id":9007199254740993}'), ...call(1, '{"id":9007199254740992}'), end]).brief,
    ).toHaveLength(2);
  });

  test("a fragment for a call that is over is dropped and noticed", () => {
    expect(
      assemble([
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, oslo),
        close({ index: 0 }),
        append({ index: 0 }, "more"),
      ]),
    ).toMatchObject({
      brief: [["a", "f", oslo, "complete"]],
      codes: expect.arrayContaining(["late-fragment"]),
      dropped: [{ reason: "late-fragment", argumentsText: "more" }],
    });
  });

  test("so is one under keys that cannot be trusted, and the call stays as it was closed", () => {
    const all: Told = (sink) => sink.list([{ index: 0, id: "a", name: "f", args: oslo }]);
    const restart: Told = (sink) => sink.retract("superseded-by-restart");
    const told = [delta(0, "a", "f", "{"), all, delta(0, undefined, undefined, "more")];
    expect(assemble([...told, toolCalls])).toMatchObject({
      brief: [["a", "f", oslo, "complete"]],
      dropped: [{ reason: "late-fragment", id: "a", argumentsText: "more" }],
    });
    expect(assemble([...told, restart]).dropped.at(-1)).toMatchObject({ argumentsText: oslo });
  });

  test.each<[string, Told[], unknown[]]>([
    [
      "the same name and no id is another call",
      [delta(0, undefined, "f", ""), delta(0, undefined, undefined, rome)],
      [
        ["a", "f", "{", "truncated"],
        [null, "f", rome, "complete"],
      ],
    ],
    [
      "a name that begins alike is another call",
      [delta(0, undefined, "f_all", rome)],
      [
        ["a", "f", "{", "truncated"],
        [null, "f_all", rome, "complete"],
      ],
    ],
    ["the same name and id comes again", [delta(0, "a", "f", "{")], [["a", "f", "{", "truncated"]]],
    ["the same name and a piece of text is late", [delta(0, undefined, "f", '"}')], [["a", "f", "{", "truncated"]]],
  ])("behind its end, a header with %s", (_, told, brief) => {
    const closed: Told[] = [
      delta(0, "a", "f", "{"),
      (sink: SessionAssembler): void => sink.list([{ id: "a", name: "f" }]),
    ];
    expect(assemble([...closed, ...told, toolCalls]).brief).toEqual(brief);
  });

  test("free text that goes on behind a final text which was shorter is given out from where it differs", () => {
    const text = (args: string): Told => append({ index: 0 }, args);
    const opened = open({ index: 0, id: "a", name: "f", kind: "custom", format: "text" });
    const told = [opened, text("select 1"), final({ index: 0, args: "select" }), text(" 1"), text(", 2")];
    expect(assemble([...told, close({ index: 0 })]).brief).toEqual([["a", "f", "select 1, 2", "complete"]]);
    expect(assemble([...told.slice(0, 3), text(" 2"), close({ index: 0 })])).toMatchObject({
      brief: [["a", "f", "select 2", "complete"]],
      events: expect.arrayContaining([expect.objectContaining({ type: "call.replace", text: "select 2" })]),
    });
  });

  test("text that is no string becomes its JSON", () => {
    expect(
      assemble([open({ index: 0, id: "a", name: "f" }), append({ index: 0 }, { city: "Oslo" }), close({ index: 0 })])
        .brief,
    ).toEqual([["a", "f", oslo, "complete"]]);
    expect(
      assemble([
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, null),
        append({ index: 0 }, undefined),
        append({ index: 0 }, ""),
        close({ index: 0 }),
        end,
      ]).brief,
    ).toEqual([["a", "f", "{}", "complete"]]);
  });
});

describe("a call that is over", () => {
  test("gets nothing more, however it was closed and whatever names it", () => {
    const closes: readonly Told[] = [
      (sink): void => sink.list([{ id: "a", name: "f", args: oslo }]),
      whole({ id: "a", name: "f", args: oslo }),
    ];
    for (const closing of closes) {
      for (const late of [
        delta(0, undefined, undefined, "x"),
        delta(undefined, undefined, undefined, "x"),
        delta(undefined, "a", undefined, "x"),
        delta(0, "a", "f", "x"),
      ]) {
        const { calls } = assemble([closing, late, toolCalls]);
        expect(calls[0]).toMatchObject({ id: "a", argumentsText: oslo, status: "complete" });
      }
    }
  });
});

describe("final", () => {
  test("is the vendor's word for the text, and the call may still be closed by another one", () => {
    expect(
      assemble([
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, "x"),
        final({ index: 0, args: oslo }),
        close({ index: 0, id: "a", name: "f", args: oslo }),
      ]).brief,
    ).toEqual([["a", "f", oslo, "complete"]]);
  });

  test("is a signal that the text is over", () => {
    expect(
      assemble([open({ index: 0, id: "a", name: "f" }), append({ index: 0 }, oslo), final({ index: 0, args: oslo })])
        .brief,
    ).toEqual([["a", "f", oslo, "complete"]]);
  });

  test("may bring the name", () => {
    expect(
      assemble([append({ index: 0 }, oslo), final({ index: 0, id: "a", name: "f", args: oslo }), end]),
    ).toMatchObject({ brief: [["a", "f", oslo, "complete"]], codes: expect.arrayContaining(["late-header"]) });
  });

  test("that differs from fragments which came before the name replaces them for whoever watches", () => {
    const { brief } = assemble([
      append({ index: 0 }, "gAAA"),
      final({ index: 0, args: oslo }),
      close({ index: 0, id: "a", name: "f", args: oslo }),
    ]);
    expect(brief).toEqual([["a", "f", oslo, "complete"]]);
  });

  test("may change the id, for it is the vendor's last word on the call", () => {
    const answer = assemble([
      open({ index: 0, id: "tmp", name: "f" }),
      append({ index: 0 }, oslo),
      close({ index: 0, id: "real", name: "f", args: oslo }),
    ]);
    expect(answer.brief).toEqual([["real", "f", oslo, "complete"]]);
    expect(answer.codes).toContain("id-changed");
  });

  test("an id that came late is taken, too", () => {
    const { brief } = assemble([
      delta(0, undefined, "f", '{"city"'),
      delta(0, "real", undefined, ':"Oslo"}'),
      delta(1, "real", "g", rome),
      toolCalls,
    ]);
    expect(brief).toEqual([
      ["real", "f", oslo, "complete"],
      [null, "g", rome, "complete"],
    ]);
  });

  test("an id that came so is taken: another call of that id gets one of its own", () => {
    const { brief } = assemble([
      open({ index: 0, id: "tmp", name: "f" }),
      append({ index: 0 }, oslo),
      close({ index: 0, id: "real", name: "f", args: oslo }),
      open({ index: 1, id: "real", name: "g" }),
      append({ index: 1 }, rome),
      close({ index: 1 }),
    ]);
    expect(brief).toEqual([
      ["real", "f", oslo, "complete"],
      [null, "g", rome, "complete"],
    ]);
  });
});

describe("whole", () => {
  test("starts, appends and closes in one frame", () => {
    const { events } = assemble([whole({ id: "a", name: "f", args: { city: "Oslo" } }), toolCalls]);
    expect(events.slice(0, 3).map((event) => [event.type, event.at.frame])).toEqual([
      ["call.start", 0],
      ["call.append", 0],
      ["call.close", 0],
    ]);
  });

  test("twice without ids is two calls", () => {
    expect(
      assemble([whole({ name: "f", args: oslo }), whole({ name: "f", args: oslo }), toolCalls]).brief,
    ).toHaveLength(2);
  });

  test("twice with one id is one, in whatever order its keys stand", () => {
    expect(
      assemble([
        whole({ id: "a", name: "f", args: { x: 1, y: 2 } }),
        whole({ id: "a", name: "f", args: { y: 2, x: 1 } }),
        toolCalls,
      ]).brief,
    ).toEqual([["a", "f", '{"x":1,"y":2}', "complete"]]);
  });

  test("with an empty object first is one call, whose arguments came later", () => {
    expect(
      assemble([whole({ id: "a", name: "f", args: {} }), whole({ id: "a", name: "f", args: { x: 1 } }), toolCalls])
        .brief,
    ).toEqual([["a", "f", '{"x":1}', "complete"]]);
  });
});

describe("retract", () => {
  test("takes back the calls so far, open and closed, and says which", () => {
    const answer = assemble([
      whole({ id: "a", name: "f", args: oslo }),
      open({ index: 1, id: "b", name: "g" }),
      append({ index: 1 }, "{"),
      (sink): void => sink.retract("fallback"),
      whole({ id: "c", name: "f", args: oslo }),
      toolCalls,
    ]);
    expect(answer.brief).toEqual([["c", "f", oslo, "complete"]]);
    expect(
      answer.events.flatMap((event) => (event.type === "call.retract" ? [[event.call.id, event.argumentsText]] : [])),
    ).toEqual([
      ["a", oslo],
      ["b", "{"],
    ]);
    expect(answer.dropped.map((dropped) => dropped.reason)).toEqual(["fallback", "fallback"]);
  });

  test("one call by its id", () => {
    expect(
      assemble([
        whole({ id: "a", name: "f", args: oslo }),
        whole({ id: "b", name: "f", args: oslo }),
        (sink): void => sink.retract("cancelled", { id: "a" }),
        toolCalls,
      ]).brief,
    ).toEqual([["b", "f", oslo, "complete"]]);
  });

  test("leaves its id free for the call that takes its place", () => {
    expect(
      assemble([
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, "{"),
        (sink): void => sink.retract("superseded-by-restart"),
        open({ index: 0, id: "a", name: "f" }),
        append({ index: 0 }, oslo),
        close({ index: 0 }),
        toolCalls,
      ]).brief,
    ).toEqual([["a", "f", oslo, "complete"]]);
  });

  test("says nothing of a call that had not started, and its fragments are not those of the next one", () => {
    const answer = assemble([
      delta(0, undefined, undefined, '{"x"'),
      (sink): void => sink.retract("fallback"),
      delta(0, "a", "f", oslo),
      toolCalls,
    ]);
    expect(answer.brief).toEqual([["a", "f", oslo, "complete"]]);
    expect(answer.events.some((event) => event.type === "call.retract")).toBe(false);
  });

  test("of nothing is nothing", () => {
    expect(
      assemble([
        (sink): void => sink.retract("cancelled", { id: "zz" }),
        (sink): void => sink.retract("fallback"),
        end,
      ]).events.map((event) => event.type),
    ).toEqual(["notice", "finish"]);
  });
});

describe("what is asked of it", () => {
  test("midCall is true while arguments have begun and are not whole", () => {
    const seen: boolean[] = [];
    const ask: Told = (sink) => seen.push(sink.midCall);
    assemble([
      ask,
      delta(0, "a", "f", ""),
      ask,
      delta(0, undefined, undefined, '{"x"'),
      ask,
      delta(0, undefined, undefined, ":1}"),
      ask,
      toolCalls,
    ]);
    expect(seen).toEqual([false, false, true, false]);
  });

  test("knows() is true for a call that is not over", () => {
    const seen: boolean[] = [];
    const ask: Told = (sink) => seen.push(sink.knows({ index: 0 }));
    assemble([
      ask,
      open({ index: 0, id: "a", name: "f" }),
      ask,
      append({ index: 0 }, oslo),
      ask,
      close({ index: 0 }),
      ask,
    ]);
    expect(seen).toEqual([false, true, true, false]);
  });
});

describe("echo", () => {
  test("fields are merged, and come with the close", () => {
    const [call] = assemble([
      open({ index: 0, id: "a", name: "f", echo: { a: 1, b: 1 } }),
      append({ index: 0 }, oslo),
      close({ index: 0, echo: { b: 2, c: 3 } }),
    ]).calls;
    expect(call?.echo).toEqual({ a: 1, b: 2, c: 3 });
  });

  test("__proto__ in it is a field like any other", () => {
    const [call] = assemble([
      whole({ id: "a", name: "f", args: oslo, echo: JSON.parse('{"__proto__":{"x":1}}') as Record<string, unknown> }),
    ]).calls;
    expect(Object.keys(call?.echo ?? {})).toEqual(["__proto__"]);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe("the rest of the response", () => {
  test("is said in order, and a start that waits is said before it", () => {
    const { events } = assemble([
      (sink): void => sink.response("r1", "m1"),
      (sink): void => sink.response("r2", "m2"),
      delta(0, "a", "f"),
      (sink): void => sink.text("x"),
      (sink): void => sink.reasoning("y", 1),
      (sink): void => sink.part({ p: 1 }),
      (sink): void => sink.usage({ u: 1 }, 3, 4),
      (sink): void => sink.text("no", 0, true),
      toolCalls,
    ]);
    expect(events.map((event) => event.type)).toEqual([
      "response",
      "call.start",
      "text",
      "reasoning",
      "part",
      "usage",
      "text",
      "call.append",
      "call.close",
      "finish",
    ]);
    expect(events[0]).toMatchObject({ id: "r1", model: "m1" });
    expect(events[5]).toMatchObject({ inputTokens: 3, outputTokens: 4, raw: { u: 1 } });
    expect(events[6]).toMatchObject({ refusal: true });
  });

  test("what is nothing is not said", () => {
    const { events } = assemble([
      (sink): void => sink.response(undefined, null),
      (sink): void => sink.response("", ""),
      (sink): void => sink.text(""),
      (sink): void => sink.text(null),
      (sink): void => sink.text({ a: 1 }),
      (sink): void => sink.reasoning(""),
      (sink): void => sink.usage(null),
      (sink): void => sink.usage("x"),
      end,
    ]);
    expect(events.map((event) => event.type)).toEqual(["notice", "finish"]);
  });

  test("the response's id stands on its calls", () => {
    expect(
      assemble([(sink): void => sink.response("r1"), delta(0, "a", "f", oslo), toolCalls]).calls[0]?.response,
    ).toBe("r1");
  });

  test("a notice says a thing once a call", () => {
    const again = delta(0, "a", "f", "x");
    const { notices } = assemble([delta(0, "a", "f", '{"x":"'), again, again, again, toolCalls]);
    expect(notices.filter((notice) => notice.code === "name-restated")).toHaveLength(1);
    expect(notices.find((notice) => notice.code === "name-restated")?.call).toBe("call-0");
  });
});

test("cancelled: what is open is truncated, and the finish says so", () => {
  expect(assemble([delta(0, "a", "f", oslo), (sink): void => sink.cancel()])).toMatchObject({
    finish: "cancelled",
    brief: [["a", "f", oslo, "truncated"]],
    error: null,
  });
});
