// The strict readers on the composed cases and the recordings: they let nothing run that the others do not, and read what is
// sound as the others do.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { StreamEvent } from "unbraid";
import { answerOf, type Case, composedCases, recordings } from "./compare.ts";
import { excess, read, STRICT } from "../packages/unbraid/src/strict/strict.test-kit.ts";
import { wires } from "unbraid";

const cases = ["./cases/", "./cases-more/", "./cases-wires/", "./cases-text/"]
  .flatMap((folder) => composedCases(fileURLToPath(new URL(folder, import.meta.url))))
  .filter(({ protocol }) => STRICT.has(protocol));

function optionsOf({ tools, expected: { limits } }: Case): { tools?: Case["tools"] & {}; limits?: typeof limits & {} } {
  return { ...(tools === undefined ? {} : { tools }), ...(limits === undefined ? {} : { limits }) };
}

/** What does not depend on when a call is said to begin. */
function told(events: Iterable<StreamEvent>): unknown {
  const { calls, text, reasoning, refusal, parts, finish, rawFinish, error, usage, response } = answerOf(events);
  const counts = usage === null ? null : { ...usage, at: undefined };
  return {
    calls: calls.map((call) => ({ ...call, index: 0, id: call.madeId === true ? "" : call.id })),
    rest: { text, reasoning, refusal, parts, finish, rawFinish, error, counts, response },
  };
}

describe.each([...STRICT.keys()])("%s", (name) => {
  const own = cases.filter(({ protocol }) => protocol === name);

  test("lets nothing run that the others do not", () => {
    expect(own.length).toBeGreaterThan(2);
    for (const one of own) expect(excess(name, one.bytes, optionsOf(one)).excess, one.name).toEqual([]);
  });

  test("says the same however the bytes are cut", () => {
    const wire = STRICT.get(name);
    if (wire === undefined) throw new Error(name);
    for (const one of own) {
      const whole = read(wire, one.bytes, optionsOf(one), one.bytes.length);
      for (const size of one.bytes.length < 20_000 ? [1, 7, 1460] : [1460])
        expect(read(wire, one.bytes, optionsOf(one), size), one.name).toEqual(whole);
    }
  });
});

const corpus = fileURLToPath(new URL("../../shared/conformance/corpus/", import.meta.url));
const present = existsSync(corpus);
// eslint-disable-next-line no-console -- one loud line, so that nobody takes a skipped corpus for a passed one
if (!present) console.warn("SKIPPED: no recordings at ../shared/conformance/corpus for the strict readers.");

/** Bodies that are not of the wire as its vendor sends it over HTTP: sockets, other variants, dumps in another framing. */
const FOREIGN = /ws-|interactions|\.ndjson$/;

/** Recordings that break a rule of their wire, and the words for it. */
const REFUSED: Readonly<Record<string, string>> = {
  "openai-chat/simonw-llm--test-tools-streaming-test-tools-streaming-variant-a.r0.sse":
    "a second header under the key of a call",
  "openai-chat/simonw-llm--test-tools-streaming-test-tools-streaming-variant-c.r0.sse": "text that belongs to no frame",
  "openai-responses/vercel-ai--openai-client-tool-search.1.sse": "not those of one call",
};

/** Groq says `null` where a call has no arguments. A strict reader takes that for what it is in JSON. */
const NULLS =
  "openai-chat/0xplaygrounds-rig--groq-agent-tool-sessions-parallel-tool-calls-single-turn-streaming.r0.sse";

describe.skipIf(!present)("recordings", () => {
  const all = (present ? recordings(corpus) : []).filter(
    ({ protocol, name }) => STRICT.has(protocol) && (protocol === "ollama" || !FOREIGN.test(name)),
  );

  test("are there", () => expect(all.length).toBeGreaterThan(400));

  test.each(all)("$name", (one) => {
    const { protocol, bytes, name } = one;
    const wire = STRICT.get(protocol);
    if (wire === undefined || protocol === "text") throw new Error(protocol);
    const strict = read(wire, bytes);
    expect(excess(protocol, bytes).excess).toEqual([]);
    const refused = REFUSED[name];
    const { error } = answerOf(strict);
    expect(error?.code === "irregular").toBe(refused !== undefined);
    if (refused !== undefined) expect(error?.message).toContain(refused);
    else if (name === NULLS) expect(answerOf(strict).calls[0]?.problem?.code).toBe("not-an-object");
    else expect(told(strict)).toEqual(told(read(wires[protocol], bytes)));
  });
});
