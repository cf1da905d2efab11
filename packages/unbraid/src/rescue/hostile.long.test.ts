// A megabyte of each text that is made to cost much.

import { describe, test } from "vitest";
import { checkLinear, HEADS, REPEATED } from "./hostile.test-checks.ts";

describe.each(HEADS)("behind %j", (head) => {
  test.each(REPEATED)("a megabyte of %j", (unit) => checkLinear(head, unit, 1_000_000));
});
