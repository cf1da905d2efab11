// Every form with every call, cut in two and cut short at every character.

import { describe, test } from "vitest";
import { callsFor, checkCuts, checkTruncated } from "./forms.test-checks.ts";
import { WRITERS } from "./writers.test-kit.ts";

describe.each(WRITERS.map((writer, i) => ({ name: `${writer.form} (${i})`, writer })))("$name", ({ writer }) => {
  const lead = writer.wholeMessage ? "" : "So: ";

  test.each(callsFor(writer))("cut in two: $args", (call) => checkCuts(lead + writer.write([call])));

  test.skipIf(writer.single)("several calls, cut in two", () => checkCuts(lead + writer.write(callsFor(writer))));

  test.each(callsFor(writer))("cut short: $args", (call) => checkTruncated(writer, call));
});
