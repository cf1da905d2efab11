// A tool's name as it comes: in pieces, restated, grown, with leaked tokens, with the prefixes of Kimi's ids. Owns the
// name rules. Pure functions.

import { cutName } from "./control-tokens.ts";
import type { NoticeCode } from "../events.ts";

/**
 * Joins a name with another mention of it, before the call has started.
 *
 * @param held What is held, not empty.
 * @param piece What came.
 * @param declared Names of the declared tools, where they are known.
 * @returns The name to hold, and the notice that is due.
 * @example
 * joinName("get_wea", "ther", undefined); // { name: "get_weather", code: "name-fragmented" }
 * joinName("read_file", "read_file", undefined); // { name: "read_file", code: "name-restated" }
 */
export function joinName(
  held: string,
  piece: string,
  declared: ReadonlySet<string> | undefined,
): { name: string; code: NoticeCode } {
  if (piece === held) return { name: held, code: "name-restated" };
  const joined = held + piece;
  // llama.cpp sends the full name again when a longer parse changes it: it grows, it is not a piece.
  if (piece.startsWith(held) && declared?.has(joined) !== true) return { name: piece, code: "name-fragmented" };
  if (declared?.has(piece) === true && !declared.has(joined)) return { name: piece, code: "name-conflict" };
  return { name: joined, code: "name-fragmented" };
}

/**
 * The name to give out for a name on the wire.
 *
 * @param raw The name as the wire spelled it.
 * @param declared Names of the declared tools, where they are known.
 * @returns The name, and the notice that is due if it is not the raw one.
 * @example
 * readName("functions.get_weather:0", new Set(["get_weather"])); // { name: "get_weather", code: "name-normalised" }
 */
export function readName(raw: string, declared: ReadonlySet<string> | undefined): { name: string; code?: NoticeCode } {
  const cut = cutName(raw);
  const name = bareName(cut, declared);
  if (name !== cut) return { name, code: "name-normalised" };
  return cut === raw ? { name } : { name, code: "control-token-in-name" };
}

/** `functions.NAME:N`, `functions_NAME_N` and `NAME:N` stand for NAME only where it is declared and they are not. */
function bareName(name: string, declared: ReadonlySet<string> | undefined): string {
  if (declared === undefined || declared.has(name)) return name;
  const bare = name.replace(/^(?:functions|default_api|tools?)[._:]/, "");
  if (declared.has(bare)) return bare;
  const counted = bare.replace(/[:_]\d+$/, "");
  return declared.has(counted) ? counted : name;
}

/** Whether a name can be given out at once: it is declared, and no other declared name begins with it. */
export function isSettledName(name: string, declared: ReadonlySet<string> | undefined): boolean {
  if (declared?.has(name) !== true) return false;
  for (const other of declared) if (other !== name && other.startsWith(name)) return false;
  return true;
}
