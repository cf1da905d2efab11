// OpenRouter's `reasoning_details`, which come in pieces and go back whole. Owns their putting together.

import { wellFormed } from "./content.ts";
type Detail = Readonly<Record<string, unknown>>;

/** Fields whose pieces are put together. */
const TEXTS = ["text", "summary"];

/**
 * The details that parts of an answer hold, in order. Pieces of one text are joined; what else a later piece says of it
 * (its signature comes last) is kept.
 */
export function reasoningDetails(parts: readonly Readonly<Record<string, unknown>>[]): readonly Detail[] {
  const groups: Detail[][] = [];
  for (const part of parts) {
    if (!Array.isArray(part["reasoning_details"])) continue;
    for (const detail of part["reasoning_details"] as readonly unknown[]) {
      if (typeof detail !== "object" || detail === null) continue;
      const last = groups.at(-1);
      if (last !== undefined && continues(detail as Detail, last[0] ?? {})) last.push(detail as Detail);
      else groups.push([detail as Detail]);
    }
  }
  return groups.map(joined);
}

function continues(detail: Detail, first: Detail): boolean {
  // Encrypted data is never cut.
  if (
    detail["type"] !== first["type"] ||
    !TEXTS.some((name) => typeof detail[name] === "string" || typeof first[name] === "string")
  )
    return false;
  const ids = [detail["id"], first["id"]].filter((id) => typeof id === "string");
  return detail["index"] === first["index"] && (ids.length < 2 || ids[0] === ids[1]);
}

function joined(group: readonly Detail[]): Detail {
  const whole: Record<string, unknown> = {};
  for (const detail of group) {
    for (const [name, value] of Object.entries(detail)) {
      if (value !== null && value !== undefined && !TEXTS.includes(name)) whole[name] = value;
    }
  }
  for (const name of TEXTS) {
    const texts = group.map((detail) => detail[name]).filter((text) => typeof text === "string");
    if (texts.length > 0) whole[name] = wellFormed(texts.join(""));
  }
  return whole;
}
