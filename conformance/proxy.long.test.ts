// As proxy.test.ts, with every recording where they are there, on every way.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordings } from "../bench/peers/cases.ts";
import { type Course, sdks, startCourse } from "../bench/proxy/through.ts";

const folder = fileURLToPath(new URL("../../shared/conformance/corpus", import.meta.url));
const cases = existsSync(folder) ? recordings(folder) : [];
let course: Course;

beforeAll(async () => (course = await startCourse()));
afterAll(() => course.close());

describe.each(sdks)("$name on recordings", ({ name, wire }) => {
  test.skipIf(cases.length === 0).each(["proxy", "held"] as const)("%s", async (way) => {
    const peer = sdks.find((each) => each.name === name);
    const failed: string[] = [];
    for (const each of cases.filter((one) => one.wire === wire)) {
      const { reason, detail } = await course.run(peer!, each, way);
      if (reason !== undefined) failed.push(`${each.id} ${reason}: ${detail ?? ""}`);
    }
    expect(failed).toEqual([]);
  });
});
