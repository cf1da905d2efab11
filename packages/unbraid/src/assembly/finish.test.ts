// How a response ended: the strongest word wins, and the presence of calls decides between stop and tool_calls.

import { describe, expect, test } from "vitest";
import type { FinishReason } from "../events.ts";
import { assemble, delta, end, finish } from "./assembling.test-kit.ts";
import { settleFinish, stronger } from "./finish.ts";

const order: readonly FinishReason[] = ["stop", "tool_calls", "content_filter", "length", "error"];
const call = delta(0, "a", "f", "{}");

describe("the strongest word wins", () => {
  test.each(order.flatMap((a, i) => order.slice(i).map((b) => [a, b] as const)))(
    "of %s and %s the second",
    (weak, strong) => {
      expect(stronger(weak, strong)).toBe(strong);
      expect(stronger(strong, weak)).toBe(strong);
    },
  );

  test("nothing is weaker than any word", () => {
    for (const word of order) expect([stronger(null, word), stronger(word, null)]).toEqual([word, word]);
    expect(stronger(null, null)).toBeNull();
  });

  test("the raw word is the first one", () => {
    expect(assemble([call, finish("stop", "stop"), finish("max_tokens", "length"), end])).toMatchObject({
      rawFinish: "stop",
      finish: "length",
      codes: ["finish-repeated"],
    });
  });

  test("the same word twice is one", () => {
    expect(assemble([call, finish("tool_calls", "tool_calls"), finish("tool_calls", "tool_calls")])).toMatchObject({
      finish: "tool_calls",
      rawFinish: "tool_calls",
    });
  });

  test("a word for each choice repeats nothing", () => {
    expect(assemble([call, finish("tool_calls", "tool_calls", 0), finish("stop", "stop", 1)]).codes).toEqual([]);
  });
});

describe("calls decide between stop and tool_calls", () => {
  test.each(["stop", "tool_calls", null] as const)("said %s", (said) => {
    expect(settleFinish(said, true, true)).toBe("tool_calls");
    expect(settleFinish(said, true, false)).toBe("stop");
  });

  test.each(["length", "content_filter", "error", "cancelled"] as const)("%s is never raised", (said) => {
    for (const ended of [true, false])
      for (const calls of [true, false]) expect(settleFinish(said, ended, calls)).toBe(said);
  });

  test("a server's own call is none of the client's", () => {
    const server = (sink: Parameters<typeof end>[0]): void =>
      sink.whole({ id: "s", name: "web_search", kind: "server", args: "{}" });
    expect(assemble([server, finish("stop", "stop")])).toMatchObject({ finish: "stop", codes: [] });
  });

  test("tool_calls without a call is noticed, and is a stop", () => {
    expect(assemble([finish("tool_calls", "tool_calls")])).toMatchObject({
      finish: "stop",
      rawFinish: "tool_calls",
      codes: ["finish-mismatch"],
    });
  });

  test("a call that was taken back does not count", () => {
    expect(assemble([call, (sink) => sink.retract("fallback"), finish("stop", "stop")])).toMatchObject({
      finish: "stop",
      calls: [],
    });
  });
});

describe("no word", () => {
  test("and no end: nothing is known", () => {
    expect(assemble([call])).toMatchObject({ finish: null, rawFinish: null, codes: ["unterminated-stream"] });
  });

  test("but a terminal signal: the calls tell, and it is noticed", () => {
    expect(assemble([call, end])).toMatchObject({ finish: "tool_calls", rawFinish: null, codes: ["finish-missing"] });
    expect(assemble([end])).toMatchObject({ finish: "stop", rawFinish: null });
  });

  test.each(["", " ", "null", "None"])("%j is no word", (raw) => {
    expect(assemble([call, finish(raw, null)])).toMatchObject({
      finish: null,
      rawFinish: null,
      calls: [{ status: "truncated" }],
    });
  });

  test("a word that nobody knows ends the response all the same, and the calls tell how", () => {
    expect(assemble([call, finish("new_word", null)])).toMatchObject({
      finish: "tool_calls",
      rawFinish: "new_word",
      calls: [{ status: "complete" }],
    });
    expect(assemble([finish("new_word", null)])).toMatchObject({ finish: "stop" });
  });
});

describe("errors", () => {
  test("outweigh every word, before and after it", () => {
    const failed = (sink: Parameters<typeof end>[0]): void => sink.error("busy", "Too busy", { a: 1 });
    expect(assemble([call, finish("stop", "stop"), failed])).toMatchObject({
      finish: "error",
      rawFinish: "stop",
      error: { code: "busy", message: "Too busy", raw: { a: 1 } },
    });
    expect(assemble([call, failed, finish("stop", "stop"), end])).toMatchObject({ finish: "error" });
    expect(assemble([failed])).toMatchObject({ finish: "error", rawFinish: null });
  });

  test("without a message get one", () => {
    expect(assemble([(sink) => sink.error({}, "", undefined)]).error).toMatchObject({
      code: null,
      message: expect.stringMatching(/./),
    });
  });
});

describe("after the end", () => {
  test("nothing more is said, whatever is told", () => {
    const { events } = assemble([
      call,
      end,
      end,
      finish("length", "length"),
      delta(1, "b", "f", "{}"),
      (sink): void => {
        sink.text("x");
        sink.reasoning("x");
        sink.part({});
        sink.usage({ a: 1 }, 1, 2);
        sink.error(1, "x", {});
        sink.response("r2", "m2");
        sink.open({ index: 2, id: "c", name: "g" });
        sink.append({ index: 0 }, "x");
        sink.close({ index: 0 });
        sink.final({ index: 0, args: "x" });
        sink.whole({ index: 3, id: "d", name: "g", args: "{}" });
        sink.list([{ index: 4, id: "e", name: "g", args: "{}" }]);
        sink.retract("fallback");
      },
    ]);
    expect(events.at(-1)?.type).toBe("finish");
  });
});
