// Recordings of real responses, where they lie beside the repository. They are other people's data and not part of it.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { NoticeCode } from "unbraid";
import { answerOf, atRandom, differences, every, eventsOf, PROTOCOLS, recordings } from "./compare.ts";

const folder = fileURLToPath(new URL("../../shared/conformance/corpus/", import.meta.url));
const present = existsSync(folder);

/** Notices of what was repaired, dropped or guessed. On a sound stream there is none of them. */
const REPAIRS: ReadonlySet<NoticeCode> = new Set<NoticeCode>([
  "id-collision",
  "index-drift",
  "identity-guessed",
  "orphan-fragment",
  "late-fragment",
  "repeated-call",
  "late-header",
  "name-fragmented",
  "name-conflict",
  "name-normalised",
  "control-token-in-name",
  "placeholder-arguments",
  "repeated-arguments",
  "cumulative-arguments",
  "double-encoded",
  "control-token-after-arguments",
  "final-disagrees",
  "suffix-recovered",
  "malformed-arguments",
]);

/** Recordings of servers that break the wire, and the repairs that read them right. */
const BROKEN: Readonly<Record<string, readonly NoticeCode[]>> = {};

if (!present) {
  // eslint-disable-next-line no-console -- one loud line, so that nobody takes a skipped corpus for a passed one
  console.warn("SKIPPED: no recordings at ../shared/conformance/corpus; only the composed cases were read.");
}

describe.skipIf(!present)("recordings", () => {
  const all = present ? recordings(folder) : [];

  test("there are recordings of every protocol", () => {
    for (const protocol of PROTOCOLS)
      expect(all.filter((one) => one.protocol === protocol).length, protocol).toBeGreaterThan(4);
  });

  test.each(all)("$name", (one) => {
    const whole = eventsOf(one);
    const got = answerOf(whole);
    expect(differences(one, got, whole)).toEqual([]);
    expect(eventsOf(one, atRandom(one.bytes.length, one.bytes.length))).toEqual(whole);
    if (one.bytes.length < 20_000) expect(eventsOf(one, every(1, one.bytes.length))).toEqual(whole);
    const repairs = [...new Set(got.notices.map((notice) => notice.code).filter((code) => REPAIRS.has(code)))];
    expect(repairs).toEqual(BROKEN[one.name] ?? []);
  });
});
