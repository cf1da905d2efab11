// The words of the notices that assembly gives. Owns one sentence a code: where it is said, only what it is about is told.
// Those of the rules for broken wires are beside these rules.

import type { NoticeCode } from "../events.ts";

/** One sentence a code, without its stop: what it is about may follow. A code that has none is its own sentence. */
export type Sentences = Readonly<Partial<Record<NoticeCode, string>>>;

/** Of a sound wire: what the response and its calls lack. */
export const SENTENCES: Sentences = {
  "malformed-arguments": "The arguments are malformed",
  "finish-mismatch": "The finish word does not fit the calls",
  "finish-repeated": "Another finish word came",
  "finish-missing": "No finish word came",
  "data-after-finish": "Content came after the finish word",
  "unterminated-stream": "The body ended without a terminal signal",
  "unknown-tool": "No such tool was declared",
  "missing-required-arguments": "Required arguments are missing",
  "id-missing": "The call came without an id and was given one",
};
