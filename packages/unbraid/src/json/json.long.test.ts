// The property tests at length: `vitest run --mode long`. UNBRAID_LONG_TEXTS sets the number of texts, UNBRAID_LONG_SEED
// the first seed.

import { env, stdout } from "node:process";
import { expect, test } from "vitest";
import { checkFault, checkFollow, checkPrefixes, checkText, checkUndo } from "./json.test-checks.ts";
import { mutated, native, pick, randomFrom, validText } from "./json.test-support.ts";

test("millions of texts against JSON.parse", () => {
  const texts = Number(env["UNBRAID_LONG_TEXTS"] ?? 3_000_000);
  const first = Number(env["UNBRAID_LONG_SEED"] ?? 1);
  const counts = { texts: 0, valid: 0, invalid: 0, prefixes: 0, faults: 0, undone: 0, followed: 0 };
  for (let seed = first; counts.texts < texts; seed++) {
    const random = randomFrom(seed);
    const valid = validText(random, pick(random, [0, 1, 2, 3, 4]));
    const text = seed % 3 === 0 ? valid : mutated(random, valid);
    checkText(text, random);
    counts.texts++;
    counts[native(text) === undefined ? "invalid" : "valid"]++;
    if (seed % 32 === 0) {
      checkPrefixes(valid);
      counts.prefixes += valid.length;
      checkUndo(text, mutated(random, valid), random);
      counts.undone++;
    }
    if (seed % 4 === 2) {
      checkFollow(text, random);
      counts.followed++;
    }
    if (seed % 32 === 1) {
      checkFault(text);
      counts.faults++;
    }
  }
  stdout.write(`${JSON.stringify(counts)}\n`);
  expect(counts.texts).toBe(texts);
});
