// The same events as an independent parser finds, on bodies that keep to the standard.

import { encode, encodeComment } from "eventsource-encoder";
import { createParser } from "eventsource-parser";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, everyByte, framesOf } from "./framing.test-kit.ts";

const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
/** A field's value: anything but line ends. */
const value = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.json({ maxDepth: 1 }),
    fc.constantFrom("", " ", " x", ":", "[DONE]"),
  )
  .map((text) => text.replaceAll(/[\n\r]/g, ""));
const name = fc.constantFrom(
  "data",
  "data",
  "data",
  "event",
  "id",
  "retry",
  "",
  "other",
  "x-y",
  "dat",
  "datas",
  "Data",
);
const field = fc.tuple(name, fc.constantFrom(":", ": ", ":  "), value).map((parts) => parts.join(""));
const line = fc.oneof(
  { weight: 6, arbitrary: field },
  { weight: 4, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.constantFrom("data", "event", "id", "other") },
);

/** Bodies that keep to the standard, with one kind of line end or all. */
const body = fc
  .tuple(
    fc.boolean(),
    fc.oneof(
      lineEnd.map((end) => [end]),
      fc.constant(["\n", "\r", "\r\n"]),
    ),
    fc.array(fc.tuple(line, fc.nat(2)), { maxLength: 30 }),
  )
  .map(([mark, ends, lines]) =>
    bytesOf(mark ? "\uFEFF" : "", ...lines.map(([text, end]) => `${text}${ends[end % ends.length] ?? ""}`)),
  );

interface Event {
  readonly data: string;
  readonly event: string | undefined;
}

function parsed(wire: Uint8Array): Event[] {
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ data, event }) => events.push({ data, event }) });
  // The parser holds back a CR at the end, which may be half a line end; this lets it go and adds no event.
  parser.feed(new TextDecoder("utf-8", { ignoreBOM: true }).decode(wire));
  parser.feed(": end");
  return events;
}

function framed(wire: Uint8Array, cuts?: number[]): Event[] {
  return framesOf(wire, { framing: "sse" }, cuts)
    .filter((frame) => frame.terminated && frame.fault === undefined)
    .map(({ data, event }) => ({ data, event }));
}

test("as eventsource-parser, whole and a byte at a time", () => {
  fc.assert(
    fc.property(body, (wire) => {
      const expected = parsed(wire);
      expect(framed(wire)).toEqual(expected);
      expect(framed(wire, everyByte(wire))).toEqual(expected);
    }),
    { numRuns: 5000 },
  );
});

test("as eventsource-encoder wrote them", () => {
  const message = fc.record(
    {
      data: fc.string({ unit: "binary", maxLength: 30 }),
      event: fc.stringMatching(/^[a-z._]{1,12}$/),
      id: fc.stringMatching(/^[0-9]{1,4}$/),
      retry: fc.nat(1000),
    },
    { requiredKeys: ["data"] },
  );
  const item = fc.oneof(
    { weight: 4, arbitrary: message },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-z ]{0,9}$/) },
  );
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), (items) => {
      const wire = bytesOf(...items.map((one) => (typeof one === "string" ? encodeComment(one) : encode(one))));
      const messages = items.filter((one) => typeof one !== "string");
      expect(framed(wire)).toEqual(
        // A line end inside data comes back as LF.
        messages.map(({ data, event }) => ({ data: data.replaceAll(/\r\n?/g, "\n"), event })),
      );
    }),
    { numRuns: 2000 },
  );
});
