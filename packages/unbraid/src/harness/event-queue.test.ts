// Events of several sources, one after the other.

import { expect, test } from "vitest";
import { EventQueue } from "./event-queue.ts";

const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function all<Value>(
  events: AsyncGenerator<string, Value, undefined>,
): Promise<{ readonly seen: readonly string[]; readonly value: Value }> {
  const seen: string[] = [];
  for (;;) {
    const step = await events.next();
    if (step.done === true) return { seen, value: step.value };
    seen.push(step.value);
  }
}

test("gives what is there, what comes, and what the promise came to", async () => {
  const queue = new EventQueue<string>();
  queue.push("before");
  const work = (async () => {
    queue.push("at once");
    await later(2);
    queue.push("later");
    queue.push("and again");
    await later(2);
    queue.push("last");
    return 7;
  })();
  expect(await all(queue.until(work))).toEqual({
    seen: ["before", "at once", "later", "and again", "last"],
    value: 7,
  });
});

test("goes on with the next promise", async () => {
  const queue = new EventQueue<string>();
  expect(await all(queue.until(Promise.resolve(1)))).toEqual({ seen: [], value: 1 });
  queue.push("between");
  expect(await all(queue.until(Promise.resolve(2)))).toEqual({ seen: ["between"], value: 2 });
});

test("gives what came before a promise rejects", async () => {
  const queue = new EventQueue<string>();
  const failing = later(2).then(() => {
    queue.push("so far");
    throw new Error("no more");
  });
  const events = queue.until(failing);
  expect(await events.next()).toEqual({ done: false, value: "so far" });
  await expect(events.next()).rejects.toThrow("no more");
});

test("loses nothing while its reader is slow", async () => {
  const queue = new EventQueue<number>();
  const work = (async () => {
    for (let at = 0; at < 100; at++) {
      queue.push(at);
      if (at % 7 === 0) await later(0);
    }
  })();
  const seen: number[] = [];
  for await (const event of queue.until(work)) {
    seen.push(event);
    if (event % 11 === 0) await later(1);
  }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => at));
});
