// Many broken bodies for the strict readers.

import { expect, test } from "vitest";
import { DRAWN } from "./drawn.test-kit.ts";
import { checkBroken, checkDrawn } from "./strict.test-checks.ts";
import { STRICT } from "./strict.test-kit.ts";

test.each([...STRICT.keys()].filter((name) => name !== "bedrock"))("%s", (name) => {
  const { allowed, refused } = checkBroken(name, 1000);
  expect(allowed).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(100);
});

test.each([...DRAWN.keys()])("%s, drawn at random", (name) => {
  const { allowed, refused } = checkDrawn(name, 60_000);
  expect(allowed).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(500);
});
