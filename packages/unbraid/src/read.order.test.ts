// The async form keeps order and pace: events come as they are asked for, and the source is asked only then.

import { setTimeout as later } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { read, type Source, type StreamEvent } from "./index.ts";
import { bodies } from "./sdk/bodies.test-kit.ts";
import { listed } from "./sdk/events.test-kit.ts";
import { loopback, whole } from "./sdk/loopback.test-kit.ts";
import { noUnhandledRejections, within } from "./sdk/waiting.test-kit.ts";

const server = loopback();
noUnhandledRejections();

const { frames } = bodies["openai-chat"];

async function* slowly(): AsyncGenerator<string> {
  for (const frame of frames) {
    await later(1);
    yield frame;
  }
}

function streamOf(chunks: readonly string[]): ReadableStream<string> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await later(1);
      const chunk = chunks[at++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

/** Counts how many frames were taken from it. */
function counted(): { source: AsyncIterable<string>; taken: () => number } {
  let taken = 0;
  async function* generate(): AsyncGenerator<string> {
    for (const frame of frames) {
      taken++;
      yield frame;
    }
  }
  return { source: generate(), taken: () => taken };
}

describe("several next() at once", () => {
  const sources: Record<string, () => Source | PromiseLike<Source>> = {
    "one text": () => frames.join(""),
    "a list of frames": () => [...frames],
    "a slow generator": slowly,
    "a ReadableStream": () => new Response(frames.join("")).body ?? "",
    "a ReadableStream in pieces": () => streamOf(frames),
    "a fetch Response": () => fetch(server.at(whole(frames.join(""), { largest: 30 })).url),
  };

  test.each(Object.entries(sources))("over %s give every event once, in order", async (_, source) => {
    const expected = await listed(read(frames.join("")));
    for (const atOnce of [2, 3, expected.length + 3]) {
      const events = read(source());
      const got: StreamEvent[] = [];
      for (let done = false; !done;) {
        const results = await within(Promise.all(Array.from({ length: atOnce }, () => events.next())), "they came");
        for (const result of results) {
          if (result.done === true) done = true;
          else if (done) expect.fail("an event came after the end");
          else got.push(result.value);
        }
      }
      expect(got, `${atOnce} at once`).toEqual(expected);
    }
  });

  test("over a source that fails give one error", async () => {
    async function* source(): AsyncGenerator<string> {
      yield* frames.slice(0, 4);
      throw new Error("the cable was cut");
    }
    const events = read(source());
    const results = await within(Promise.all(Array.from({ length: 20 }, () => events.next())), "they came");
    const types = results.flatMap(({ value }) => (value === undefined ? [] : [value.type]));
    expect(types.filter((type) => type === "error")).toHaveLength(1);
    expect(types.at(-1)).toBe("finish");
  });
});

describe("the source", () => {
  test("is not touched before the first event is asked for", async () => {
    const { source, taken } = counted();
    read(source);
    await later(5);
    expect(taken()).toBe(0);
  });

  test("is never read ahead of the loop", async () => {
    const { source, taken } = counted();
    for await (const event of read(source)) {
      await later(1);
      // The last frame is the end marker: what is said at the end belongs to it.
      expect(taken()).toBe(event.at.frame + 1);
    }
  });

  test("is never read ahead of the loop, where it is a ReadableStream", async () => {
    let taken = 0;
    const source = new ReadableStream<string>(
      {
        pull(controller) {
          const frame = frames[taken++];
          if (frame === undefined) controller.close();
          else controller.enqueue(frame);
        },
      },
      { highWaterMark: 0 },
    );
    for await (const event of read(source)) {
      await later(1);
      expect(taken).toBe(event.at.frame + 1);
    }
  });

  test("keeps a server waiting that sends more than anybody reads", async () => {
    const megabyte = `: ${"x".repeat(1_000_000)}\n\n`;
    let sent = 0;
    const { url } = server.at(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(frames[0]);
      for (; sent < 64 && !response.destroyed; sent++) {
        if (!response.write(megabyte)) await new Promise((resolve) => response.once("drain", resolve));
      }
      response.end();
    });
    const events = read(await fetch(url));
    expect(await events.next()).toMatchObject({ value: { type: "response" } });
    await later(100);
    expect(sent).toBeLessThan(32);
    await events.return();
  });
});

test("nothing of a chunk is kept while a signal is listened to", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const chunks = 60_000;
  const text = `data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "a" } }] })}\n\n`;
  async function* source(): AsyncGenerator<string> {
    for (let sent = 0; sent < chunks; sent++) yield text;
  }
  let events = 0;
  let before = 0;
  let after = 0;
  for await (const _ of read(source(), { signal: new AbortController().signal })) {
    events++;
    if (events === 1_000) before = heap();
    if (events === chunks - 1_000) after = heap();
  }
  expect((after - before) / chunks).toBeLessThan(60);
});

test("every event comes as soon as its frame has", async () => {
  const { url } = server.at(async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) {
      response.write(frame);
      await later(25);
    }
    response.end();
  });
  const arrivals = new Map<number, number>();
  for await (const { at } of read(await fetch(url), { clock: () => performance.now() })) {
    if (!arrivals.has(at.frame)) arrivals.set(at.frame, at.time ?? Number.NaN);
  }
  const times = [...arrivals.values()];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(100);
});
