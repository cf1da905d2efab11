// Checks of one form: what its writer writes must be read back, however it is cut. forms.test.ts runs them over some calls,
// forms.long.test.ts over all.

import { expect } from "vitest";
import { FORMS } from "./forms.ts";
import { answer, ask, piecesOf } from "./rescue.test-kit.ts";
import { AWKWARD, type Writer, type Written } from "./writers.test-kit.ts";

function closersOf(form: string): readonly string[] {
  const found = FORMS.find(({ name }) => name === form);
  if (found === undefined) throw new Error(`no form ${form}`);
  return [...found.closers, ...(found.kind === "tagged" ? [...found.valueEnd, ...found.callEnd] : [])];
}

/** Calls with awkward arguments, and some with the form's own closing markup in a string. */
export function callsFor(writer: Writer): readonly Written[] {
  const closing = closersOf(writer.form).map((closer) => ({
    name: "write_file",
    args: { path: "m", content: `ends with ${closer.replace("{key}", "content")} inside` },
  }));
  return [...AWKWARD, ...closing].filter(
    ({ args }) =>
      !(writer.cannotHold ?? []).some((word) => JSON.stringify(args).includes(JSON.stringify(word).slice(1, -1))),
  );
}

export function expectCalls(writer: Writer, calls: readonly Written[], got: ReturnType<typeof ask>): void {
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

/** The answer is the same in pieces of several lengths. */
export function checkPieces(body: string): void {
  const whole = ask(body);
  for (const length of [1, 2, 3, 7, 11]) expect(answer(piecesOf(body, length)).timeline).toEqual(whole.timeline);
}

/** The answer is the same wherever the text is cut in two. */
export function checkCuts(body: string): void {
  const whole = ask(body);
  for (let at = 1; at < body.length; at++)
    expect(answer([body.slice(0, at), body.slice(at)]).timeline).toEqual(whole.timeline);
}

/** Cut short anywhere, it is never a whole call, and markup does not become text. */
export function checkTruncated(writer: Writer, call: Written): void {
  const before = writer.wholeMessage ? "" : "First. ";
  const markup = writer.write([call]);
  const [of] = ask(before + markup).calls;
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
