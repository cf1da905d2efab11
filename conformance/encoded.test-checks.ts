// The cases, and the recordings where they lie beside the repository, written for every wire and read back: what the events
// of a body say must come through. encoded.test.ts takes recordings one way to the wires that stream calls,
// encoded.long.test.ts every way to all.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  expectBack,
  expectWholeBack,
  firstResponse,
  WAYS,
} from "../packages/unbraid/src/encode/round-trip.test-kit.ts";
import { composedCases, eventsOf, recordings, type Case } from "./compare.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const FOLDERS = ["cases", "cases-more", "cases-text", "cases-wires"];
const corpus = at("../../shared/conformance/corpus/");

/** Through every wire: as the events of another vendor, held, and whole. */
function throughAll(one: Case): void {
  const events = firstResponse(eventsOf(one));
  const from = one.protocol;
  for (const [, wire, make] of WAYS) {
    expectBack(events, make, { wire, from }, one.bytes.length);
    expectBack(events, make, { wire, from, hold: true }, one.bytes.length);
    expectWholeBack(events, { wire, from });
  }
}

/** Once, to each wire that streams calls. */
function throughStreams(one: Case): void {
  const events = firstResponse(eventsOf(one));
  for (const [, wire, make] of WAYS.slice(0, 3))
    expectBack(events, make, { wire, from: one.protocol }, one.bytes.length);
}

/** Declares the tests. */
export function checkEncoded(thorough: boolean): void {
  const composed = FOLDERS.flatMap((folder) => composedCases(at(`./${folder}/`)));
  const recorded = existsSync(corpus) ? recordings(corpus) : [];

  test("there are cases", () => expect(composed.length).toBeGreaterThan(300));

  describe("composed cases come back from every wire", () => {
    test.each(composed)("$name", throughAll);
  });

  describe("recordings come back", () => {
    if (recorded.length === 0) test.skip("SKIPPED: no recordings at ../shared/conformance/corpus");
    test.each(recorded)("$name", thorough ? throughAll : throughStreams);
  });
}
