import { test } from "vitest";
import { checkBroken } from "./broken.test-checks.ts";

test("streams broken at random are mended or told", () => checkBroken(400, 1));
