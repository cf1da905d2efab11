// Waiting with an end, and promises that nobody caught. Owns what a test about hanging needs so that it does not hang.

import { afterAll, beforeAll, expect } from "vitest";

const LONG = 3_000;

/** The promise's value, or a failure that says what did not happen. */
export async function within<T>(promise: PromiseLike<T>, what: string, milliseconds = LONG): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not happen in ${milliseconds} ms: ${what}`)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Fails the file when one of its tests leaves a rejection that nobody caught. */
export function noUnhandledRejections(): void {
  const seen: unknown[] = [];
  const listener = (reason: unknown): void => void seen.push(reason);
  beforeAll(() => void process.on("unhandledRejection", listener));
  afterAll(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off("unhandledRejection", listener);
    expect(seen, "rejections that nobody caught").toEqual([]);
  });
}
