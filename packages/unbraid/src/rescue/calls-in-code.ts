// Calls that are written like code: a name and arguments in brackets, one call or a list. Owns that reading; the
// notations of values are in literal.ts.

import type { CallOut, LiteralForm, ReadingContext, Verdict } from "./form.ts";
import { code, CUT, type Input, NO, type Reading, space } from "./input.ts";
import { KEYWORDS, MEMBERS, readLiteral } from "./literal.ts";
import { spill } from "./named.ts";
import { match, NAME, nothingFound, SPACE, type Step } from "./pattern.ts";

const NEXT: readonly Step[] = [SPACE, { maybe: [","] }, SPACE, NAME, SPACE, "("];

/** See the file's head. */
export function* readCallsInCode({ input, calls }: ReadingContext, form: LiteralForm): Reading<Verdict> {
  for (let count = 0; ; count++) {
    const found = nothingFound();
    const head = yield* match(input, count === 0 ? form.head : NEXT, found);
    if (head === NO) return count === 0 ? "no" : yield* endOfList(input);
    if (!found.nameEnded) {
      if (count > 0) return found.name === "" ? "done" : "cut";
      return calls.mayBecomeTool(found.name) ? "cut" : "no";
    }
    const tool = calls.tool(found.name);
    if (head === CUT) {
      if (form.last === true) return "cut";
      calls.open(tool);
      calls.cut();
      return "cut";
    }
    calls.open(tool);
    const verdict = yield* readArguments(input, calls, form);
    if (verdict !== "done" || form.list !== true) return verdict;
  }
}

function* readArguments(input: Input, calls: CallOut, form: LiteralForm): Reading<Verdict> {
  const { notation } = form;
  const out = (json: string): void => calls.append(json);
  const outcome = yield* readLiteral(input, notation, out, notation.python ? KEYWORDS : MEMBERS);
  if (outcome === "wrong") {
    if (calls.mute || form.last === true) return "text";
    if (yield* spill(input, form.closers, out)) {
      calls.close();
      return "done";
    }
  } else if (outcome === "whole") {
    calls.close();
    return "done";
  }
  calls.cut();
  return "cut";
}

/** Consumes the bracket that ends a list. */
function* endOfList(input: Input): Reading<Verdict> {
  const at = yield* space(input, 0);
  if (at >= 0 && (yield* code(input, at)) === 0x5d) input.at += at + 1;
  return "done";
}
