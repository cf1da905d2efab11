// Frames whose text is no JSON because a server put several messages into one, or dressed a comment as data. Owns the
// ways to take them apart. Meant for frames that `JSON.parse` refused: sound ones never come here.

import { LF } from "./bytes.ts";
import { Outline, beginsBracket, codeUnits } from "./outline.ts";

/** The word that ends the streams of OpenAI and many others. */
export const DONE = "[DONE]";

/** The value of a JSON text; undefined where it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Whether a frame's text is an SSE comment that a relay wrapped as data. No JSON text begins so.
 *
 *     data: : OPENROUTER PROCESSING
 *           ^
 *
 * @example
 * isDisguisedComment(": OPENROUTER PROCESSING"); // true
 */
export function isDisguisedComment(data: string): boolean {
  return data.trimStart().startsWith(":");
}

/**
 * Takes apart the text of a frame that is no JSON, where it holds more than one message: documents one after another,
 * also across lines (events that lacked the blank line between them); a `[DONE]` behind a document; `data:` in the middle
 * of a line or once too often; a document that was cut short before the next one began.
 *
 *     {"a":1}data: {"b":2}         {"a":"cu\n{"error":{}}         {"a":1}[DONE]
 *            ^^^^^^                        ^^                            ^
 *
 * @param data - the frame's text
 * @returns the pieces in order: JSON texts, `[DONE]`, and what is neither. Nothing but white space, commas between
 *   documents and `data:` before them is left out. Undefined where the text is a single piece. Time is linear.
 *
 * @example
 * splitGlued('{"a":1}data: {"b":2}[DONE]'); // ['{"a":1}', '{"b":2}', "[DONE]"]
 * splitGlued('{"a":"cu'); // undefined
 */
export function splitGlued(data: string): string[] | undefined {
  let pieces = topLevel(data);
  if (!pieces.every(isMessage)) pieces = byLines(data);
  if (pieces.length === 0 || (pieces.length === 1 && pieces[0] === data.trim())) return undefined;
  return pieces;
}

/** Whether a piece is something that a reader understands. */
function isMessage(piece: string): boolean {
  return piece === DONE || (beginsBracket(piece) && parse(piece) !== undefined);
}

/** Each line by itself; lines side by side that hold no message are one piece. */
function byLines(data: string): string[] {
  const pieces: string[] = [];
  let grows = false;
  for (const line of data.split("\n")) {
    const parts = bySeams(line);
    const messages = parts.some(isMessage);
    if (messages) pieces.push(...parts);
    else pieces.push(grows ? `${pieces.pop()}\n${line}` : line);
    grows = !messages;
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");
}

/**
 * The pieces of one line. Where its values do not all end, it is also cut at each `data:` that stands before an object,
 * and before a `[DONE]` at its end. A quote inside a JSON string is escaped, so that `{"` after `data:` is never the text
 * of a model that speaks about SSE.
 */
function bySeams(line: string): string[] {
  const pieces = topLevel(line);
  if (pieces.every(isMessage)) return pieces;
  return line.split(/data: ?(?=\{["}])/).flatMap((part) => {
    const found = topLevel(part);
    const last = found.pop() ?? "";
    return last.endsWith(DONE) ? [...found, last.slice(0, -DONE.length), DONE] : [...found, last];
  });
}

/** The values that stand one after another, by their brackets, and the words between them, a line's words one piece. */
function topLevel(text: string): string[] {
  const units = codeUnits(text);
  const outline = new Outline();
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    const opens = beginsBracket(text, at);
    let end = at + 1;
    if (text.startsWith(DONE, at)) end = at + DONE.length;
    else if (opens) end = outline.read(units, at, text.length);
    else while (end < text.length && units[end] !== LF && !beginsBracket(text, end)) end++;
    // A value that does not end goes on to the text's end.
    if (end < 0) end = text.length;
    const piece = text.slice(at, end).trim();
    const said = opens ? piece : piece.replace(/^data:/, "").trim();
    // `stop":{"reason":1}}` is the end of a message: what it holds is none.
    if (opens && pieces.at(-1)?.endsWith('":') === true) pieces.push(`${pieces.pop()}${said}`);
    else if (said !== "" && said !== ",") pieces.push(said);
    at = end;
  }
  return pieces;
}
