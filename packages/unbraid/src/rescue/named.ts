// A tool's name and then its arguments as one JSON document. Owns that reading, and the streaming of a JSON value whose
// end only the value itself tells.

import { JsonScanner } from "../json/scanner.ts";
import type { CallOut, NamedForm, ReadingContext, Verdict } from "./form.ts";
import { code, CUT, type Input, isSpace, MAX_SPACE, more, NO, oneOf, type Reading, space } from "./input.ts";
import type { Out } from "./json-writer.ts";
import { match, nothingFound } from "./pattern.ts";

/**
 * Reads one JSON value and gives it out as it comes, byte for byte.
 *
 * @returns `broken` where it is no JSON: the position is at the first character that does not fit.
 */
export function* readJson(input: Input, out: Out): Reading<"whole" | "cut" | "broken"> {
  const scanner = new JsonScanner();
  while (yield* more(input)) {
    const piece = input.text.slice(input.at);
    const before = scanner.length;
    if (scanner.feed(piece)) {
      if (scanner.state !== "closed") {
        out(piece);
        input.at += piece.length;
        continue;
      }
      return giveLast(input, piece, piece.length, out);
    }
    const { fault } = scanner;
    const end = (fault?.offset ?? before) - before;
    if (fault?.code === "trailing-text") return giveLast(input, piece, end, out);
    out(piece.slice(0, end));
    input.at += end;
    return "broken";
  }
  return scanner.canEnd ? "whole" : "cut";
}

/** Gives out a value's last piece without the white space behind it. */
function giveLast(input: Input, piece: string, end: number, out: Out): "whole" {
  let to = end;
  while (to > 0 && isSpace(piece.charCodeAt(to - 1))) to--;
  if (to > 0) out(piece.slice(0, to));
  input.at += to;
  return "whole";
}

/**
 * Gives out everything up to one of `ends`, as it stands: the rest of arguments that are broken.
 *
 * @param envelope White space and this many closing brackets before the end are the markup's and not given out.
 * @returns False where the text ended before.
 */
export function* spill(input: Input, ends: readonly string[], out: Out, envelope = ""): Reading<boolean> {
  const first = new Set(ends.map((end) => end.charAt(0)));
  let tail = "";
  const give = (text: string): void => {
    const all = tail + text;
    const to = envelope === "" ? all.length : endWithoutBrackets(all);
    tail = all.slice(to);
    if (to > 0) out(all.slice(0, to));
  };
  while (yield* more(input)) {
    const { text, at } = input;
    let to = at;
    while (to < text.length && !first.has(text.charAt(to))) to++;
    if (to > at) give(text.slice(at, to));
    input.at = to;
    if (to === text.length) continue;
    const end = yield* oneOf(input, ends, 0);
    if (end >= 0) {
      out(withoutEnvelope(tail, envelope));
      return true;
    }
    if (end === CUT) break;
    give(input.text.charAt(input.at));
    input.at++;
  }
  out(tail);
  return false;
}

/** Where the white space and closing brackets at the end of a text begin, as far as an envelope may reach. */
function endWithoutBrackets(text: string): number {
  let to = text.length;
  while (to > 0 && text.length - to < MAX_SPACE && /[\s}\]]/.test(text.charAt(to - 1))) to--;
  return to;
}

/** Takes the brackets of the envelope, last first, and the white space around them from the end of a text. */
function withoutEnvelope(tail: string, envelope: string): string {
  let text = tail;
  for (let i = envelope.length - 1; i >= 0; i--) {
    const trimmed = text.trimEnd();
    if (trimmed.endsWith(envelope.charAt(i))) text = trimmed.slice(0, -1);
  }
  return envelope === "" ? text : text.trimEnd();
}

/** Reads a whole argument document into an open call and closes it. */
export function* readArguments(
  input: Input,
  calls: CallOut,
  ends: readonly string[],
  out: Out = (json) => calls.append(json),
): Reading<Verdict> {
  const outcome = yield* readJson(input, out);
  if (outcome === "cut") {
    calls.cut();
    return "cut";
  }
  if (outcome === "broken" && !calls.mute) {
    if (!(yield* spill(input, ends, out))) {
      calls.cut();
      return "cut";
    }
  }
  if (outcome === "broken" && calls.mute) return "text";
  calls.close();
  return "done";
}

/** See the file's head. */
export function* readNamed({ input, calls }: ReadingContext, form: NamedForm): Reading<Verdict> {
  const found = nothingFound();
  const head = yield* match(input, form.head, found);
  if (head === NO) return "no";
  if (!found.nameEnded) return calls.mayBecomeTool(found.name) ? "cut" : "no";
  const tool = calls.tool(found.name);
  const id = form.names === "counted" && found.name !== tool?.name ? found.name : found.key || undefined;
  const start = head === CUT ? CUT : yield* space(input, 0);
  if (start === NO) return "no";
  const unit = start === CUT ? CUT : yield* code(input, start);
  if (unit === CUT) {
    // Without a token of its own, only the arguments show that this is no prose.
    if (form.last === true) return "cut";
    calls.open(tool, id);
    calls.cut();
    return "cut";
  }
  if (unit !== 0x7b && unit !== 0x22) {
    // <|tool_call_begin|>functions.roll_die:1<|tool_call_argument_begin|><|tool_call_end|>
    if (form.last === true || (yield* oneOf(input, form.closers, start)) < 0) return "no";
    calls.open(tool, id);
    calls.append("{}");
    calls.close();
    return "done";
  }
  calls.open(tool, id);
  input.at += start;
  return yield* readArguments(input, calls, form.closers);
}
