import { test } from "vitest";
import { checkBroken } from "./broken.test-checks.ts";

test.each(Array.from({ length: 20 }, (_, at) => at + 2))("streams broken at random, seed %i", (seed) =>
  checkBroken(2000, seed),
);
