// How a response ended, in a line or two. Owns the words for finish, usage and error.

import type { Collected } from "unbraid";
import { fit, wrap } from "../terminal/fit.ts";
import { counted, grouped, type Page } from "../terminal/page.ts";
import type { Style } from "../terminal/style.ts";
import { type CallsDocument, type DocumentError, holdsNothing } from "./document.ts";
import type { Tokens } from "./tally.ts";

/** What stands between the finish and the wire's own word. */
const WIRE_SAID = ' (the wire said "';

/** How the response ended, as a line of the report; or that there was none. */
export function finishLine(document: CallsDocument, page: Page): string {
  const { style, columns } = page;
  if (holdsNothing(document))
    return style.red(fit("no response of this wire is in it: is it the request, or another wire's?", columns()).text);
  return `${style.bold("finish")}  ${finishWords(document.finish, document.rawFinish, columns() - 8, style)}`;
}

/**
 * The normalised finish, and the wire's own word where it is another.
 *
 * @param room Columns for it.
 * @example
 * finishWords("tool_calls", "tool_use", 40, style); // 'tool_calls (the wire said "tool_use")'
 */
export function finishWords(finish: Collected["finish"], raw: string | null, room: number, style: Style): string {
  if (finish === null) return style.red(fit("no terminal signal: the stream was cut", room).text);
  const painted = finish === "tool_calls" || finish === "stop" ? style.green(finish) : style.red(finish);
  if (raw === null || raw === finish) return painted;
  const left = room - finish.length - WIRE_SAID.length - 2;
  if (left < 4) return painted;
  return `${painted}${style.dim(`${WIRE_SAID}${fit(raw, left).text}")`)}`;
}

/** Token counts in words; empty where the wire gave none. */
export function tokenWords({ input, output }: Tokens): string {
  const parts = [
    ...(input === undefined ? [] : [`${counted(input, "token")} in`]),
    ...(output === undefined ? [] : [`${input === undefined ? counted(output, "token") : grouped(output)} out`]),
  ];
  return parts.join(", ");
}

/** An error in words, in as many lines as it takes. */
export function errorLines(error: DocumentError, page: Page): string[] {
  const label = "error  ";
  const words = `${error.code === null ? "" : `${error.code}: `}${error.message}`;
  const room = page.columns() - label.length;
  return wrap(words.slice(0, 4 * room), room).map(
    (line, at) => (at === 0 ? page.style.red(label) : " ".repeat(label.length)) + line,
  );
}
