// The text and the reasoning of an answer, each in one: for wires whose message has a field for each and no order between
// them. Owns the joining.

import type { Answer } from "./answer.ts";
import { wellFormed } from "./content.ts";

/** The text of an answer; with `refusal` only what the vendor marked as one, with false only the rest. */
export function plainText({ items }: Answer, refusal?: boolean): string {
  const texts = items.flatMap((item) =>
    item.type === "text" && (refusal === undefined || (item.refusal === true) === refusal) ? [item.text] : [],
  );
  return wellFormed(texts.join(""));
}

/** The reasoning of an answer that came under a name; under none where it is absent. */
export function plainReasoning({ items }: Answer, field?: string): string {
  const texts = items.flatMap((item) => (item.type === "reasoning" && item.field === field ? [item.text] : []));
  return wellFormed(texts.join(""));
}
