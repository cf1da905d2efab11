// Several responses of one reader, side by side and one after another.

import { describe, expect, test } from "vitest";
import type { StreamEvent } from "../events.ts";
import { SessionAssembler } from "./session-assembler.ts";
import { type Limits, withDefaults } from "./limits.ts";

function make(limits: Partial<Limits> = {}): { readonly root: SessionAssembler; readonly events: StreamEvent[] } {
  const events: StreamEvent[] = [];
  return { root: new SessionAssembler((event) => events.push(event), withDefaults(limits), undefined), events };
}

const short = (events: readonly StreamEvent[]): string[] =>
  events.map((event) => {
    const what = "call" in event && typeof event.call === "object" ? ` ${event.call.key}` : "";
    return `${event.type}${what}${event.at.lane === undefined ? "" : ` @${event.at.lane}`}`;
  });

describe("lanes", () => {
  test("share nothing but the numbering: the same keys on two lanes are two calls", () => {
    const { root, events } = make();
    for (const lane of ["a", "b"]) root.lane(lane).open({ index: 0, id: "x", name: "f" });
    for (const lane of ["a", "b"]) root.lane(lane).append({ index: 0 }, `{"${lane}":1}`);
    for (const lane of ["b", "a"]) root.lane(lane).close({ index: 0 });
    for (const lane of ["b", "a"]) root.lane(lane).end("stop");
    expect(short(events)).toEqual([
      "call.start call-0 @a",
      "call.start call-1 @b",
      "call.append call-0 @a",
      "call.append call-1 @b",
      "call.close call-1 @b",
      "call.close call-0 @a",
      "notice @b",
      "finish @b",
      "notice @a",
      "finish @a",
    ]);
  });

  test("the first one asked for is the assembler itself, named or not; an absent name is a lane, too", () => {
    const { root } = make();
    expect(root.lane("a")).toBe(root);
    expect(root.lane("b")).not.toBe(root);
    expect(root.lane(undefined)).not.toBe(root);
    expect(root.lane(undefined)).toBe(root.lane("null"));
    expect(root.lane("b")).toBe(root.lane("b"));
  });

  test("are all closed where the body ends, each on its own", () => {
    const { root, events } = make();
    for (const lane of ["a", "b", undefined]) root.lane(lane).text("x");
    root.lane("b").end("stop");
    root.endOfBody();
    root.endOfBody();
    expect(short(events).filter((what) => what.startsWith("finish"))).toEqual(["finish @b", "finish", "finish @a"]);
    expect(root.anyOpen).toBe(false);
  });

  test("are all cancelled, and all stopped: one error, then silence", () => {
    const cancelled = make();
    for (const lane of ["a", "b"]) cancelled.root.lane(lane).text("x");
    cancelled.root.cancel();
    expect(cancelled.events.filter(({ type }) => type === "finish")).toMatchObject([
      { reason: "cancelled" },
      { reason: "cancelled" },
    ]);

    const stopped = make({ maxCalls: 1 });
    for (const lane of ["a", "b"]) stopped.root.lane(lane).text("x");
    for (const id of ["1", "2"]) stopped.root.lane("b").whole({ id, name: "f", args: "{}" });
    stopped.root.lane("a").text("more");
    stopped.root.lane("c").text("more");
    expect(short(stopped.events).filter((what) => /^(?:error|finish|text)/.test(what))).toEqual([
      "text @a",
      "text @b",
      "error @b",
      "finish @b",
      "finish @a",
    ]);
    expect(stopped.root.stopped).toBe(true);
  });
});

describe("one response after another", () => {
  test("begins only where one is over, and forgets ids and indexes, but not the count", () => {
    const { root, events } = make();
    root.whole({ index: 0, id: "x", name: "f", args: '{"a":1}' });
    root.begin();
    root.whole({ index: 1, id: "x", name: "f", args: '{"a":2}' });
    root.end("tool_calls");
    root.begin();
    root.whole({ index: 0, id: "x", name: "f", args: '{"a":2}' });
    root.end("tool_calls");
    const closed = events.flatMap((event) =>
      event.type === "call.close" ? [[event.call.key, event.call.index, event.call.id]] : [],
    );
    expect(closed).toEqual([
      ["call-0", 0, "x"],
      ["call-1", 1, expect.stringMatching(/^call_/)],
      ["call-2", 2, "x"],
    ]);
  });

  test("a call of an earlier one can be taken back by its id; one of the open response comes first", () => {
    const { root, events } = make();
    for (const args of ['{"a":1}', '{"a":2}']) {
      root.begin();
      root.whole({ id: "x", name: "f", args });
      root.end("tool_calls");
    }
    root.retract("cancelled", { id: "x" });
    root.begin();
    root.text("so");
    root.retract("cancelled", { id: "x" });
    root.retract("cancelled", { id: "never" });
    expect(events.flatMap((event) => (event.type === "call.retract" ? [event.argumentsText] : []))).toEqual([
      '{"a":2}',
      '{"a":1}',
    ]);
  });

  test("an end without a finish word needs none where the wire has none", () => {
    for (const [reason, finish] of [
      [null, "tool_calls"],
      ["tool_calls", "tool_calls"],
      ["cancelled", "cancelled"],
      ["stop", "tool_calls"],
    ] as const) {
      const { root, events } = make();
      root.whole({ id: "x", name: "f", args: '{"a":1}' });
      root.end(reason);
      expect(events.at(-1)).toMatchObject({ type: "finish", reason: finish, raw: null });
      expect(events.some((event) => event.type === "notice" && event.code === "finish-missing")).toBe(false);
    }
  });

  test("an error in passing ends nothing", () => {
    const { root, events } = make();
    root.open({ id: "x", name: "f", args: '{"a":1}' });
    root.error("c", "m", undefined, true);
    root.close({ id: "x" });
    root.end("tool_calls");
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool_calls" });
    expect(events).toContainEqual(expect.objectContaining({ type: "error", error: { code: "c", message: "m" } }));
  });

  test("a final text that is unsure closes nothing", () => {
    const { root, events } = make();
    root.final({ id: "x", name: "f", args: '{"a":1}' }, true);
    root.endOfBody();
    expect(events).toContainEqual(
      expect.objectContaining({ type: "call.close", call: expect.objectContaining({ status: "truncated" }) }),
    );
  });
});
