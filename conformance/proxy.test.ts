// The vendors' own SDKs behind the proxy: every composed body, served raw by an upstream, must come out of each SDK as it is
// right. Straight from the upstream many of them throw, lose or corrupt calls; `npm run score:proxy` counts both.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Case, composedCases } from "../bench/peers/cases.ts";
import { type Course, sdks, startCourse } from "../bench/proxy/through.ts";

const SEVERAL = "several choices: these SDKs look at the first of each chunk";
const LATE = "the id comes after the call has been sent";
const BACK = "the stream takes back what it had streamed";
const MALFORMED = "the SDK parses while it reads and throws at a malformed call; held ones come as what it can parse";

/** What no proxy that passes calls as they come makes good, and why. */
const BEYOND: Readonly<Record<string, string>> = {
  C014: SEVERAL,
  C017: LATE,
  C063: BACK,
  C164: MALFORMED,
  C165: MALFORMED,
  H066: BACK,
  H073: LATE,
  H160: MALFORMED,
};

/** What is beyond a proxy that holds calls too. */
const BEYOND_HELD: Readonly<Record<string, string>> = {
  C014: SEVERAL,
  H160: "a tool that takes anything is run with what it cannot understand",
};

const cases = composedCases(fileURLToPath(new URL("cases", import.meta.url)));
let course: Course;

beforeAll(async () => (course = await startCourse()));
afterAll(() => course.close());

async function wrong(name: string, way: "proxy" | "held", of: readonly Case[]): Promise<string[]> {
  const peer = sdks.find((each) => each.name === name);
  const failed: string[] = [];
  for (const each of of) {
    const { reason, detail } = await course.run(peer!, each, way);
    if (reason !== undefined) failed.push(`${each.id} ${reason}: ${detail ?? ""}`);
  }
  return failed;
}

describe.each(sdks)("$name", ({ name, wire }) => {
  const own = cases.filter((each) => each.wire === wire);

  test("gets every call right behind the proxy", { timeout: 60_000 }, async () => {
    expect(own.length).toBeGreaterThan(9);
    const failed = await wrong(
      name,
      "proxy",
      own.filter(({ id }) => BEYOND[id] === undefined),
    );
    expect(failed).toEqual([]);
  });

  test("and what is beyond that, where calls are held", async () => {
    const failed = await wrong(
      name,
      "held",
      own.filter(({ id }) => BEYOND[id] !== undefined && BEYOND_HELD[id] === undefined),
    );
    expect(failed).toEqual([]);
  });
});
