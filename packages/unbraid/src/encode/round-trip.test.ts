// What the wires' own bodies come to, written for every wire and read back.

import { describe, test } from "vitest";
import type { StreamEvent } from "../events.ts";
import { protocols } from "../protocols/index.ts";
import type { ProtocolName } from "../protocols/protocol.ts";
import { eventsOf } from "../protocols/reading.test-kit.ts";
import { fixturesOf } from "../protocols/suite.test-suite.ts";
import { expectBack, expectWholeBack, firstResponse, WAYS } from "./round-trip.test-kit.ts";

const FROM = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const satisfies readonly ProtocolName[];

const bodies = FROM.flatMap((from) =>
  [...fixturesOf(from)].map(([name, bytes]) => ({ name: `${from}/${name}`, from, bytes })),
);

describe.each(WAYS)("%s", (_, wire, make) => {
  test.each(bodies)("$name", ({ from, bytes }) => {
    const events: readonly StreamEvent[] = firstResponse(eventsOf(protocols[from], [bytes]));
    expectBack(events, make, { wire, from });
    expectBack(events, make, { wire, from, hold: true });
    expectBack(events, make, { wire });
    expectWholeBack(events, { wire, from });
  });
});
