// Every form in its exact spelling: what is written must be read back, however it is cut.

import { describe, expect, test } from "vitest";
import { FORMS } from "./forms.ts";
import { callsFor, checkCuts, checkPieces, checkTruncated, expectCalls } from "./forms.test-checks.ts";
import { ask } from "./rescue.test-kit.ts";
import { type Written, WRITERS } from "./writers.test-kit.ts";

test("every form has a writer", () => {
  expect(new Set(WRITERS.map(({ form }) => form))).toEqual(new Set(FORMS.map(({ name }) => name)));
});

describe.each(WRITERS.map((writer, i) => ({ name: `${writer.form} (${i})`, writer })))("$name", ({ writer }) => {
  const calls = callsFor(writer);
  const [first, ...others] = calls as [Written, ...Written[]];
  const lead = writer.wholeMessage ? "" : "So: ";

  test.each(calls)("one call: $args", (call) => {
    const got = ask(writer.write([call]));
    expectCalls(writer, [call], got);
    expect([got.text, got.reasoning]).toEqual(["", ""]);
  });

  if (!writer.single)
    test("several calls", () => {
      const got = ask(writer.write(calls));
      expectCalls(writer, calls, got);
      expect(got.text).toBe("");
    });

  if (!writer.wholeMessage)
    test("text before, between and behind", () => {
      const two = calls.slice(0, 2);
      const got = ask(
        `Let me look. ${two.map((call) => writer.write([call]).trimEnd()).join(" And then\n")}\n\nDone, a < b.`,
      );
      if (writer.id === undefined) expectCalls(writer, two, got);
      expect(got.text).toBe("Let me look.  And then\n\nDone, a < b.");
    });

  test("the same however it is cut", () => {
    for (const call of calls) checkPieces(lead + writer.write([call]));
    if (!writer.single) checkPieces(lead + writer.write(calls.slice(0, 4)));
    checkCuts(`${lead}${writer.write([first])}${writer.wholeMessage ? "" : "\nAfter."}`);
  });

  test("cut short, it is never a whole call, and markup does not become text", () => {
    checkTruncated(writer, first);
    checkTruncated(writer, others[0] as Written);
    checkTruncated(writer, calls.at(-1) as Written);
  });
});
