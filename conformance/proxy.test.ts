// The vendors' own SDKs behind the proxy: every composed body, served raw by an upstream, must come out of each SDK as it is
// right. Straight from the upstream many of them throw, lose or corrupt calls; `npm run score:proxy` counts both.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Case, composedCases } from "../bench/peers/cases.ts";
import { type Course, sdks, startCourse } from "../bench/proxy/through.ts";

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

  test.each(["proxy", "held"] as const)("gets every call right: %s", { timeout: 60_000 }, async (way) => {
    expect(own.length).toBeGreaterThan(9);
    expect(await wrong(name, way, own)).toEqual([]);
  });
});
