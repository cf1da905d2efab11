// Giving up a reading: the source is told once, nothing hangs, and nothing is thrown that nobody can catch.

import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { collect, read, type Source, type StreamEvent } from "./index.ts";
import { bodies } from "./sdk/bodies.test-kit.ts";
import { listed } from "./sdk/events.test-kit.ts";
import { loopback, unending } from "./sdk/loopback.test-kit.ts";
import { noUnhandledRejections, within } from "./sdk/waiting.test-kit.ts";

const server = loopback();
noUnhandledRejections();

const { frames, upToArguments } = bodies["openai-chat"];
const begun = frames.slice(0, upToArguments);
const never = new Promise<never>(() => {});

/** A source that gives the frames and then nothing, with what was done to it. */
interface Watched {
  readonly source: Source;
  readonly pulls: () => number;
  readonly cancels: () => number;
  readonly stuck?: true;
}

type Make = (given: readonly string[], ends: boolean) => Watched;

function stream(given: readonly string[], ends: boolean): Watched & { source: ReadableStream<string> } {
  let [pulls, cancels] = [0, 0];
  const source = new ReadableStream<string>(
    {
      pull(controller) {
        const frame = given[pulls++];
        if (frame !== undefined) return controller.enqueue(frame);
        return ends ? controller.close() : never;
      },
      cancel: () => void cancels++,
    },
    { highWaterMark: 0 },
  );
  return { source, pulls: () => pulls, cancels: () => cancels };
}

const makes: Record<string, Make> = {
  "a ReadableStream": stream,
  "a Response": (given, ends) => {
    const watched = stream(given, ends);
    return { ...watched, source: new Response(watched.source.pipeThrough(new TextEncoderStream())) };
  },
  "an async iterator": (given, ends) => {
    let [pulls, cancels] = [0, 0];
    const source: AsyncIterableIterator<string, undefined> = {
      [Symbol.asyncIterator]: () => source,
      async next() {
        const value = given[pulls++];
        if (value !== undefined) return { done: false, value };
        return ends ? { done: true, value: undefined } : never;
      },
      async return() {
        cancels++;
        return { done: true, value: undefined };
      },
    };
    return { source, pulls: () => pulls, cancels: () => cancels };
  },
  // A generator that waits cannot be ended from outside: its return() waits behind its next().
  "an async generator": (given, ends) => {
    let [pulls, cancels] = [0, 0];
    async function* generate(): AsyncGenerator<string> {
      try {
        for (const frame of given) {
          pulls++;
          yield frame;
        }
        pulls++;
        if (!ends) await never;
      } finally {
        cancels++;
      }
    }
    return { source: generate(), pulls: () => pulls, cancels: () => cancels, stuck: true };
  },
  "a Node stream": (given, ends) => {
    let [pulls, cancels] = [0, 0];
    const source = new Readable({
      highWaterMark: 1,
      read() {
        const frame = given[pulls++];
        if (frame !== undefined) this.push(frame);
        else if (ends) this.push(null);
      },
      destroy(error, done) {
        cancels++;
        done(error);
      },
    });
    return { source, pulls: () => pulls, cancels: () => cancels };
  },
};

const kinds = Object.entries(makes).map(([kind, make]) => ({ kind, make }));

async function first(events: AsyncIterable<StreamEvent>): Promise<StreamEvent | undefined> {
  for await (const event of events) return event;
  return undefined;
}

describe.each(kinds)("leaving the loop over $kind", ({ make }) => {
  test("by break, tells it once", async () => {
    const { source, cancels } = make(begun, false);
    const events = read(source);
    await within(
      (async () => {
        for await (const event of events) if (event.type === "call.start") break;
      })(),
      "the loop was left",
    );
    expect(cancels()).toBe(1);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await events.return();
    expect(cancels()).toBe(1);
  });

  test("by throw, tells it once and lets the error through", async () => {
    const { source, cancels } = make(begun, false);
    const leaving = (async () => {
      for await (const { type } of read(source)) if (type === "call.start") throw new Error("enough");
    })();
    await expect(within(leaving, "the loop was left")).rejects.toThrow("enough");
    expect(cancels()).toBe(1);
  });

  test("by return, tells it once", async () => {
    const { source, cancels } = make(begun, false);
    expect(await within(first(read(source)), "the loop was left")).toMatchObject({ type: "response" });
    expect(cancels()).toBe(1);
  });

  test("after its end, does not tell it again", async () => {
    const { source, cancels } = make(frames, true);
    const events = read(source);
    expect((await collect(events)).finish).toBe("tool_calls");
    const before = cancels();
    expect(before).toBeLessThanOrEqual(1);
    await events.return();
    expect(cancels()).toBe(before);
  });

  test("before it began, tells it too", async () => {
    const { source, cancels, stuck } = make(begun, false);
    const events = read(source);
    await within(events.return(), "the reading was left");
    // A generator that was never started has nothing to undo.
    expect(cancels()).toBe(stuck ? 0 : 1);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test("while it waits, ends the waiting too", async () => {
    const { source, cancels, stuck } = make(begun, false);
    const events = read(source);
    const waiting = (async () => {
      for (;;) if ((await events.next()).done === true) return "ended";
    })();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await within(events.return(), "the reading was left");
    expect(await within(waiting, "the waiting ended")).toBe("ended");
    if (!stuck) expect(cancels()).toBe(1);
  });
});

describe.each(kinds)("a signal over $kind", ({ make }) => {
  test("that was used before, reads nothing", async () => {
    const { source, cancels, stuck } = make(begun, false);
    const events = await within(listed(read(source, { signal: AbortSignal.abort() })), "the reading ended");
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "cancelled" });
    expect(events.some(({ type }) => type.startsWith("call"))).toBe(false);
    if (!stuck) expect(cancels()).toBe(1);
  });

  test("that is used between two events", async () => {
    const { source, cancels } = make(begun, false);
    const controller = new AbortController();
    const events: StreamEvent[] = [];
    const reading = (async () => {
      for await (const event of read(source, { signal: controller.signal })) {
        events.push(event);
        if (event.type === "call.append") controller.abort();
      }
    })();
    await within(reading, "the reading ended");
    expect(events.filter(({ type }) => type === "call.close")).toMatchObject([
      { call: { status: "truncated", argumentsText: '{"city":' } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "cancelled" });
    expect(cancels()).toBeLessThanOrEqual(1);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("that is used while it waits", async () => {
    const { source, cancels, stuck } = make(begun, false);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const events = await within(listed(read(source, { signal: controller.signal })), "the reading ended");
    expect(events.filter(({ type }) => type === "call.close")).toMatchObject([{ call: { status: "truncated" } }]);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "cancelled" });
    if (!stuck) expect(cancels()).toBe(1);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("that is used after the end, changes nothing and is not listened to", async () => {
    const controller = new AbortController();
    const events = read(make(frames, true).source, { signal: controller.signal });
    expect((await collect(events)).finish).toBe("tool_calls");
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    controller.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test("is let go of when the loop is left", async () => {
    const { signal } = new AbortController();
    await first(read(make(begun, false).source, { signal }));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("a source that is not there yet", () => {
  test("is not waited for after the signal", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const events = await within(listed(read(never, { signal: controller.signal })), "the reading ended");
    expect(events).toMatchObject([{ type: "finish", reason: "cancelled" }]);
  });

  test("is cancelled when it comes after the signal", async () => {
    const { source, cancels } = stream(begun, false);
    const controller = new AbortController();
    const later = new Promise<Source>((resolve) => setTimeout(() => resolve(source), 60));
    setTimeout(() => controller.abort(), 20);
    await within(listed(read(later, { signal: controller.signal })), "the reading ended");
    await later;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(cancels()).toBe(1);
  });

  test("that never comes, after the signal of its own fetch, is an event", async () => {
    const controller = new AbortController();
    const { url } = server.at(() => {});
    setTimeout(() => controller.abort(), 20);
    const events = await within(
      listed(read(fetch(url, { signal: controller.signal }), { signal: controller.signal })),
      "the reading ended",
    );
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "cancelled" });
  });
});

test.each(["the fetch alone", "both"])("a signal given to %s ends the reading", async (whom) => {
  const { url, left } = server.at(unending(begun.join("")));
  const controller = new AbortController();
  const { signal } = controller;
  const events: StreamEvent[] = [];
  const reading = (async () => {
    const response = await fetch(url, { signal });
    for await (const event of read(response, whom === "both" ? { signal } : {})) {
      events.push(event);
      if (event.type === "call.append") setTimeout(() => controller.abort(), 20);
    }
  })();
  await within(reading, "the reading ended");
  await within(left, "the server saw the client leave");
  // Where only the request was told, its failure is an error of the source.
  expect(events.at(-1)).toMatchObject({ type: "finish", reason: whom === "both" ? "cancelled" : "error" });
  expect(events.filter(({ type }) => type === "error")).toHaveLength(whom === "both" ? 0 : 1);
});

describe("a source that fails", () => {
  const failures: Record<string, (error: unknown) => Source | PromiseLike<Source>> = {
    async *"an async generator"(error) {
      yield* begun;
      throw error;
    },
    *"a generator"(error) {
      yield* begun;
      throw error;
    },
    "a ReadableStream": (error) => {
      let at = 0;
      return new ReadableStream({
        pull(controller) {
          const frame = begun[at++];
          if (frame === undefined) controller.error(error);
          else controller.enqueue(frame);
        },
      });
    },
    "a Node stream": (error) => {
      let at = 0;
      return new Readable({
        read() {
          const frame = begun[at++];
          if (frame === undefined) this.destroy(error as Error);
          else this.push(frame);
        },
      });
    },
  };

  test.each(Object.entries(failures))("%s: is an error event, then the finish", async (_, fail) => {
    for (const options of [{}, { signal: new AbortController().signal }]) {
      const events = await listed(read(fail(new Error("the cable was cut")), options));
      expect(events.filter(({ type }) => type === "error")).toMatchObject([
        { error: { code: "source", message: "the cable was cut" } },
      ]);
      expect(events.filter(({ type }) => type === "call.close")).toMatchObject([{ call: { status: "truncated" } }]);
      expect(events.at(-1)).toMatchObject({ type: "finish", reason: "error" });
    }
  });

  test.each([["a string"], [undefined], [null], [{ message: "a thing" }], [42]])(
    "with %o instead of an error",
    async (thrown) => {
      const events = await listed(read(failures["an async generator"]?.(thrown) ?? ""));
      expect(events.filter(({ type }) => type === "error")).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: "finish", reason: "error" });
      expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    },
  );

  test("before anything came: a promise that is rejected", async () => {
    const events = await listed(read(Promise.reject(new Error("no route"))));
    expect(events).toMatchObject([
      { type: "error", error: { message: "no route" } },
      { type: "finish", reason: "error" },
    ]);
  });

  test("after the response was whole, is passed over", async () => {
    async function* source(): AsyncGenerator<string> {
      yield* frames;
      await Promise.resolve();
      throw new Error("too late to matter");
    }
    expect(await collect(read(source()))).toMatchObject({ finish: "tool_calls", error: null });
  });

  test("while being cancelled, is let go of quietly", async () => {
    const refuses = new ReadableStream<string>({
      pull: (controller) => controller.enqueue(begun.join("")),
      cancel: () => Promise.reject(new Error("no")),
    });
    expect(await first(read(refuses))).toMatchObject({ type: "response" });
    async function* throws(): AsyncGenerator<string> {
      try {
        yield* begun;
      } finally {
        // eslint-disable-next-line no-unsafe-finally
        throw new Error("no");
      }
    }
    expect(await first(read(throws()))).toMatchObject({ type: "response" });
  });

  test("to answer when it is cancelled, holds nobody up", async () => {
    const deaf = new ReadableStream<string>({
      pull: (controller) => controller.enqueue(begun.join("")),
      cancel: () => never,
    });
    expect(await within(first(read(deaf)), "the loop was left")).toMatchObject({ type: "response" });
  });
});

test("leaving the loop over a fetch Response closes the connection", async () => {
  const { url, left } = server.at(unending(begun.join("")));
  await first(read(await fetch(url)));
  await within(left, "the server saw the client leave");
});

test("a second loop over the same reading gives nothing and does not hang", async () => {
  const events = read(frames);
  expect((await listed(events)).length).toBeGreaterThan(5);
  expect(await within(listed(events), "the second loop ended")).toEqual([]);
});
