// The words of the notices that assembly gives. Owns one sentence a code: where it is said, only what it is about is told.

import type { NoticeCode } from "../events.ts";

/** One sentence a code, without its stop: what it is about may follow. */
const SENTENCES: Partial<Record<NoticeCode, string>> = {
  // identity
  "id-missing": "The call came without an id and was given one",
  "id-late": "The call's id came after its start",
  "id-changed": "The call's id changed",
  "id-collision": "The call's id is that of another call, so it was given one",
  "index-reused": "The key of one call was given to another",
  "index-drift": "A fragment under an unknown key was given to the only open call",
  "identity-guessed": "A fragment was given to the call by a guess",
  "orphan-fragment": "Text that belongs to no call was dropped",
  "late-fragment": "Text that came after the call was over was dropped",
  "repeated-call": "The call came again, and the repeat was dropped",
  "superseded-by-restart": "The response began anew, and the call was taken back",
  fallback: "Another model took over, and the call was taken back",
  cancelled: "The call was cancelled and taken back",
  "late-header": "The call's name came after its text",
  // names
  "name-fragmented": "The call's name came in pieces",
  "name-restated": "The call's name came again",
  "name-conflict": "Another name came for the call",
  "name-normalised": "The name was read without its prefix or number",
  "control-token-in-name": "A control token was cut from the name",
  // argument text
  "arguments-not-string": "The arguments came as an object",
  "placeholder-arguments": "A placeholder for the arguments was dropped",
  "null-arguments": "The arguments were null, which means none",
  "repeated-arguments": "The arguments came again, and the repeat was dropped",
  "cumulative-arguments": "Each fragment restates the text before it",
  "double-encoded": "The arguments were a JSON string and were unwrapped",
  "control-token-after-arguments": "Control tokens after the arguments were dropped",
  "final-disagrees": "The final text is not what was streamed",
  "suffix-recovered": "The end of the arguments came only with the final text",
  "malformed-arguments": "The arguments are malformed",
  "lone-surrogate": "The arguments hold half a surrogate pair",
  // response
  "missing-close": "The call was not closed before the response was over",
  "snapshot-empty": "The final list is empty, and the calls stay",
  "finish-mismatch": "The finish word does not fit the calls",
  "finish-repeated": "Another finish word came",
  "finish-missing": "No finish word came",
  "data-after-finish": "Content came after the finish word",
  "unterminated-stream": "The body ended without a terminal signal",
  // against the declared tools
  "unknown-tool": "No such tool was declared",
  "missing-required-arguments": "Required arguments are missing",
};

/** Reasons of what was kept out that are not the notice's code. */
const REASONS: Partial<Record<NoticeCode, string>> = {
  "placeholder-arguments": "placeholder",
  "control-token-after-arguments": "control-token",
};

/** The sentence of a notice, and what it is about. */
export function sentenceOf(code: NoticeCode, about?: string): string {
  const sentence = SENTENCES[code] ?? code;
  return about === undefined ? `${sentence}.` : `${sentence}: ${about}`;
}

/** Why something was kept out, in one word. */
export function reasonOf(code: NoticeCode): string {
  return REASONS[code] ?? code;
}
