// Many broken bodies for the strict readers.

import { expect, test } from "vitest";
import { checkBroken } from "./strict.test-checks.ts";
import { STRICT } from "./strict.test-kit.ts";

test.each([...STRICT.keys()].filter((name) => name !== "bedrock"))("%s", (name) => {
  const { allowed, refused } = checkBroken(name, 1000);
  expect(allowed).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(100);
});
