// Ids and names that one wire allows and another does not. Owns the mapping, which needs no memory: what was written
// for one vendor is read back from the written word itself. Knows no vendor.

import { idSeed, makeId } from "../assembly/make-id.ts";

/** What an id or a name may be. */
export interface IdentifierRule {
  /** The characters that may stand in it, and where: tested on the whole. */
  readonly pattern: RegExp;
  /** Most UTF-16 units. */
  readonly max: number;
}

/** What the ids and the names of one wire may be. */
export interface IdentifierRules {
  readonly ids: IdentifierRule;
  readonly names: IdentifierRule;
}

/** Anything that is not empty. */
export const ANY_IDENTIFIER: IdentifierRule = { pattern: /^[^]+$/, max: Infinity };

/** What ids and names may be, by wire. */
export const IDENTIFIER_RULES: Readonly<
  Record<"openai-chat" | "openai-responses" | "anthropic" | "gemini" | "ollama", IdentifierRules>
> = {
  "openai-chat": { ids: ANY_IDENTIFIER, names: { pattern: /^[A-Za-z0-9_-]+$/, max: 64 } },
  // A request with a longer call_id is refused: "string too long. Expected a string with maximum length 64".
  "openai-responses": { ids: { pattern: /^[^]+$/, max: 64 }, names: { pattern: /^[A-Za-z0-9_-]+$/, max: 64 } },
  anthropic: {
    ids: { pattern: /^[A-Za-z0-9_-]+$/, max: Infinity },
    names: { pattern: /^[A-Za-z0-9_-]+$/, max: 128 },
  },
  // FunctionDeclaration.name of @google/genai: letters, digits, underscores, dots, colons and dashes, up to 128.
  gemini: { ids: ANY_IDENTIFIER, names: { pattern: /^[A-Za-z_][A-Za-z0-9_.:-]*$/, max: 128 } },
  ollama: { ids: ANY_IDENTIFIER, names: ANY_IDENTIFIER },
};

const MARK = "ub_";
const WRITTEN = /^ub_(?:[A-Za-z0-9-]|_[0-9a-f]{2}|_u[0-9a-f]{4})+$/;

/**
 * An id or name as a wire allows it. One that is allowed stays as it is. Another is written as `ub_` and its characters,
 * where all but `A-Z`, `a-z`, `0-9` and `-` are `_` and two hexadecimal digits of their UTF-16 unit (`_u` and four where
 * two are not enough); `originalIdentifier` gives it back. One that is too long even so becomes a digest, from which
 * nothing can be had back: the same word gives the same digest.
 *
 * @param word Not empty.
 * @example
 * fitIdentifier("functions.get_weather:0", { pattern: /^[\w-]+$/, max: 64 }); // "ub_functions_2eget_5fweather_3a0"
 */
export function fitIdentifier(word: string, rule: IdentifierRule): string {
  const allowed = word.length <= rule.max && rule.pattern.test(word);
  // What looks like one of ours must be written anew, or it would be read back as something else.
  if (allowed && originalIdentifier(word) === word) return word;
  const written = word.length <= rule.max ? spelled(word) : "";
  return written !== "" && written.length <= rule.max ? written : makeId(idSeed(word), word.length);
}

/**
 * The id or name that `fitIdentifier` was given.
 *
 * @param word As a client sends it back.
 * @returns The word itself where it is none of those that `fitIdentifier` writes.
 * @example
 * originalIdentifier("ub_functions_2eget_5fweather_3a0"); // "functions.get_weather:0"
 * originalIdentifier("call_1"); // "call_1"
 */
export function originalIdentifier(word: string): string {
  if (!WRITTEN.test(word)) return word;
  const read = word
    .slice(MARK.length)
    .replace(/_u([0-9a-f]{4})|_([0-9a-f]{2})/g, (_, long?: string, short?: string) =>
      String.fromCharCode(Number.parseInt(long ?? short ?? "", 16)),
    );
  // Only what would be written so was written by us: "ub_42" is a word of its own.
  return spelled(read) === word ? read : word;
}

/** At least one character is always spelled out, so that it can be told from a word that begins like it. */
function spelled(word: string): string {
  const plain = /^[A-Za-z0-9-]*$/.test(word);
  return MARK + (plain ? word.replace(/^./, hex) : word.replace(/[^A-Za-z0-9-]/g, hex));
}

function hex(unit: string): string {
  const code = unit.charCodeAt(0);
  return code < 0x100 ? `_${code.toString(16).padStart(2, "0")}` : `_u${code.toString(16).padStart(4, "0")}`;
}
