// Every form in its exact spelling: what is written must be read back, however it is cut.

import { describe, expect, test } from "vitest";
import { FORMS } from "./forms.ts";
import { answer, ask, piecesOf } from "./rescue.test-kit.ts";
import { AWKWARD, type Writer, WRITERS, type Written } from "./writers.test-kit.ts";

function closersOf(form: string): readonly string[] {
  const found = FORMS.find(({ name }) => name === form);
  if (found === undefined) throw new Error(`no form ${form}`);
  return [...found.closers, ...(found.kind === "tagged" ? [...found.valueEnd, ...found.callEnd] : [])];
}

/** Calls with awkward arguments, and some with the form's own closing markup in a string. */
function callsFor(writer: Writer): readonly Written[] {
  const closing = closersOf(writer.form).map((closer) => ({
    name: "write_file",
    args: { path: "m", content: `ends with ${closer.replace("{key}", "content")} inside` },
  }));
  return [...AWKWARD, ...closing].filter(
    ({ args }) =>
      !(writer.cannotHold ?? []).some((word) => JSON.stringify(args).includes(JSON.stringify(word).slice(1, -1))),
  );
}

function expectCalls(writer: Writer, calls: readonly Written[], got: ReturnType<typeof ask>): void {
  const text = (args: Written["args"]): string => writer.argumentsText?.(args) ?? JSON.stringify(args);
  expect(got.calls.map(({ name, argumentsText, status }) => ({ name, argumentsText, status }))).toEqual(
    calls.map(({ name, args }) => ({ name, argumentsText: text(args), status: "complete" })),
  );
  expect(got.calls.map((call) => call.arguments)).toEqual(calls.map(({ args }) => args));
  if (writer.id !== undefined)
    expect(got.calls.map(({ id }) => id)).toEqual(calls.map((call, i) => writer.id?.(call, i)));
  expect(got.finish).toBe("tool_calls");
  expect(got.notices.filter(({ code }) => code === "rescued-call")).toHaveLength(calls.length);
}

test("every form has a writer", () => {
  expect(new Set(WRITERS.map(({ form }) => form))).toEqual(new Set(FORMS.map(({ name }) => name)));
});

describe.each(WRITERS.map((writer, i) => ({ name: `${writer.form} (${i})`, writer })))("$name", ({ writer }) => {
  const calls = callsFor(writer);

  test("one call", () => {
    for (const call of calls) {
      const body = writer.write([call]);
      const got = ask(body);
      expectCalls(writer, [call], got);
      expect(got.text, body).toBe("");
      expect(got.reasoning).toBe("");
    }
  });

  test("several calls", () => {
    if (writer.single) return;
    const got = ask(writer.write(calls));
    expectCalls(writer, calls, got);
    expect(got.text).toBe("");
  });

  test("text before, between and behind", () => {
    if (writer.wholeMessage) return;
    const two = calls.slice(0, 2);
    const got = ask(
      `Let me look. ${two.map((call) => writer.write([call]).trimEnd()).join(" And then\n")}\n\nDone, a < b.`,
    );
    if (writer.id === undefined) expectCalls(writer, two, got);
    expect(got.text).toBe("Let me look.  And then\n\nDone, a < b.");
  });

  test("the same however it is cut", () => {
    for (const call of writer.single ? calls : [...calls, undefined]) {
      const body = `${writer.wholeMessage ? "" : "So: "}${writer.write(call === undefined ? calls.slice(0, 4) : [call])}`;
      const whole = ask(body);
      for (const length of [1, 2, 3, 7, 11]) expect(answer(piecesOf(body, length)).timeline).toEqual(whole.timeline);
    }
    const body = `${writer.wholeMessage ? "" : "So: "}${writer.write([calls[0] as Written])}${writer.wholeMessage ? "" : "\nAfter."}`;
    const whole = ask(body);
    for (let at = 1; at < body.length; at++)
      expect(answer([body.slice(0, at), body.slice(at)]).timeline).toEqual(whole.timeline);
  });

  test("cut short, it is never a whole call, and markup does not become text", () => {
    for (const call of calls) {
      const before = writer.wholeMessage ? "" : "First. ";
      const markup = writer.write([call]);
      const full = ask(before + markup);
      const [of] = full.calls;
      // From here on it is certain what this is.
      const named = before.length + markup.indexOf(call.name) + call.name.length;
      for (let at = 0; at < before.length + markup.length; at++) {
        const got = ask((before + markup).slice(0, at), { finish: "length" });
        expect(got.calls.length).toBeLessThanOrEqual(1);
        const [cut] = got.calls;
        if (cut?.status === "complete") {
          expect(cut.argumentsText).toBe(of?.argumentsText);
          expect(at).toBeGreaterThanOrEqual(named);
        } else if (cut !== undefined) {
          expect(cut.status).toBe("truncated");
          expect(cut.name).toBe(call.name);
          // Where the text is cut inside a character, its half is written as an escape.
          const text = cut.argumentsText.replace(/\\ud[89ab]..$/, "");
          expect(of?.argumentsText.slice(0, text.length)).toBe(text);
        }
        if (at > named + 20) expect([got.text, got.calls.length], markup.slice(0, at)).toEqual([before, 1]);
        expect((before + markup).startsWith(got.text)).toBe(true);
      }
    }
  });
});
